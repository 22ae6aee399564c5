#!/bin/bash
# contract-all-in-use.sh MODE: memory.reclaim, 8 MB in sixteen writes, of a memcg with 32 MB of anon
# memory, each page of which is touched twice a second.
# Results: pages it has at first, and of those writes pgscan and pgsteal; short (writes that got less).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

begin "$1"
setup_zram 64M
mkcg w
start_in w memtouch --mb 32 --rate 16384 --ready-file "$READY/w" >/dev/null
load=$!
wait_ready 60 "$load"
sleep 3
scan=$(cgstat w pgscan) steal=$(cgstat w pgsteal) short=0
result pages $(($(cgstat w anon) / 4096))
for _ in $(seq 16); do
	echo 512K >"$CG/w/memory.reclaim" || short=$((short + 1))
	sleep 0.5
done
sleep $FLUSH_S
result pgscan $(($(cgstat w pgscan) - scan))
result pgsteal $(($(cgstat w pgsteal) - steal))
result short $short
kill $load
wait $load || true
