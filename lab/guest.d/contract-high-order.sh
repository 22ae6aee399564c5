#!/bin/bash
# contract-high-order.sh MODE: memory full of cache, in pieces; huge pages are asked for, by the
# classic LRU and then by MODE. Results: LRU.huge pages got; LRU.cost, pages reclaimed for each.
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

at=0
try() { # LRU
	local before got i
	lru_mode "$1"
	echo 3 >/proc/sys/vm/drop_caches
	scatter
	before=$(steals)
	for i in 8 16 24 32; do echo $i >$HUGE; done
	got=$(cat $HUGE)
	result "$1.huge" "$got"
	result "$1.cost" $((($(steals) - before) / (got > 0 ? got : 1)))
	result "$1.compact" "$(vm compact_stall)" "$(vm compact_success)"
	echo 0 >$HUGE
}

begin classic
mkcg s
try classic
try "$1"
