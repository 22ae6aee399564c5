# shellcheck shell=bash
# For every script that runs in the guest: `. /lab/guest.d/lib.sh`.

CGROOT=/sys/fs/cgroup

die()
{
	echo "${0##*/}: error: $*" >&2
	exit 1
}

# result KEY VALUE..: one line into the results file on the host.
result()
{
	case "$*" in *$'\n'*) die "result with a line break: $*" ;; esac
	echo "result $*" >&31
}

# now_ms: since the guest was started, to a hundredth of a second
now_ms() { local t; read -r t _ </proc/uptime; echo $((10#${t/./} * 10)); }

# say WORDS..: shown by lab/guest on the host at once, as progress.
say()
{
	echo "# $*"
}

# part NAME COMMAND..: COMMAND must succeed; a line `result NAME ok`, or
# `result NAME FAILED why`, and then failed=1
failed=0
part()
{
	local part=$1 why
	shift
	if why=$("$@" 2>&1); then
		result "$part" ok
		say "$part ok"
	else
		# shellcheck disable=SC2034 # the script reads it
		failed=1
		result "$part" FAILED "${why//$'\n'/; }"
		say "$part FAILED: ${why//$'\n'/; }"
	fi
}

# have_config SYMBOL: was this kernel built with CONFIG_SYMBOL=y?
have_config()
{
	# Not grep -q: it would leave early, and zcat's broken pipe would count.
	zcat /proc/config.gz | grep -x "CONFIG_$1=y" >/dev/null
}

# setup_zram SIZE [ALGORITHM]: swap on compressed memory, SIZE as in 2G.
setup_zram()
{
	[ $# -ge 1 ] || die "setup_zram SIZE [ALGORITHM]"
	[ -b /dev/zram0 ] || die "no /dev/zram0: kernel without zram"
	[ -z "${2:-}" ] || echo "$2" >/sys/block/zram0/comp_algorithm ||
		die "zram does not know the algorithm '$2'"
	echo "$1" >/sys/block/zram0/disksize || die "zram refuses the size '$1'"
	mkswap /dev/zram0 >/dev/null || die "mkswap failed"
	swapon /dev/zram0 || die "swapon failed"
}

# mkcg NAME: a cgroup (with its parents' controllers handed down); NAME may
# have slashes. Prints nothing; the path is $CGROOT/NAME.
mkcg()
{
	local part dir=$CGROOT
	for part in ${1//\// }; do
		[ "$dir" = "$CGROOT" ] ||
			echo +memory >"$dir/cgroup.subtree_control" ||
			die "cgroup $dir does not hand down memory"
		dir=$dir/$part
		[ -d "$dir" ] || mkdir "$dir" || die "cannot make cgroup $dir"
	done
}

# cgstat CG KEY: the value of KEY in CG's memory.stat, or the content of the
# file memory.KEY if there is one (CG "" is the root).
cgstat()
{
	local dir=$CGROOT${1:+/$1} value
	[ -d "$dir" ] || die "no cgroup $dir"
	if [ -f "$dir/memory.$2" ]; then
		cat "$dir/memory.$2"
		return
	fi
	value=$(awk -v k="$2" '$1 == k { print $2 }' "$dir/memory.stat")
	[ -n "$value" ] || die "no '$2' in $dir/memory.stat"
	echo "$value"
}

# vmstat KEY: a counter of /proc/vmstat.
vmstat()
{
	awk -v k="$1" '$1 == k { print $2; found = 1 } END { exit !found }' \
		/proc/vmstat || die "no '$1' in /proc/vmstat"
}

# swap_and_back CG: pages of a new cgroup must travel to swap, by memory.reclaim,
# and back with their content.
swap_and_back()
{
	local cg=$1 before after steal
	mkcg "$cg"
	(
		echo "$BASHPID" >"$CGROOT/$cg/cgroup.procs"
		head -c 25165824 /dev/urandom >/dev/shm/data
	)
	before=$(md5sum </dev/shm/data)
	# Reading memory.stat brings the counters up to date. Without that the
	# classic LRU, which goes by them, does not know that it has to
	# deactivate first, and reclaims nothing.
	steal=$(cgstat "$cg" pgsteal)
	echo 16M >"$CGROOT/$cg/memory.reclaim" ||
		echo "memory.reclaim fell short" >&2
	[ "$(cgstat "$cg" pgsteal)" -gt "$steal" ] || die "pgsteal does not rise"
	[ "$(cgstat "$cg" swap.current)" -gt 1000000 ] || die "nothing was swapped out"
	after=$(md5sum </dev/shm/data)
	[ "$before" = "$after" ] || die "content differs after swap"
	[ "$(vmstat pswpin)" -gt 0 ] || die "nothing was swapped in"
	rm /dev/shm/data
}

ext4_on_ram()
{
	mke2fs -F -q /dev/ram0 2>/dev/null || die "mke2fs"
	mount -t ext4 /dev/ram0 /mnt && echo x >/mnt/x && umount /mnt
}
