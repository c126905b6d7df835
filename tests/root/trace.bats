#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep trace: the workloads know what they called, and what strace's lines of it are.
load ../lib.bash

# said TRUTH TRACE: every "line TEXT" of the truth is a line of the trace, but for blanks before = and the number of a thread
said() {
	sed 's/) *= /) = /; s/^\[pid *[0-9]*\] //' "$2" >lines
	sed 's/) *= /) = /' "$2" >>lines
	while read -r line; do
		grep -qFx -- "$line" lines || { echo "missing: $line"; tail -n 40 "$2"; return 1; }
	done < <(sed -n 's/^line //p' "$1")
	[ "$(grep -c '^line ' "$1")" -ge "${3:-3}" ]
}

# names_of TRACE.json: how many calls of each name, "NAME COUNT"
names_of() {
	jq -r 'select(.kind == "call") | .name' "$1" | sort | uniq -c | awk '{ print $2, $1 }'
}

@test "lines are strace's: the execve first, the end last" {
	"$SKEP" -q trace -o t.txt -- /bin/sh -c 'exit 3' || [ $? = 3 ]
	cat t.txt
	[[ "$(head -n1 t.txt)" == 'execve("/bin/sh", ["/bin/sh", "-c", "exit 3"], 0x'*' /* '*' vars */) = 0' ]]
	[ "$(tail -n1 t.txt)" = "+++ exited with 3 +++" ]
	[[ "$(tail -n2 t.txt | head -n1)" == "exit_group(3)"*"= ?" ]]
	run -0 --separate-stderr "$SKEP" -q trace -- "$WORK/traced" none
	[ -z "$output" ]
	[[ "$stderr" == *"+++ exited with 0 +++" ]]
}

@test "memory that cannot be read, texts that would move a terminal's cursor, calls without a name" {
	"$SKEP" trace -o t.txt -- "$WORK/traced" memory >truth
	said truth t.txt 10
	run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f-\xff]' t.txt
}

@test "calls that are newer than the headers of the build, and 32-bit ones with numbers of 64 bits" {
	"$SKEP" trace -o t.txt -- "$WORK/traced" newer >truth
	said truth t.txt 3
}

@test "signals where they arrive, ignored ones too" {
	"$SKEP" trace -o t.txt -- "$WORK/traced" signals >truth
	said truth t.txt 4
	grep -A1 '^tgkill' t.txt | tail -n1 | grep -q '^--- SIGUSR1'
	grep -A2 -- '^--- SIGUSR1' t.txt | tee /dev/stderr | grep -q '^rt_sigreturn({mask=\[\]})'
	"$SKEP" trace -e %signal -o t.txt -- "$WORK/traced" signals >truth
	said truth t.txt 4
	grep -q "^rt_sigreturn({mask=" t.txt
	run ! grep "^rt_sigreturn.* = ?" t.txt
	"$SKEP" -q trace -e none -o t.txt -- sh -c 'kill -TERM $$' || [ $? = 143 ]
	cat t.txt
	[[ "$(head -n1 t.txt)" =~ ^---\ SIGTERM\ \{si_signo=SIGTERM,\ si_code=SI_USER,\ si_pid=[0-9]+,\ si_uid=0\}\ ---$ ]]
	[ "$(tail -n1 t.txt)" = "+++ killed by SIGTERM +++" ]
	# It stops, and somebody wakes it
	"$SKEP" -q trace -e none -o t.txt -- sh -c 'sh -c "kill -STOP \$\$; exit 5" & while [ "$(awk "/^State/ { print \$2 }" /proc/$!/status)" != T ]; do :; done; kill -CONT $!; wait $!' || [ $? = 5 ]
	grep -v '^.*+++' t.txt
	grep -A2 'SIGSTOP {si_signo=SIGSTOP, si_code=SI_USER, ' t.txt | grep -qE '^(\[pid +[0-9]+\] )?--- stopped by SIGSTOP ---$'
	grep -qE '^(\[pid +[0-9]+\] )?--- SIGCONT ' t.txt
	"$SKEP" trace -e signal=none -o t.txt -- "$WORK/traced" signals >truth
	run ! grep -q -- '^---' t.txt
}

@test "threads and processes that end in every way: killed, by a thread, by exec from a thread, after vfork" {
	"$SKEP" trace -o t.txt -- "$WORK/traced" ends >truth
	said truth t.txt 10
	run ! grep -q 'missing' t.txt
}

