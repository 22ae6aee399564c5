#!/bin/bash
# fixed.sh MODE: a workload whose accesses are all settled beforehand, and what
# it did to the reclaim counters of /proc/vmstat. For one CPU, so that nothing
# but the kernel's own choice makes a difference. Two parts: limit reclaim in
# one cgroup, and kswapd in a small guest.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

[ $# -eq 1 ] || die "usage: fixed.sh MODE"
KEYS='pgscan_kswapd pgscan_direct pgscan_anon pgscan_file pgsteal_kswapd pgsteal_direct
pgsteal_anon pgsteal_file pgactivate pgdeactivate pgrefill pgrotated pgmajfault pswpin pswpout
workingset_refault_anon workingset_refault_file workingset_activate_anon
workingset_activate_file workingset_restore_anon workingset_restore_file workingset_nodereclaim'

MNT=/mnt/fixed

load() { # CG NAME ARGS..
	local cg=$1 name=$2
	shift 2
	start_in "$cg" memtouch --name "$name" "$@"
	wait $! || die "$name did not end well"
}

report() { # PART
	local key
	echo 1 >/proc/sys/vm/stat_refresh
	cat /proc/vmstat >/tmp/after
	for key in $KEYS; do
		grep -q "^$key " /tmp/after || die "/proc/vmstat has no $key"
		result "$1.$key" "$(vm_delta /tmp/before /tmp/after "$key")"
	done
	result "$1.seconds" $((SECONDS - began))
}

begin() {
	echo 3 >/proc/sys/vm/drop_caches
	echo 1 >/proc/sys/vm/stat_refresh
	cat /proc/vmstat >/tmp/before
	began=$SECONDS
}

# Files are there before anything is counted: writeback has a time of its own,
# and pages evicted while a file is written would leave traces behind.
fill_file() { # NAME MB
	memtouch --name "$1" --mb "$2" --file "$MNT/$1" --io read --ops 1 || die "cannot fill $MNT/$1"
}

# The classic LRU balances its lists by statistics that may be seconds old, and the
# unpatched kernel kills who has only active memory by then: keep them fresh.
keep_fresh() { # CG
	while sleep 0.1; do cat "$CG/$1/memory.stat"; done >/dev/null &
	fresh=$!
}

FILE=(--fill none --io read --pattern zipf:0.7 --ops 60000)

# anonymous memory and a file, by read() and mapped, under one limit
limited() {
	begin
	mkcg limited
	echo 32M >$CG/limited/memory.max
	keep_fresh limited
	load limited anon --mb 40 --pattern zipf:0.7 --ops 60000 --write 30 --verify
	load limited read --mb 48 --file $MNT/a "${FILE[@]}" --seed 2
	load limited map --mb 48 --file $MNT/b --fill none --madv random --pattern hot:20:80 --ops 40000 --seed 3
	kill $fresh
	report limited
}

# more memory than the guest has, without a limit
whole() {
	local holder
	begin
	mkcg whole
	load whole sweep --mb 512 --pattern zipf:0.5 --ops 100000 --write 20 --seed 4
	# idle memory that leaves too little room for the file
	start_in whole memtouch --name holder --mb 384 --rate 1 --ready-file $READY/holder
	holder=$!
	wait_ready 60 $holder
	load whole file --mb 96 --file $MNT/c "${FILE[@]}" --seed 5
	stop_loads holder $holder
	report whole
}

calm
lru_mode "$1"
setup_zram 1G
make_disk $MNT 224
fill_file a 48
fill_file b 48
fill_file c 96
limited
whole
result oom_kill "$(vm oom_kill)"
