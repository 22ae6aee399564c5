#!/bin/bash
# contract-min-ttl-idle.sh MODE: 220 MB of memory that idles for 20 s, with swap to spare,
# beside a stream that is younger than min_ttl_ms when it fills the rest.
# Results: killed (OOM kills), swapped (pages), left (MiB of page cache).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

# Words before a command that may be killed, as this script may not
MORTAL=(bash -c 'echo 0 >/proc/self/oom_score_adj; exec "$@"' mortal)

begin "$1"
echo -1000 >/proc/$$/oom_score_adj
setup_zram 520M
mkcg a
start_in a "${MORTAL[@]}" memtouch --mb 220 --rate 1 --ready-file $READY/idle >/dev/null
idle=$!
wait_ready 60 $idle
sleep 20
killed=$(vmstat oom_kill) swapped=$(vmstat pswpout)
echo 3000 >/sys/kernel/mm/lru_gen/min_ttl_ms
run_in a "${MORTAL[@]}" dd if="$HOLES" of=/dev/null bs=256k count=2400 2>/dev/null || say "the stream was killed"
result killed $(($(vmstat oom_kill) - killed))
result swapped $(($(vmstat pswpout) - swapped))
result left $(($(vmstat nr_inactive_file) + $(vmstat nr_active_file) >> 8))
echo 0 >/sys/kernel/mm/lru_gen/min_ttl_ms
kill $idle 2>/dev/null || true