@test "every call has its line, also of threads, children and the 32-bit table" {
	need jq
	"$SKEP" trace --strict --format json -o t.json -- "$WORK/calls" 50 3 2 >truth
	names_of t.json >names
	awk '$1 == "call" || $1 == "compat" { n[$2] += $3 } END { for (name in n) print name, n[name] }' truth | sort >want
	[ "$(wc -l <want)" -ge 30 ]
	while read -r name n; do
		grep -qx "$name $n" names || { echo "$name: $n, and not $(grep "^$name " names)"; false; }
	done <want
	ends t.json
	[ "$(grep -vc '"kind":"unfinished"' t.json)" = "$(jq .kept t.json.end)" ] # a call that waits has a line more
}

# bats test_tags=user-space
@test "what is selected: names, classes, expressions, all but these; results, errors, times" {
	need jq
	run -0 "$SKEP" -q trace -e uname -o - -- uname
	[ "$(grep -c '^uname(' <<<"$output")" = 1 ]
	run -0 "$SKEP" -q trace -e %file -e signal=none -o - -- cat /dev/null
	[[ "$output" == *"openat("* ]]
	[[ "$output" != *"mmap("* ]]
	run -0 "$SKEP" -q trace -e '!/^(mm|m.protect|open)' -o - -- cat /dev/null
	[[ "$output" != *"openat("* && "$output" != *"mmap("* && "$output" == *"brk("* ]]
	run -0 "$SKEP" -q trace -e 'trace=?nosuchcall,close' -o - -- cat /dev/null
	[[ "$output" == *"close("* && "$output" != *"read("* ]]
	"$SKEP" -q trace --failed --format json -o t.json -- cat /none || true
	[ "$(jq -r 'select(.kind == "call" and .errno == null)' t.json)" = "" ]
	grep -q '"/none' t.json
	"$SKEP" -q trace -z --format json -o t.json -- cat /none || true
	run ! grep -q '"/none.*ENOENT' t.json
	"$SKEP" -q trace --errno ENOENT -e signal=none -o t.txt -- cat /none || true
	[ "$(grep -c '= -1 ENOENT (' t.txt)" -ge 1 ]
	[ "$(grep -c = t.txt)" = "$(grep -c '= -1 ENOENT (' t.txt)" ]
	"$SKEP" -q trace --min-duration 50ms -o t.txt -- sleep 0.1
	[ "$(grep -c 'nanosleep' t.txt)" -ge 1 ]
	[ "$(grep -c = t.txt)" = "$(grep -c 'nanosleep' t.txt)" ]
}

# bats test_tags=user-space
@test "what stands in front of a line and behind it" {
	"$SKEP" -q trace -T -e nanosleep,clock_nanosleep -e signal=none -o t.txt -- sleep 0.2
	grep -qE 'nanosleep\(.*= 0 <0\.2[0-9]{5}>$' t.txt
	"$SKEP" -q trace --absolute-timestamps unix,us -e close -o t.txt -- true
	now=$(date +%s)
	at=$(head -n1 t.txt | cut -d. -f1)
	[ $((now - at)) -ge 0 ] && [ $((now - at)) -le 20 ]
	"$SKEP" -q trace --absolute-timestamps ms -o t.txt -- true
	head -n1 t.txt | grep -qE '^[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3} execve\('
	"$SKEP" -q trace -r -o t.txt -- sleep 0.3
	grep -qE '^ +0\.3[0-9]{5} ' t.txt
	"$SKEP" -q trace --columns 60 -e close -e signal=none -o t.txt -- true
	[[ "$(head -n1 t.txt)" == "close("?")"*"= 0" ]]
	[ "$(head -n1 t.txt | awk '{ print index($0, "=") }')" = 61 ]
}

# bats test_tags=user-space
@test "how strings and flags are shown" {
	"$SKEP" -q trace -s 5 -e write -o t.txt -- printf 'hello world'
	grep -qF 'write(1, "hello"..., 11)' t.txt
	"$SKEP" -q trace -s 2000 -e write -o t.txt -- head -c 1500 /dev/zero
	[ "$(grep -o '\\0' t.txt | wc -l)" = 1500 ]
	"$SKEP" -q trace -xx -e write -o t.txt -- printf 'hi\n'
	grep -qF 'write(1, "\x68\x69\x0a", 3)' t.txt
	"$SKEP" -q trace -X raw -e openat -o t.txt -- cat /dev/null
	grep -qE 'openat\((-100|0xffffff9c), "/dev/null", 0(x0)?\)' t.txt
	"$SKEP" -q trace -X verbose -e openat -o t.txt -- cat /dev/null
	grep -qF '/* AT_FDCWD */' t.txt
	"$SKEP" -q trace -v -e execve -o t.txt -- env -i A=1 B=2 true
	grep -qF '["A=1", "B=2"]' t.txt
}

