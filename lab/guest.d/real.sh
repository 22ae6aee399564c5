#!/bin/bash
# real.sh MODE SEED IMAGES CASE [ARGS..]: a real program below a memory limit, on zram swap, in
# the root image that lab/rootfs makes. lab/guest has the images, by commas, as /dev/vda and so on;
# they are copied to disks in memory first, as a disk of the host has no place in the guest's
# time. LIMIT is in MiB.
#
#   kbuild JOBS FILES LIMIT              compile so many files of the kernel
#   search PERCENT ROUNDS                grep a tree; it is PERCENT of the limit
#   backup LIMIT HOT                     tar a tree while a file is read at random
#   redis|memcached LIMIT KEYS OPS PATTERN      ask a server that holds so many KiB
#   leveldb LIMIT OPS PATTERN MIX SCAN   ask a database of 400,000 values
#   pg LIMIT TRANSACTIONS                zipfian selects
#   pg_write LIMIT TRANSACTIONS          TPC-B
#   pg_scan LIMIT TRANSACTIONS           zipfian selects beside a dump of the table
#   sqlite LIMIT ROUNDS                  look up rows of three tables, and grep a tree
#   mix LIMIT FILE ANON ROUNDS           mapped files and new anonymous memory, in MiB
#   jvm LIMIT LIVE SECONDS               a heap with a collector beside a stream
#   desktop LIMIT HOG ROUNDS             start programs beside a hog and a build
#   fio LIMIT MIB THETA RW               reads of a file, or reads and writes
#
# Results: wall_ms, user_us, system_us; of the memcg's memory.stat what KEYS names; pswpin,
# pswpout; full_us, the time in which all of it waited for memory; killed; rate, what the
# program itself has to say; p99_us and p999_us of its answers, or longest_ms of its steps, if it
# has any.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/real-lib.sh

TREE="/kernel/src/include /kernel/src/mm /kernel/src/kernel /kernel/src/fs"

kbuild() { # JOBS FILES LIMIT
	local i pids=()
	start_cases "$3"
	# The largest files one after the other, so that a build is not over with the smallest
	head -n "$2" $TOP/kernel/obj/commands | cut -d' ' -f2- >$TOP/tmp/commands
	[ "$(wc -l <$TOP/tmp/commands)" = "$2" ] || die "there are no $2 files to compile"
	for ((i = 0; i < $1; i++)); do
		awk -v i="$i" -v n="$1" 'BEGIN { print "set -e; cd /kernel/obj" } NR % n == i' \
			$TOP/tmp/commands >$TOP/tmp/job$i
	done
	begin_measuring
	for ((i = 0; i < $1; i++)); do
		inside w "sh /tmp/job$i"
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || die "the compiler failed"; done
	end_measuring "$2"
}

# The pages of all files in the tree, in MiB
tree_size() {
	chroot $TOP /bin/sh -c "find $TREE -type f -printf '%s\n'" |
		awk '{ pages += int(($1 + 4095) / 4096) } END { print int(pages / 256) }'
}

search() { # PERCENT ROUNDS
	local i
	start_system
	limit $(($(tree_size) * 100 / $1))
	begin_measuring
	for ((i = 0; i < $2; i++)); do
		do_inside w "grep -r shrink_folio_list $TREE >/dev/null"
	done
	end_measuring "$2"
}

backup() { # LIMIT HOT
	local reader
	start_cases "$1"
	# It compresses to nothing, but is data to the page cache.
	dd if=/dev/zero of=$TOP/hot bs=1M count="$2" 2>/dev/null
	sync
	begin_measuring
	start_in w accessgen --kind read --file $TOP/hot --pages $(($2 * 256)) --rate 4000 --seed $seed >/tmp/reads
	reader=$!
	sleep 5
	do_inside w "tar cf - /kernel/src | cat >/dev/null"
	kill $reader
	wait $reader || true
	end_measuring 1
}

