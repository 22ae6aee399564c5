#!/bin/bash
# contract-protected-fair.sh MODE: eight memcgs with 16 MB of cache each, half of it protected, from
# which 32 MB are taken; then two with 64 MB, nine tenths of the first protected, and 24 MB.
# Results: gave8.CAUSE and gave2.CAUSE, pages that each gives; over.CAUSE, pages that the eight lack
# to their memory.low; gave.CAUSE, what the protected one of two gives, in thousandths of its part
# by what is not protected.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

# protect CG PERCENT: memory.low, as that part of what it has
protect() { echo $(($(cgstat "$1" current) * $2 / 100)) >"$CG/$1/memory.low"; }

# take CAUSE MB: from the memcgs below p
take() {
	local i cg=$CG/p
	case $1 in
	global) cg=$CG ;;
	limit) echo $(($(cgstat p current) - ($2 << 20))) >"$cg/memory.max"; return ;;
	esac
	for i in $(seq $(($2 * 2))); do
		echo 512K >"$cg/memory.reclaim" || result short "$i"
	done
}

# fresh N MB: N memcgs below p, each with MB of cache of its own, all idle for about as long
fresh() {
	local i
	echo max >"$CG/p/memory.max"
	echo 3 >/proc/sys/vm/drop_caches
	for i in $(seq "$1"); do
		mkcg "p/$i"
		stream "p/$i" "$2" $((i * 100))
	done
	sleep 10
}

remove() {
	echo 0 >"$CG/p/memory.low"
	echo 3 >/proc/sys/vm/drop_caches
	for i in $(seq "$1"); do rmdir "$CG/p/$i"; done
}

even() { # CAUSE
	local i low lack=0 gave=()
	fresh 8 16
	echo 128M >"$CG/p/memory.low"
	for i in $(seq 8); do protect "p/$i" 50; done
	take "$1" 32
	sleep $FLUSH_S
	for i in $(seq 8); do
		gave+=("$(cgstat "p/$i" pgsteal)")
		low=$(($(cat "$CG/p/$i/memory.low") - $(cgstat "p/$i" current)))
		lack=$((lack + (low > 0 ? low >> 12 : 0)))
	done
	result "gave8.$1" "${gave[@]}"
	result "over.$1" "$lack"
	remove 8
}

uneven() { # CAUSE
	local a b
	fresh 2 64
	echo 128M >"$CG/p/memory.low"
	protect p/1 90
	take "$1" 24
	sleep $FLUSH_S
	a=$(cgstat p/1 pgsteal) b=$(cgstat p/2 pgsteal)
	result "gave2.$1" "$a" "$b"
	result "gave.$1" $((a * 11 * 1000 / (a + b)))
	remove 2
}

begin "$1"
mkcg p
for cause in global reclaim limit; do
	even $cause
	uneven $cause
done
