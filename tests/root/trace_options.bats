#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep trace: every option of strace's has an answer.
load ../lib.bash

# VERDICT OPTION... : same: as strace has it; nothing: taken, it is so already; own: the letter or word means something else here;
# refused: with a hint; later: not decided here. An option stands for the words of strace's help beside it.
options() {
	cat <<-'END'
		same -e trace=%file
		same -e signal=SIGCHLD
		same -e status=failed
		same -p PID
		same -f
		same --follow-forks
		same --always-show-pid
		same --trace=openat
		same --signal=!SIGCHLD
		same --status=!failed
		same -z
		same --successful-only
		same -Z
		same --failed-only
		same --columns=60
		same -e quiet=exit
		same -q
		same -qq
		same -qqq
		same --quiet=exit
		same --quiet=attach,personality
		same --quiet=all
		same -n
		same --syscall-number
		same -o FILE
		same --output=FILE
		same -A -o FILE
		same --output-append-mode -o FILE
		same -ff -o FILE
		same --follow-forks --output-separately -o FILE
		same -r
		same --relative-timestamps
		same --relative-timestamps=ms
		same -s 10
		same --string-limit=10
		same --absolute-timestamps=unix,us
		same -T
		same --syscall-times=ns
		same -v
		same --no-abbrev
		same --strings-in-hex
		same --strings-in-hex=non-ascii
		same -x
		same -xx
		same -X raw
		same --const-print-style=verbose
		same -Y
		same --decode-pids=comm
		same -c
		same --summary-only
		same -C
		same -c -S calls
		same -c --summary-sort-by=name
		same -c -U name,calls
		same -c --summary-columns=calls,max-time
		same -c -U min-time
		same -h
		same --help
		nothing -w -c
		nothing --summary-wall-clock -c
		nothing --seccomp-bpf
		own -a COLUMN
		own -t
		own -tt
		own -ttt
		own -u USER
		own --summary
		refused -E NAME=VALUE
		refused --env=NAME=VALUE
		refused --attach=1
		refused --user=root
		refused -b execve
		refused --detach-on=execve
		refused -D
		refused -DD
		refused --daemonize=pgroup
		refused -I 2
		refused --interruptible=2
		refused --kill-on-exit
		refused -e abbrev=none
		refused --abbrev=none
		refused -e verbose=none
		refused --verbose=none
		refused -e raw=all
		refused --raw=all
		refused -e read=1
		refused --read=1
		refused -e write=1
		refused --write=1
		refused -e kvm=vcpu
		refused --kvm=vcpu
		refused -e inject=read:error=EIO
		refused --inject=read:error=EIO
		refused -e fault=read
		refused --fault=read
		refused -e status=detached
		refused -e status=unavailable
		refused --instruction-pointer
		refused -N
		refused --arg-names
		refused --decode-pids=pidns
		refused --strings-in-hex=non-ascii-chars
		refused -O 5us
		refused --summary-syscall-overhead=5us
		refused --argv0=NAME
		refused --syscall-limit=5
		refused --secontext
		refused -d
		refused --debug
		refused -V
		refused --version
		refused --tips
		own -i FILE
		same -P /etc/ld.so.cache
		same --trace-path=/etc/ld.so.cache
		same -k
		same --stack-traces
		same -y
		same -yy
		same --decode-fds
		same --decode-fds=path
		same -e decode-fds=all
		refused -e decode-fds=dev
	END
}

# bats test_tags=user-space
@test "each option of strace's: taken, taken without effect, or refused with what to use instead" {
	n=0
	while read -r verdict words; do
		case $verdict in same | nothing | refused) ;; *) continue ;; esac
		words=${words/PID/$$}
		words=${words/FILE/t.txt}
		status=0
		# shellcheck disable=SC2086
		"$SKEP" trace $words --duration 0.2 -- true >out 2>&1 </dev/null || status=$?
		case $verdict in
		refused)
			[ "$status" = 2 ] && grep -qE '^hint: |is not needed|selects nothing|is not supported' out || { echo "$words: $status"; cat out; false; }
			[ "$(grep -c '^skep trace: ' out)" = 1 ]
			;;
		*)
			[ "$status" = 0 ] || { grep -q "^skep trace: no calls in" out && [ "$status" = 1 ]; } || { echo "$words: $status"; cat out; false; }
			run ! grep -qE 'unknown option|^hint:' out
			;;
		esac
		n=$((n + 1))
	done < <(options)
	[ "$n" -ge 90 ]
}

# bats test_tags=user-space
@test "no option of the strace that is installed here is missing" {
	need strace
	strace --help >help || skip "this strace has no help"
	{
		grep -oE '(^|[ ,])--[a-z][a-z-]+' help | tr -d ' ,'
		sed -n 's/^ *-\([A-Za-z]\)\([ ,].*\|\)$/-\1/p' help
	} | sort -u >names
	[ "$(wc -l <names)" -ge 60 ]
	options | sed 's/[=]/ /g' | tr ' ' '\n' | sort -u >known
	comm -23 names known >missing
	cat missing
	[ ! -s missing ]
}

