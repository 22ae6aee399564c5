#!/bin/bash
# engine-aging.sh MODE MIB: what an aging costs, against the pages
# that were referenced since the one before. For a clock that counts instructions.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/engine-lib.sh

[ $# -eq 2 ] || die "usage: engine-aging.sh MODE MIB"
[ "$1" != classic ] || die "the classic LRU has no aging to measure"
number MIB "$2" 128

calm
lru_mode "$1"
[ -e /sys/kernel/debug/lru_gen ] || die "this kernel has no /sys/kernel/debug/lru_gen"
setup_zram 2G
mkcg $GROUP
start_in $GROUP agewalk "/$GROUP" "$2" >/tmp/walks
wait $! || die "agewalk failed"
while read -r line; do
	# shellcheck disable=SC2086 # the words of a result line
	result $line
done </tmp/walks
