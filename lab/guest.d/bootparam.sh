#!/bin/bash
# bootparam.sh WANT [MESSAGE]: after a boot with lru_gen=, enabled shows WANT
# and the log has a line with MESSAGE.
set -euo pipefail
. /lab/guest.d/lib.sh

got=$(cat /sys/kernel/mm/lru_gen/enabled)
[ "$got" = "$1" ] || die "enabled shows $got, not $1"
[ $# -lt 2 ] || dmesg | grep -F "$2" >/dev/null || die "no line in the log says: $2"
