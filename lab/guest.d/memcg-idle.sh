#!/bin/bash
# memcg-idle.sh MODE BUSY MB IDLE SECONDS [RATE] [SEED]
#
# What kswapd's wake-ups cost beside memory cgroups that do nothing: BUSY ones
# with a process that touches MB MiB at random, RATE times a second (1000), in all
# more than there is memory, and IDLE empty ones. What these take is made up for,
# so that the others have the same memory whatever their number is. Counts for
# SECONDS, of kswapd:
#   wakes        how often it began to balance a node
#   visits.turn  calls of memcg_visit_begin: our kernel has looked at a memcg
#   visits.took  trace events memcg_reclaim_visit: ours has asked a memcg for pages
#   visits.slab  calls of shrink_slab: on every kernel one for a memcg it reclaims
#                from, and none for one that memory.low or memory.min protects
# What this kernel does not have is "-".
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/memcg-lib.sh

case $# in
5 | 6 | 7) ;;
*) die "usage: memcg-idle.sh MODE BUSY MB IDLE SECONDS [RATE] [SEED]" ;;
esac
mode=$1 busy=$2 mb=$3 idle=$4 seconds=$5 rate=${6:-1000} seed=${7:-0}
number BUSY "$busy" 1
number MB "$mb" 1
number IDLE "$idle"
number SECONDS "$seconds" 1
number RATE "$rate"
number SEED "$seed"
T=/sys/kernel/tracing
AVAILABLE_MB=1700	# for the busy ones, and everything else that comes
counted=()

# count_event NAME EVENT: a buffer of its own, for what kswapd does
count_event() {
	local dir=$T/instances/$1 filter='' pid
	if [ ! -d "$T/events/$2" ]; then
		say "this kernel has no trace event ${2#*/}: $1 is not counted"
		return
	fi
	for pid in $(pidof_kswapd); do filter+="${filter:+ || }common_pid == $pid"; done
	mkdir "$dir"
	echo 0 >"$dir/tracing_on"
	echo 64 >"$dir/buffer_size_kb"
	echo "$filter" >"$dir/events/$2/filter" || die "cannot filter trace event $2"
	echo 1 >"$dir/events/$2/enable"
	counted+=("$1")
}

# count_calls NAME FUNCTION: the same for the calls of a function
count_calls() {
	if ! echo "p:lab/$1 $2" >>$T/kprobe_events; then
		say "this kernel has no function $2: $1 is not counted"
		return
	fi
	count_event "$1" "lab/$1"
}

pidof_kswapd() { awk '$2 ~ /^\(kswapd/ { print $1 }' /proc/[0-9]*/stat 2>/dev/null; }

counting() { # 0|1
	local name
	for name in "${counted[@]}"; do echo "$1" >"$T/instances/$name/tracing_on"; done
}

available_mb() { awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo; }

# Pages of ramfs cannot be reclaimed.
leave_available() {
	local spare=$(($(available_mb) - AVAILABLE_MB))
	[ $spare -ge 0 ] || die "only $(available_mb) MiB are available, not $AVAILABLE_MB"
	dd if=/dev/zero of=/ballast bs=1M count=$spare 2>/tmp/dd ||
		die "cannot take $spare MiB: $(tail -n 1 /tmp/dd)"
	say "$(available_mb) MiB are available"
}

calm
lru_mode "$mode"
setup_zram 3G
for ((i = 0; i < idle; i++)); do mkdir "$CG/idle$i"; done
say "$idle idle ones made after $SECONDS s"
leave_available
count_calls turn memcg_visit_begin
count_event took memcg_reclaim/memcg_reclaim_visit
count_calls slab shrink_slab
for ((i = 0; i < busy; i++)); do start_load "busy$i" "$mb" "$rate" $((seed + i + 1)); done
wait_ready 200 "${pids[@]}"
say "populated after $SECONDS s"
sleep 2
snapshot 0
counting 1
wakes=$(vm pageoutrun) began=$(vm 'pgsteal_kswapd')
sleep "$seconds"
counting 0
wakes=$(($(vm pageoutrun) - wakes)) taken=$(($(vm 'pgsteal_kswapd') - began))
snapshot 1

result wakes "$wakes"
for name in turn took slab; do result "visits.$name" "$(count_of $name)"; done
result pgsteal_kswapd "$taken"
result window_pgsteal_kswapd "$(vm_delta /tmp/vmstat.0 /tmp/vmstat.1 pgsteal_kswapd)"
result window_pgsteal_direct "$(vm_delta /tmp/vmstat.0 /tmp/vmstat.1 pgsteal_direct)"
result window_kswapd_s "$(paste /tmp/kswapd.0 /tmp/kswapd.1 | awk '{ printf "%.2f", $2 - $1 }')"
# shellcheck disable=SC2046 # one word each
result pgsteal $(differences pgsteal)
stop_all
[ "$wakes" -gt 0 ] || die "kswapd did not wake up: $busy * $mb MiB are too few for this guest"
