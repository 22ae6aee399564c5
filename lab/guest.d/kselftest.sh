#!/bin/bash
# kselftest.sh PROGRAM..: runs cgroup selftests found in /bin; their KTAP goes
# to the results file with the program's name in front.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

LIMIT_S=240

calm
setup_zram 1G
# they need a directory whose pages can be reclaimed, which ramfs has not
make_disk /mnt/work 256
cd /mnt/work
# test_zswap finds nothing to look at while it is off
echo Y >/sys/module/zswap/parameters/enabled || die "cannot enable zswap"
for program in "$@"; do
	command -v "$program" >/dev/null || die "$program is not in the initramfs"
	rc=0
	timeout $LIMIT_S "$program" >/tmp/ktap 2>&1 || rc=$?
	cat /tmp/ktap
	# once each: a child that exits flushes its parent's lines again
	while read -r line; do
		result ktap "$program" "$line"
	done < <(awk '/^(not )?ok / && !seen[$0]++' /tmp/ktap)
	result status "$program" $rc
done
