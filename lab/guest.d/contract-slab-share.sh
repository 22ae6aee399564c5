#!/bin/bash
# contract-slab-share.sh MODE: a memcg with cache and slab, 3 MB above its memory.low, beside a
# sibling's stream. Results: CAUSE LEFT, in thousandths of the slab before.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

EXCESS=$((3 << 20))

# pressure KEY CMD..: what CMD leaves of a's slab
pressure() {
	local key=$1 before low file
	shift
	echo 0 >"$CG/p/a/memory.low"
	echo 0 >"$CG/p/memory.low"
	fill_slab p/a 16
	stream p/a 36
	low=$(($(cgstat p/a current) - EXCESS))
	echo $low >"$CG/p/a/memory.low"
	echo $low >"$CG/p/memory.low"
	before=$(slab p/a) file=$(cgstat p/a file)
	"$@"
	result "$key" $(($(slab p/a) * 1000 / before))
	result "$key.file" $(($(cgstat p/a file) * 1000 / file))
	result "$key.excess" $((($(cgstat p/a current) - low) >> 10))
}

# In parts, as a daemon asks
reclaim() {
	local i
	stream p/b 12 2000
	for i in 1 2 3 4 5 6; do echo 1536K >"$CG/p/memory.reclaim" || result short "$i"; done
}

begin "$1"
mkcg p/a
mkcg p/b
mkcg other
echo 90M >"$CG/p/memory.max"
pressure limit rounds p/b 40 3 1000
pressure reclaim reclaim
pressure global stream other 500 3000
