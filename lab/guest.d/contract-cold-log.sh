#!/bin/bash
# contract-cold-log.sh MODE [SWAPPINESS]: six memcgs of 24 MB anonymous memory, half of it in use,
# and 6 MB of a mapped file in use, beside one that reads 8 MB/s of a file once (c02). After 28 s
# of settling, for 25 s.
# Results: refault_anon, refault_file (pages of the six), anon (MB they have), log (MB of the
# stream left), kswapd (seconds), stalls (direct reclaims).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

sum() { # KEY: of the six
	cg_sum "$1" "$CG"/w[1-6]/
}

begin "$1" 40
[ $# -lt 2 ] || echo "$2" >/proc/sys/vm/swappiness
setup_zram 512M
for i in 1 2 3 4 5 6; do
	mkcg w$i
	accessgen --kind create --file "$DISK/t$i" --pages 1536 >/dev/null 2>&1
done
mkcg log
sync
echo 3 >/proc/sys/vm/drop_caches
pids=()
for i in 1 2 3 4 5 6; do
	start_in w$i accessgen --kind anon --pages 6144 --pattern hot:50:100 --rate 500 --seed $i >/dev/null
	pids+=($!)
	start_in w$i accessgen --kind mmapd --file "$DISK/t$i" --pages 1536 --rate 500 --seed 1$i >/dev/null
	pids+=($!)
done
start_in log accessgen --kind read --file "$HOLES" --pages 2000000 --pattern seq --rate 2048 >/dev/null
pids+=($!)
sleep 28
sleep $FLUSH_S
anon=$(sum workingset_refault_anon) file=$(sum workingset_refault_file)
stalls=$(vm allocstall_.*) kswapd=$(kswapd_seconds)
sleep 25
sleep $FLUSH_S
result refault_anon $(($(sum workingset_refault_anon) - anon))
result refault_file $(($(sum workingset_refault_file) - file))
result anon $(($(sum anon) >> 20))
result log $(($(cgstat log file) >> 20))
result stalls $(($(vm allocstall_.*) - stalls))
result kswapd "$(awk -v a="$kswapd" -v b="$(kswapd_seconds)" 'BEGIN { print b - a }')"
kill "${pids[@]}" || true
