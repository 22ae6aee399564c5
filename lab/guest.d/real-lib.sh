# shellcheck shell=bash
# What the cases of real.sh share. Needs lib.sh and load.sh.

TOP=/mnt/real
KEYS='workingset_refault_anon workingset_refault_file pgmajfault pgscan pgsteal'

ANSWER_NS=80000		# after which a disk answers: an SSD's time for 4 KiB at random
NULLB=/sys/kernel/config/nullb
images=()		# of lab/rootfs, that of the system first

# new_disk NAME MIB: /dev/NAME, a disk in memory that answers after ANSWER_NS by the guest's
# clock; what was never written takes no memory.
new_disk() {
	local words
	mkdir "$NULLB/$1"
	for words in "size $2" "blocksize 4096" "memory_backed 1" "irqmode 2" \
		"completion_nsec $ANSWER_NS" "power 1"; do
		echo "${words#* }" >"$NULLB/$1/${words% *}" || die "null_blk does not take $words"
	done
}

# copy_image FROM TO WHERE: the image /dev/FROM on a new disk, mounted
copy_image() {
	new_disk "$2" $((($(cat "/sys/block/$1/size") + 2047) / 2048))
	chroot /mnt/from dd "if=/dev/$1" "of=/dev/$2" bs=1M conv=sparse iflag=direct oflag=direct \
		status=none || die "cannot copy /dev/$1"
	mount -t ext4 -o noatime "/dev/$2" "$3" || die "cannot mount the copy of /dev/$1"
}

# place IMAGE: the directory that is in it
place() {
	case $1 in
	system) echo / ;;
	kernel) echo /kernel ;;
	java) echo /usr/lib/jvm ;;
	*) echo /data ;;
	esac
}

# copy_images IMAGE..: the first has the program that copies.
copy_images() {
	local name at disks=({a..f})
	mkdir -p /mnt/from $TOP
	mount -t configfs configfs /sys/kernel/config
	mount -t ext4 -o ro,noload /dev/vda /mnt/from || die "cannot mount the image of the system"
	mount -t devtmpfs dev /mnt/from/dev
	for name; do
		at=${disks[0]} disks=("${disks[@]:1}")
		copy_image "vd$at" "disk-$name" "$TOP$(place "$name")"
	done
	umount /mnt/from/dev /mnt/from
}

# The images, swap, and the memcgs w, which is to have a limit, and client
start_system() {
	say "copying ${images[*]}"
	copy_images "${images[@]}"
	mount -t proc proc $TOP/proc
	mount -t devtmpfs dev $TOP/dev
	mkdir -p $TOP/dev/shm
	mount -t tmpfs shm $TOP/dev/shm
	mount -t tmpfs tmp $TOP/tmp
	setup_zram 512M
	mkcg w
	mkcg client
}

# limit MIB: what w may have
limit() {
	echo "${1}M" >"$CG/w/memory.max"
	result limit_mib "$1"
	say "limit: $1 MiB"
}

start_cases() { # LIMIT
	start_system
	limit "$1"
}

# inside CG TEXT: a shell command in the image, in the cgroup
inside() {
	start_in "$1" chroot $TOP /bin/sh -c "$2"
}

# do_inside CG TEXT: the same, to its end, which must be a good one
do_inside() {
	inside "$@"
	wait $! || die "failed: $2: $(tail -n 3 $TOP/tmp/said 2>/dev/null | tr '\n' ' ')"
}

# step_in CG CMD.., step_inside CG TEXT: one of many steps; how long it took, in ms
step_in() {
	local began
	began=$(now_ms)
	start_in "$@" >/dev/null
	wait $! || die "failed: $*"
	echo $(($(now_ms) - began)) >>/tmp/steps
}

step_inside() { step_in "$1" chroot $TOP /bin/sh -c "$2"; }

longest() { result longest_ms "$(sort -n /tmp/steps | tail -n 1)"; }

# wait_for PATH: until it is there
wait_for() {
	local i
	for ((i = 0; i < 600; i++)); do
		if [ -e "$1" ]; then return; fi
		sleep 0.1
	done
	die "no $1 after a minute"
}

# said KEY NAME: what the program said of KEY, as a result
said() {
	local value
	value=$(awk -v k="$1" '$1 == k { print $2 }' $TOP/tmp/said)
	[ -n "$value" ] || die "the program did not say its $1"
	result "$2" "$value"
	rated=1
}
rated=0

cpu() { awk -v k="$1" '$1 == k { print $2 }' "$CG/w/cpu.stat"; }
full() { sed -n 's/^full.*total=//p' "$CG/w/memory.pressure"; }
kills() { awk '$1 == "oom_kill" { print $2 }' "$CG/w/memory.events"; }

counters() {
	local key
	for key in $KEYS; do echo "$key $(cgstat w "$key")"; done
	echo "pswpin $(vm pswpin)"
	echo "pswpout $(vm pswpout)"
	echo "full_us $(full)"
	echo "user_us $(cpu user_usec)"
	echo "system_us $(cpu system_usec)"
}

begin_measuring() {
	echo 3 >/proc/sys/vm/drop_caches
	counters >/tmp/before
	began=$(now_ms)
}

# end_measuring [STEPS]: if the program has nothing to say, its rate is steps a minute
end_measuring() {
	local key before now wall
	wall=$(($(now_ms) - began))
	result wall_ms $wall
	[ $rated = 1 ] || result rate $(($1 * 60000000 / (wall + 1)))e-3
	counters >/tmp/after
	while read -r key before && read -r _ now <&3; do
		result "$key" $((now - before))
	done </tmp/before 3</tmp/after
	result killed "$(kills)"
}
