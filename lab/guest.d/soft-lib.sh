# shellcheck shell=bash
# Sourced by softlimit.sh: memory cgroups of version 1, and what each of them gives.
# Needs lib.sh and load.sh, and iter-trace.sh for T.

COUNT=$T/instances/given	# a buffer of its own
names=()
declare -A soft=()	# MiB, of those that have a limit
sampler=

# From here on $CG is the memory hierarchy of version 1. The controller has to
# leave version 2 first, which takes a moment.
mount_v1() {
	local i
	echo -memory >"$CG/cgroup.subtree_control"
	umount "$CG" || die "cannot unmount cgroup v2"
	for ((i = 0; i < 50; i++)); do
		! mount -t cgroup -o memory cgroup "$CG" 2>/tmp/mount || return 0
		sleep 0.1
	done
	die "cannot mount the memory controller of cgroup v1: $(tail -n 1 /tmp/mount)"
}

# v1cg NAME [LIMIT_MB [SOFT_MB]]: a group; 0 for none
v1cg() {
	mkdir "$CG/$1" || die "cannot make cgroup $1"
	[ "${2:-0}" = 0 ] || echo "${2}M" >"$CG/$1/memory.limit_in_bytes"
	names+=("$1")
	if [ "${3:-0}" != 0 ]; then soft_limit "$1" "$3"; fi
}

# Stock kernels say that it has no effect, and forget it.
soft_limit() { # NAME MB
	echo "${2}M" >"$CG/$1/memory.soft_limit_in_bytes"
	soft[$1]=$2
	if [ "$(cat "$CG/$1/memory.soft_limit_in_bytes")" = $(($2 << 20)) ]; then
		result soft_kept "$1" 1
	else
		result soft_kept "$1" 0
	fi
}

usage_kb() { echo $(($(cat "$CG/$1/memory.usage_in_bytes") >> 10)); }

available_mb() { awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo; }

# Pages of ramfs cannot be reclaimed.
leave_available() { # MB
	local spare
	echo 3 >/proc/sys/vm/drop_caches
	sleep 1
	spare=$(($(available_mb) - $1))
	[ $spare -ge 0 ] || die "only $(available_mb) MiB are available, not $1"
	dd if=/dev/zero of=/ballast bs=1M count=$spare 2>/tmp/dd ||
		die "cannot take $spare MiB: $(tail -n 1 /tmp/dd)"
	say "$(available_mb) MiB are available"
}

# The number that the kernel has for an event of /proc/vmstat: they stand there in
# their order, from pgpgin on.
event_number() {
	awk -v k="$1" '$1 == "pgpgin" { first = NR } $1 == k { print NR - first; found = 1 }
		END { exit !found }' /proc/vmstat || die "no '$1' in /proc/vmstat"
}

# A line per batch: which memcg, which event, how many pages. memory.stat of
# version 1 does not have them, but every kernel passes here to count them.
count_begin() {
	local number filter='' key name
	echo "p:lab/given __count_memcg_events memcg=%di:x64 what=%si:u32 nr=%dx:u64" \
		>>"$T/kprobe_events" || die "cannot probe __count_memcg_events"
	mkdir "$COUNT"
	echo 0 >"$COUNT/tracing_on"
	echo 20480 >"$COUNT/buffer_size_kb"
	: >/tmp/events
	for key in pg{scan,steal}_{kswapd,direct,khugepaged} pgfault; do
		number=$(event_number "$key")
		echo "$number $key" >>/tmp/events
		if [ "$key" = pgfault ]; then
			filter+="${filter:+ || }(what == $number && comm ~ \"is_*\")"
		else
			filter+="${filter:+ || }what == $number"
		fi
	done
	echo "$filter" >"$COUNT/events/lab/given/filter" || die "cannot filter the counts"
	echo 1 >"$COUNT/events/lab/given/enable"
	echo 1 >"$COUNT/tracing_on"
	introduce
}

