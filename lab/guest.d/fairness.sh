#!/bin/bash
# fairness.sh MODE N MB RATE WRITES SIZE INTERVAL [SETTLE]
#
# The memcg LRU series' test, scaled: N memory cgroups, in each one process
# that touches MB MiB at random, RATE times a second; then WRITES writes of
# SIZE to the root memory.reclaim, INTERVAL seconds apart. Every figure is a
# difference over the time of the writes.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/memcg-lib.sh

[ $# -ge 7 ] || die "usage: fairness.sh MODE N MB RATE WRITES SIZE INTERVAL [SETTLE]"
mode=$1 n=$2 mb=$3 rate=$4 writes=$5 size=$6 interval=$7 settle=${8:-3}
number N "$n" 1
number MB "$mb" 1
number RATE "$rate"
number WRITES "$writes" 1
pages=$(pages_of "$size")

start_all() {
	local i
	for ((i = 0; i < n; i++)); do start_load "job$i" "$mb" "$rate" $((i + 1)); done
}

calm
lru_mode "$mode"
setup_zram 2G
start_all
wait_ready 90 "${pids[@]}"
say "populated after $SECONDS s"
sleep "$settle"
snapshot 0
read -r _ count _ eagain _ cpu _ wall _ longest \
	< <(reclaim-writes $CG/memory.reclaim "$size" "$writes" "$interval") || die "reclaim-writes failed"
snapshot 1
result alive "$(alive "${pids[@]}")"
stop_all

# shellcheck disable=SC2046 # one word each
result pgsteal $(differences pgsteal)
result requested $((writes * pages))
result pgsteal_sum "$(total pgsteal)"
result pgscan_sum "$(total pgscan)"
result node_pgsteal "$(vm_delta /tmp/vmstat.0 /tmp/vmstat.1 'pgsteal_(anon|file)')"
result node_pgscan "$(vm_delta /tmp/vmstat.0 /tmp/vmstat.1 'pgscan_(anon|file)')"
result refaults "$(vm_delta /tmp/vmstat.0 /tmp/vmstat.1 'workingset_refault_(anon|file)')"
result writes "$count"
result eagain "$eagain"
result reclaim_cpu_s "$cpu"
result reclaim_wall_s "$wall"
result reclaim_max_ms "$longest"
result kswapd_cpu_s "$(paste /tmp/kswapd.0 /tmp/kswapd.1 | awk '{ printf "%.2f", $2 - $1 }')"
result oom_kill "$(vm_delta /tmp/vmstat.0 /tmp/vmstat.1 oom_kill)"