@test "what is behind a descriptor: paths, sockets, devices; of a call that waits, too" {
	"$SKEP" trace -yy -o t.txt -- "$WORK/openfiles" >truth
	said truth t.txt 25
	"$SKEP" trace -y -o t.txt -- "$WORK/openfiles" >truth
	grep -qE '^socket\(AF_INET, SOCK_STREAM, IPPROTO_IP\) = [0-9]+<socket:\[[0-9]+\]>$' t.txt
	grep -qE '^write\([0-9]+</dev/null>, "x", 1\) += 1$' t.txt
	mkfifo pipe
	sleep 60 <>pipe &
	run -0 --separate-stderr "$SKEP" -q trace -y -e read --duration 2 -- cat pipe
	kill %1
	echo "$stderr"
	[[ "$stderr" == *"<$PWD/pipe>, "*"<unfinished ...>"* ]]
}

# bats test_tags=user-space
@test "calls by path and by descriptor" {
	echo x >one
	echo x >two
	ln -s one link
	"$SKEP" trace -P "$PWD/one" -e openat,read,close,execve -o t.txt -- grep x one two
	[ "$(cut -d'(' -f1 t.txt | tr '\n' ' ')" = "openat read read close +++ exited with 0 +++ " ] # by the file that it returns
	"$SKEP" trace -P "$PWD/nothing" -P one -e unlinkat -o t.txt -- rm -f one two # as the program wrote it
	[ "$(grep -c '^unlinkat.*"one"' t.txt)" = 1 ]
	run ! grep two t.txt
	echo x >one
	echo x >two
	"$SKEP" trace -y -P "$PWD/one" -e openat,read,close,execve -o t.txt -- grep x "$PWD/one" two >all
	cat t.txt
	[ "$(cut -d'(' -f1 t.txt | tr '\n' ' ')" = "openat read read close +++ exited with 0 +++ " ]
	"$SKEP" trace -P "$PWD/link" -e openat,read,close -o t.txt -- grep x "$PWD/one" two >all
	[ "$(cut -d'(' -f1 t.txt | tr '\n' ' ')" = "openat read read close +++ exited with 0 +++ " ]
	"$SKEP" trace --path "$PWD/t?o" --path '*/nothing' -e openat,read,close -o t.txt -- grep x one "$PWD/two" >all
	[ "$(cut -d'(' -f1 t.txt | tr '\n' ' ')" = "openat read read close +++ exited with 0 +++ " ]
	"$SKEP" trace --fd 1 -e write,close,openat -o t.txt -- sh -c 'echo a; echo b >&2; echo c' >all 2>&1
	[ "$(grep -c '^write(1, "[ac]' t.txt)" = 2 ]
	run ! grep -q '^write(2\|openat' t.txt
	"$SKEP" trace --fd 9 -e dup2,openat,close -o t.txt -- sh -c 'exec 9<one' # what returns it
	[[ "$(grep -v '^+++' t.txt)" =~ ^dup2\([0-9]+,\ 9\)\ +=\ 9$ ]]
	run -2 "$SKEP" trace --fd 1024 -- true
	run -2 "$SKEP" trace --fd 1 -c -- true
	run -2 "$SKEP" trace --path "$(printf '%0256d' 0)" -- true
}

# On a slow machine the unwinding tables are not loaded in time for its first stack, which is said.
@test "the stack that a call was made from, without frame pointers" {
	"$SKEP" trace -k -e write,exit_group -o t.txt -- "$WORK/deepcall" || [ $? = 3 ]
	cat t.txt
	[ "$(grep -c '^write(1, "x", 1)' t.txt)" = 2 ]
	awk '/^write/ { n++ } n == 2' t.txt >last
	[ "$(sed -n 's/^ > .*(\(inner\|outer\|main\)+0x[0-9a-f]*) \[0x[0-9a-f]*\]$/\1/p' last | tr '\n' ' ')" = "inner outer main main " ]
	[[ "$(sed -n 2p last)" =~ ^\ \>\ /.*/libc.*\(.*write.*\+0x[0-9a-f]+\)\ \[0x[0-9a-f]+\]$ ]]
	[[ "$(sed -n 1p last)" =~ ^write\(1,\ \"x\",\ 1\)\ +=\ 1$ ]]
	"$SKEP" trace -g --max-stack 2 --format json -e write -o t.json -- "$WORK/deepcall" || [ $? = 3 ]
	[ "$(jq -r 'select(.kind == "call") | "\(.stack | length) \(.stack[1])"' t.json | tail -n 1)" = "2 inner" ]
	run -2 "$SKEP" trace --max-stack 3 -- true
	run -2 "$SKEP" trace -k -c -- true
}

# bats test_tags=newest
@test "other events among the calls, in the order of time" {
	[ -e /sys/kernel/tracing/events/sched ] || skip "no tracefs"
	true=$(type -P true)
	"$SKEP" trace -o t.txt -e execve,exit_group -e sched:sched_process_exec,sched:sched_process_fork -- sh -c "$true; exit 4" || [ $? = 4 ]
	cat t.txt
	sed 's/^\[pid *[0-9]*\] //; s/(.*//; s/ SIGCHLD.*//' t.txt >have
	printf '%s\n' sched:sched_process_exec execve sched:sched_process_fork sched:sched_process_exec execve exit_group \
		'+++ exited with 0 +++' --- exit_group '+++ exited with 4 +++' | diff - have
	grep -qF "sched:sched_process_exec(filename=$true pid=" t.txt
	"$SKEP" trace -o t.json --format json -e sched:sched_process_exec -e signal=none -- "$true"
	[ "$(jq -r 'select(.kind == "event") | .name' t.json)" = sched:sched_process_exec ]
	[ "$(jq -r 'select(.kind == "call") | .name' t.json)" = "" ]
	run -2 "$SKEP" trace -c -e sched:sched_switch -- true
	run -2 "$SKEP" trace -e openat,sched:sched_switch -- true
	[[ "$output" == *"calls and other events need an -e each"* ]]
	run ! "$SKEP" trace -e sched:no_such_event -- true
	[[ "$output" == *no_such_event* ]]
}

# touched FROM TO WORD: lines of t.txt with such an address, and this word
touched() {
	awk -v from="$1" -v to="$2" -v word="$3" 'index($0, word) && match($0, /@0x[0-9a-f]+/) {
		at = substr($0, RSTART + 1, RLENGTH - 1); n += length(at) == length(from) && at >= from && at < to } END { print n + 0 }' t.txt
}

@test "page faults among the calls: whose code, which address, what is mapped there" {
	head -c 1228800 /dev/zero >file
	"$SKEP" trace -F all -o t.txt -- "$WORK/faults" 300 file >truth
	cat truth; grep fault t.txt | tail -n 50
	read -r from to < <(sed -n 's/^memory //p' truth)
	[ "$(touched "$from" "$to" '[touch_memory+0x')" = 300 ]
	[ "$(touched "$from" "$to" 'minfault')" = 300 ]
	read -r from to < <(sed -n 's/^given //p' truth)
	[ "$(touched "$from" "$to" 'k)')" = 1 ]
	[ "$(grep -c 'fault \[touch_file+0x' t.txt)" = "$(sed -n 's/^file //p' truth)" ]
	if [ "$("$SKEP" doctor --format json | jq '.features[] | select(.name == "bpf_find_vma").has')" = true ]; then
		[ "$(grep -c "fault \[touch_file+0x.*] => $PWD/file@.* (d\.)$" t.txt)" = "$(sed -n 's/^file //p' truth)" ]
		grep -q '] => \[stack\]@0x.* (d[.k])$' t.txt
		grep -q 'fault \[.*] => .*/faults@0x[0-9a-f]* (x\.)$' t.txt
	fi
	grep -A1 'minfault.*k)$' t.txt | grep -q '^read(.*, "\\0", 1) *= 1$'
	"$SKEP" trace -F maj -e none -o t.txt -- "$WORK/faults" 300 >truth
	run ! grep minfault t.txt
	"$SKEP" trace -F all -e none --record r.calls -- "$WORK/faults" 300 >truth
	"$SKEP" trace -i r.calls >t.txt
	read -r from to < <(sed -n 's/^memory //p' truth)
	[ "$(touched "$from" "$to" 'minfault [0x')" = 300 ]
	"$SKEP" trace -F all -e none -o t.json --format json -- "$WORK/faults" 300
	[ "$(jq -r 'select(.kind == "fault") | .args' t.json | grep -c '^\[touch_memory+')" = 300 ]
	run -2 "$SKEP" trace -c -F all -- true
	run -2 "$SKEP" trace -F some -- true
}

# bats test_tags=user-space
@test "children that outlive COMMAND: followed with -f until they end, in lines, sums and recordings; a number in each line" {
	"$SKEP" trace -f -e exit_group -o t.txt -- sh -c '(sleep 0.7; exec true) & exit 3' || [ $? = 3 ]
	cat t.txt
	[ "$(grep -c '+++ exited with' t.txt)" = 3 ]
	tail -n 1 t.txt | grep -qE '^\[pid +[0-9]+\] \+\+\+ exited with 0 \+\+\+$'
	"$SKEP" trace -f -c -e clock_nanosleep -o c.txt -- sh -c '(sleep 0.7; exec true) & exit 3' || [ $? = 3 ]
	awk '$NF == "clock_nanosleep" { n = $4 } END { exit n != 1 }' c.txt
	"$SKEP" trace -f --record r -e exit_group -- sh -c '(sleep 0.7; exec true) & exit 3' || [ $? = 3 ]
	"$SKEP" -q trace -i r --always-show-pid >r.txt
	[ "$(grep -c '+++ exited with' r.txt)" = 3 ]
	run ! grep -v '^\[pid ' r.txt
	"$SKEP" trace -e exit_group -o t.txt -- sh -c '(sleep 0.7; exec true) & exit 3' || [ $? = 3 ]
	[ "$(grep -c '+++ exited with' t.txt)" = 1 ]
	# Of the processes of -p, too
	sh -c 'sleep 1; (sleep 0.7; exec true) & exit 3' &
	"$SKEP" trace -f -p $! -e exit_group -o t.txt
	cat t.txt
	[ "$(grep -c '+++ exited with' t.txt)" -ge 3 ]
	# A file knows whose lines have no number
	"$SKEP" trace --record r -e exit_group -- sh -c '(exit 5); exit 0'
	"$SKEP" -q trace -i r >r.txt
	[ "$(grep -v '^\[pid ' r.txt | tail -n 1)" = '+++ exited with 0 +++' ]
	grep -q '^\[pid .*exited with 5' r.txt
	# Ctrl-C ends the wait
	timeout -s INT 1 "$SKEP" trace -f -e exit_group -o t.txt -- sh -c 'sleep 5 & exit 3' || true
	[ "$(grep -c '+++ exited with' t.txt)" = 1 ]
}

# bats test_tags=newest
@test "a process that is there: its threads and the children that it starts; its memory as it was" {
	busy "$WORK/traced" ends
	background sh -c 'while :; do sleep 0.05; done'
	"$SKEP" trace -p "$BG" --duration 0.6 -o t.txt
	grep -q 'execve("/.*sleep", \["sleep", "0.05"\]' t.txt
	grep -q 'wait4(' t.txt
}

# bats test_tags=user-space
@test "-c counts what strace -c counts, without a line" {
	need jq
	"$SKEP" trace -c --format json -o c.json -- "$WORK/calls" 50 3 2 >truth
	cat c.json
	while read -r name n; do
		[ "$(jq -r --arg n "$name" 'select(.syscall == $n) | .calls' c.json)" = "$n" ] || { echo "$name: not $n"; false; }
	done < <(sed -n 's/^call //p' truth)
	[ "$(jq -r 'select(.syscall == "execve") | .calls' c.json)" = 1 ]
	"$SKEP" -q trace -c -e %file -o c.txt -- cat /none || true
	cat c.txt
	[ "$(head -n1 c.txt)" = "% time     seconds  usecs/call     calls    errors syscall" ]
	grep -qE '^ *[0-9.]+ +[0-9.]+ +[0-9]+ +[0-9]+ +[0-9]+ openat$' c.txt
	[ "$(tail -n1 c.txt | awk '{ print $1, $NF }')" = "100.00 total" ]
	"$SKEP" -q trace -c -o c.txt -- sh -c 'for i in 1 2 3 4 5 6; do cat /dev/null & done; wait'
	[ -z "$(awk '{ print $NF }' c.txt | grep -v -- - | sort | uniq -d)" ]
	"$SKEP" -q trace -c -S name -o c.txt -- cat /dev/null
	diff <(sed -n '3,/^---/p' c.txt | awk '!/^---/ { print $NF }') <(sed -n '3,/^---/p' c.txt | awk '!/^---/ { print $NF }' | LC_ALL=C sort)
	"$SKEP" -q trace -c --by comm,syscall -e %file -o c.txt -- cat /dev/null
	grep -qE '^cat +openat' c.txt
	run -2 "$SKEP" trace -c -T -- true
	run -2 "$SKEP" trace -S time -- true
}

# bats test_tags=newest
@test "a call that waits is shown before it returns, and its rest after; also one that began before the run" {
	mkfifo in
	(sleep 1.5; echo hi) 3>&- >in &
	"$SKEP" -q trace -e read -e signal=none -o t.txt -- sh -c 'read a <in; echo $a'
	cat t.txt
	grep -qE '^read\(0,  <unfinished ...>$' t.txt
	grep -qE '^<... read resumed>"h(i\\n)?", [0-9]+\) +=' t.txt
	background sleep 60
	"$SKEP" -q trace -p "$BG" --duration 1.2 -o t.txt
	cat t.txt
	[[ "$(cat t.txt)" =~ ^(clock_)?nanosleep\(.*\{tv_sec=60,\ tv_nsec=0\},\ 0x[0-9a-f]+\ \<unfinished\ ...\>$ ]]
}

# bats test_tags=user-space
@test "a reader that stops, and a file that cannot be written" {
	"$SKEP" trace -o - -- dd if=/dev/zero of=/dev/null bs=1 count=300000 2>err | { sleep 1; cat; } >t.txt
	cat err
	seen=$(sed -n 's/^samples: \([0-9]*\) seen.*/\1/p' err) kept=$(sed -n 's/.* seen, \([0-9]*\) kept/\1/p' err)
	lost=$(sed -n 's/^lost: \([0-9]*\) .*/\1/p' err | awk '{ n += $1 } END { print n + 0 }')
	[ "$(grep -cE '^(\[pid|[a-z+-])' t.txt)" = "$kept" ]
	[ "$(awk '/^LOST [0-9]+ events$/ { n += $2 } END { print n + 0 }' t.txt)" = "$lost" ]
	[ "$((kept + lost))" = "$seen" ]
	[ "$seen" -ge 600000 ]
	"$SKEP" trace -m 64 -o t.txt -- "$WORK/callrate" 300000 2>err
	lost=$(sed -n 's/^lost: \([0-9]*\) .*/\1/p' err | awk '{ n += $1 } END { print n + 0 }')
	cat err; grep -n LOST t.txt
	[ "$lost" -gt 0 ]
	[ "$(awk '/^LOST [0-9]+ events$/ { n += $2 } END { print n + 0 }' t.txt)" = "$lost" ]
	"$SKEP" trace -m 64 --record r.calls -- "$WORK/callrate" 300000 2>err
	"$SKEP" trace -i r.calls --format json >t.json 2>err
	[ "$(jq -s 'map(select(.kind == "lost") | .ret) | add // 0' t.json)" = "$(jq -s 'map(.end.losses.ring_full // 0) | add' t.json)" ] # a quick recorder loses nothing
	run -1 "$SKEP" trace -o /dev/full -- true
	[[ "$output" == *"No space left on device"* ]]
}

# bats test_tags=user-space
@test "bad selections have a hint" {
	run -2 "$SKEP" trace -e opennat -- true
	[[ "$output" == *"no system call is called 'opennat'"*"similar: "*"openat"* ]]
	run -2 "$SKEP" trace -e %nosuch -- true
	[[ "$output" == *"hint: %file"* ]]
	run -2 "$SKEP" trace -e '/(' -- true
	run -2 "$SKEP" trace -e read,,write -- true
	run -2 "$SKEP" trace --errno ENOSUCH -- true
	run -2 "$SKEP" trace -tt -- true
	[[ "$output" == *"--absolute-timestamps"* ]]
	run -2 "$SKEP" trace -ff -- true
	run -0 "$SKEP" trace -f -- true
	run -2 "$SKEP" trace -s x -- true
	run -2 "$SKEP" trace -X nice -- true
	run -2 "$SKEP" trace
	run -0 "$SKEP" trace -e reboot -- true
	[[ "$output" == *"+++ exited with 0 +++"* ]]
}
