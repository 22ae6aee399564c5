#!/bin/bash
# offcost.sh MODE SEED: what reclaim costs on one processor, by the kind of request. With
# --icount a nanosecond is a fixed number of instructions, so cost is a count.
#
# Results, for each load: LOAD.ns (reclaim alone), LOAD.pgscan, LOAD.pgsteal and the
# other counters of KEYS.
# Files are holes: they read as zeroes at no cost to the RAM disk. Anon pages are all
# alike, which zram stores at no cost: reclaim is what is left to count.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

[ $# -eq 2 ] || die "usage: offcost.sh MODE SEED"
MNT=/mnt/off
T=/sys/kernel/tracing
KEYS='pgscan_kswapd pgscan_direct pgscan_anon pgscan_file pgsteal_kswapd pgsteal_direct
pgsteal_anon pgsteal_file pgactivate pgdeactivate pgrefill pgrotated pgmajfault pswpin pswpout
workingset_refault_anon workingset_refault_file workingset_activate_anon
workingset_activate_file workingset_restore_anon workingset_restore_file'
MEMCGS='1 2 3 4 5 6'

# The classic LRU chooses by statistics that are flushed every two seconds. Where in them a
# load begins decides how much it swaps, so it is the seed's, and not luck.
wait_for_flush() {
	local event=$T/events/workqueue/workqueue_execute_start address
	address=$(awk '$3 == "flush_memcg_stats_dwork" { print $1 }' /proc/kallsyms)
	[ -n "$address" ] || die "the kernel has no flush_memcg_stats_dwork()"
	echo "function == 0x$address" >$event/filter
	echo >$T/trace
	echo 1 >$event/enable
	echo 1 >$T/tracing_on
	SECONDS=0
	until grep -q workqueue_execute_start: $T/trace; do
		[ $SECONDS -lt 20 ] || die "the statistics are not flushed"
		sleep 0.01
	done
	echo 0 >$T/tracing_on
	echo 0 >$event/enable
}

begin() {
	echo 3 >/proc/sys/vm/drop_caches
	wait_for_flush
	sleep "$((seed * 4 % 20 / 10)).$((seed * 4 % 10))"
	echo 1 >/proc/sys/vm/stat_refresh
	cat /proc/vmstat >/tmp/before
}

report() { # LOAD NS
	local key
	echo 1 >/proc/sys/vm/stat_refresh
	cat /proc/vmstat >/tmp/after
	result "$1.ns" "$2"
	for key in $KEYS; do
		grep -q "^$key " /tmp/after || die "/proc/vmstat has no $key"
		result "$1.$key" "$(vm_delta /tmp/before /tmp/after "$key")"
	done
}

# The trace tells when a request begins and ends, in ticks of 1 ns.
trace_on() {
	echo 0 >$T/tracing_on
	echo x86-tsc >$T/trace_clock
	echo 8192 >$T/buffer_size_kb
	echo >$T/trace
	echo 1 >$T/events/vmscan/mm_vmscan_memcg_reclaim_begin/enable
	echo 1 >$T/events/vmscan/mm_vmscan_memcg_reclaim_end/enable
	echo 1 >$T/tracing_on
}

trace_off() {
	echo 0 >$T/tracing_on
	echo 0 >$T/events/vmscan/enable
	[ "$(awk '/^overrun:/ { s += $2 } END { print s + 0 }' $T/per_cpu/cpu*/stats)" = 0 ] ||
		die "the trace buffer is too small"
}

ns_of_requests() {
	trace_off
	awk '
		/mm_vmscan_memcg_reclaim_(begin|end):/ {
			match($0, /[0-9]+: mm_vmscan/)
			at = substr($0, RSTART, RLENGTH - 11) + 0
			if (/_begin:/) began = at
			else if (began) { sum += at - began; n++; began = 0 }
		}
		END { if (!n) exit 1; printf "%.0f\n", sum }' $T/trace ||
		die "no request was traced"
}

# load CG NAME ARGS..: to its end
load() {
	local cg=$1 name=$2
	shift 2
	start_in "$cg" memtouch --pin-self --name "$name" "$@" >/dev/null
	wait $! || die "$name did not end well"
}

hole() { # NAME MB
	: >"$MNT/$1"
	truncate -s "$2M" "$MNT/$1"
}

read_once() { # CG FILE
	start_in "$1" dd if="$MNT/$2" of=/dev/null bs=64k 2>/dev/null
	wait $!
}

# What programs have is not all alike: to compress a page of theirs costs as much as to evict
# several others. So the loads are pinned, this shell is not swapped, and what was there before
# it is swapped out now. That is not even between kernels: what was in use under the MGLRU is
# inactive once ours is switched off, and active on the unpatched kernel, which then keeps it.
# A page stays charged to where it was first used: begin anew there.
stay_in_memory() {
	[ "$(cat /proc/self/cgroup)" != 0::/shell ] || return 0
	setup_zram 1G
	mkcg shell
	echo 0 >$CG/shell/memory.swap.max
	echo $$ >$CG/shell/cgroup.procs
	exec "$0" "$@"
}

swap_out_the_rest() {
	local error
	# There is not as much to free, and it says so. The unpatched kernel swaps none of it.
	! error=$({ echo "64M swappiness=200" >$CG/memory.reclaim; } 2>&1) ||
		die "memory.reclaim freed all it was asked for"
	[[ $error == *"temporarily unavailable"* ]] || die "memory.reclaim: $error"
}

# Several memcgs with cache, half of it used twice, and idle anon memory. Wait for a flush.
fill_memcgs() {
	local i
	for i in $MEMCGS; do
		read_once "r/$i" "r$i"
		[ $((i % 2)) -eq 0 ] || read_once "r/$i" "r$i"
	done
	sleep 3
}

# A request for 4 MiB, 16 times. The shell does nothing else: it is the writer.
reclaim_writes() { # LOAD FILE
	begin
	fill_memcgs
	trace_on
	reclaim-writes "$2" 4M 16 0 >/tmp/writes
	report "$1" "$(ns_of_requests)"
}

hold_anon() {
	local i
	for i in $MEMCGS; do
		mkcg "r/$i"
		hole "r$i" 16
		start_in "r/$i" memtouch --pin-self --name "anon$i" --mb 6 --fill same --rate 1 \
			--ready-file "$READY/anon$i" >/dev/null
		holders+=($!)
	done
	wait_ready 60 "${holders[@]}"
}

# a memcg at its limit: a file that is read and one that is mapped, then anon memory
at_leaf() {
	mkcg leaf
	echo 20M >$CG/leaf/memory.max
	hole leaf 48
	hole map 32
	begin
	trace_on
	load leaf read --mb 48 --file $MNT/leaf --fill none --io read --pattern zipf:0.7 --ops 30000 \
		--seed "$seed"
	load leaf map --mb 32 --file $MNT/map --fill none --madv random --pattern hot:20:80 \
		--ops 20000 --seed $((seed + 100))
	load leaf anon --mb 28 --fill same --pattern zipf:0.7 --ops 20000 --write 30 \
		--seed $((seed + 200))
	report leaf "$(ns_of_requests)"
}

# the limit is that of their parent
at_parent() {
	local i
	mkcg top
	echo 32M >$CG/top/memory.max
	for i in $MEMCGS; do
		mkcg "top/$i"
		hole "p$i" 16
	done
	begin
	trace_on
	for _ in 1 2; do
		for i in $MEMCGS; do read_once "top/$i" "p$i"; done
	done
	report parent "$(ns_of_requests)"
}

# an allocator that outruns the machine's memory, beside idle memcgs
under_kswapd() {
	local pid before
	pid=$(grep -lx kswapd0 /proc/[0-9]*/comm 2>/dev/null) || die "there is no kswapd0"
	pid=${pid//[!0-9]/}
	hole stream 640
	mkcg stream
	begin
	fill_memcgs
	before=$(cputime "$pid")
	read_once stream stream
	load stream sweep --mb 320 --fill same --pattern seq --ops 1000
	report kswapd $(($(cputime "$pid") - before))
}

seed=$2
holders=()
calm
lru_mode "$1"
stay_in_memory "$@"
make_disk $MNT 32
swap_out_the_rest
hold_anon
reclaim_writes root $CG/memory.reclaim
reclaim_writes memcg $CG/r/memory.reclaim
at_leaf
at_parent
under_kswapd
stop_loads anon "${holders[@]}" >/dev/null
result oom_kill "$(vm oom_kill)"
