# shellcheck shell=bash
# Sourced by torture.sh: what is done to the verifiers and to their cgroups, a
# function for each actor. ROUND is its last argument. `pids` are those of the verifiers.
# shellcheck disable=SC2154

TOP=torture
PARENTS=4
# Of a parent, whose verifiers hold 4 to 6 more. For a collapse, a huge page and the small
# ones it is to replace are on no list, nor is a huge one that is being swapped out. With
# khugepaged and the verifier doing the one, kswapd and the other verifier the other, that
# is 12 MiB; with 10, such loads are killed now and then, on the unpatched kernel, too.
LIMITS_MB=(10 16 10 16)
RESERVE_MB=48	# that a node keeps for what is not ballast
MEMORY=/sys/devices/system/memory
KILLED=100000	# numbers of guests that are killed, from here on
blocks=()	# memory that may be taken away

limit_parents()
{
	local i
	# what parents are promised below it holds only as far as it is promised so much
	echo max >"$CG/$TOP/memory.low"
	echo +cpuset >"$CG/$TOP/cgroup.subtree_control"
	for ((i = 0; i < PARENTS; i++)); do
		echo "${LIMITS_MB[i]}M" >"$CG/$TOP/p$i/memory.max"
	done
}

parent() { echo "$CG/$TOP/p$((RANDOM % PARENTS))"; }

# ---- the LRU ----

# When it was done is kept for who wants to know on which LRU something was.
switch() { # ROUND
	local how=(0 y 0 7 n 3 0 5) to
	to=${how[$((RANDOM % 8))]}
	echo "$to from $(now_ms) ms" >>/tmp/switched
	echo "$to" >"$KNOB"
	echo "$to since $(now_ms) ms" >>/tmp/switched
	sleep "0.$((RANDOM % 10))"
}

