#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep trace --record and -i: what is kept in a file is what a live run prints. And what waits in memory until it is printed.
load ../lib.bash

# said TRUTH TRACE MINIMUM: every "line TEXT" of the truth is a line of the trace, but for blanks before = and the number of a thread
said() {
	sed 's/) *= /) = /; s/^\[pid *[0-9]*\] //' "$2" >lines
	sed 's/) *= /) = /' "$2" >>lines
	while read -r line; do
		grep -qFx -- "$line" lines || { echo "missing: $line"; tail -n 40 "$2"; return 1; }
	done < <(sed -n 's/^line //p' "$1")
	[ "$(grep -c '^line ' "$1")" -ge "$3" ]
}

# form TRACE: its lines, but for what is of one run only: addresses, numbers of processes, random bytes
form() {
	sed -E 's/0x[0-9a-f]{4,}/ADDR/g; s/[0-9]{3,}/N/g; s/^(getrandom\().*, /\1/' "$1" | sort
}

# kinds_of TRACE.json: "KIND NAME COUNT"
kinds_of() {
	jq -r '.kind + " " + (.name // "")' "$1" | sort | uniq -c | awk '{ print $2, $3, $1 }'
}

# byte FILE AT TEXT: replaces bytes in the middle
byte() {
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# after FILE AT: where the frame after that at AT begins
after() {
	echo $(($2 + ($(od -An -tu4 -j"$2" -N4 "$1") + 15) / 8 * 8))
}

# bats test_tags=user-space
@test "recorded and shown later: all that the program says, in the form and the number of a live run" {
	need jq
	for what in memory signals ends; do
		"$SKEP" trace --record "$what.calls" -- "$WORK/traced" "$what" >truth 2>said
		cat said
		grep -q "^wrote $what.calls: [0-9.]* MB, [0-9]* calls$" said
		run -0 --separate-stderr "$SKEP" trace -i "$what.calls"
		echo "$output" >t.txt
		said truth t.txt 4
		# the ledger is that of the run
		[ "$stderr" = "$(grep -v '^wrote' said)" ]
	done
	# those that have no threads, whose futexes depend on who runs first
	for what in memory signals; do
		"$SKEP" trace -o live.txt -- "$WORK/traced" "$what" >truth
		"$SKEP" -q trace -i "$what.calls" -o replayed.txt
		[ "$(wc -l <live.txt)" -ge 40 ]
		diff <(form live.txt) <(form replayed.txt)
		"$SKEP" trace --strict --format json -o live.json -- "$WORK/traced" "$what" >truth
		"$SKEP" trace --strict -i "$what.calls" --format json -o replayed.json
		ends live.json
		ends replayed.json
		diff <(kinds_of live.json) <(kinds_of replayed.json)
		[ "$(wc -l <replayed.json)" = "$(jq .kept replayed.json.end)" ]
		jq -e '.title | contains("--record")' replayed.json.end
	done
	"$SKEP" trace --record n.calls -- "$WORK/calls" 50 3 2 >truth
	"$SKEP" -q trace -i n.calls --format json -o n.json
	while read -r name n; do
		[ "$(jq -r --arg n "$name" 'select(.kind == "call" and .name == $n) | 1' n.json | wc -l)" = "$n" ] || { echo "$name: not $n"; false; }
	done < <(awk '$1 == "call" || $1 == "compat" { n[$2] += $3 } END { for (name in n) print name, n[name] }' truth)
}

# bats test_tags=user-space
@test "the end of COMMAND is the recording's, not the replay's; the file is private, the former one is kept" {
	run -3 "$SKEP" trace --record t.calls -- sh -c 'exit 3'
	[ "$(stat -c %a t.calls)" = 600 ]
	[ ! -e t.calls.old ]
	run -0 "$SKEP" -q trace -i t.calls
	[[ "$output" == *"+++ exited with 3 +++" ]]
	run -0 "$SKEP" trace --record t.calls -- true
	[ -s t.calls.old ]
	run -0 "$SKEP" -q trace -i t.calls.old
	[[ "$output" == *"+++ exited with 3 +++" ]]
	# one that has nothing leaves it
	run -1 "$SKEP" trace --record t.calls -p $$ -e reboot --duration 0.2
	[[ "$output" == *"no calls in 0."* ]]
	run -0 "$SKEP" -q trace -i t.calls
	[[ "$output" == *"+++ exited with 0 +++" ]]
}

# bats test_tags=user-space
@test "how it is shown is chosen when it is shown" {
	"$SKEP" -q trace --record t.calls -s 20 -- sh -c 'printf "hello world, and all the others"; : >/dev/null; sleep 0.3' >/dev/null
	shown() { "$SKEP" -q trace -i t.calls "$@"; }
	shown | grep -qF 'write(1, "hello world, and all"..., 31)'
	shown -s 5 | grep -qF 'write(1, "hello"..., 31)'
	shown -xx -s 2 | grep -qF 'write(1, "\x68\x65"..., 31)'
	shown -X raw | grep -qE 'openat\((-100|0xffffff9c), "/dev/null", 0x241, 0666\)'
	shown -X verbose | grep -qF '/* AT_FDCWD */'
	shown -T | grep -qE 'nanosleep\(.*= 0 <0\.[3-9][0-9]{5}>$'
	shown -r | grep -qE '^(\[pid +[0-9]+\] )? +0\.[3-9][0-9]{5} '
	shown --absolute-timestamps unix,us -e execve >at
	head -n1 at | grep -qE '^[0-9]{10}\.[0-9]{6} execve'
	[ $(($(date +%s) - $(cut -d. -f1 at | head -n1))) -le 30 ]
	[ "$(shown --columns 70 -e close | grep -v '^\[pid' | head -n1 | awk '{ print index($0, "=") }')" = 71 ]
	[ "$(shown --fields name,ret | head -n2 | tail -n1 | awk '{ print $1, $2 }')" = "execve 0" ]
	shown --format csv | head -n1 | grep -q '^time_ns,comm,pid'
	shown --format csv | grep -q ',execve,'
	run -2 shown -s 21
	[[ "$output" == *"-s 21: 't.calls' has 20 bytes of each string"* ]]
	run -2 shown -v
	[[ "$output" == *"-v: 't.calls' was recorded without it"* ]]
	"$SKEP" -q trace --record v.calls -v -e execve -- env -i A=1 B=2 true
	"$SKEP" -q trace -i v.calls | grep -qF '["A=1", "B=2"]'
	"$SKEP" -q trace -v -i v.calls | grep -qF '["A=1", "B=2"]'
}

# bats test_tags=user-space
@test "less is shown: names, results, errors, times; what is left out is counted" {
	"$SKEP" -q trace --record t.calls -- sh -c 'cat /none; kill -CONT $$; sleep 0.2' || true
	shown() { "$SKEP" trace -i t.calls "$@" 2>said; }
	shown -e openat >t.txt
	[ "$(grep -c . t.txt)" = "$(grep -cE 'openat\(|^(\[pid.*)?(---|\+\+\+) ' t.txt)" ]
	grep -q 'openat(.*"/none"' t.txt
	[ "$(sed -n 's/^note: \([0-9]*\) calls and signals of the file are not shown.*/\1/p' said)" = $(($(sed -n 's/.*, \([0-9]*\) kept/\1/p' said) - $(wc -l <t.txt))) ]
	shown -e openat -e signal=none >t.txt
	run ! grep -- '--- ' t.txt
	shown -Z -e signal=none >t.txt
	[ "$(grep -c ' = ' t.txt)" = "$(grep -c ' = -1 ' t.txt)" ]
	grep -q '"/none"' t.txt
	shown -z >t.txt
	run ! grep ' = -1 ' t.txt
	shown --errno ENOENT >t.txt
	[ "$(grep -c ' = ' t.txt)" = "$(grep -c ' = -1 ENOENT' t.txt)" ]
	[ "$(grep -c ' = -1 ENOENT' t.txt)" -ge 1 ]
	shown --min-duration 100ms -e '!wait4' >t.txt
	[ "$(grep -c ' = ' t.txt)" = "$(grep -c 'nanosleep(' t.txt)" ]
	[ "$(grep -c 'nanosleep(' t.txt)" = 1 ]
}

# bats test_tags=user-space
@test "a pipe: from a recording to a reader, which may stop" {
	background sh -c 'while :; do sleep 0.02; done'
	"$SKEP" trace -p "$BG" --duration 0.6 --record - 2>said | "$SKEP" trace -i - >t.txt 2>said.i
	cat said said.i
	grep -q 'execve("/.*sleep", \["sleep", "0.02"\]' t.txt
	[ "$(grep '^samples' said)" = "$(grep '^samples' said.i)" ]
	"$SKEP" -q trace --record t.calls -- "$WORK/traced" >/dev/null
	"$SKEP" trace -i t.calls 2>said | head -n1 | grep -q '^execve('
	run ! grep -i error said
}

# bats test_tags=user-space
@test "a recorder that was killed, and files that were cut: as far as they go" {
	background sh -c 'while :; do sleep 0.01; done'
	background "$SKEP" trace --record t.calls -p "$BG"
	eventually test -s t.calls
	sleep 0.3
	kill -KILL "$BG"
	wait "$BG" || true
	run -0 --separate-stderr "$SKEP" trace -i t.calls
	[[ "$output" == *"execve("*sleep* ]]
	[[ "$stderr" == *"note: 1  file that ends in the middle"* ]]
	run -1 "$SKEP" -q trace --strict -i t.calls -o /dev/null
	"$SKEP" -q trace --record w.calls -- "$WORK/traced" >/dev/null
	"$SKEP" -q trace -i w.calls >whole.txt
	size=$(stat -c %s w.calls)
	for part in 20 100 1000 6000 $((size / 2)) $((size - 1)); do
		head -c "$part" w.calls >cut.calls
		"$SKEP" trace -i cut.calls >cut.txt 2>said && status=0 || status=$?
		cat said
		if [ "$part" -le 1000 ]; then
			[ "$status" = 1 ]
			grep -qE "cannot read 'cut.calls': it ends in its head|no calls in 'cut.calls'" said
		else
			[ "$status" = 0 ]
			grep -q "file that ends in the middle" said
			[ -s cut.txt ]
			# but for a signal in a call whose end is cut off, which is shown before it else; and for the numbers of threads, which are shown
			# as soon as there are two
			sed -Ei '$ { /^(\[pid *[0-9]*\] )?--- SIG/d }' cut.txt
			diff <(sed 's/^\[pid *[0-9]*\] //' cut.txt) <(head -n "$(wc -l <cut.txt)" whole.txt | sed 's/^\[pid *[0-9]*\] //')
		fi
	done
}

# bats test_tags=user-space
@test "foreign files, those of another machine or version, damaged ones" {
	"$SKEP" -q trace --record t.calls -- "$WORK/traced" >/dev/null
	for f in /dev/null /bin/sh "$WORK/traced"; do
		run -1 "$SKEP" trace -i "$f"
		[[ "$output" == *"cannot read '$f': it is no recording of skep trace --record"* ]]
	done
	run -1 "$SKEP" trace -i /none
	[[ "$output" == *"cannot read '/none': No such file or directory"* ]]
	run -1 "$SKEP" trace -i .
	[[ "$output" == *"cannot read '.': Is a directory"* ]]
	"$SKEP" -q record -o p.data -- true || "$SKEP" -q record -F 10000 -o p.data -- ls -R /etc >/dev/null
	run -1 "$SKEP" trace -i p.data
	[[ "$output" == *"it is a perf.data file"*"hint: skep report -i"* ]]
	LC_ALL=C sed '1s/machine ./machine z/' t.calls >other.calls
	run -1 "$SKEP" trace -i other.calls
	[[ "$output" == *"it was recorded on z"*", and this skep knows the system calls of "* ]]
	cp t.calls v.calls
	byte v.calls 8 '\x09'
	run -1 "$SKEP" trace -i v.calls
	[[ "$output" == *"its format has version 9, and this skep reads version 1"* ]]
	# a frame that is too large; the part before it is shown
	cp t.calls d.calls
	head=$(($(od -An -tu4 -j12 -N4 d.calls) + 16))
	third=$(after d.calls "$(after d.calls "$head")")
	byte d.calls $((third + 2)) '\xff'
	run -0 --separate-stderr "$SKEP" trace -i d.calls
	[[ "$stderr" == *"the file is damaged before byte"* ]]
	# a record whose table there is not
	cp t.calls d.calls
	byte d.calls $((head + 8 + 86)) '\xff'
	run -0 --separate-stderr "$SKEP" trace -i d.calls
	[[ "$stderr" == *"records of the file skipped: they are damaged"* ]]
	run -1 "$SKEP" -q trace --strict -i d.calls -o /dev/null
}

# bats test_tags=user-space
@test "what it cannot write, and what excludes each other" {
	run -1 "$SKEP" trace --record /dev/full -- true
	[[ "$output" == *"cannot write '/dev/full': No space left on device"* ]]
	run -1 "$SKEP" trace --record /none/t.calls -- true
	[[ "$output" == *"cannot write '/none/t.calls'"* ]]
	run -1 "$SKEP" trace --record . -- true
	ln -s other link
	run -1 "$SKEP" trace --record link -- true
	[[ "$output" == *"symbolic link"* ]]
	"$SKEP" -q trace --record t.calls -- true
	run -1 "$SKEP" trace -i t.calls -o /dev/full
	[[ "$output" == *"No space left on device"* ]]
	run -2 "$SKEP" trace -i t.calls -o t.calls
	[[ "$output" == *"would overwrite the file that -i reads"* ]]
	run -2 "$SKEP" trace --record - -- true
	[[ "$output" == *"COMMAND may write there, too"* ]]
	for with in "-i t.calls" -c -T -r -x "-o x" "--format json" "--columns 3"; do
		run -2 "$SKEP" trace --record u.calls $with -- true
		[[ "$output" == *"exclude each other: a recording has no lines"* ]]
	done
	for with in -c "-p 1" -a "--duration 1" "-m 1024" "-- true"; do
		run -2 "$SKEP" trace -i t.calls $with
		[[ "$output" == *"exclude each other: the file has what was recorded"* ]]
	done
	[ ! -e u.calls ]
}

# bats test_tags=user-space
@test "what comes faster than it can be shown waits: each line once, in the order of time; what finds no room is counted" {
	need jq
	"$SKEP" trace --format json -m 256 -o t.json -- "$WORK/callrate" 200000 >truth
	ends t.json
	[ "$(jq -s 'map(select(.kind == "lost") | .ret) | add // 0' t.json)" = "$(jq .losses.ring_full t.json.end)" ]
	sed -i '/"kind":"lost"/d' t.json
	[ "$(wc -l <t.json)" = "$(jq .kept t.json.end)" ]
	jq -e '.seen == .kept + .losses.ring_full and .seen >= 200000' t.json.end
	sed -E 's/.*"time_ns":([0-9]+),.*/\1/' t.json >times
	[ "$(wc -l <times)" = "$(wc -l <t.json)" ]
	grep -v '"kind":"call"' t.json >others || true
	[ "$(wc -l <others)" -le 1 ] # its end, unless that found no room
	sort -cn times
	uniq -d times >twice
	[ ! -s twice ]
}
