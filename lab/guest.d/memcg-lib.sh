# shellcheck shell=bash
# Sourced by the scripts that have a load in each of many memory cgroups: start
# them, read one counter of each before and after. Needs lib.sh and load.sh.

groups=() pids=()

# pages_of SIZE: 2M or 512K in pages
pages_of() {
	[[ $1 =~ ^([0-9]+)([KM])$ ]] || die "SIZE must look like 2M or 512K, not \"$1\""
	local kib=${BASH_REMATCH[1]}
	[ "${BASH_REMATCH[2]}" = K ] || kib=$((kib * 1024))
	echo $((kib / 4))
}

# start_load NAME MB RATE SEED: in its own cgroup, touch MB MiB at random
start_load() {
	mkcg "$1"
	groups+=("$CG/$1")
	start_in "$1" memtouch --name "$1" --mb "$2" --rate "$3" --pattern random \
		--write 50 --seed "$4" --ready-file "$READY/$1" >"/tmp/load.$1"
	pids+=($!)
}

# one value a cgroup, in the order of the cgroups
each() { awk -v k="$1" '$1 == k { print $2 }' "${groups[@]/%//memory.stat}"; }

# snapshot 0|1: what differences, total and root_delta compare
snapshot() {
	sleep "$FLUSH_S"
	each pgsteal >"/tmp/pgsteal.$1"
	each pgscan >"/tmp/pgscan.$1"
	cat /proc/vmstat >"/tmp/vmstat.$1"
	cat "$CG/memory.stat" >"/tmp/root.$1"
	kswapd_seconds >"/tmp/kswapd.$1"
}

differences() { paste "/tmp/$1.0" "/tmp/$1.1" | awk '{ print $2 - $1 }'; }
total() { differences "$1" | awk '{ s += $1 } END { print s + 0 }'; }

# root_delta KEY: the whole system's, the root's own pages among it
root_delta() { vm_delta /tmp/root.0 /tmp/root.1 "$1"; }

# stop_all: end the loads, say what they have done and what of it came late
stop_all() {
	stop_loads loads "${pids[@]}"
	# Lines of: memtouch NAME ops N writes N late N ..
	# shellcheck disable=SC2046 # one word each
	result touches $(cat /tmp/load.* | awk '{ n += $4; late += $8 } END { print n + 0, late + 0 }')
}

# count_of NAME: events in the trace instance, those that were overwritten among them;
# - if there is none
count_of() {
	local dir=/sys/kernel/tracing/instances/$1
	if [ ! -d "$dir" ]; then
		echo -
		return
	fi
	cat "$dir"/per_cpu/cpu*/stats |
		awk '/^(entries|overrun):/ { s += $2 } END { print s + 0 }'
}
