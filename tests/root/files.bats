#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Files: what is written is whole, honest, named late and the user's; what cannot be read is refused.
# bats file_tags=user-space
load ../lib.bash
bats_require_minimum_version 1.5.0

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ -z "$BG" ] || kill -9 "$BG" 2>/dev/null || true
	[ ! -d tiny ] || umount tiny 2>/dev/null || true
}

recording() { # recording FILE SECONDS OPTION...
	local f=$1 s=$2
	shift 2
	"$SKEP" -q record -o "$f" "$@" -- "$WORK/shares" "$s" >/dev/null
}

@test "record: losses are in the file, for skep and for perf" {
	run "$SKEP" record -m 4 -F 49999 -o a.data -- "$WORK/shares" 0.5
	echo "$output"
	lost=$(sed -n 's/^lost: \([0-9]*\) .*/\1/p' <<<"$output" | awk '{ n += $1 } END { print n }')
	[ "$lost" -gt 0 ]
	run "$SKEP" report --strict -i a.data -o table
	[ "$status" = 1 ]
	[[ "$output" == *"lost: $lost "* ]]
	[[ "$output" == *"--strict"* ]]
	need perf
	perf report -i a.data --stats 2>/dev/null | grep -qE 'LOST_SAMPLES events: +1'
}

@test "record: the summary of several events has their number" {
	run "$SKEP" record -e cpu-clock,page-faults -o a.data -- "$WORK/shares" 0.2
	[[ "$output" == *"samples of 2 events"* ]]
}

# COMMAND outlives the first Ctrl-C for a while, so that the second comes between sampling and writing
TWICE='trap "" TERM; sleep 0.3; kill -INT $PPID; sleep 0.3; kill -INT $PPID; sleep 1'

@test "record: a mistyped command changes no file and leaves none" {
	recording perf.data 0.1
	before=$(stat -c '%i %s' perf.data)
	run -127 "$SKEP" record -- mistyped-command
	[ "$(stat -c '%i %s' perf.data)" = "$before" ]
	[ "$(ls -A)" = perf.data ]
	run -127 "$SKEP" record -a -o new.data -- mistyped-command
	[ "$(ls -A)" = perf.data ]
}

@test "record: the former file is kept as .old" {
	recording perf.data 0.1
	before=$(stat -c %i perf.data)
	recording perf.data 0.1
	[ "$(stat -c %i perf.data.old)" = "$before" ]
	[ "$(ls -A | wc -l)" = 2 ]
	"$SKEP" report | grep -q hot
}

@test "record: SIGKILL leaves a readable file, under its name" {
	recording perf.data 0.1
	for z in -z0 -z; do
		background "$SKEP" record $z -a -F 999 -- "$WORK/shares" 3
		sleep 2
		kill -9 $BG
		wait $BG || true
		BG=
		[ "$(ls -A)" = "$(printf 'perf.data\nperf.data.old')" ]
		run "$SKEP" report --no-children
		[ "$status" = 0 ]
		[[ "$output" == *hot* ]]
		command -v perf >/dev/null || continue
		perf script -i perf.data -F ip,sym 2>/dev/null | grep -q hot
		perf report -i perf.data --stdio --no-children -g none 2>/dev/null | grep -q hot
	done
}

@test "a truncated file is shown, with a loss for --strict" {
	recording a.data 0.5
	"$SKEP" report --strict -i a.data -o whole
	head -c $(($(stat -c %s a.data) / 2)) a.data >cut.data
	for c in "report" "flame -o cut.json"; do
		# shellcheck disable=SC2086
		run "$SKEP" $c -i cut.data
		[ "$status" = 0 ]
		[[ "$output" == *"note: 1  file that ends in the middle"* ]]
		# shellcheck disable=SC2086
		run "$SKEP" $c --strict -i cut.data
		echo "$output"
		[ "$status" = 1 ]
		[[ "$output" == *": 1 loss, and --strict allows none"* ]]
	done
	grep -q '"file_cut": *1' cut.json
	"$SKEP" report --json -i cut.data | grep -q '"file_cut":1'
}

