#!/bin/bash
# contract-high-order.sh MODE: memory full of cache, in pieces; huge pages are asked for, by
# the classic LRU and by MODE, in turns. Results: LRU.huge pages got; LRU.cost, pages reclaimed for each.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

HUGE=/proc/sys/vm/nr_hugepages

steals() { vm 'pgsteal_(kswapd|direct|khugepaged)'; }

# Names among the cache: slab that compaction cannot move, all over memory.
scatter() {
	local i
	for i in $(seq 0 14); do
		run_in s negdentry "$DISK/names" $((names + i * 2000)) 2000
		stream s 16 $((at + i * 16))
	done
	names=$((names + 30000)) at=$((at + 300))
}

# Huge pages got and pages reclaimed, by LRU; attempts to compact and successes
declare -A got pages
at=0

try() { # LRU
	local before n i
	lru_mode "$1"
	echo 3 >/proc/sys/vm/drop_caches
	scatter
	before=$(steals)
	for i in 8 16 24 32; do echo $i >$HUGE; done
	n=$(cat $HUGE)
	before=$(($(steals) - before))
	echo "$1: $n huge pages, $before pages reclaimed," \
		"compaction: $(vm compact_stall) stalls, $(vm compact_success) ended well"
	got[$1]=$((${got[$1]:-0} + n)) pages[$1]=$((${pages[$1]:-0} + before))
	echo 0 >$HUGE
}

begin classic
mkcg s
# What one leaves behind is what the next one finds, compaction's patience included: each LRU
# follows the other as often as itself, and the turns are summed.
for ((turn = 0; turn < 4; turn++)); do
	try classic
	try "$1"
	try "$1"
	try classic
done
for lru in classic "$1"; do
	result "$lru.huge" "${got[$lru]}"
	result "$lru.cost" $((pages[$lru] / (got[$lru] > 0 ? got[$lru] : 1)))
done