# A process of a telling name has faults in each group, so that we know its memcg.
introduce() {
	local name
	for name in "${names[@]}"; do
		ln -sf /bin/memtouch "/tmp/is_${name//\//.}"
		start_in "$name" "/tmp/is_${name//\//.}" --help >/tmp/introduced
		wait $! || die "cannot run in cgroup $name"
	done
}

# Ten times a second: who is over its limit, beside what is given then, and how much
# the groups have.
sample() {
	local name file="" kb
	while :; do
		for name in "${!soft[@]}"; do
			read -r kb <"$CG/$name/memory.usage_in_bytes"
			kb=$((kb >> 10))
			# what is not a batch over is nothing to ask for
			if [ $kb -gt $((soft[$name] * 1024 + 128)) ]; then file=over; else file=within; fi
			echo "$file ${name//\//.} $kb" >"$COUNT/trace_marker"
		done
		sleep 0.1
	done
}

sample_on() {
	[ ${#soft[@]} -gt 0 ] || return 0
	sample &
	sampler=$!
}

# count_end: result lines "given NAME KEY PAGES", and of those that were taken while
# somebody was over its limit "excess PAGES of PAGES", in "samples OVER of ALL".
# count_cut PHASE: the same for what was counted by now, as "given.PHASE"
count_end() {
	[ -z "$sampler" ] || { kill "$sampler"; wait "$sampler" || true; }
	sampler=
	echo 0 >"$COUNT/tracing_on"
	[ "$(cat "$COUNT"/per_cpu/cpu*/stats | awk '/^overrun:/ { s += $2 } END { print s }')" = 0 ] ||
		die "the buffer for counts is too small"
	sum_up '' >/tmp/sums
	while read -r line; do
		# shellcheck disable=SC2086 # words
		result $line
	done </tmp/sums
}

# A group is one with those below it: who is above a limit is over it with them.
sum_up() {
	grep -E ' given: | tracing_mark_write: ' "$COUNT/trace" | awk '
		FILENAME == "/tmp/events" { key[$1] = $2; next }
		$5 == "tracing_mark_write:" {
			if ($6 == "phase") { phase = "." $7; next }
			over[$7] = $6 == "over"
			samples[$7]++
			n_over[$7] += over[$7]
			any = 0
			for (g in over) any += over[g]
			next
		}
		{
			for (i = 6; i <= NF; i++) {
				split($i, word, "=")
				v[word[1]] = word[2]
			}
			what = key[v["what"]]
		}
		what == "pgfault" {
			comm = $1
			sub(/^is_/, "", comm)
			sub(/-[0-9]+$/, "", comm)
			if (!(v["memcg"] in name)) name[v["memcg"]] = comm
			next
		}
		what {
			who = v["memcg"] in name ? name[v["memcg"]] : "other"
			sum[phase " " who " " what] += v["nr"]
			if (what !~ /^pgsteal/ || !any) next
			taken[phase] += v["nr"]
			while (!over[who] && sub(/\.[^.]*$/, "", who)) ;
			if (over[who]) right[phase] += v["nr"]
		}
		END {
			for (k in sum) {
				split(k, w, " ")
				if (k ~ /^ /) print "given", w[1], w[2], sum[k]
				else print "given" w[1], w[2], w[3], sum[k]
			}
			for (p in taken) print "excess" p, right[p] + 0, "of", taken[p]
			for (g in samples) print "samples", g, n_over[g], "of", samples[g]
		}' /tmp/events -
}

phase() { echo "phase $1" >"$COUNT/trace_marker"; }

v1stat() { awk -v k="$2" '$1 == k { print $2 }' "$CG/$1/memory.stat"; }

# what version 1 tells of a group
stat_results() { # NAME
	local key
	sleep "$FLUSH_S"
	for key in pgmajfault workingset_refault_file workingset_refault_anon; do
		result stat "$1" $key "$(v1stat "$1" $key)"
	done
}