@test "a damaged record is named by its offset and type, and so is the place where a file ends" {
	recording a.data 0.5
	"$SKEP" report -D -i a.data >dump
	at=$(awk '/PERF_RECORD_MMAP2/ { print $3; exit }' dump)
	[[ "$at" == 0x* ]]
	# a size that no such record has; what follows is none
	cp a.data b.data
	printf '\x10\x00' | dd of=b.data bs=1 seek=$((at + 6)) conv=notrunc status=none
	run -1 "$SKEP" report -i b.data
	echo "$output"
	[[ "$output" == *"damaged record at offset 0x"*"hint: the damage may begin at offset $at: MMAP2 (10)"* ]]
	# a record of a type that is shorter: all others are read
	at=$(awk '/PERF_RECORD_EXIT/ { at = $3 } END { print at }' dump)
	cp a.data b.data
	printf '\x0a' | dd of=b.data bs=1 seek=$((at)) conv=notrunc status=none
	for c in report "script -F ip"; do
		# shellcheck disable=SC2086
		"$SKEP" $c -i b.data >notes 2>&1
		grep -i '^#* *note' notes
		grep -qiF "note: 'b.data': cannot use the record at offset $at: MMAP2 (10)" notes
	done
	at=$(awk '/PERF_RECORD_SAMPLE/ { at = $3 } END { print at }' dump)
	head -c $((at + 20)) a.data >cut.data
	"$SKEP" report -i cut.data >notes
	grep -i '^#* *note' notes
	grep -qiF "note: 'cut.data' ends in the middle, at offset $at" notes
}

@test "record: a second Ctrl-C does not cost the file its end" {
	"$SKEP" record -a -o a.data -- sh -c "$TWICE" || true
	run "$SKEP" report -i a.data
	[ "$status" = 0 ]
	[[ "$output" != *"ends in the middle"* ]]
}

@test "record -o -: a reader that leaves at once ends the run without a word" {
	for i in {1..5}; do
		"$SKEP" record -o - -- "$WORK/shares" 0.1 2>said | true
		[ "${PIPESTATUS[0]}" = 0 ]
		run ! grep -v '^share\|^disturbed' said
	done
}

@test "record -o -: a stream is for a pipe, not for a terminal" {
	run -2 script -qec "'$SKEP' record -o - -- true" /dev/null
	[[ "$output" == *"-o - is for a pipe, and standard output is a terminal"*"skep script -i -"* ]]
}

@test "sudo: recording and picture belong to the invoking user" {
	export SUDO_UID=65534 SUDO_GID=65533
	chmod 777 .
	# a COMMAND that any user may run, wherever this tree is
	"$SKEP" record -F 9999 -o a.data -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
	"$SKEP" flame -i a.data -o a.svg
	unset SUDO_UID SUDO_GID
	[ "$(stat -c '%u %g' a.data)" = "65534 65533" ]
	[ "$(stat -c '%u %g' a.svg)" = "65534 65533" ]
}

@test "closed descriptors: no messages and no standard output in a file" {
	recording a.data 0.3
	head -c 9000 a.data >cut.data
	for c in "2>&-" ">&- 2>&-" "<&- >&- 2>&-"; do
		rm -f a.folded b.data
		bash -c "'$SKEP' flame -i cut.data --top 3 -o a.folded $c" || true
		[ -s a.folded ]
		run ! grep -vE '^[^ ]*;.* [0-9]+$' a.folded
		bash -c "'$SKEP' record -o b.data -- sh -c '$WORK/shares 0.1; echo talk >&2' $c" || true
		"$SKEP" report -i b.data | grep -q hot
	done
}

@test "a reader that stops early: exit 0, no message" {
	recording perf.data 0.3
	for c in "report" "report --format csv" "flame -i perf.data --format folded" "flame -i perf.data --format html"; do
		# the reader is gone before the first byte
		bash -c "{ sleep 0.1; '$SKEP' -q $c 2>err; } | :; exit \${PIPESTATUS[0]}"
		[ ! -s err ]
	done
	bash -c "'$SKEP' -q flame --format folded -F $(hz 4999) -- sh -c '$WORK/shares 0.2 >&2' 2>err | :; exit \${PIPESTATUS[0]}"
	run ! grep -q skep err
}

@test "a full disk: one message with the cause, exit 1, no file" {
	recording perf.data 0.3
	for c in "report >/dev/full" "report -o /dev/full" "flame -i perf.data --format html >/dev/full" \
		"flame -i perf.data --format svg -o /dev/full" "sched -o /dev/full -- true" "sched -I 20 -o /dev/full -- true" \
		"probe --count u:libc:malloc -o /dev/full -- true" "stat --by comm -x, -I 20 -o /dev/full -- true" "stat --by comm -o /dev/full -- true" \
		"net --format csv -- true >/dev/full"; do
		run bash -c "'$SKEP' -q $c"
		echo "$c: $output"
		[ "$status" = 1 ]
		[ "$(grep -c 'No space left on device' <<<"$output")" = 1 ]
		[ "${#lines[@]}" = 1 ]
	done
	mkdir tiny
	mount -t tmpfs -o size=8k none tiny || skip "cannot mount"
	run "$SKEP" -q flame -i perf.data -o tiny/a.html
	ls -A tiny >left
	umount tiny
	echo "$output"
	[ "$status" = 1 ]
	[ "${#lines[@]}" = 1 ]
	[[ "$output" == *"cannot write 'tiny/a.html': No space left on device" ]]
	[ ! -s left ]
}

