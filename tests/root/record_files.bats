#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep record into several files: each is read alone, and together they have every sample once.
load ../lib.bash

need_tracefs() {
	[ -r /sys/kernel/tracing/events/sched ] || [ -r /sys/kernel/debug/tracing/events/sched ] || skip "tracefs is not mounted"
}

# rounds_of_calls N: runs `calls` for N rounds, each a process of its own
rounds_of_calls() {
	local i
	for ((i = 0; i < $1; i++)); do "$WORK/calls" 1500; done
}

# dated FILE: has the name of perf's: FILE.YYYYMMDDhhmmssNN
dated() {
	ls | grep -xE "$1\.20[0-9]{14}"
}

# bats test_tags=user-space
@test "--switch-output=SIZE: the files together have what the workload counted, and each has its names" {
	need_tracefs
	export -f rounds_of_calls
	export WORK
	"$SKEP" record -m 8M -c 1 -e syscalls:sys_enter_getpriority --switch-output=300K -o part -- \
		bash -c 'rounds_of_calls 12' >truth 2>said
	cat said
	want=$(awk '$2 == "getpriority" { n += $3 } END { print n }' truth)
	n=0 files=0
	for f in $(dated part); do
		"$SKEP" -q script -i "$f" -F comm,event,ip,sym,dso >lines
		k=$(grep -c getpriority: lines)
		# No sample without the name of its process, and none without the file of its code
		grep -q '^ *calls .*getpriority:' lines
		if grep -E '^ *:[0-9]+ ' lines; then false; fi
		[ "$(grep -c "($WORK/calls)" lines)" -ge "$k" ] || { head -20 lines; false; }
		grep -qE "^wrote $f: [0-9.]+ MB, $k samples of syscalls:sys_enter_getpriority$" said
		[ "$(wc -c <"$f")" -ge 300000 ] || [ "$f" = "$(dated part | tail -1)" ]
		n=$((n + k)) files=$((files + 1))
	done
	echo "$files files, $n samples"
	[ $files -ge 3 ]
	[ ! -e part ]
	counted "$want" "$n"
	grep -q "^samples: .* $n kept" said
}

# bats test_tags=user-space
@test "--switch-output: a file at each SIGUSR2 and one at the end, which perf reads" {
	need perf
	background "$SKEP" record -F "$(hz 999)" --switch-output -o part -- "$WORK/shares" "$(times 2)"
	eventually test -s part # it has samples
	kill -USR2 "$BG"
	eventually eval '[ "$(dated part | wc -l)" = 1 ]'
	eventually test -s part
	kill -USR2 "$BG"
	wait "$BG"
	dated part
	[ "$(dated part | wc -l)" = 3 ]
	for f in $(dated part); do
		perf report -i "$f" --stdio --no-children -s comm,sym 2>err | grep -qE 'shares +\[\.\] hot'
		if grep -i warning err; then false; fi
		"$SKEP" report -i "$f" --no-children -s sym | grep -q ' hot$'
	done
}

# bats test_tags=user-space
@test "SIGUSR2 without --switch-output changes nothing, and COMMAND does not ignore it" {
	background "$SKEP" record -F "$(hz 999)" -o whole.data -- sh -c 'grep SigIgn /proc/$$/status >ignored; exec "$@"' _ "$WORK/shares" 1
	eventually test -s ignored
	kill -USR2 "$BG"
	wait "$BG"
	[ "$(dated whole.data | wc -l)" = 0 ]
	"$SKEP" report -i whole.data --no-children -s sym | grep -q ' hot$'
	[ $((0x$(cut -f2 ignored) >> 11 & 1)) = 0 ] # SIGUSR2 is 12
}

# bats test_tags=user-space
@test "--switch-max-files: the last files by time, nothing else is deleted" {
	echo mine >part.20200101000000
	"$SKEP" record -F "$(hz 999)" --switch-output=1s --switch-max-files 2 -o part -- "$WORK/shares" 4 2>said
	cat said
	[ "$(grep -c '^wrote part\.' said)" -ge 4 ]
	[ "$(cat part.20200101000000)" = mine ]
	dated part >there
	sed -n 's/^wrote \(part\.[0-9]*\): .*/\1/p' said | tail -2 | diff - there
}

# bats test_tags=user-space
@test "--timestamp-filename and --max-size" {
	"$SKEP" record -F "$(hz 999)" --timestamp-filename -o dated -- "$WORK/shares" 0.2
	[ "$(dated dated | wc -l)" = 1 ]
	"$SKEP" report -i "$(dated dated)" --no-children -s sym | grep -q ' hot$'
	"$SKEP" record -F "$(hz 4999)" --max-size 100K -o small.data -- "$WORK/shares" 20 2>said
	cat said
	grep -qx 'stopped: the file has the size of --max-size' said
	size=$(stat -c %s small.data)
	[ "$size" -ge 102400 ] && [ "$size" -lt 1000000 ]
	"$SKEP" report -i small.data --no-children -s sym | grep -q ' hot$'
}

# bats test_tags=user-space
@test "--switch-output: what is refused" {
	mknod null c 1 3 || mkfifo null
	for line in "--switch-output=10|bad value '10' of '--switch-output'" "--switch-output=0M|bad value '0M'" "--switch-output=9999999999999G|bad value" \
		"--switch-max-files 2|--switch-max-files needs --switch-output" "--switch-output --switch-max-files 0|bad value '0'" \
		"--timestamp-filename -o null|cannot rename 'null' to a name with a date: not a regular file" \
		"--switch-output -o null|cannot rename 'null'" "--switch-output -o -|need a file: -o - is a stream" "--max-size 1|bad value '1' of '--max-size'"; do
		# shellcheck disable=SC2086
		run "$SKEP" record ${line%|*} -- true
		echo "$output"
		[ "$status" = 2 ] && [[ "$output" == *"${line#*|}"* ]]
	done
	[ "$(ls)" = null ]
}