# ask STORE PATH CGROUP KV-OPTIONS..: fill it, then ask it
ask() {
	local store=$1 at=$2 cg=$3 keys=$4 ops=$5
	shift 5
	[ "$store" = leveldb ] || do_inside "$cg" "/lab/kv --store $store --at $at --keys $keys --fill"
	begin_measuring
	do_inside "$cg" "/lab/kv --store $store --at $at --keys $keys --ops $ops --seed $seed $* >/tmp/said"
	said ops_per_s rate
	said get_p99_us p99_us
	said get_p999_us p999_us
	end_measuring
}

redis() { # LIMIT KEYS OPS PATTERN
	start_cases "$1"
	inside w "exec redis-server --port 0 --unixsocket /tmp/redis --save '' --loglevel warning"
	wait_for $TOP/tmp/redis
	ask redis /tmp/redis client "$2" "$3" --pattern "$4" --mix 9000:1000:0:0:0
}

memcached() { # LIMIT KEYS OPS PATTERN
	start_cases "$1"
	inside w "exec memcached -u root -m 1024 -t 1 -s /tmp/memcached"
	wait_for $TOP/tmp/memcached
	ask memcached /tmp/memcached client "$2" "$3" --pattern "$4" --mix 9000:1000:0:0:0
}

leveldb() { # LIMIT OPS PATTERN MIX SCAN
	start_cases "$1"
	ask leveldb /data/db w 400000 "$2" --value 1000 --pattern "$3" --mix "$4" --scan "$5"
}

start_postgres() {
	chmod 1777 $TOP/tmp
	inside w "exec setpriv --reuid=postgres --regid=postgres --clear-groups \
		/usr/lib/postgresql/15/bin/postgres -D /data/db >/tmp/pg.log 2>&1"
	wait_for $TOP/tmp/.s.PGSQL.5432
	sleep 2
}

# pgbench TRANSACTIONS OPTIONS..: four clients. The third word of a line of its log is the time
# that a transaction took, in us.
pgbench() {
	local each=$(($1 / 4))
	shift
	do_inside client "cd /tmp && pgbench -h /tmp -U postgres -n -c 4 -t $each -l \
		--log-prefix=took --random-seed=$seed $* postgres >/tmp/said 2>&1"
	{
		awk '/^tps = / { print "tps", $3 }' $TOP/tmp/said
		sort -n -k 3,3 $TOP/tmp/took.* | awk '{ took[NR] = $3 }
			END { print "p99_us", took[int((NR * 99 + 99) / 100)]
				print "p999_us", took[int((NR * 999 + 999) / 1000)] }'
	} >$TOP/tmp/said.new
	mv $TOP/tmp/said.new $TOP/tmp/said
	said tps rate
	said p99_us p99_us
	said p999_us p999_us
}

zipf_script() {
	# Rows that are asked for much lie anywhere in the table.
	printf '%s\n' '\set hot random_zipfian(1, 100000 * :scale, 1.07)' \
		'\set aid 1 + permute(:hot - 1, 100000 * :scale)' \
		'select abalance from pgbench_accounts where aid = :aid;' >$TOP/tmp/zipf.sql
}

pg() { # LIMIT TRANSACTIONS
	start_cases "$1"
	start_postgres
	zipf_script
	begin_measuring
	pgbench "$2" -s 15 -f /tmp/zipf.sql
	end_measuring
}

pg_write() { # LIMIT TRANSACTIONS
	start_cases "$1"
	start_postgres
	begin_measuring
	pgbench "$2"
	end_measuring
}

pg_scan() { # LIMIT TRANSACTIONS
	local dump
	start_cases "$1"
	start_postgres
	zipf_script
	begin_measuring
	inside client "while psql -q -h /tmp -U postgres -c 'copy pgbench_accounts to stdout' \
		postgres >/dev/null; do :; done"
	dump=$!
	pgbench "$2" -s 15 -f /tmp/zipf.sql
	end_measuring
	kill $dump
}

