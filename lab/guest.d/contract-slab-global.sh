#!/bin/bash
# contract-slab-global.sh MODE: names in the root and in 4 memcgs without folios, and one memcg
# that streams; by the classic LRU and then by MODE.
# Results: LRU.root and LRU.memcgs LEFT, in thousandths of the slab before.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

COUNT=4
PART=15000	# names of each

slab_of_memcgs() { cg_sum slab_reclaimable "$CG"/idle/*/ | awk '{ print int($1 / 1024) }'; }
# Names in all of memory, without those of the memcgs
slab_of_root() {
	local all
	read -r _ _ _ _ all _ </proc/sys/fs/dentry-state
	echo $((all * DENTRY_BYTES / 1024 - $(slab_of_memcgs)))
}

fill() {
	local i
	for i in $(seq $COUNT); do
		run_in "idle/$i" negdentry "$DISK/names" $names $PART
		names=$((names + PART))
	done
	negdentry "$DISK/names" $names 30000
	names=$((names + 30000))
}

try() { # LRU
	local memcgs root
	lru_mode "$1"
	echo 3 >/proc/sys/vm/drop_caches
	fill
	memcgs=$(slab_of_memcgs) root=$(slab_of_root)
	stream s 6400
	sleep 2.2
	result "$1.memcgs" $(($(slab_of_memcgs) * 1000 / memcgs))
	result "$1.root" $(($(slab_of_root) * 1000 / root))
	result "$1.kib" "$memcgs" "$root"
}

begin classic
mkcg s
for i in $(seq $COUNT); do mkcg "idle/$i"; done
try classic
try "$1"