@test "signals while a picture is drawn leave nothing behind" {
	"$SKEP" -q record -a -F 20000 -m 4096 -o big.data -- sh -c "$WORK/shares_cxx 1.5 & $WORK/shares 1.5" >/dev/null
	echo former >a.svg
	for sig in INT TERM HUP KILL; do
		bash -c "'$SKEP' -q flame -i big.data -o a.svg & p=\$!; sleep 0.02; kill -$sig \$p; wait \$p" 2>/dev/null || true
		[ "$(ls -A | grep -vx a.svg.old)" = "$(printf 'a.svg\nbig.data')" ] # .old: the picture was drawn before the signal
	done
}

@test "Ctrl-C twice: the picture is drawn" {
	"$SKEP" flame -a -o a.html -- sh -c "$TWICE" || true
	grep -q '</html>' a.html
	[ "$(ls -A)" = a.html ]
}

@test "reading: what is no regular file is refused at once" {
	mkfifo pipe
	run timeout 5 "$SKEP" report -i pipe
	[ "$status" = 1 ]
	[[ "$output" == *"'pipe' is not a regular file"* ]]
	run timeout 5 "$SKEP" flame -i /dev/zero
	[ "$status" = 1 ]
	[[ "$output" == *"'/dev/zero' is not a regular file"* ]]
	recording a.data 0.1
	run bash -c "cat a.data | '$SKEP' report -i -"
	[ "$status" = 1 ]
	[[ "$output" == *"cannot be read from a pipe"* ]]
	"$SKEP" report -i - <a.data | grep -q hot
}

@test "flame: does not overwrite its input" {
	recording a.data 0.1
	ln -s a.data a.svg
	before=$(md5sum <a.data)
	run "$SKEP" flame -i a.data -o a.svg
	[ "$status" = 2 ]
	run "$SKEP" flame -i a.data -o ./a.data --format folded
	[ "$status" = 2 ]
	[[ "$output" == *"overwrite"* ]]
	[ "$(md5sum <a.data)" = "$before" ]
}

@test "flame -i: options of sampling are refused by name" {
	recording a.data 0.1
	for o in -a "-p 1" "-t 1" "-C 0" "-u 0" "-G x" "--comm x" "-e cycles" "-F 99" "-c 5" "--duration 1" --idle "-m 64" "--max-stacks 5"; do
		# shellcheck disable=SC2086
		run "$SKEP" flame -i a.data -o a.svg $o
		echo "$o: $status $output"
		[ "$status" = 2 ]
		[[ "$output" == *" ${o%% *} "* ]]
	done
	run "$SKEP" flame -i a.data -o a.svg true
	[ "$status" = 2 ]
	[ ! -e a.svg ]
	"$SKEP" flame -i a.data -o a.svg --no-kernel
}

@test "flame: one picture, one event" {
	run "$SKEP" flame -e cpu-clock,page-faults -o a.svg -- true
	[ "$status" = 2 ]
	[[ "$output" == *"hint: skep record -e cpu-clock,page-faults"*"--event-index"* ]]
	run "$SKEP" flame --event-index 1 -o a.svg -- true
	[ "$status" = 2 ]
	recording a.data 0.3 -e cpu-clock,task-clock
	"$SKEP" flame -i a.data --event-index 1 -o a.json
	grep -q '"event": *"task-clock"' a.json
	run "$SKEP" flame -i a.data -o b.json
	[[ "$output" == *"samples of 2 events; this picture shows number 0: 'cpu-clock'"*"draws another: 1 'task-clock'"* ]]
	for bad in 2 x -1 ""; do
		run "$SKEP" flame -i a.data --event-index "$bad" -o c.json
		[ "$status" = 2 ]
	done
	[ ! -e c.json ]
	recording one.data 0.2 -e cpu-clock
	run -2 "$SKEP" flame -i one.data --event-index 1 -o c.json
	[[ "$output" == *"'one.data' has 1 event: no event 1" ]]
}

