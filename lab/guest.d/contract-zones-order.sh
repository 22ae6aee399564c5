#!/bin/bash
# contract-zones-order.sh MODE: an 80 MB file that is read all the time, all memory full of
# page cache, and dentries beyond what the low zones hold (boot with kernelcore=112M).
# Results: scan, steal (pages), refaults (of the file), stalls, killed.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

sum() { awk -v k="^$1_(kswapd|direct)$" '$1 ~ k { n += $2 } END { print n + 0 }' /proc/vmstat; }
stalls() { awk '$1 ~ /^allocstall_/ { n += $2 } END { print n + 0 }' /proc/vmstat; }

begin "$1"
mkcg h
mkcg names
mkcg stream
truncate -s 80M "$DISK/hot"
start_in h accessgen --kind read --file "$DISK/hot" --pages 20480 --pattern zipf:0.9 --rate 3000 >/dev/null
hot=$!
sleep 8
stream stream 700
scan=$(sum pgscan) steal=$(sum pgsteal) stalls=$(stalls) refaults=$(cgstat h workingset_refault_file)
fill_slab names 40
run_in names negdentry "$DISK/names" $names 1200000
result scan $(($(sum pgscan) - scan))
result steal $(($(sum pgsteal) - steal))
result stalls $(($(stalls) - stalls))
sleep $FLUSH_S
result refaults $(($(cgstat h workingset_refault_file) - refaults))
result killed "$(vmstat oom_kill)"
kill $hot
