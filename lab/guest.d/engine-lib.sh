# shellcheck shell=bash
# Sourced by the engine benchmark's scripts: streams of accesses in one memory
# cgroup, and what is counted of them. Needs lib.sh and load.sh.

FILES=/mnt/engine
TRACING=/sys/kernel/tracing
GROUP=engine

# file_for NAME PAGES: a file of that many pages on the RAM disk. Made outside
# of the cgroup, so that it is charged to whoever reads it first.
file_for() {
	accessgen --kind create --file "$FILES/$1" --pages "$2" --name "$1" ||
		die "cannot make the file of stream $1"
}

drop_caches() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# start_stream NAME KIND PAGES OPS PATTERN SEED RATE [OPTION..]: its pid is in $!
start_stream() {
	local name=$1 kind=$2 from=()
	[ "$kind" = anon ] || from=(--file "$FILES/$name")
	start_in $GROUP accessgen --name "$name" --kind "$kind" --pages "$3" --ops "$4" \
		--pattern "$5" --seed "$6" --rate "$7" --ready "$READY/$name" "${from[@]}" "${@:8}" \
		>"/tmp/$name.out"
}

# ended PID NAME: how it ended. An OOM kill is a result, anything else an error.
ended() {
	local rc=0
	wait "$1" || rc=$?
	if [ $rc -eq 137 ] && [ "$(oom_kills)" -gt 0 ]; then
		result killed "$2"
		say "$2 was killed: out of memory"
		return
	fi
	[ $rc -eq 0 ] || die "stream $2 ended with status $rc"
	[ -s "/tmp/$2.out" ] || die "stream $2 said nothing at its end"
	result stream "$(cat "/tmp/$2.out")"
}

# wait_stream PID NAME: until it ends, with a sign of life
wait_stream() {
	local said=$SECONDS
	while kill -0 "$1" 2>/dev/null; do
		sleep 0.1
		if [ $((SECONDS - said)) -ge 5 ]; then
			said=$SECONDS
			say "$2: $(refaults_now)"
		fi
	done
}

oom_kills() { awk '$1 == "oom_kill" { print $2 }' "$CG/$GROUP"/memory.events; }

refaults_now() {
	awk '/^workingset_refault_/ { printf "%s %s  ", $1, $2 }' "$CG/$GROUP"/memory.stat
}

# every counter of the cgroup since it was made
stat_results() {
	local key value
	# In one go: lines move while the file is read bit by bit.
	cat "$CG/$GROUP"/memory.stat >/tmp/stat
	while read -r key value; do
		case $key in
		pg* | workingset* | anon | file | swapcached) result "stat.$key" "$value" ;;
		esac
	done </tmp/stat
	result oom_kill "$(oom_kills)"
}

# ---- what single reclaim calls were asked for, and took ----

PROBED=try_to_free_mem_cgroup_pages

trace_reclaim() {
	echo 0 >$TRACING/tracing_on
	echo 4096 >$TRACING/buffer_size_kb
	echo "p:lab/asked $PROBED pages=%si:u64
r:lab/took $PROBED pages=\$retval:u64" >$TRACING/kprobe_events ||
		die "cannot put probes on $PROBED"
	echo 1 >$TRACING/events/lab/enable
	echo 1 >$TRACING/tracing_on
}

# pair_calls: "PID ASKED TOOK" of each call. Reclaim works in units of 32 pages,
# so that less than that is never asked for.
pair_calls() {
	echo 0 >$TRACING/tracing_on
	awk '/ asked: / || / took: / {
		pid = $1; sub(/.*-/, "", pid)
		pages = $NF; sub(/.*=/, "", pages)
		if (/ asked: /) { asked[pid] = pages + 0; next }
		if (pid in asked) print pid, (asked[pid] < 32 ? 32 : asked[pid]), pages
		delete asked[pid]
	}' $TRACING/trace
}

# The buffer keeps the latest calls; how many events were overwritten is told.
limit_hit_results() {
	local lost
	pair_calls >/tmp/calls
	lost=$(awk '/^overrun/ { s += $2 } END { print s + 0 }' $TRACING/per_cpu/cpu*/stats)
	result limit_hits "$(awk -v lost="$lost" '
		{ over = $3 - $2; if (over > max) max = over; n++ }
		END { printf "calls %d over %d lost %d", n, max, lost }' /tmp/calls)"
}
