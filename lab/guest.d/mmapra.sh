#!/bin/bash
# mmapra.sh [MB] [LIMIT_MB]: what mmap read-around reads, in a file of MB MiB.
# Each case starts with none of the file in the cache. A "roomy" case has no
# limit, so that nothing is evicted; a "tight" one has LIMIT_MB, and was gone
# through once before, so that everything missed is missed again.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

MB=${1:-48}
LIMIT_MB=${2:-16}
number MB "$MB" 16
number LIMIT_MB "$LIMIT_MB" 4
PAGES=$((MB * 256))
FILE=/mnt/d/file

# read_file CASE LIMIT ORDER ACCESSES [random]: the results of one case
read_file() {
	local name=$1 limit=$2 cg=ra out before after
	shift 2
	sync
	echo 3 >/proc/sys/vm/drop_caches
	mkcg $cg
	echo "$limit" >$CG/$cg/memory.max
	[ "$limit" = max ] || in_cg $cg mmapread $FILE seq $PAGES >/dev/null
	before=$(cgstat $cg stat | awk '$1 == "workingset_refault_file" { print $2 }')
	out=$(in_cg $cg mmapread $FILE "$@") || die "mmapread failed: $out"
	sleep $FLUSH_S
	after=$(cgstat $cg stat | awk '$1 == "workingset_refault_file" { print $2 }')
	say "$name: $((after - before)) pages refaulted, $out"
	result case "$name" refaults $((after - before)) "${out% sum*}"
	rmdir $CG/$cg
}

in_cg() { # CG CMD..: run it in the cgroup and wait
	local cg=$1
	shift
	(
		echo "$BASHPID" >"$CG/$cg/cgroup.procs"
		exec "$@"
	)
}

calm
[ ! -e $KNOB ] || lru_mode mglru
make_disk /mnt/d $((MB + 40))
dd if=/dev/zero of=$FILE bs=1M count="$MB" 2>/dev/null || die "cannot write $FILE"
result pages "$PAGES"
read_file roomy-seq max seq $PAGES
read_file roomy-random max random $((PAGES * 2))
read_file tight-random "${LIMIT_MB}M" random $PAGES
read_file tight-madvised "${LIMIT_MB}M" random $PAGES random
read_file tight-seq "${LIMIT_MB}M" seq $((PAGES * 2))
read_file tight-back "${LIMIT_MB}M" back $PAGES
read_file tight-chunk4 "${LIMIT_MB}M" chunk:4 $PAGES
read_file tight-chunk16 "${LIMIT_MB}M" chunk:16 $((PAGES * 2))
read_file tight-stride8 "${LIMIT_MB}M" stride:8 $PAGES
if [ -e $KNOB ]; then
	lru_mode classic
	read_file classic-random "${LIMIT_MB}M" random $PAGES
fi
