#!/bin/bash
# fuzz.sh PART INPUTS SEED [reference]
#
# Texts made up at random, written to the files of lru_gen while cgroups are loaded,
# each held against the documentation; lab/tools/lrufuzz says how. PART is
#   v2    enabled, min_ttl_ms, the commands of debugfs, memory.reclaim
#   v1    memory.soft_limit_in_bytes
# Then the rules are broken one by one, and each time a mismatch has to be found.
# "reference" is for 6.12's own kernel: what differs on purpose is counted, and loads
# may be killed, as limits are enforced by kills there while lru_gen is switched.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/iter-trace.sh
. /lab/guest.d/soft-lib.sh

usage="usage: fuzz.sh v2|v1 INPUTS SEED [reference]"
[ $# -eq 3 ] || [ "$#/${4:-}" = 4/reference ] || die "$usage"
part=$1 inputs=$2 seed=$3
number INPUTS "$inputs" 1
number SEED "$seed"
options=(--hz "$(zcat /proc/config.gz | sed -n 's/^CONFIG_HZ=//p')" --seed "$seed")
[ -z "${4:-}" ] || options+=(--reference)

BROKEN_INPUTS=5000	# within which a broken rule has to be found out
pids=()

# load NAME MB RATE: in its cgroup, with no end
load() {
	local name=${1//\//.}
	start_in "$1" memtouch --name "$name" --mb "$2" --rate "$3" --pattern random --write 50 \
		--ready-file "$READY/$name" >"/tmp/load.$name"
	pids+=($!)
}

# Of /busy no more than two thirds are there at a time
start_v2() {
	local name
	for name in empty idle fed busy; do mkcg $name; done
	echo 8M >$CG/busy/memory.max
	load fed 6 300
	load busy 12 300
}

start_v1() {
	mount_v1
	v1cg empty
	v1cg busy 8
	v1cg busy/below
	v1cg fed
	load busy/below 12 300
	load fed 6 300
}

# fuzz OPTION..: counts and mismatches go to the host
fuzz() {
	local rc=0
	lrufuzz "${options[@]}" "$@" >/tmp/fuzz || rc=$?
	while IFS= read -r line; do result "$line"; done </tmp/fuzz
	[ $rc -le 1 ] || die "lrufuzz ended with status $rc"
	return $rc
}

# found_out RULE INTERFACE: that the rule is broken, by a mismatch
found_out() {
	local rc=0
	lrufuzz "${options[@]}" --inputs $BROKEN_INPUTS --break "$1" "$2" >/tmp/broken || rc=$?
	[ $rc -eq 1 ] || die "the rule \"$1\" is broken on purpose, which was not found out (status $rc)"
	result found_out "$1" "$(sed -n 's/^\(mismatch .*\)$/\1/p' /tmp/broken | head -n 1)"
}

break_rules() {
	case $part in
	v2)
		found_out enabled enabled
		found_out min_ttl min_ttl_ms
		found_out commands commands
		found_out half commands
		found_out amount commands
		found_out window commands
		found_out reclaim reclaim ;;
	v1) found_out soft_limit soft_limit ;;
	esac
}

calm
setup_zram 512M
case $part in
v2) start_v2 ;;
v1) start_v1 ;;
*) die "$usage" ;;
esac
wait_ready 120 "${pids[@]}"

say "$inputs inputs of seed $seed"
bad=0
began=$SECONDS
case $part in
v2) fuzz --inputs "$inputs" enabled min_ttl_ms commands reclaim || bad=1 ;;
v1) fuzz --inputs "$inputs" soft_limit || bad=1 ;;
esac
result seconds $((SECONDS - began))
if [ -z "${4:-}" ]; then
	break_rules
	stop_loads loads "${pids[@]}"
	[ "$(vm oom_kill)" = 0 ] || die "a process was killed for want of memory"
fi
result oom_kill "$(vm oom_kill)"
[ $bad = 0 ] || die "not everything was as documented"
