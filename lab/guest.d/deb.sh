#!/bin/bash
# deb.sh RELEASE: a package's kernel with its modules: is it that kernel, do they
# load, does it reclaim? At last it loads /lab/hello.ko, which was built against
# the headers package, and so leaves the kernel tainted as any module of others does.
set -uo pipefail
. /lab/guest.d/lib.sh

# From all over the package; what is built in passes as well.
MODULES=(zram brd loop ext4 xfs overlay dm-mod veth bridge tun nf_tables virtio_net virtio_blk)
KNOB=/sys/kernel/mm/lru_gen/enabled
# A module from outside the tree (4096) which is not signed (8192).
FOREIGN=$((4096 + 8192))

release()
{
	[ "$(uname -r)" = "$1" ] || die "uname -r says $(uname -r), the package $1"
}

load()
{
	local name count
	for name in "${MODULES[@]}"; do modprobe "$name" || die "modprobe $name"; done
	count=$(wc -l </proc/modules)
	[ "$count" -ge 12 ] || die "only $count modules are loaded"
}

tainted()
{
	[ "$(cat /proc/sys/kernel/tainted)" = "$1" ] ||
		die "tainted is $(cat /proc/sys/kernel/tainted), wanted $1"
}

from_boot()
{
	[[ $(cat "$KNOB") =~ ^0x[0-9a-f]*[1-9a-f]$ ]] || die "enabled is $(cat "$KNOB")"
}

# The bits come back as they were.
toggled()
{
	local was
	was=$(cat "$KNOB")
	echo n >"$KNOB"
	[ "$(cat "$KNOB")" = 0x0000 ] || die "n leaves $(cat "$KNOB")"
	echo y >"$KNOB"
	[ "$(cat "$KNOB")" = "$was" ] || die "y leaves $(cat "$KNOB")"
}

hello()
{
	insmod /lab/hello.ko || die "insmod"
	dmesg | grep 'hello: built against the headers' >/dev/null || die "it says nothing"
	[ -d /sys/module/hello ] || die "it is not there"
}

part release release "$1"
part untainted_at_boot tainted 0
part modules load
part untainted_with_modules tainted 0
part ext4_on_ram ext4_on_ram
part lru_gen_from_boot from_boot
part lru_gen_toggled toggled
part zram setup_zram 256M
part reclaim_on swap_and_back deb/on
echo n >"$KNOB"
part reclaim_off swap_and_back deb/off
echo y >"$KNOB"
part hello hello
part tainted_by_hello_only tainted $FOREIGN
result kernel "$(uname -rv)"
result modules "$(wc -l </proc/modules)"
exit $failed