# bats test_tags=user-space
@test "what these options show" {
	"$SKEP" trace -q -n -Y -f -o t.txt -- sh -c 'cat /dev/null; :'
	cat t.txt
	grep -qE '^(\[pid +[0-9]+<sh>\] )?\[ +12\] brk\(' t.txt || [ "$(uname -m)" != x86_64 ]
	grep -qE '^\[pid +[0-9]+<cat>\] \[ *[0-9]+\] \+\+\+ exited with 0' t.txt
	"$SKEP" trace -q -n -F all -e close -o t.txt -- true
	grep -q '^minfault ' t.txt
	grep -qE '^\[ *[0-9]+\] close\([0-9]\) {25}= 0$' t.txt
	grep -qFx '+++ exited with 0 +++' t.txt # the last call is not known
	"$SKEP" trace -q -X raw -e none -o t.txt -- sh -c 'kill -WINCH $$'
	grep -q '^--- SIGWINCH {si_signo=28, si_code=0, ' t.txt
	"$SKEP" trace -q -X verbose -e ioctl -o t.txt -- stty </dev/null || :
	grep -q '^ioctl(0, 0x5401 /\* TCGETS \*/, ' t.txt
	"$SKEP" trace -q -e %process -o t.txt -- true
	run ! grep -q arch_prctl t.txt
	"$SKEP" trace -q -e close --syscall-times=ns -o t.txt -- true
	grep -qE '= 0 <0\.[0-9]{9}>$' t.txt
	"$SKEP" trace -q -e close --relative-timestamps=ms -o t.txt -- true
	grep -qE '^ +0\.[0-9]{3} close' t.txt
	run -0 "$SKEP" trace -qq -e close -- true
	[[ "$output" != *exited* && "$output" != *samples* && "$output" == *close* ]]
	"$SKEP" trace -e close --quiet=exit -o t.txt -- true 2>err
	run ! grep -q exited t.txt
	[ "$(wc -l <t.txt)" = "$(sed -n 's/.* seen, \([0-9]*\) kept/\1/p' err)" ]
	echo before >t.txt
	"$SKEP" trace -q -A -e close -o t.txt -- true
	[ "$(head -n 1 t.txt)" = before ]
	[ "$(tail -n 1 t.txt)" = "+++ exited with 0 +++" ]
}

# bats test_tags=user-space
@test "signals and results that are selected" {
	need jq
	kinds() { "$SKEP" -q trace -e none "$@" --format json -o s.json -- sh -c 'cat /dev/null; kill -WINCH $$; kill -TERM $$' || [ $? = 143 ]; jq -r 'select(.kind) | .args' s.json | cut -d' ' -f1-3 | sort | xargs; }
	[ "$(kinds -e signal=SIGWINCH)" = "SIGWINCH {si_signo=SIGWINCH, si_code=SI_USER, exited with 0" ]
	[[ "$(kinds -e signal=chld,15)" == *"SIGCHLD"*"SIGTERM"*"killed by SIGTERM" ]]
	[[ "$(kinds -e 'signal=!SIGTERM,17')" == "SIGWINCH"*"exited with 0" ]]
	[[ "$(kinds --signal=all)" == *"SIGCHLD"*"SIGTERM"*"SIGWINCH"*"killed by SIGTERM" ]]
	results() { "$SKEP" -q trace "$@" --format json -o r.json -- cat /none 2>/dev/null || true; jq -r 'select(.kind == "call") | if .ret == null then "unfinished" elif .errno then "failed" else "successful" end' r.json | sort -u | xargs; }
	[ "$(results)" = "failed successful unfinished" ]
	[ "$(results -e status=successful)" = successful ]
	[ "$(results --status=failed,unfinished)" = "failed unfinished" ]
	[ "$(results -e 'status=!unfinished')" = "failed successful" ]
	[ "$(results -e 'status=!detached,failed')" = "successful unfinished" ]
	# -c sums those that are selected
	for which in -z -Z "--errno ENOENT"; do
		# shellcheck disable=SC2086
		"$SKEP" -q trace $which -C --format json -o c.json -- cat /none || true
		jq -r 'select(.kind == "call" and .ret != null) | .name' c.json | sort | uniq -c | awk '{ print $2, $1 }' >lines
		jq -r 'select(.calls) | "\(.syscall) \(.calls)"' c.json | sort >sums
		diff lines sums
		[ -s sums ]
	done
	run -2 "$SKEP" trace -e 512 -- true
	[[ "$output" == *"those end at 511"* ]]
	run -2 "$SKEP" trace -e signal=SIGNONE -- true
	run -2 "$SKEP" trace -e status=none -- true
	run -2 "$SKEP" trace -z -e status=failed -- true
	run -2 "$SKEP" trace -c -e status=unfinished -- true
}

