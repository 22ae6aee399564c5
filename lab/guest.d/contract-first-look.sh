#!/bin/bash
# contract-first-look.sh MODE: memory.reclaim of a memcg with 50 MB hot and 50 MB idle anon, 30 MB
# mapped file in use and 75 MB read once, 8 MB each 2 s; then of one that has mapped files only.
# Results: refault_anon, refault_file (pages), short (writes that got less), mapped (MiB taken).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

begin "$1" 96
setup_zram 512M
mkcg w
mkcg m
files_in m "$DISK/m"
hot_and_idle_in w
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
