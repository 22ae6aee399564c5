#!/bin/bash
# lrugentop.sh: what tools/mm/lru_gen_top reads, recorded twice with some seconds of
# reclaim between, and what awk makes of it, to hold the tool's figures against.
#
#   file N PATH LINE    a line of a file in recording N (1, 2; 3 is switched off)
#   end N PATH          that was all of it
#   sum N CG NODE ANON FILE AGE    bytes, and the age of the oldest memory (or -)
#   counts N CG REFAULTS-ANON REFAULTS-FILE SCANNED STOLEN; CG is - for the system
#   took MS        from recording 1 to 2
#
# The loads stand still while files are recorded, so that all of one recording is
# of one moment.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

groups=('' web web/front web/back cache batch idle)
pids=()

# load CG MB LIMIT_MB KIND: random touches, to reclaim below the cgroup's limit
load() {
	local from=()
	[ "$4" = anon ] || from=(--file "/data/$1" --io read)
	echo "$3M" >"$CG/$1/memory.max"
	start_in "$1" memtouch --name "$1" --mb "$2" --rate 4000 --pattern random --seed "$2" \
		--ready-file "$READY/${1//\//-}" "${from[@]}" >/dev/null
	pids+=($!)
}

sums() { # N CG: of each node, read once more, by other means than the tool's
	awk -v what="sum $1 /$2" '{ split($1, key, ":"); sub(/N/, "", key[1]); node = key[1]
		split($2, age, "="); split($3, a, "="); split($4, f, "=")
		anon[node] += a[2]; file[node] += f[2]
		if (a[2] + f[2] > 0 && age[2] + 0 >= oldest[node] + 0) oldest[node] = age[2] }
		END { for (n in anon) printf "%s %s %d %d %s\n", what, n, anon[n], file[n],
			(n in oldest) ? oldest[n] : "-" }' "/tmp/rec$CG/$2/memory.lru_gen"
}

counts() { # N CG FILE
	awk -v what="counts $1 $2" '$1 == "workingset_refault_anon" { a = $2 }
		$1 == "workingset_refault_file" { f = $2 }
		$1 ~ /^pgscan(_anon|_file)?$/ { scan += $2 }
		$1 ~ /^pgsteal(_anon|_file)?$/ { steal += $2 }
		END { printf "%s %d %d %d %d\n", what, a, f, scan, steal }' "$3"
}

record_file() { # N PATH, below where we are; an empty one has no line
	local line
	while IFS= read -r line; do result file "$1" "$2" "$line"; done <".$2"
	result end "$1" "$2"
}

# Copied first: ages go on while the lines are written out.
record() { # N
	local n=$1 cg file line
	rm -rf /tmp/rec
	for cg in "${groups[@]}"; do
		mkdir -p "/tmp/rec$CG/$cg"
		for file in memory.lru_gen memory.stat; do
			cat "$CG/$cg/$file" >"/tmp/rec$CG/$cg/$file"
		done
	done
	mkdir -p /tmp/rec/proc /tmp/rec/sys/kernel/mm/lru_gen /tmp/rec/sys/kernel/debug
	for file in /proc/vmstat /proc/mounts $KNOB /sys/kernel/debug/lru_gen; do
		cat "$file" >"/tmp/rec$file"
	done
	cd /tmp/rec
	find . -type f | while read -r file; do record_file "$n" "${file#.}"; done
	for cg in "${groups[@]}"; do
		sums "$n" "$cg" | while read -r line; do result "$line"; done
		result "$(counts "$n" "/$cg" "/tmp/rec$CG/$cg/memory.stat")"
	done
	result "$(counts "$n" - /tmp/rec/proc/vmstat)"
}

uptime_ms() { awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime; }

stand_still() {
	kill -STOP "${pids[@]}"
	sleep "$FLUSH_S"
}

calm
lru_mode mglru
setup_zram 256M
make_disk /data 256
for cg in "${groups[@]:1}"; do mkcg "$cg"; done
load web/front 24 20 anon
load web/back 24 64 anon
load cache 64 24 file
load batch 16 64 anon
wait_ready 120 "${pids[@]}"
sleep 3
stand_still
echo 40M >$CG/web/memory.max
began=$(uptime_ms)
record 1
kill -CONT "${pids[@]}"
sleep 4
stand_still
record 2
result took $(($(uptime_ms) - began))
echo n >$KNOB
record 3
echo y >$KNOB
kill -CONT "${pids[@]}"
stop_loads loads "${pids[@]}"
