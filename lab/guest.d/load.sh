# shellcheck shell=bash
# Sourced by the workload scripts: start loads in memory cgroups, wait for
# them, choose the LRU, read counters. Needs lib.sh.

CG=/sys/fs/cgroup
KNOB=/sys/kernel/mm/lru_gen/enabled
THP=/sys/kernel/mm/transparent_hugepage
READY=/tmp/ready
# shellcheck disable=SC2034 # used by the scripts
FLUSH_S=2.2	# memory.stat is brought up to date every two seconds

# number NAME VALUE [MIN]: an argument must be a whole number
number() {
	[[ $2 =~ ^[0-9]+$ && $2 -ge ${3:-0} ]] ||
		die "$1 must be a whole number, at least ${3:-0}, not \"$2\""
}

# A kernel that cannot leave out what the boot parameter names would pass for one that has.
check_left_out() {
	local name
	for name in $(sed -n 's/.*lru_gen_without=\([^ ]*\).*/\1/p' /proc/cmdline | tr , ' '); do
		dmesg | grep "lru_gen: without $name\$" >/dev/null || die "this kernel does not leave out $name"
	done
}

# lru_mode MODE: mglru, classic, or the bits asked for, or as the kernel came up
lru_mode() {
	case $1 in
	asis) ;;
	classic) [ ! -e $KNOB ] || echo 0 >$KNOB ;;
	mglru) [ -e $KNOB ] || die "this kernel has no $KNOB"
		echo y >$KNOB ;;
	0x*) echo "$1" >$KNOB || die "$KNOB does not take $1" ;;
	*) die "mode \"$1\" is none of classic, mglru, asis, 0xN" ;;
	esac
	check_left_out
	if [ -e $KNOB ]; then result lru_gen "$(cat $KNOB)"; else result lru_gen absent; fi
}

# has_thp: whether the kernel has transparent huge pages; with PREEMPT_RT it has none
has_thp() { [ -e $THP/enabled ]; }

# Huge pages would make one fault many pages, and one fairness step large.
# Console lines of ext4 and zram cost time at 115200 baud.
calm() {
	mkdir -p $READY
	if has_thp; then echo never >$THP/enabled; fi
	echo 4 >/proc/sys/kernel/printk
}

# make_disk DIR MB: ext4 on a RAM disk, mounted at DIR
make_disk() {
	mkdir -p "$1"
	mke2fs -b 4096 /dev/ram0 $(($2 * 1024)) >/tmp/mke2fs 2>&1 ||
		die "cannot make a file system on /dev/ram0: $(tail -n 1 /tmp/mke2fs)"
	mount -t ext4 /dev/ram0 "$1" || die "cannot mount /dev/ram0 as ext4"
}

# start_in CG CMD..: run CMD in the cgroup, charged from its first page on
start_in() {
	local cg=$1
	shift
	(
		echo "$BASHPID" >"$CG/$cg/cgroup.procs"
		exec "$@"
	) &
}

# wait_ready SECONDS PID..: until every load has written its ready file
wait_ready() {
	local until=$((SECONDS + $1)) have=0 said=$SECONDS
	shift
	while :; do
		have=$(find $READY -type f | wc -l)
		[ "$have" -lt $# ] || return 0
		[ "$(alive "$@")" -eq $# ] || die "only $(alive "$@") of $# loads are alive, before all were populated"
		[ $SECONDS -lt $until ] || die "only $have of $# loads were populated in time"
		if [ $((SECONDS - said)) -ge 10 ]; then
			said=$SECONDS
			say "populated: $have of $#"
		fi
		sleep 0.3
	done
}

# stop_loads NAME PID..: end the loads; die if one of them had not ended well
stop_loads() {
	local what=$1 pid rc bad=0
	shift
	kill -TERM "$@" 2>/dev/null || true
	for pid in "$@"; do
		rc=0
		wait "$pid" || rc=$?
		[ $rc -eq 0 ] || { bad=$((bad + 1)); echo "$what: pid $pid ended with status $rc"; }
	done
	result "$what" $(($# - bad)) ok $bad bad
	[ $bad -eq 0 ] || die "$bad of $# $what did not end well"
}

# alive PID..: how many of them run
alive() {
	local pid n=0
	for pid in "$@"; do
		if kill -0 "$pid" 2>/dev/null; then n=$((n + 1)); fi
	done
	echo $n
}

# vm KEY: sum over the /proc/vmstat lines whose whole name matches the regex
vm() { awk -v k="^($1)\$" '$1 ~ k { s += $2 } END { print s + 0 }' /proc/vmstat; }

# vm_delta BEFORE AFTER KEY: the same from two saved copies
vm_delta() {
	awk -v k="^($3)\$" '$1 ~ k { s += FILENAME == ARGV[1] ? -$2 : $2 } END { print s + 0 }' "$1" "$2"
}

# cg_sum KEY CG..: sum of one memory.stat key
cg_sum() {
	local key=$1
	shift
	awk -v k="$key" '$1 == k { s += $2 } END { print s + 0 }' "${@/%//memory.stat}"
}

# seconds all kswapd threads have run, to a hundredth
kswapd_seconds() {
	local f s=0 line fields
	for f in /proc/[0-9]*/stat; do
		read -r line <"$f" 2>/dev/null || continue
		case $line in
		*"(kswapd"*)
			# what follows the name: state is field 3, stime is field 15
			read -ra fields <<<"${line##*) }"
			s=$((s + fields[12])) ;;
		esac
	done
	printf '%d.%02d\n' $((s / 100)) $((s % 100))
}
