#!/bin/bash
# engine-cpu.sh MODE SEED ACCESSES: what kswapd spends on a page it reclaims.
#
# For one processor, a clock that counts instructions, and 2600 MiB: 560,000
# anonymous pages of one repeated word each (swapping them costs next to nothing,
# since zram stores the word alone), read with a Zipf distribution as fast as it
# goes, and 76,800 mapped file pages, read likewise at 20,000 a second, until the
# anonymous stream has done ACCESSES. Counted apart:
# filling the anonymous pages, and what follows.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/engine-lib.sh

[ $# -eq 3 ] || die "usage: engine-cpu.sh MODE SEED ACCESSES"
mode=$1 seed=$2 accesses=$3
number SEED "$seed"
number ACCESSES "$accesses" 1

# what kswapd has run, in clock ticks, and what it has done
snapshot() {
	cp /proc/vmstat "/tmp/vmstat.$1"
	kswapd_seconds >"/tmp/kswapd.$1"
}

calm
lru_mode "$mode"
setup_zram 3G
make_disk $FILES 400
file_for back 76800
drop_caches
mkcg $GROUP
say "filling"
snapshot 0
start_stream fore anon 560000 "$accesses" zipf:0.9 $((seed + 1)) 0 --same
fore_pid=$!
wait_ready 600 $fore_pid
say "streams start"
snapshot 1
start_stream back mmap 76800 0 zipf:0.9 $((seed + 2)) 20000
back_pid=$!
wait_stream $fore_pid fore
snapshot 2
kill -TERM $back_pid || true
ended $fore_pid fore
ended $back_pid back

# Not every kernel says it to the nanosecond: hundredths of a second do, since
# kswapd runs for seconds.
seconds() { paste "/tmp/kswapd.$1" "/tmp/kswapd.$2" | awk '{ printf "%.2f", $2 - $1 }'; }

result fill_kswapd_s "$(seconds 0 1)"
result kswapd_s "$(seconds 1 2)"
for key in pgsteal_kswapd pgscan_kswapd pgsteal_direct pgscan_direct pswpin pswpout \
	workingset_refault_anon workingset_refault_file oom_kill; do
	result "fill.$key" "$(vm_delta /tmp/vmstat.0 /tmp/vmstat.1 $key)"
	result "vm.$key" "$(vm_delta /tmp/vmstat.1 /tmp/vmstat.2 $key)"
done
