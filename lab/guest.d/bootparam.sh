#!/bin/bash
# bootparam.sh WANT [MESSAGE..]: after a boot with lru_gen=, enabled shows WANT
# and the log has a line with each MESSAGE.
set -euo pipefail
. /lab/guest.d/lib.sh

got=$(cat /sys/kernel/mm/lru_gen/enabled)
[ "$got" = "$1" ] || die "enabled shows $got, not $1"
shift
for message; do
	dmesg | grep -F -e "$message" >/dev/null || die "no line in the log says: $message"
done