# Rows to look up: of the hot table most, of the cold one few
lookups() { # ROUND
	awk -v seed=$((seed * 1000 + $1)) 'function row(table, n) {
		print "select length(v) from " table " where id = " int(rand() * n) + 1 ";"
	}
	BEGIN {
		srand(seed)
		print "pragma cache_size = -1000;"
		for (i = 0; i < 3000; i++) {
			row("hot", 40000)
			if (i % 4 == 0) row("mid", 200000)
			if (i % 20 == 0) row("cold", 80000)
		}
	}'
}

sqlite() { # LIMIT ROUNDS
	local i
	start_cases "$1"
	for ((i = 0; i < $2; i++)); do lookups $i >$TOP/tmp/rows$i; done
	begin_measuring
	for ((i = 0; i < $2; i++)); do
		step_inside w "sqlite3 /data/db </tmp/rows$i >/dev/null"
		do_inside w "grep -r shrink_folio_list /kernel/src/fs >/dev/null; [ \$? -le 1 ]"
	done
	longest
	end_measuring "$2"
}

mix() { # LIMIT FILE ANON ROUNDS
	local i pids=()
	start_cases "$1"
	begin_measuring
	for i in 1 2; do
		start_in w accessgen --kind mmapd --file $TOP/data/file --pages $(($2 * 256)) \
			--pattern seq --rate 20000 --name reader$i >/tmp/reader$i
		pids+=($!)
	done
	for ((i = 0; i < $4; i++)); do
		step_in w accessgen --kind anon --pages $(($3 * 256)) --pattern seq --ops 100
	done
	kill "${pids[@]}"
	wait "${pids[@]}" || true
	longest
	end_measuring "$4"
}

jvm() { # LIMIT LIVE SECONDS
	local stream
	start_cases "$1"
	begin_measuring
	inside w "while cat /data/file >/dev/null; do sleep 0.5; done"
	stream=$!
	do_inside w "java -Xms$(($2 * 3 / 2))m -Xmx$(($2 * 3 / 2))m -XX:+UseSerialGC -cp /lab \
		Heap $2 $3 >/tmp/said"
	kill $stream
	said rounds rate
	said longest_ms longest_ms
	end_measuring
}

# The programs somebody starts at a desk: each has to bring its text in
starts='perl -e 1; sqlite3 :memory: "select 1" >/dev/null; psql --version >/dev/null
	gcc -fsyntax-only -x c /dev/null; make --version >/dev/null; fio --version >/dev/null'

desktop() { # LIMIT HOG ROUNDS
	local i hog build
	start_cases "$1"
	head -n 24 $TOP/kernel/obj/commands | cut -d' ' -f2- | sed '1i set -e; cd /kernel/obj' >$TOP/tmp/job
	begin_measuring
	start_in w accessgen --kind anon --pages $(($2 * 256)) --pattern zipf:0.8 --rate 20000 --seed $seed >/tmp/hog
	hog=$!
	inside w "while sh /tmp/job; do :; done"
	build=$!
	for ((i = 0; i < $3; i++)); do
		step_inside w "$starts"
		sleep 1
	done
	kill $hog $build
	longest
	end_measuring "$3"
}

fio() { # LIMIT MIB THETA RW
	local how=randread
	[ "$4" = read ] || how="randrw --rwmixread=95"
	start_cases "$1"
	begin_measuring
	do_inside w "fio --name=job --filename=/data/file --size=256m --io_size=$2m --bs=4k --rw=$how \
		--ioengine=io_uring --iodepth=8 --buffered=1 --norandommap --randseed=$seed \
		--random_distribution=zipf:$3 --thread --minimal --output=/tmp/fio"
	awk -F ';' '/^3;/ { print "iops", $8 + $49 }' $TOP/tmp/fio >$TOP/tmp/said
	said iops rate
	end_measuring
}

[ $# -ge 4 ] || die "usage: real.sh MODE SEED IMAGES CASE [ARGS..]"
calm
lru_mode "$1"
seed=$(($2 + 1))
IFS=, read -ra images <<<"$3"
shift 3
[ "$(type -t "$1")" = function ] || die "there is no case \"$1\""
"$@"
