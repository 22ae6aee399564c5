#!/bin/bash
# kselftest.sh PROGRAM..: runs cgroup selftests found in /bin; their KTAP goes
# to the results file with the program's name in front.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/ktap-lib.sh

calm
setup_zram 1G
# they need a directory whose pages can be reclaimed, which ramfs has not
make_disk /mnt/work 256
cd /mnt/work
for program in "$@"; do
	command -v "$program" >/dev/null || die "$program is not in the initramfs"
	ktap "$program" 2400 "$program"	# with KASAN they take up to 23 minutes
done
