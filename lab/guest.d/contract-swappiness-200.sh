#!/bin/bash
# contract-swappiness-200.sh MODE: memory.reclaim with swappiness=200 of a memcg with 50 MB hot and
# 50 MB idle anon, 30 MB mapped file in use and 75 MB read once, 8 MB each 2 s.
# Results: refault_anon (pages), short (writes that got less), anon, file (MiB taken).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

begin "$1" 64
setup_zram 512M
mkcg w
hot_and_idle_in w
anon=$(cgstat w anon) file=$(cgstat w file) short=0
for _ in 1 2 3 4 5 6 7 8 9; do
	echo "8M swappiness=200" >"$CG/w/memory.reclaim" || short=$((short + 1))
	sleep 2
done
sleep $FLUSH_S
result refault_anon "$(cgstat w workingset_refault_anon)"
result refault_file "$(cgstat w workingset_refault_file)"
result short $short
result anon $((anon - $(cgstat w anon) >> 20))
result file $((file - $(cgstat w file) >> 20))
kill $(pgrep 'accessgen|memtouch') || true
