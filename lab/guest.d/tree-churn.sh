#!/bin/bash
# tree-churn.sh SECONDS [SEED]
#
# Everything that changes a tree of cgroups, at once, while memory is taken from
# every level of it: eight loads two levels down, whose parents are at their limits;
# writes to memory.reclaim of the top, of a parent and of the root; cgroups that
# come with a process in them, hit a limit and go; limits that are lowered and
# raised; processes that move from one cgroup to another; lru_gen off and on. Then:
# every load has found every page as it had left it, nobody was killed, and what
# has been removed is gone. SEED makes the pauses.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/rest-lib.sh

[ $# -ge 1 ] || die "usage: tree-churn.sh SECONDS [SEED]"
seconds=$1 seed=${2:-1}
number SECONDS "$seconds" 1
number SEED "$seed"
. /lab/guest.d/actors.sh
TOP=tree
PARENTS=4
HELD_MAX=2	# removed cgroups that may be left after a while

pids=()

# It may get less than it asked for.
ask() { # CGROUP SIZE
	reclaim-writes "$CG/$1/memory.reclaim" "$2" 3 0.01 >/dev/null
}

come_and_go() { # ROUND
	local name=$TOP/p$(($1 % PARENTS))/guest$1 status=0
	mkdir "$CG/$name" || return 1
	echo 2M >"$CG/$name/memory.max"
	start_in "$name" memtouch --name "guest$1" --mb 3 --ops 800 --rate 4000 --verify \
		--write 50 --seed "$1" >/dev/null
	wait $! || status=$?
	rmdir "$CG/$name" && return $status
}

# Nothing in it, at the place where the next one may be.
flicker() { # ROUND
	mkdir "$CG/$TOP/p$(($1 % PARENTS))/x" && rmdir "$CG/$TOP/p$(($1 % PARENTS))/x"
}

squeeze() { # ROUND
	local file=$CG/$TOP/p$(($1 % PARENTS))/memory.max
	echo $((7 + RANDOM % 3))M >"$file" && sleep 0.2 && echo 10M >"$file"
}

move_about() { # ROUND
	echo "${pids[$((2 * ($1 % PARENTS)))]}" >"$CG/$TOP/p$(($1 % PARENTS))/l$((RANDOM % 2))/cgroup.procs"
}

switch() { # ROUND
	echo $(($1 % 2 * 7)) >$KNOB
	sleep 1
}

start_all() {
	local i j
	for ((i = 0; i < PARENTS; i++)); do
		for j in 0 1; do
			mkcg "$TOP/p$i/l$j"
			start_in "$TOP/p$i/l$j" memtouch --name "l$i$j" --mb 6 --rate 600 --verify \
				--pattern zipf:0.6 --write 30 --seed $((2 * i + j + seed)) \
				--ready-file "$READY/$i$j"
			pids+=($!)
		done
	done
	wait_ready 240 "${pids[@]}"
	for ((i = 0; i < PARENTS; i++)); do echo 10M >"$CG/$TOP/p$i/memory.max"; done
}

[ -e $KNOB ] || die "this kernel has no $KNOB"
calm
echo y >$KNOB
setup_zram 512M
start_all
say "populated after $SECONDS s"
act top ask $TOP 256K
act parent ask $TOP/p1 128K
act root ask . 512K
act guests come_and_go
act flicker flicker
act squeeze squeeze
act move move_about
act switch switch
pass_time "$seconds"
stop_actors
echo y >$KNOB
[ "$(alive "${pids[@]}")" -eq ${#pids[@]} ] || bad+=("only $(alive "${pids[@]}") of ${#pids[@]} loads are alive")
stop_loads verified "${pids[@]}"
refuse_held "$CG/$TOP" $HELD_MAX
expect oom_kill 0 "$(vm oom_kill)"
[ ${#bad[@]} -eq 0 ] || die "$(printf '%s; ' "${bad[@]}")"
result outcome ok
