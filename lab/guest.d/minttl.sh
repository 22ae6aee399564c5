#!/bin/bash
# minttl.sh: min_ttl_ms, in a guest of 512M with swap to spare. Two loads that
# together do not fit use their memory all the time. Without min_ttl they swap
# and live; with one longer than the test, one is killed and the other goes on,
# since nothing of what is in use may be evicted.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

TTL=/sys/kernel/mm/lru_gen/min_ttl_ms
MB=260
RUN_S=12

# kills SECONDS: OOM kills while two loads run that long
kills() {
	local before after pids=()
	before=$(awk '$1 == "oom_kill" { print $2 }' /proc/vmstat)
	for i in 1 2; do
		start_in "m$i" memtouch --name "m$i" --mb $MB --rate 0 --pattern seq --seed "$i" \
			--write 50 --secs "$1" >/dev/null
		pids+=($!)
	done
	ended=0
	for pid in "${pids[@]}"; do
		if wait "$pid"; then ended=$((ended + 1)); fi
	done
	after=$(awk '$1 == "oom_kill" { print $2 }' /proc/vmstat)
	killed=$((after - before))
}

calm
setup_zram 1G
mkcg m1
mkcg m2
lru_mode mglru

kills $RUN_S
result without_ttl killed "$killed" ended "$ended"
[ "$killed" -eq 0 ] || die "$killed OOM kills without min_ttl"
[ "$ended" -eq 2 ] || die "$ended of 2 loads ended well without min_ttl"

echo 600000 >$TTL
kills $RUN_S
echo 0 >$TTL
result with_ttl killed "$killed" ended "$ended"
[ "$killed" -ge 1 ] || die "nobody was killed, so a working set was evicted"
[ "$ended" -ge 1 ] || die "nobody was left"
result outcome ok
