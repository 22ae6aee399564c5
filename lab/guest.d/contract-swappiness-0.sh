#!/bin/bash
# contract-swappiness-0.sh MODE: vm.swappiness 0, files of 150 MB, and anonymous memory that first
# fits without them, then does not fit.
# Results: light, proactive (pages swapped), killed, killed_below_limit.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

begin "$1"
setup_zram 1G
echo 0 >/proc/sys/vm/swappiness
mkcg a
mkcg files
mkcg limited
stream files 150
stream files 150
run_in a memtouch --mb 330 --ops 1 >/dev/null || say "killed: 330 MB"
result light "$(vmstat pswpout)"
run_in a memtouch --mb 700 --ops 1 >/dev/null || say "killed: 700 MB"
result killed "$(vmstat oom_kill)"
result heavy "$(vmstat pswpout)"

start_in limited memtouch --mb 40 --rate 1 --ready-file $READY/limited >/dev/null
held=$!
wait_ready 60 $held
before=$(vmstat pswpout)
echo "20M swappiness=0" >"$CG/limited/memory.reclaim" || say "memory.reclaim gets less"
result proactive $(($(vmstat pswpout) - before))
kill $held
wait $held || true

before=$(vmstat oom_kill)
echo 64M >"$CG/limited/memory.max"
run_in limited memtouch --mb 120 --ops 1 >/dev/null || say "killed: below the limit"
result killed_below_limit $(($(vmstat oom_kill) - before))