# bats test_tags=user-space
@test "-ff: a file for each thread, and no more than 64 of them open" {
	"$SKEP" trace --strict -ff -e write,exit_group,exit,clone,clone3,fork,vfork -o ff.txt -- bash -c 'for ((i = 1; i <= 300; i++)); do (echo $i) & done; wait; sleep 0.5; ls -l /proc/$PPID/fd >open' >/dev/null 2>err
	kept=$(sed -n 's/.* seen, \([0-9]*\) kept/\1/p' err)
	[ "$(grep -c ff.txt open)" = 64 ]
	[ "$(find . -name 'ff.txt.*' | wc -l)" = 303 ] # and bash, sleep and ls
	[ ! -e ff.txt ]
	[ "$(cat ff.txt.* | wc -l)" = "$kept" ]
	run ! grep -q '^\[pid' ff.txt.*
	for i in 1 150 300; do
		file=$(grep -lF "write(1, \"$i\\n\"," ff.txt.*)
		[ "$(wc -l <<<"$file")" = 1 ]
		tail -n 1 "$file" | grep -qx '+++ exited with 0 +++'
	done
	# a former file is replaced, or added to
	"$SKEP" -q trace -ff -e none -e signal=none -o again -- sh -c 'echo $$ >pid; exec sh -c "exit 0"'
	[ "$(wc -l <again."$(cat pid)")" = 1 ]
}

# bats test_tags=user-space
@test "-ff: threads that take turns, more than there are open files" {
	need python3
	cat >turns.py <<-'END'
		import os, threading
		barrier = threading.Barrier(100)
		def turns():
		    for i in range(20):
		        barrier.wait()
		        os.getppid()
		threads = [threading.Thread(target=turns) for _ in range(100)]
		[t.start() for t in threads]
		[t.join() for t in threads]
	END
	"$SKEP" trace --strict -ff -e getppid -o turn -- python3 turns.py 2>err
	[ "$(cat turn.* | wc -l)" = "$(sed -n 's/.* seen, \([0-9]*\) kept/\1/p' err)" ]
	[ "$(grep -c '^getppid()' turn.* | grep -c ':20$')" = 100 ]
}

# bats test_tags=user-space
@test "-ff follows no link, and says which file it cannot write" {
	mkdir shared
	run -1 "$SKEP" -q trace -ff -o shared/none/f -- true
	[[ "$output" == *"cannot write 'shared/none/f.TID': No such file or directory"* ]]
	echo keep >victim
	run -1 "$SKEP" -q trace -ff -e none -o link -- sh -c 'ln -s victim link.$$; exec true'
	[[ "$output" == *"cannot write 'link."*"symbolic link"* ]]
	[ "$(cat victim)" = keep ]
	run -2 "$SKEP" trace -ff -- true
	run -2 "$SKEP" trace -ff -o - -- true
	run -2 "$SKEP" trace -ff -c -o f -- true
	run -2 "$SKEP" trace -ff --format json -o f -- true
}

# bats test_tags=user-space
@test "colours on a terminal, and nowhere else" {
	traced="trace -e openat -- sh -c 'cat /none 2>/dev/null; kill -TERM \$\$'"
	on_terminal() { script -qec "$1 '$SKEP' -q $traced" /dev/null </dev/null | tr -d '\r' >out; }
	on_terminal TERM=xterm
	cat -v out
	grep -qF $'\033[1mopenat\033[m(AT_FDCWD, "/none", O_RDONLY)' out
	grep -qF $'= \033[31m-1 ENOENT (No such file or directory)\033[m' out
	grep -qE $'\033\\[33m--- SIGTERM .* ---\033\\[m$' out
	grep -qE $'\033\\[33m\\+\\+\\+ killed by SIGTERM \\+\\+\\+\033\\[m$' out
	# the same lines without them
	lines_of() { sed 's/\x1b\[[0-9]*m//g; s/^\[pid *[0-9]*\] //; s/si_[a-z]*=[^}]*//; s/ *= [0-9]*$//' out | grep -E '^(openat|---|\+)' | LC_ALL=C sort; }
	lines_of >plain
	[ "$(wc -l <plain)" -ge 5 ]
	for without in "TERM=dumb" "NO_COLOR=1 TERM=xterm"; do
		on_terminal "$without"
		run ! grep -q $'\033' out
		lines_of | diff plain -
	done
	script -qec "TERM=xterm '$SKEP' -q trace -o - -e openat -- true" /dev/null </dev/null | grep -q $'\033\\[1m'
	script -qec "TERM=xterm '$SKEP' -q trace -o t.txt -e openat -- true" /dev/null </dev/null
	run ! grep -q $'\033' t.txt
	TERM=xterm "$SKEP" -q trace -e openat -- true 2>&1 | cat >t.txt
	run ! grep -q $'\033' t.txt
	[ -s t.txt ]
}
