#!/bin/bash
# contract-min-ttl-slab.sh MODE: 150 MB of idle dentries; memory younger than min_ttl_ms
# grows until it fits only if the dentries go. No swap.
# Results: killed (OOM kills), before, after (MiB of reclaimable slab).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

begin "$1"
setup_zram 256M
mkcg hot
mkcg names
fill_slab names 150
sleep 5
killed=$(vmstat oom_kill)
result before $(($(slab "") >> 10))
echo 600000 >/sys/kernel/mm/lru_gen/min_ttl_ms
run_in hot memtouch --mb 250 --ops 100000 --pattern seq --write 50 >/dev/null ||
	say "the load was killed"
result killed $(($(vmstat oom_kill) - killed))
result after $(($(slab "") >> 10))
echo 0 >/sys/kernel/mm/lru_gen/min_ttl_ms
