# shellcheck shell=bash
# Sourced by oom.sh: run one case, see who was killed, and when. Needs lib.sh, load.sh.

BOUND_S=30		# in which a case must have come to its end
declare -A pid_of	# of a load's name
said=()			# what is wrong with the case
began=0 before=0	# when it began, kills until then

# begin_case: what judge() looks at
begin_case()
{
	said=() took=0
	before=$(kills)
	began=$(now_ms)
}

wrong() { said+=("$*"); }

kills() { vm oom_kill; }

# limits CG MAX SWAP: a cgroup of this case, below oom/
limits()
{
	mkcg "oom/$1"
	echo "$2" >"$CG/oom/$1/memory.max"
	echo "$3" >"$CG/oom/$1/memory.swap.max"
}

# start NAME CG CMD..: a load in oom/CG; READY/NAME is to be its ready file
start()
{
	local name=$1 cg=oom/$2
	shift 2
	start_in "$cg" "$@" >"/tmp/load.$name" 2>&1
	pid_of[$name]=$!
}

# hold NAME CG MB ARGS..: memory that is held and seldom looked at
hold()
{
	local name=$1 cg=$2 mb=$3
	shift 3
	start "$name" "$cg" memtouch --name "$name" --mb "$mb" --rate 20 --ready-file "$READY/$name" "$@"
	until [ -e "$READY/$name" ]; do
		kill -0 "${pid_of[$name]}" 2>/dev/null || { wrong "$name did not come up"; return 0; }
		in_time || { wrong "$name was not filled in $BOUND_S s"; return 0; }
		sleep 0.05
	done
}

# grow NAME CG MB ARGS..: memory that is filled, read once, verified, and given back
grow()
{
	local name=$1 cg=$2 mb=$3
	shift 3
	start "$name" "$cg" memtouch --name "$name" --mb "$mb" --ops 1000 --write 30 --verify "$@"
}

in_time() { [ $(($(now_ms) - began)) -lt $((BOUND_S * 1000)) ]; }

# ended NAME: wait for the end of a load; its status is in rc, 1000 if there is none
ended()
{
	local pid=${pid_of[$1]}
	while kill -0 "$pid" 2>/dev/null && in_time; do sleep 0.05; done
	rc=1000
	if kill -0 "$pid" 2>/dev/null; then return; fi
	rc=0
	wait "$pid" || rc=$?
	unset "pid_of[$1]"
}

# must_die NAME..: by the killer. How long the last one took counts.
must_die()
{
	local name
	for name; do
		ended "$name"
		case $rc in
		137) ;;
		1000) wrong "$name was not killed in $BOUND_S s" ;;
		*) wrong "$name ended with status $rc: $(tail -n 1 "/tmp/load.$name")" ;;
		esac
	done
	took=$(($(now_ms) - began))
}

# must_end NAME..: well, with its memory as it was left
must_end()
{
	local name
	for name; do
		ended "$name"
		case $rc in
		0) ;;
		137) wrong "$name was killed" ;;
		1000) wrong "$name was not done in $BOUND_S s" ;;
		*) wrong "$name ended with status $rc: $(tail -n 1 "/tmp/load.$name")" ;;
		esac
	done
	took=$(($(now_ms) - began))
}

must_live()
{
	local name
	for name; do
		kill -0 "${pid_of[$name]}" 2>/dev/null || wrong "$name is dead"
	done
}

# cached CG MB: does the cgroup still have its file cache?
cached()
{
	local mb=$(($(cg_sum file "$CG/oom/$1") >> 20))
	[ "$mb" -ge "$2" ] || wrong "$1 has $mb MiB of cache left, not $2"
}

# clean: nothing of a case is left for the next one
clean()
{
	local dir left=200
	for dir in "$CG"/oom/*/ "$CG/oom/"; do
		[ ! -d "$dir" ] || echo 1 >"$dir/cgroup.kill"
	done
	wait
	pid_of=()
	rm -rf "${READY:?}"/* /dev/shm/*
	for dir in "$CG"/oom/*/*/ "$CG"/oom/*/ "$CG/oom/"; do
		until [ ! -d "$dir" ] || rmdir "$dir" 2>/dev/null; do
			[ $((left -= 1)) -gt 0 ] || die "cannot remove $dir"
			sleep 0.05
		done
	done
	echo 3 >/proc/sys/vm/drop_caches
}

# judge MODE CASE KILLS: how the case came out, as a line of the table. "2-3": a group's
# victim is counted twice if it is still there when its group is gone through.
judge()
{
	local have=$(($(kills) - before)) all
	[[ $have -ge ${3%-*} && $have -le ${3#*-} ]] || wrong "$have kills, not $3"
	memtouch --mb 4 --ops 100 --verify >/dev/null || wrong "nothing can be allocated afterwards"
	all=$(printf '%s; ' "${said[@]}")
	result case "$1" "$2" "$3" "$have" "$took" "${said:+wrong: }${all%; }"
}
