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

try() { # LRU
	local memcgs root
	lru_mode "$1"
	echo 3 >/proc/sys/vm/drop_caches
	names_of_all $COUNT $PART 30000
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
