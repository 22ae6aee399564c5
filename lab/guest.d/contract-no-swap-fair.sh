#!/bin/bash
# contract-no-swap-fair.sh MODE: below one limit, without swap: a has 2 MB of a hot mapped file and
# fills and frees 40 MB of anonymous memory; b has 46 MB of cold cache.
# Results: refaults of a's file; pages that a and b gave; cold MB left.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

begin "$1"
mkcg p/a
mkcg p/b
echo 60M >"$CG/p/memory.max"
accessgen --kind create --file "$DISK/hot" --pages 512 >/dev/null
sync
echo 3 >/proc/sys/vm/drop_caches
start_in p/a accessgen --kind mmapd --file "$DISK/hot" --pages 512 --rate 2000 >/dev/null
load=$!
sleep 1
stream p/b 46
for i in $(seq 15); do
	run_in p/a memtouch --mb 40 --fill same --ops 1 >/dev/null
	sleep 0.2
	# A log grows: b has some cache that nobody reads again.
	stream p/b 6 $((100 + i * 6))
done
kill $load
wait $load || true
result refaults "$(cgstat p/a workingset_refault_file)"
result a "$(cgstat p/a pgsteal)"
result b "$(cgstat p/b pgsteal)"
result cold $(($(cgstat p/b file) >> 20))
result kills "$(vm oom_kill)"
