#!/bin/bash
# contract-first-look.sh MODE: memory.reclaim of a memcg with 50 MB hot and 50 MB idle anon, 30 MB
# mapped file in use and 75 MB read once, 8 MB each 2 s; then of one that has mapped files only.
# Results: refault_anon, refault_file (pages), short (writes that got less), mapped (MiB taken).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

files_in() { # CG FILE: 30 MB of it, mapped and in use
	accessgen --kind create --file "$2" --pages 7680 >/dev/null 2>&1
	sync
	echo 3 >/proc/sys/vm/drop_caches
	start_in "$1" accessgen --kind mmapd --file "$2" --pages 7680 --pattern seq --rate 7680 >/dev/null
}

begin "$1" 96
setup_zram 512M
mkcg w
mkcg m
files_in m "$DISK/m"
files_in w "$DISK/h"
start_in w memtouch --mb 50 --rate 1 --ready-file $READY/idle >/dev/null
start_in w accessgen --kind anon --pages 12800 --pattern seq --rate 12800 >/dev/null
sleep 3
stream w 75
sleep 8
short=0
for _ in 1 2 3 4; do
	echo 8M >"$CG/w/memory.reclaim" || short=$((short + 1))
	sleep 2
done
sleep $FLUSH_S
result refault_anon "$(cgstat w workingset_refault_anon)"
result refault_file "$(cgstat w workingset_refault_file)"
result short $short
# Nothing of it is swapped: all that it can give is mapped.
stolen=$(cgstat m pgsteal)
echo "8M swappiness=0" >"$CG/m/memory.reclaim" || true
sleep $FLUSH_S
result mapped $(($(cgstat m pgsteal) - stolen >> 8))
kill $(pgrep 'accessgen|memtouch') || true