# A cgroup of those in debugfs is aged, or its oldest generation is evicted. It may
# be gone by then, and while lru_gen is off there is nothing to do.
command_lru() { # ROUND
	local line
	line=$(awk -v n=$((RANDOM % 100)) -v evict=$(($1 % 2)) '
		$1 == "memcg" { id = $2 }
		$1 == "node" { node = $2; k++ }
		NF == 4 { if (!(k in oldest)) oldest[k] = id " " node " " $1; newest[k] = id " " node " " $1 }
		END { k = n % k + 1; print evict ? "- " oldest[k] " 60 64" : "+ " newest[k] }' \
		/sys/kernel/debug/lru_gen)
	if echo "$line" 2>/dev/null >/sys/kernel/debug/lru_gen; then
		count_up lru-commands-done
	else
		count_up lru-commands-refused
	fi
}

look() {
	cat /sys/kernel/debug/lru_gen_full "$CG/$TOP"/p[0-9]*/memory.stat "$CG/$TOP/memory.numa_stat" \
		/proc/vmstat >/dev/null
	cat "$CG/$TOP"/p[0-9]*/l*/memory.lru_gen >/dev/null
}

# ---- cgroups ----

# It may get less than it asked for.
ask() { # CGROUP SIZE
	may_fail reclaim-writes "$CG/$1/memory.reclaim" "$2" 3 0.01 >/dev/null
}

COLLAPSED="--kind shmem --mode thp"
KINDS=("--kind anon" "--kind shmem" "--mode thp" "$COLLAPSED" "--mode fork")

draw_kind() { kind=${KINDS[$((RANDOM % ${#KINDS[@]}))]}; }

# A part of what it has. Who collapses shared memory has a huge page and the small ones
# that it takes the place of on no list, and who swaps a huge one out has that: where
# there is room for no more, a kill is due. khugepaged, the guest and kswapd may do so
# at once, hence the larger one, which no parent's limit would let be.
size_guest() # CGROUP
{
	guest_mb=8 guest_kb=$((4700 + RANDOM % 1000))
	if [ "$kind" = "$COLLAPSED" ]; then guest_mb=16 guest_kb=$((12800 + RANDOM % 1000)); fi
	echo "${guest_kb}K" >"$1/memory.max"
}

# start_guest CGROUP NUMBER OPS [OPTION..]: a short load of $kind below a limit; its pid is $!
start_guest()
{
	local options guest_mb guest_kb
	mkdir "$1" || return 1
	size_guest "$1" || return 1
	read -ra options <<<"$kind"
	start_in "${1#"$CG/"}" patterncheck --name "guest$2" --mb "$guest_mb" --ops "$3" --rate 0 \
		--seed $((seed + $2)) "${options[@]}" "${@:4}" >"/tmp/guest$2" 2>&1
}

guest_ended() # STATUS ROUND
{
	if [ "$1" -eq 0 ]; then
		count_up guest-pages "$(awk '{ for (i = 1; i < NF; i++) if ($i == "verified") print $(i + 1) }' "/tmp/guest$2")"
	else
		echo "guest$2 ended with status $1: $(tail -n 2 "/tmp/guest$2" | tr '\n' ' ')" >>/tmp/failed
		return 1
	fi
	rm -f "/tmp/guest$2"
}

come_and_go() { # ROUND
	local dir kind status=0 soft=()
	draw_kind
	dir=$(parent)/guest$1
	[ "$kind" != "$COLLAPSED" ] || dir=$CG/$TOP/guest$1
	if begin_soft guests; then soft=(--faults); fi
	start_guest "$dir" "$1" 64 "${soft[@]}" || return 1
	wait $! || status=$?
	end_soft guests
	rmdir "$dir" && guest_ended $status "$1"
}

# wait_inside CGROUP PID: who is on its way into a cgroup is not killed with it
wait_inside()
{
	until grep -qx "$2" "$1/cgroup.procs"; do
		kill -0 "$2" && sleep 0.05 || return 1
	done
}

killed() { # ROUND
	local dir kind status=0 pid
	draw_kind
	dir=$CG/$TOP/killed$1
	start_guest "$dir" $(($1 + KILLED)) 1000000 || return 1
	pid=$!
	wait_inside "$dir" $pid && sleep "0.$((2 + RANDOM % 8))"
	echo 1 >"$dir/cgroup.kill"
	wait $pid || status=$?
	rm -f "/tmp/guest$(($1 + KILLED))"
	rmdir_busy "$dir" && [ $status -eq 137 ]
}

# The children of what was killed may take a moment to go.
rmdir_busy()
{
	local i
	for i in 1 2 3 4 5 6 7 8; do
		rmdir "$1" 2>/dev/null && return
		sleep 0.$i
	done
	rmdir "$1"
}

# Nothing in it, at the place where the next one may be.
flicker() {
	local dir
	dir=$(parent)/x
	mkdir "$dir" && rmdir "$dir"
}

squeeze() {
	local dir limit
	dir=$(parent)
	limit=${LIMITS_MB[${dir##*/p}]}
	case $((RANDOM % 3)) in
	0) echo $((limit - 3 + RANDOM % 3))M >"$dir/memory.max" && sleep 0.2 ;;
	1) echo $((limit - 4 + RANDOM % 3))M >"$dir/memory.high" && sleep 0.2 ;;
	2) echo $((RANDOM % 4))M >"$dir/memory.low" && sleep 0.2 ;;
	esac
	echo max >"$dir/memory.high" && echo 0 >"$dir/memory.low" &&
		echo "${limit}M" >"$dir/memory.max"
}

move_about() { # ROUND
	local i=$(($1 % ${#pids[@]}))
	echo "${pids[i]}" >"$CG/$TOP/p$((i / 2))/l$((RANDOM % 2))/cgroup.procs"
}

# All pages of what is in it move, and who attaches anything to any cgroup waits for it
# with the cgroup mutex held; hence of one parent only, and not too often.
change_nodes() {
	local dir
	dir=$(parent)
	echo $((RANDOM % 2)) >"$dir/cpuset.mems"
	sleep "1.$((RANDOM % 10))"
	echo 0-1 >"$dir/cpuset.mems"
	sleep "$((3 + RANDOM % 3))"
}

# ---- swap ----

add_second_swap()
{
	local device
	device=$(cat /sys/class/zram-control/hot_add) || die "no second zram"
	SECOND=/dev/zram$device
	echo 64M >"/sys/block/zram$device/disksize"
	mkswap "$SECOND" >/dev/null || die "mkswap $SECOND failed"
}

used_second() { awk -v d="$SECOND" '$1 == d { print $4 }' /proc/swaps; }

# It comes first, as long as it is there. All of it must fit elsewhere for swapoff.
swap_about() {
	local try used
	swapprio "$SECOND" 10 || return 1
	sleep "1.$((RANDOM % 10))"
	for ((try = 0; try < 20; try++)); do
		used=$(used_second)
		if swapoff "$SECOND" 2>/tmp/swapoff; then
			count_up swapoff-brought-back-kb "$used"
			return 0
		fi
		grep -q 'Cannot allocate memory' /tmp/swapoff || return 1
		count_up swapoff-enomem
		sleep 0.5
	done
	return 1
}

# ---- whole nodes ----

# take_turn NAME, end_turn NAME: for what two must not do at once
take_turn() { until mkdir "/tmp/turn.$1" 2>/dev/null; do sleep 0.1; done; }
end_turn() { rmdir "/tmp/turn.$1"; }

# Two write the sizes of the pools of huge pages.
take_pools() { take_turn pools; }
leave_pools() { end_turn pools; }

# Free memory beyond the reserve is put into huge pages, which nobody takes back;
# so little is left that a load of some 100 MiB presses the node.
ballast()
{
	local node free pool
	take_pools
	for node in /sys/devices/system/node/node[0-9]*; do
		free=$(awk '$3 == "MemFree:" { print int($4 / 1024) }' "$node/meminfo")
		pool=$node/hugepages/hugepages-2048kB/nr_hugepages
		if [ "$free" -gt $((RESERVE_MB + 2)) ]; then
			echo $(($(cat "$pool") + (free - RESERVE_MB) / 2)) >"$pool"
		fi
	done
	leave_pools
}

# Same-filled pages cost no memory in zram, so that swapping them does help.
press_nodes() { # ROUND
	local mb
	ballast || return 1
	mb=$(awk '/^MemFree:/ { print int($2 / 1024) }' /proc/meminfo)
	mb=$((mb + RANDOM % 48))
	mkdir "$CG/balloon" || return 1
	start_in balloon memtouch --name "balloon$1" --mb $mb --fill same --verify --write 20 \
		--policy interleave:3 --ops $((mb * 4)) >/dev/null || return 1
	wait $! || return 1
	count_up balloon-mb $mb
	rmdir "$CG/balloon"
}

# Many allocations of high order: compaction, and reclaim for its sake
huge_about() {
	local pool=/sys/devices/system/node/node$((RANDOM % 2))/hugepages/hugepages-2048kB/nr_hugepages
	local more=$((8 + RANDOM % 16)) n
	take_pools
	n=$(cat "$pool")
	echo $((n + more)) >"$pool"
	sleep 0.2
	echo "$n" >"$pool"
	leave_pools
	compact
	sleep "0.$((RANDOM % 10))"
}

# Who compacts does not keep memory from being taken away, and looks at what is then no
# page any more, with DEBUG_VM all ones. That is the base's (seed 708).
compact()
{
	take_turn blocks
	echo 1 >/proc/sys/vm/compact_memory
	end_turn blocks
}

split_all() {
	echo 1 >/sys/kernel/debug/split_huge_pages
	sleep "1.$((RANDOM % 10))"
}

drop() {
	echo $((1 + RANDOM % 3)) >/proc/sys/vm/drop_caches
	sleep "0.$((RANDOM % 10))"
}

find_blocks()
{
	local b
	for b in "$MEMORY"/memory[0-9]*; do
		[ -e "$b/valid_zones" ] || continue
		[ "$(cat "$b/valid_zones")" != Movable ] || blocks+=("$b")
	done
}

# A page of the block that is held elsewhere keeps it; the system tries long.
take_away() # BLOCK
{
	if timeout 20 bash -c "echo offline >$1/state" 2>/dev/null; then
		count_up blocks-unplugged
		sleep "0.$((RANDOM % 10))"
		echo online_movable >"$1/state"
	else
		count_up unplug-refused
		[ "$(cat "$1/state")" = online ] || echo online_movable >"$1/state"
	fi
}

unplug() {
	local status=0
	take_turn blocks
	take_away "${blocks[$((RANDOM % ${#blocks[@]}))]}" || status=$?
	end_turn blocks
	sleep "0.$((RANDOM % 10))"
	return $status
}

# ---- processes ----

# Eight at a time, each a fork, an exec and an exit, a third of them cut short
storm() {
	local jobs=() i
	for i in 1 2 3 4 5 6 7 8; do
		(exec /bin/cat /proc/self/maps /proc/self/cgroup >/dev/null) &
		jobs+=($!)
		[ $((RANDOM % 3)) != 0 ] || kill -KILL $! 2>/dev/null || true
	done
	for i in "${jobs[@]}"; do wait "$i" || true; done
	count_up execs 8
}

start_actors()
{
	find_blocks
	ballast
	act switch switch
	act lru-commands command_lru
	act look look
	act reclaim-top ask $TOP 256K
	act reclaim-parent ask $TOP/p1 128K
	act reclaim-root ask . 512K
	act guests come_and_go
	act killed killed 2>/dev/null	# bash tells of each
	act flicker flicker
	act squeeze squeeze
	act move move_about
	act nodes change_nodes
	act swap swap_about
	act pressure press_nodes
	act huge huge_about
	if has_thp; then act split split_all; fi
	act drop drop
	act storm storm 2>/dev/null
	if [ ${#blocks[@]} -gt 0 ]; then act unplug unplug; fi
	result unplug "${#blocks[@]} blocks of memory that may be taken away"
}

also_results()
{
	local f
	for f in /tmp/also.*; do result also "${f#/tmp/also.}" "$(cat "$f")"; done
}