@test "BPF statistics, which slow every BPF program, only with --receipt" {
	run "$SKEP" flame --receipt -F 999 -o a.svg -- "$WORK/shares" 0.2
	[[ "$output" =~ BPF\ [0-9.]+\ ms\ in\ [1-9] ]]
	"$SKEP" flame -F 999 -o a.json -- "$WORK/shares" 0.2
	run ! grep -qE '"bpf_runs": *[1-9]' a.json
	for command in stat sched net; do
		run "$SKEP" $command --receipt -o a.txt -- true
		[[ "$output" =~ skep\ [1-9][0-9.]+\ ms\ CPU,\ [1-9] ]]
	done
}

@test "-o /dev/stdout is standard output; no symbolic link is replaced" {
	recording a.data 0.2
	"$SKEP" -q flame -i a.data -o /dev/stdout --format folded >out
	grep -q ';hot ' out
	"$SKEP" -q report -i a.data -o /dev/stdout >>out
	grep -q ';hot ' out
	grep -q '] hot' out
	[ -L /dev/stdout ]
	: >real.html
	ln -s real.html link.html
	run "$SKEP" flame -i a.data -o link.html
	[ "$status" = 1 ]
	[[ "$output" == *"is a symbolic link"* ]]
	[ -L link.html ] && [ ! -s real.html ]
}

@test "a picture keeps the mode and the owner of the file that it replaces" {
	recording a.data 0.2
	: >a.html
	chmod 600 a.html
	chown 0:65533 a.html
	"$SKEP" -q flame -i a.data -o a.html
	[ "$(stat -c '%a %u %g' a.html)" = "600 0 65533" ]
	[ -s a.html ]
}

@test "record: the former file is FILE.old, and stays when the run fails; a name too long for .old is refused before the run" {
	recording a.data 0.2
	before=$(stat -c %i a.data)
	run -127 "$SKEP" record -o a.data -- /nonexistent
	[ "$(stat -c %i a.data)" = "$before" ]
	[ ! -e a.data.old ]
	"$SKEP" record -o a.data -c 1000000000000 -- true
	[ "$(stat -c %i a.data.old)" = "$before" ]
	long=$(printf 'x%.0s' {1..252})
	run "$SKEP" record -o "$long" -- touch ran
	[ "$status" = 1 ]
	[[ "$output" == *"no room for .old"* ]]
	[ ! -e ran ]
}

@test "a file without call chains: a note, and no truncated stacks" {
	"$SKEP" -q record --call-graph no -F $(hz 4999) -o a.data -- "$WORK/shares" 0.3
	run "$SKEP" flame -i a.data --format folded
	[[ "$output" == *"the file has no call chains"* ]]
	[[ "$output" != *truncated* ]]
	[[ "$output" != *"no caller found"* ]]
}

@test "a deleted program: a note with its name" {
	cp "$WORK/shares" gone
	"$SKEP" -q record -F $(hz 4999) -o a.data -- ./gone 0.3
	rm gone
	HOME=$PWD run "$SKEP" report -i a.data
	[[ "$output" == *"deleted, unreadable or replaced: $PWD/gone"* ]]
}

@test "a deleted program that is in perf's build-id cache has symbols" {
	need perf
	cp "$WORK/shares" gone
	"$SKEP" -q record -F $(hz 4999) -o a.data -- ./gone 0.3
	HOME=$PWD perf buildid-cache --add "$PWD/gone"
	rm gone
	HOME=$PWD "$SKEP" -q report -i a.data --no-children | grep -q '] hot'
}

@test "a limit on file sizes is a failed write, not a fatal signal" {
	run bash -c "ulimit -f 20; '$SKEP' record -F 20000 -o a.data -- '$WORK/shares' 0.5"
	[ "$status" = 1 ]
	[[ "$output" == *"File too large"* ]]
}

@test "thousands of threads of one process: its maps are in the file once" {
	"$SKEP" -q record -t "$(ls /proc/$$/task | head -1)" -o z.data --duration 10ms || true
	busy "$WORK/manythreads" 800 6
	eventually test "$(ls /proc/$BG/task | wc -l)" -gt 0
	sleep 0.5
	tids=$(ls "/proc/$BG/task" | paste -sd,)
	"$SKEP" -q record -t "$tids,$tids" -F 999 -o a.data --duration 300ms
	[ "$(stat -c %s a.data)" -lt 1000000 ]
}
