#!/bin/bash
# contract-refault-elsewhere.sh MODE: a reads 24 MB of a file below 16 MB and ends, as
# a container does that is restarted; b reads it, too.
# Results: pages that a had evicted; b's refaults; refaults that the generations of a know of,
# before b and after it (multi-gen LRU only).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

# known CG: refaults in the recent and mean counts of its generations on node 0
known() {
	awk -v cg="/$1" '$1 == "memcg" { mine = $3 == cg; node = -1; next }
		mine && $1 == "node" { node = $2; next }
		mine && node == 0 { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+[rR]$/) n += $i }
		END { print n + 0 }' /sys/kernel/debug/lru_gen_full
}

begin "$1"
mkcg a
mkcg b
echo 16M >"$CG/a/memory.max"
echo 64M >"$CG/b/memory.max"
stream a 24
result evicted "$(cgstat a pgsteal)"
result before "$([ "$1" = classic ] || known a)"
stream b 24
result after "$([ "$1" = classic ] || known a)"
result refaults "$(cgstat b workingset_refault_file)"
