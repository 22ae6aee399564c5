#!/bin/bash
# contract-mapped-without-walks.sh MODE: 12 MB of a mapped file in constant use, and a stream, below a
# limit of 32 MB; with MODE mglru without walks. Result: refaults.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

begin "$1" 32
[ "$1" = classic ] || echo 1 >$KNOB
mkcg w
accessgen --kind create --file "$DISK/hot" --pages 3072 >/dev/null
sync
echo 3 >/proc/sys/vm/drop_caches
echo 32M >"$CG/w/memory.max"
start_in w accessgen --kind mmapd --file "$DISK/hot" --pages 3072 --pattern seq --rate 30000 >/dev/null
load=$!
sleep 1
for i in $(seq 40); do
	stream w 4 $((i * 4))
	# All of the mapping is used once more.
	sleep 0.12
done
kill $load
wait $load || true
result refaults "$(cgstat w workingset_refault_file)"
