# shellcheck shell=bash
# Sourced by torture.sh: allocations that fail, in phases, so that it is known who
# must bear what.
#
#   soft  those that may not wait: what reclaim itself asks for. The verifiers, the
#         kswapds, and whoever writes to memory.reclaim or has a short load. All of
#         them must come to a good end.
#   hard  any at all, page tables and pages of processes, of short loads that this
#         actor starts: these may end in an error, but with no page wrong, and nothing
#         leaked. (If swap gets no memory either, nothing can be reclaimed below their
#         limit, and an OOM kill is due; these kills are counted apart.)
#   none  in between, until those that were made to fail before have ended

FAULTS=/sys/kernel/debug
HARD=200000		# numbers of loads of the hard phase, from here on
MANY=100000000		# what `times` counts down from
PHASE=/tmp/phase
faulty=''

in_phase() # PHASE
{
	local now=
	[ ! -s $PHASE ] || read -r now <$PHASE
	[ "$now" = "$1" ]
}

# begin_soft NAME: in the soft phase, it does not end before end_soft NAME
begin_soft()
{
	echo >"/tmp/soft.$1"
	in_phase soft || end_soft "$1"
	[ -e "/tmp/soft.$1" ]
}

end_soft() { rm -f "/tmp/soft.$1"; }

# may_fail COMMAND..: run it, and let its allocations fail in the soft phase
may_fail()
{
	local status=0 soft=
	if begin_soft "$BASHPID"; then soft=1; fi
	(
		[ -z "$soft" ] || echo 1 >/proc/self/make-it-fail
		exec "$@"
	) || status=$?
	end_soft "$BASHPID"
	return $status
}

# Until something has failed of either kind, but not for ever
hard_loads() # ROUND
{
	local i
	for ((i = 0; i < 3; i++)); do
		hard_load $(($1 * 10 + i)) || return 1
		[ "$(cat $FAULTS/failslab/times)" -eq $MANY ] ||
			[ "$(cat $FAULTS/fail_page_alloc/times)" -eq $MANY ] || break
	done
}

# A short load in a cgroup of its own, which may come to any end but to wrong pages
hard_load() # ROUND
{
	local dir=$CG/$TOP/hard$1 number=$(($1 + HARD)) kind status=0
	draw_kind
	start_guest "$dir" "$number" 64 --faults || return 1
	wait $! || status=$?
	count_up hard-loads-killed "$(awk '$1 == "oom_kill" { print $2 }' "$dir/memory.events")"
	rmdir_busy "$dir" || return 1
	if [ $status -eq 2 ]; then
		echo "with failing allocations: $(tail -n 2 "/tmp/guest$number" | tr '\n' ' ')" >>/tmp/failed
		return 1
	fi
	[ $status -eq 0 ] || count_up hard-loads-ended-by-faults
	count_up hard-loads
	rm -f "/tmp/guest$number"
}

# threads GLOB: the kernel threads whose names match
threads()
{
	local d name
	for d in /proc/[0-9]*; do
		read -r name <"$d/comm" || continue
		# shellcheck disable=SC2254 # a pattern
		case $name in $1) echo "${d#/proc/}" ;; esac
	done 2>/dev/null
}

# The verifiers, their children, and the kswapds. Who is new then has it from who has
# it, or goes without.
flag()
{
	local p
	for p in $KSWAPDS $(cat "$CG/$TOP"/p[0-9]*/l[0-9]*/cgroup.procs); do
		echo 1 >"/proc/$p/make-it-fail"
	done 2>/dev/null
}

# Frozen, they are all at the edge of the kernel.
freeze_verifiers()
{
	local i
	echo 1 >"$CG/$TOP/cgroup.freeze" || return 1
	for ((i = 0; i < 600; i++)); do
		! grep -qx 'frozen 1' "$CG/$TOP/cgroup.events" || return 0
		sleep 0.1
	done
	echo 0 >"$CG/$TOP/cgroup.freeze"
	echo "the verifiers did not freeze" >>/tmp/failed
	return 1
}

# A child has it from its parent as that was when it began to fork, which may be long
# ago: none may be on the way. And what moves from cgroup to cgroup is in no list of one.
unflag()
{
	local d now
	freeze_verifiers || return 1
	for d in /proc/[0-9]*; do
		read -r now <"$d/make-it-fail" || continue
		[ "$now" -eq 0 ] || echo 0 >"$d/make-it-fail"
	done 2>/dev/null
	echo 0 >"$CG/$TOP/cgroup.freeze"
}

# Whole pages that no process gets are asked for more seldom than objects.
set_faults() # PROBABILITY SPARED(N|Y: those that may wait, and pages of processes)
{
	local kind probability=$1
	for kind in failslab fail_page_alloc; do
		echo 0 >$FAULTS/$kind/probability
		echo "$2" >$FAULTS/$kind/ignore-gfp-wait
		[ $kind = failslab ] || echo "$2" >$FAULTS/$kind/ignore-gfp-highmem
		echo $MANY >$FAULTS/$kind/times
		echo "$probability" >$FAULTS/$kind/probability
		probability=$((probability * 3))
	done
}

# collect PHASE: what has failed since they were set
collect()
{
	local kind
	for kind in failslab fail_page_alloc; do
		count_up "$1.$kind" $((MANY - $(cat $FAULTS/$kind/times)))
	done
}

leave_phase() # PHASE
{
	echo none >$PHASE
	set_faults_off
	unflag || return 1
	collect "$1"
	while compgen -G '/tmp/soft.*' >/dev/null; do sleep 0.1; done
}

set_faults_off()
{
	echo 0 >$FAULTS/failslab/probability
	echo 0 >$FAULTS/fail_page_alloc/probability
}

# Both in each round, so that however short the torture is, it has had both
phases() { # ROUND
	set_faults $((5 + RANDOM % 15)) Y
	echo soft >$PHASE
	flag
	# not too long, for an end in time
	sleep $((2 + RANDOM % 5))
	leave_phase soft || return 1
	set_faults $((2 + RANDOM % 5)) N
	echo hard >$PHASE
	hard_loads "$1" || return 1
	leave_phase hard
}

start_faults()
{
	local kind
	for kind in failslab fail_page_alloc; do
		[ -d $FAULTS/$kind ] || return 0
		echo 1 >$FAULTS/$kind/task-filter
		echo 0 >$FAULTS/$kind/verbose
	done
	echo 0 >$FAULTS/fail_page_alloc/min-order
	faulty=1
	KSWAPDS=$(threads 'kswapd*')
	act faults phases
}

# A phase in which nothing failed has tried nothing.
count_faults()
{
	local phase kind n
	if [ -z "$faulty" ]; then
		result aspect faults "skip this kernel cannot fail allocations"
		return
	fi
	for phase in soft hard; do
		for kind in failslab fail_page_alloc; do
			n=$(cat "/tmp/also.$phase.$kind" 2>/dev/null || echo 0)
			result faults $phase $kind "$n"
			[ "$n" -gt 0 ] || bad+=("no allocation failed: $phase $kind")
		done
	done
	aspect faults
}
