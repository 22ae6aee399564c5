#!/bin/bash
# contract-one-type-window.sh MODE: a memcg of cache only, whose hot part moves on in 8 phases;
# without swap, and with swap that stays empty.
# Results: SWAP.steal pages reclaimed; SWAP.late, generations opened in the second half.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

# The reader's own memory is charged to the root.
phases() { # KEY
	local half late=0 reader i
	echo 3 >/proc/sys/vm/drop_caches
	mkcg w
	echo 16M >"$CG/w/memory.max"
	for i in 1 2 3 4 5 6 7 8; do
		accessgen --kind read --file "$DISK/$i" --pages 8192 --pattern zipf:0.9 --ops 60000 \
			--seed "$i" --ready /tmp/ready.$i >/dev/null &
		reader=$!
		until [ -e /tmp/ready.$i ]; do sleep 0.01; done
		echo $reader >"$CG/w/cgroup.procs"
		wait $reader
		rm /tmp/ready.$i
		[ $i -ne 4 ] || half=$(youngest w)
	done
	late=$(($(youngest w) - half))
	result "$1.late" $late
	result "$1.steal" "$(cgstat w pgsteal)"
	result "$1.anon" "$(cgstat w anon)"
	rmdir "$CG/w"
}

begin "$1"
for i in 1 2 3 4 5 6 7 8; do truncate -s 32M "$DISK/$i"; done
phases none
setup_zram 128M
phases zram
