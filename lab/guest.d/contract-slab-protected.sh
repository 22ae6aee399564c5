#!/bin/bash
# contract-slab-protected.sh MODE: slab of a protected memcg without folios, under pressure.
# Results: PROTECTION.CAUSE LEFT, in thousandths of the slab before; kills.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

# pressure KEY CMD..: what CMD leaves of a's slab
pressure() {
	local key=$1 before
	shift
	fill_slab p/a 40
	before=$(slab p/a)
	"$@"
	result "$key" $(($(slab p/a) * 1000 / before))
}

# Less than b's cache
reclaim() {
	local i
	stream p/b 60
	for i in 1 2 3; do echo 10M >"$CG/p/memory.reclaim" || result short "$i"; done
}

# More than all that may go
excess() {
	! echo 150M >"$CG/p/memory.reclaim" 2>/dev/null || result excess served
}

# A hog in CG takes all there is, and more; only its own end stops it.
hog() { # CG MB
	local rc=0
	run_in "$1" memtouch --mb "$2" --ops 1 >/dev/null 2>&1 || rc=$?
	[ $rc -eq 137 ] || result hog "$rc"
}

# The parent's protection bounds the child's, seen from the root.
protect() { # min|low SIZE
	echo "$2" >"$CG/p/a/memory.$1"
	echo "$2" >"$CG/p/memory.$1"
}

begin "$1"
mkcg p/a
mkcg p/b
mkcg other
echo 110M >"$CG/p/memory.max"
# Reclaim meets a, and learns that it has no folios.
fill_slab p/a 40
echo 1M >"$CG/memory.reclaim" || true
for protection in low min; do
	protect $protection 60M
	pressure $protection.limit rounds p/b 50 3
	pressure $protection.reclaim reclaim
	pressure $protection.global stream other 350
	if [ $protection = min ]; then
		pressure min.excess excess
		pressure min.limit-oom hog p/b 120
		pressure min.global-oom hog other 300
	fi
	protect $protection 0
done
result kills "$(vm oom_kill)"
