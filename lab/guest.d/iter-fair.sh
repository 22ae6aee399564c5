# shellcheck shell=bash
# Sourced by iter.sh: 64 equal children, and what each gives to those who write to
# their parent's memory.reclaim. Needs lib.sh, load.sh, memcg-lib.sh.

EQUAL=64 EQUAL_MB=16 EQUAL_RATE=1000
WRITE=256K WRITES_A_SECOND=100		# of all writers together

start_equal() {
	local i
	make_children $EQUAL
	for ((i = 0; i < EQUAL; i++)); do
		groups+=("$CG/$PARENT/c$i")
		start_in "$PARENT/c$i" memtouch --name "c$i" --mb $EQUAL_MB --rate $EQUAL_RATE \
			--pattern random --write 50 --seed $((i + 1)) --ready-file "$READY/$i" \
			>"/tmp/load.$i"
		pids+=($!)
	done
	wait_ready 200 "${pids[@]}"
	say "populated after $SECONDS s"
	sleep 1
}

# write_paced WRITERS SECONDS: each in turn, as long as none is too slow
write_paced() {
	local i interval writes w=() began=$SECONDS
	writes=$(($2 * WRITES_A_SECOND / $1))
	interval=$(awk -v n="$1" -v rate=$WRITES_A_SECOND 'BEGIN { print n / rate }')
	for ((i = 0; i < $1; i++)); do
		reclaim-writes "$CG/$PARENT/memory.reclaim" $WRITE $writes "$interval" >"/tmp/writes.$i" &
		w+=($!)
	done
	for i in "${w[@]}"; do wait "$i" || die "reclaim-writes failed"; done
	result requested $(($1 * writes * $(pages_of $WRITE)))
	result writes_s $((SECONDS - began)) of "$2"
	for ((i = 0; i < $1; i++)); do result writer "$(cat "/tmp/writes.$i")"; done
}

parent_snapshot() { cat "$CG/$PARENT/memory.stat" >"/tmp/parent.$1"; }

fair_begin() {
	start_equal
	snapshot 0
	parent_snapshot 0
}

fair_end() {
	snapshot 1
	parent_snapshot 1
	# shellcheck disable=SC2046 # one word each
	result pgsteal $(differences pgsteal)
	# shellcheck disable=SC2046 # one word each
	result pgscan $(differences pgscan)
	result all_pgsteal "$(vm_delta /tmp/parent.0 /tmp/parent.1 pgsteal)"
	result all_pgscan "$(vm_delta /tmp/parent.0 /tmp/parent.1 pgscan)"
	say "pages: $(total pgsteal) taken, $(total pgscan) scanned"
	stop_all
}

do_fair() { # WRITERS SECONDS
	number WRITERS "$1" 1
	number SECONDS "$2" 1
	fair_begin
	write_paced "$1" "$2"
	fair_end
}

CHURN_RATE=100

# Without this, who goes into a cgroup waits for a grace period of RCU.
make_moves_quick() {
	mount -o remount,favordynmods -t cgroup2 cgroup2 "$CG" ||
		die "cannot remount $CG with favordynmods"
}

# One writer, while cgroups come and go between the others' turns
do_churn() { # SECONDS
	local churn
	number SECONDS "$1" 1
	make_disk "$FILES" 50
	make_moves_quick
	fair_begin
	cgchurn "$CG/$PARENT" $CHURN_RATE --file "$FILES/x" >/tmp/churned &
	churn=$!
	write_paced 1 "$1"
	kill -TERM $churn
	wait $churn || die "cgchurn failed"
	result churned "$(cat /tmp/churned)"
	say "cgchurn: $(cat /tmp/churned)"
	fair_end
}
