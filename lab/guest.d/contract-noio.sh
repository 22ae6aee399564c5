#!/bin/bash
# contract-noio.sh MODE: a memcg at its limit, with 100 MB of idle memory, reads 200 MB through
# a loop device. The worker of the device charges the pages of the backing file to the memcg,
# and reclaims for them without I/O.
# Results: scan, steal (pages of the memcg), active (MiB of anon), killed.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

begin "$1"
setup_zram 256M
mkcg a
echo 160M >"$CG/a/memory.max"
truncate -s 400M "$DISK/backing"
losetup /dev/loop0 "$DISK/backing"
start_in a memtouch --mb 100 --rate 1 --ready-file $READY/idle >/dev/null
idle=$!
wait_ready 60 $idle
sleep 5
scan=$(cgstat a pgscan) steal=$(cgstat a pgsteal)
run_in a dd if=/dev/loop0 of=/dev/null bs=256k count=800 2>/dev/null
sleep $FLUSH_S
result scan $(($(cgstat a pgscan) - scan))
result steal $(($(cgstat a pgsteal) - steal))
result active $(($(cgstat a active_anon) >> 20))
result swapped "$(vmstat pswpout)"
result killed "$(events a oom_kill)"
kill $idle
losetup -d /dev/loop0
