#!/bin/bash
# toggle.sh TOGGLES MEMCGS [MB [RATE [BALLOON_MB [PAUSE_MS]]]]
#
# Switches lru_gen off and on while memory is being reclaimed everywhere:
# MEMCGS cgroups, each limited to two thirds of what it touches (MB of anonymous
# memory and half as much file), so that limit reclaim never rests, beside writes
# to the root memory.reclaim and cgroups that come and go. Then: every process lives and
# found every page as it had left it, nobody was killed, the LRU counts agree
# with each other, everything that is counted can be reclaimed, and nothing
# is left when the load has gone. TOGGLES 0 is the control: ten seconds of
# the same load without a switch.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/rest-lib.sh

[ $# -ge 2 ] || die "usage: toggle.sh TOGGLES MEMCGS [MB [RATE [BALLOON_MB [PAUSE_MS]]]]"
toggles=$1 n=$2 mb=${3:-8} rate=${4:-400} balloon=${5:-0} pause=${6:-300}
number TOGGLES "$toggles"
number MEMCGS "$n" 1
number MB "$mb" 2
number RATE "$rate"
number BALLOON_MB "$balloon"
number PAUSE_MS "$pause"

MNT=/mnt/toggle
SLACK=64	# pages: two CPUs' batches on their way to the LRU
REST_MAX=512	# pages the system may keep once the load has gone

bad=() groups=() pids=()

start_all() {
	local i io
	for ((i = 0; i < n; i++)); do
		mkcg "t$i"
		groups+=("$CG/t$i")
		echo "${mb}M" >"$CG/t$i/memory.max"
		start_in "t$i" memtouch --name "anon$i" --mb "$mb" --rate "$rate" --verify \
			--pattern zipf:0.6 --write 30 --seed $((i + 1)) --ready-file "$READY/a$i"
		pids+=($!)
		io=map
		[ $((i % 2)) -eq 0 ] || io="read"
		start_in "t$i" memtouch --name "file$i" --mb $((mb / 2)) --file "$MNT/f$i" --io $io \
			--rate $((rate / 2)) --verify --write 5 --seed $((i + 101)) --ready-file "$READY/f$i"
		pids+=($!)
	done
	if [ "$balloon" -gt 0 ]; then
		mkcg balloon
		groups+=("$CG/balloon")
		start_in balloon memtouch --name balloon --mb "$balloon" --rate 20000 --verify \
			--pattern seq --ready-file $READY/balloon
		pids+=($!)
	fi
}

# from a job in the background
failed() {
	echo "$*" >>/tmp/failed
	exit 1
}

# four cgroups come, load, and go, again and again, until told to stop
come_and_go() {
	local k round=0 jobs
	while [ ! -e /tmp/enough ]; do
		jobs=()
		for k in 0 1 2 3; do
			mkdir "$CG/guest$k"
			echo 3M >"$CG/guest$k/memory.max"
			start_in "guest$k" memtouch --name "guest$k" --mb 4 --ops 1500 --rate 3000 \
				--verify --write 50 --seed $((round * 4 + k)) >/dev/null
			jobs+=($!)
		done
		for k in "${jobs[@]}"; do
			wait "$k" || failed "a load in a cgroup that came and went ended with status $?"
		done
		for k in 0 1 2 3; do
			no_ooms "$CG/guest$k" || failed "a cgroup that came and went ran out of memory"
			rmdir "$CG/guest$k"
		done
		round=$((round + 1))
		echo $((round * 4)) >/tmp/came_and_went
	done
}

# keep reclaiming from the root, each write in a process that ends with it
press_root() {
	while [ ! -e /tmp/enough ]; do
		reclaim-writes $CG/memory.reclaim 2M 5 0.2 >/dev/null
	done
}

# switch TEXT: write it, remember how long that took
longest=0 sum=0
switch() {
	local began=${EPOCHREALTIME/./} took
	echo "$1" >$KNOB
	took=$((${EPOCHREALTIME/./} - began))
	sum=$((sum + took))
	[ $took -le $longest ] || longest=$took
}

shows() { [ $(($(cat $KNOB) & 1)) -eq "$1" ] || bad+=("enabled shows $(cat $KNOB) after it was set to $1"); }

run_toggles() {
	local i said=$SECONDS
	[ "$toggles" -gt 0 ] || sleep 10
	for ((i = 1; i <= toggles; i++)); do
		if [ $((i % 2)) -eq 1 ]; then
			switch 0
			shows 0
		else
			switch y
			shows 1
		fi
		sleep "$(printf '0.%03d' $((RANDOM % (pause + 1))))"
		if [ $((SECONDS - said)) -ge 10 ]; then
			said=$SECONDS
			say "toggles: $i of $toggles"
		fi
	done
	result toggles "$toggles"
	result max_toggle_ms "$(awk -v t=$longest 'BEGIN { printf "%.1f", t / 1000 }')"
	result mean_toggle_ms "$(awk -v t=$((sum / (toggles + !toggles))) 'BEGIN { printf "%.1f", t / 1000 }')"
}

# the same pages are counted by the node, by the cgroups and, while lru_gen is
# on, by its generations; and what is charged to a cgroup is on its LRU
counts_agree() { # STATE
	local node cgroups gens charged lru cached
	echo 1 >/proc/sys/vm/stat_refresh
	sleep $FLUSH_S
	node=$(vm "$LRU")
	cgroups=$(awk '/^(in)?active_(anon|file) / { s += $2 } END { print int(s / 4096) }' $CG/memory.stat)
	expect "drift_node_cgroups_$1" $SLACK $((node - cgroups))
	if [ "$1" = on ] && [ -r /sys/kernel/debug/lru_gen ]; then
		gens=$(awk '$1 ~ /^[0-9]+$/ && NF == 4 { s += $3 + $4 } END { print s + 0 }' /sys/kernel/debug/lru_gen)
		expect "drift_node_generations" $SLACK $((node - gens))
	fi
	read -r charged lru cached < <(awk '
		$1 == "anon" || $1 == "file" { c += $2 }
		/^(in)?active_(anon|file) / || $1 == "unevictable" { l += $2 }
		$1 == "swapcached" { s += $2 }
		END { print c / 4096, l / 4096, s / 4096 }' "${groups[@]/%//memory.stat}")
	# pages of the swap cache that nobody maps are on the LRU but not in "anon"
	result "pages_$1" "charged $charged lru $lru swapcached $cached"
	[ "$lru" -ge $((charged - SLACK)) ] && [ "$lru" -le $((charged + cached + SLACK)) ] ||
		bad+=("$1: $charged pages charged, $lru on the LRU, $cached in the swap cache")
}

# with all the loads at rest
inspect() { # STATE
	kill -STOP "${pids[@]}"
	sleep 0.5
	counts_agree "$1"
	all_reclaimable "$1" "${groups[@]}"
	kill -CONT "${pids[@]}"
}

refuse_kills() {
	local g
	for g in "${groups[@]}"; do
		no_ooms "$g" || bad+=("${g##*/}: $(grep -E '^oom' "$g/memory.events" | tr '\n' ' ')")
	done
	expect oom_kill 0 "$(vm oom_kill)"
	if dmesg | grep -E 'page allocation failure|invoked oom-killer|vmstat_refresh:'; then
		bad+=("the kernel log speaks of failed allocations or negative counts")
	fi
}

clear_away() {
	local g
	for g in "${groups[@]}"; do rmdir "$g"; done
	rm -f $MNT/f*
	umount $MNT
	swapoff /dev/zram0
	sleep 1
}

[ -e $KNOB ] || die "this kernel has no $KNOB"
calm
echo y >$KNOB
before=$(rest)
setup_zram 1G
make_disk $MNT $((n * mb + 32))
start_all
wait_ready 240 "${pids[@]}"
say "populated after $SECONDS s"

cat /proc/vmstat >/tmp/vmstat.0
echo 0 >/tmp/came_and_went
press_root & pressing=$!
come_and_go & coming=$!
run_toggles
touch /tmp/enough
wait $pressing || bad+=("the writer to the root memory.reclaim failed")
wait $coming || bad+=("$(cat /tmp/failed)")
cat /proc/vmstat >/tmp/vmstat.1
result came_and_went "$(cat /tmp/came_and_went)"
result pgsteal "$(vm_delta /tmp/vmstat.0 /tmp/vmstat.1 'pgsteal_(anon|file)')"
result refaults "$(vm_delta /tmp/vmstat.0 /tmp/vmstat.1 'workingset_refault_(anon|file)')"

[ "$(alive "${pids[@]}")" -eq ${#pids[@]} ] || bad+=("only $(alive "${pids[@]}") of ${#pids[@]} loads are alive")
switch y
sleep 1
inspect on
sleep 2
switch 0
sleep 1
inspect off
stop_loads verified "${pids[@]}"
refuse_kills
clear_away
expect left_after_load $REST_MAX $(($(rest) - before))
switch y
switch 0
shows 0
expect left_after_last_switch $REST_MAX $(($(rest) - before))

[ ${#bad[@]} -eq 0 ] || die "$(printf '%s; ' "${bad[@]}")"
result outcome ok
