#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Words: help, usage errors, exit codes, output that goes nowhere. Needs no privileges.
load ../lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
}

commands() {
	"$SKEP" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'
}

@test "help: every command has one, fits 100 columns, exit 0" {
	[ "$(commands | wc -l)" -ge 3 ]
	for c in $(commands); do
		run "$SKEP" "$c" -h
		[ "$status" = 0 ]
		[[ "$output" == *"usage: skep $c"* ]]
		[ "$(wc -L <<<"$output")" -le 100 ]
		[ "$("$SKEP" help "$c")" = "$output" ]
	done
}

@test "help: a command of two words has its own, and is offered behind the first" {
	for c in timehist map; do
		run "$SKEP" sched $c -h
		[ "$status" = 0 ]
		[[ "$output" == *"usage: skep sched $c [OPTION...]"* ]]
		[ "$(wc -L <<<"$output")" -le 100 ]
		[ "$("$SKEP" help sched $c)" = "$output" ]
		"$SKEP" sched -h | grep -q "^       skep sched $c  "
	done
	run "$SKEP" sched timehist --no-such
	[ "$status" = 2 ]
	[[ "$output" == "skep sched timehist: "* ]]
	run "$SKEP" help sched flame
	[ "$status" = 0 ]
	run -0 "$SKEP" completion words sched timehi
	[[ "${lines[*]}" == words\ timehist* ]]
	run -0 "$SKEP" completion words sched timehist --wake
	[[ "$(cut -f1 <<<"$output")" == words$'\n'--wakeups ]]
	run -0 "$SKEP" completion words sched --so
	[[ "$(cut -f1 <<<"$output")" == words$'\n'--sort ]]
}

@test "help: fits a terminal of 20 columns without a crash" {
	need script
	script -qec "stty cols 20; $SKEP flame -h" /dev/null </dev/null >out
	grep -q -- --duration out
}

@test "usage: no command, unknown command, unknown option: exit 2" {
	run "$SKEP"
	[ "$status" = 2 ]
	run "$SKEP" flamme
	[ "$status" = 2 ]
	[[ "$output" == *"unknown command 'flamme'"* ]]
	run "$SKEP" help flamme
	[ "$status" = 2 ]
	[[ "$output" == *"unknown command 'flamme'"* ]]
	run "$SKEP" flame --no-such
	[ "$status" = 2 ]
	run "$SKEP" flame -Z
	[ "$status" = 2 ]
	[[ "$output" == *"'-Z'"* ]]
}

@test "usage: strict numbers" {
	for bad in "-F 12abc" "-F -1" "-c 0x" "--duration 5parsecs" "-p 12x" "-C 3-1" "-F 99999999" "-m 5" "-p ,"; do
		# shellcheck disable=SC2086
		run "$SKEP" flame $bad -- true
		echo "$bad: $status $output"
		[ "$status" = 2 ]
	done
}

@test "usage: contradictions and things given twice" {
	run "$SKEP" flame -o a.html -o b.html -- true
	[ "$status" = 2 ]
	[[ "$output" == *"given twice"* ]]
	run "$SKEP" flame -F 99 -c 100 -- true
	[ "$status" = 2 ]
	run "$SKEP" flame -a -p 1
	[ "$status" = 2 ]
	run "$SKEP" flame --no-kernel --no-user -- true
	[ "$status" = 2 ]
	run "$SKEP" flame -o picture.xyz -- true
	[ "$status" = 2 ]
	[[ "$output" == *"--format"* ]]
	run "$SKEP" flame
	[ "$status" = 2 ]
	[[ "$output" == *"nothing to measure"* ]]
}

@test "usage: near names of commands and options, in every command" {
	for c in stat top flame record report annotate probe sched net list doctor; do
		run -2 "$SKEP" "$c" --hlep
		[ "${lines[0]}" = "skep $c: unknown option '--hlep'" ] && [ "${lines[1]}" = "hint: similar: --help" ]
		run -2 "$SKEP" "$c" --qqqqqqqq
		[ "${lines[1]}" = "hint: -h lists the options" ]
		run -2 "$SKEP" "$c" -Z
		[ "${lines[1]}" = "hint: -h lists the options" ]
	done
	run -2 "$SKEP" stat --repaet=3 true
	[ "${lines[0]}" = "skep stat: unknown option '--repaet'" ] && [ "${lines[1]}" = "hint: similar: --repeat" ]
	run -2 "$SKEP" stat --tpo 3 true
	[ "${lines[1]}" = "hint: similar: --top" ]
	run -2 "$SKEP" stat --no- true
	[ "${lines[0]}" = "skep stat: ambiguous option '--no-'" ] && [[ "${lines[1]}" == "hint: it could be --no-inherit, --no-scale, --no-csv-summary, --no-aggr, --no-big-num, --no-merge, --no-affinity" ]]
	run -2 "$SKEP" stats true
	[ "${lines[1]}" = "hint: similar: skep stat" ]
	run -2 "$SKEP" xyzzy
	[ "${lines[1]}" = "hint: skep --help lists the commands" ]
}

# What perf's users type, and is something else here: exit 2, nothing is run, the hint has what to type.
@test "usage: perf's words say what to type" {
	# script(1) is a program: it must not be run
	for c in "sched latency|skep sched --" "sched script|skep sched timehist" "sched replay|perf sched replay" \
		"probe --cache|leave it out" "probe -L x|skep probe -V" "record $$|-p $$ selects that process" "stat $$|-p $$ selects that process" \
		"probe schedule:12|FUNCTION+OFFSET"; do
		# shellcheck disable=SC2086
		run -2 timeout 10 "$SKEP" ${c%|*}
		echo "$output"
		[[ "${lines[-1]}" == "hint: "*"${c#*|}"* ]]
		[[ "${lines[0]}" == "skep ${c%% *}: "* ]]
	done
	[ ! -e typescript ]
	run -127 "$SKEP" sched timehits
	[ "$status" != 0 ]
}

@test "-v and -q stand in front of the command, or after it" {
	for o in "-v report" "report -v" "report -vv" "report --verbose" "-q report" "report -q" "report --quiet"; do
		# shellcheck disable=SC2086
		run -1 "$SKEP" $o -i nosuch.data
		[[ "$output" == "skep report: cannot read 'nosuch.data'"* ]] || { echo "$o: $output"; false; }
	done
	run -2 "$SKEP" report -Q
	[[ "$output" == *"unknown option '-Q'"* ]]
}

@test "events: a caret under the bad token, near names" {
	run "$SKEP" flame -e cpu-clock,cycels -- true
	[ "$status" = 2 ]
	[[ "${lines[0]}" == *"no such event"* ]]
	caret=${lines[2]%%^*}
	text=${lines[1]}
	[ "${text:${#caret}:6}" = cycels ]
	[[ "$output" == *"similar: cycles"* ]]
	run "$SKEP" flame -e cycles:q -- true
	[ "$status" = 2 ]
	[[ "$output" == *"unknown modifier 'q'"* ]]
}

@test "events: how stacks are walked, as a term of one" {
	for e in cpu-clock/call-graph=fp/ cpu-clock/call-graph=dwarf,max-stack=200/ cpu-clock/max-stack=3,period=1000/; do
		"$SKEP" record --dry-run -e "$e" -- true
	done
	for e in cpu-clock/call-graph=xyz/ cpu-clock/max-stack=x/ cpu-clock/call-graph=/ faults,cpu-clock/call-graph=fp/; do
		run -2 "$SKEP" record --dry-run -e "$e" -- true
		echo "$e: $output"
		[[ "$output" == *"call-graph"* || "$output" == *"max-stack"* ]]
	done
	run -2 "$SKEP" stat -e cpu-clock/call-graph=fp/ -- true
	[[ "${lines[0]}" == *"not available for one event here" ]]
	if [ -r /sys/kernel/tracing/events/sched ]; then
		"$SKEP" record --dry-run -e sched:sched_switch/call-graph=dwarf,max-stack=8/ -- true
		run -2 "$SKEP" record --dry-run -e sched:sched_switch/period=5/ -- true
		[[ "${lines[0]}" == *"only call-graph= and max-stack= are" ]]
	fi
}

@test "targets: what does not exist" {
	run "$SKEP" flame -p 4194303 --duration 1
	[ "$status" = 1 ]
	[[ "$output" == *"no process 4194303"* ]]
	run "$SKEP" flame -C 60000 --duration 1
	[ "$status" = 1 ]
	[[ "$output" == *"CPU 60000 is not online"* ]]
	run "$SKEP" flame -G /no/such/group --duration 1
	[ "$status" = 1 ] || [ "$status" = 3 ]
	run "$SKEP" flame -u no-such-user --duration 1
	[ "$status" = 1 ]
	[[ "$output" == *"no such user"* ]]
}

@test "output: a directory, a place without permission, a full device" {
	mkdir dir.html
	run "$SKEP" flame -o dir.html -- true
	[ "$status" = 1 ]
	[[ "$output" == *"dir.html"*"directory"* ]]
	run "$SKEP" flame -o /no/such/dir/a.html -- true
	[ "$status" = 1 ]
	for c in --help "help flame" "completion bash"; do
		run bash -c "'$SKEP' $c > /dev/full"
		[ "$status" = 1 ]
		[ "$output" = "skep: cannot write standard output: No space left on device" ]
	done
}

@test "-I: 10 ms to a day, of every table" {
	for c in "sched" "net" "probe --count k:vfs_read"; do
		for ms in 1 86400001 18446744073710; do
			run "$SKEP" $c -I $ms -- true
			[ "$status" = 2 ]
			[[ "$output" == *"bad interval $ms: 10 to 86400000 ms"* ]]
		done
	done
}

@test "output: standard streams that are closed" {
	run bash -c "'$SKEP' --help >&-"
	[ "$status" = 1 ]
	[[ "$output" == *"Bad file descriptor"* ]]
	"$SKEP" --help 2>&- <&- | grep -q commands:
}

@test "messages: escape sequences of names are shown, not obeyed; carets keep their place" {
	run "$SKEP" report -i $'a\e[31m\a.data'
	[ "$status" = 1 ]
	[[ "$output" == *'a\x1b[31m\x07.data'* ]]
	run "$SKEP" $'c\e]0;x'
	[ "$status" = 2 ]
	[[ "$output" == *'c\x1b]0;x'* ]]
}

@test "output: a reader that stops early is no error" {
	run bash -c "{ sleep 0.1; '$SKEP' completion zsh; } | :; exit \${PIPESTATUS[0]}"
	[ "$status" = 0 ]
	[ -z "$output" ]
}

@test "files: not there, not one of ours, a directory, empty" {
	run "$SKEP" report -i nothing.data
	[ "$status" = 1 ]
	[[ "$output" == *"nothing.data"* ]]
	head -c 4096 /dev/urandom >noise.data
	run "$SKEP" report -i noise.data
	[ "$status" = 1 ]
	: >empty.data
	run "$SKEP" report -i empty.data
	[ "$status" = 1 ]
	run "$SKEP" report -i /tmp
	[ "$status" = 1 ]
	run "$SKEP" report -s comm,colour -i noise.data
	[ "$status" = 2 ]
	[[ "$output" == *"^"* ]]
}

# words WORD...: what is offered for the last of them
words() {
	run -0 "$SKEP" completion words "$@"
}

@test "completion: options, values, keys, events, users, files: what can stand there, nothing else" {
	for c in stat top flame record report annotate probe net list doctor "sched timehist"; do
		# shellcheck disable=SC2086
		"$SKEP" $c -h | grep -oE '^ +(-., )?--[a-z][a-z0-9_-]*' | grep -oE -- '--[a-z][a-z0-9_-]*$' | { cat; echo --help; } | LC_ALL=C sort -u >want
		# shellcheck disable=SC2086
		words $c --
		[ "${lines[0]}" = words ]
		tail -n +2 <<<"$output" | cut -f1 | LC_ALL=C sort -u | diff want -
	done
	words ""
	[[ "$output" == *$'\nrecord\tsample'* ]]
	words sched ti
	[ "${#lines[@]}" = 2 ] && [[ "${lines[1]}" == timehist$'\t'* ]]
	words stat -e page-faults,page-fau
	[ "$output" = $'words\npage-faults,page-faults' ]
	words stat '-e' '{page-faults,page-fau'
	[ "$output" = $'words\n{page-faults,page-faults' ]
	words record --event=context-sw
	[ "$output" = $'words\n--event=context-switches' ]
	words flame --format fo
	[ "$output" = $'words\nfolded' ]
	words stat -u roo
	[ "$output" = $'words\nroot' ]
	words stat -p $$,$$
	[[ "$output" == *"$$,$$"$'\t'bash* ]]
	words stat --comm "$(cat /proc/$$/comm)"
	[ "${lines[1]}" = "$(cat /proc/$$/comm)" ]
	words probe "u:$WORK/hitrate:hi"
	[ "$output" = "words"$'\n'"u:$WORK/hitrate:hit" ]
	words probe "ur:${WORK%/*}/wor"
	[ "$output" = "words"$'\n'"ur:$WORK/" ]
	words stat -e "u:$WORK/hitrat"
	[ "$output" = "words"$'\n'"u:$WORK/hitrate:" ]
	words stat -o x
	[ "$output" = files ]
	words flame --output=x
	[ "$output" = files ]
	words stat -- ls -
	[ "$output" = "command 2" ]
	words stat -r 5 -e page-faults ls x
	[ "$output" = "command 5" ]
	for line in "stat -C" "record -F" "report" "doctor" "probe --filter" "nosuch" "stat --nosuch"; do
		# shellcheck disable=SC2086
		words $line ""
		[ "$output" = "" ] || [ "$line" = "stat --nosuch" ] || { echo "$line: $output"; false; }
	done
	# Bounded: all that there is would be 60,000 names
	for line in "stat -e" "probe" "list" "probe k: "; do
		# shellcheck disable=SC2086
		words ${line% } ${line##*[^ ]}
		[ "${#lines[@]}" -le 1001 ]
	done
	words stat -e "'; rm -rf /"
	[ "$output" = "" ]
	words probe k:vfs_read[
	[ "$output" = "" ]
	# Names that are more than a word to a shell
	mkdir files
	touch 'files/$(touch x)' 'files/`x`' 'files/a b' files/a\;b files/plain $'files/\e[31m'
	chmod +x files/*
	touch files/data # which is no program
	words stat -e u:files/
	[ "$output" = $'words\nu:files/plain:' ]
}

@test "completion: each key that is offered is taken" {
	local hit="probe u:$WORK/hitrate:hit" end wrong="bad key|bad sort key|bad field|bad --by|bad value|bad column" key line
	for line in "report -s" "report -F" "net --by" "sched --by" "flame --by" "stat -e syscalls:* --by" "sched --fields" "sched --by user --fields" \
		"net --fields" "net --conn --fields" "net --events --fields" "net --by proto,lport --fields" "sched timehist --fields" \
		"$hit --fields" "$hit --count --fields" "$hit --by comm,n=index,uid --fields" "$hit --latency --fields" \
		"$hit --by func --latency --fields" "stat --latency --fields" "stat --latency --by comm,user --fields" \
		"stat --by comm,pid --fields"; do
		case $line in
		report*) end="-i /nonexistent" ;; # its keys are looked at first
		*) end="-- true" ;;
		esac
		# shellcheck disable=SC2086
		output=$(timeout 5 "$SKEP" $line nosuch $end 2>&1) || true
		[[ "$output" =~ $wrong ]] || { echo "$line: a wrong word is taken: $output"; false; }
		# shellcheck disable=SC2086
		words $line ""
		[ "${#lines[@]}" -ge 3 ]
		for key in "${lines[@]:1}"; do
			# shellcheck disable=SC2086
			output=$(timeout 5 "$SKEP" $line "$key" $end 2>&1) || true
			[[ ! "$output" =~ $wrong ]] || { echo "$line $key: $output"; false; }
		done
	done
	words probe k:nosuch --by ""
	[ "${#lines[@]}" -ge 4 ]
}

# asks LINE: the completion's answers in bash, whose words end at colons and equals signs, too
asks() {
	local IFS=$' \t\n'
	COMP_LINE=$1
	COMP_WORDS=()
	COMPREPLY=()
	while IFS= read -r w; do COMP_WORDS+=("$w"); done < <(sed -E 's/([:=]+)/\n\1\n/g; s/ +/\n /g' <<<"$1" | sed -E '/^$/d; s/^ //')
	[[ $1 != *[=:] ]] || true
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_skep
}

@test "completion: in bash" {
	source <("$SKEP" completion bash)
	PATH=$(dirname "$SKEP"):$PATH
	asks "skep flame --dur"
	[ "${COMPREPLY[*]}" = --duration ]
	asks "skep stat -e page-fa"
	[ "${COMPREPLY[*]}" = page-faults ]
	# What bash takes for a word of its own begins behind the colon
	asks "skep probe u:$WORK/hitrate:hi"
	[ "${COMPREPLY[*]}" = hit ]
	asks "skep probe u:$WORK/hitrate:"
	[[ " ${COMPREPLY[*]} " == *" hit "* && " ${COMPREPLY[*]} " == *" main "* ]]
	asks "skep record --event=page-fa"
	[ "${COMPREPLY[*]}" = page-faults ]
	asks "skep report -s "
	[[ "${COMPREPLY[*]}" == "comm pid tid cpu "*" symbol_daddr "* ]]
	asks "skep stat -e "
	[ "${#COMPREPLY[@]}" -lt 1000 ]
	for w in "${COMPREPLY[@]}"; do [ "$w" != if ] && [ "$w" != ls ]; done
	touch afile
	asks "skep stat -o afi"
	[ "${COMPREPLY[*]}" = afile ]
	asks "skep stat -- cat afi"
	[ "${COMPREPLY[*]}" = afile ]
	asks "skep stat -- bas"
	[[ " ${COMPREPLY[*]} " == *" bash "* ]]
	asks "skep stat -C "
	[ "${#COMPREPLY[@]}" = 0 ]
}

@test "completion: in fish" {
	need fish
	export HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_DATA_HOME=$PWD PATH=$(dirname "$SKEP"):$PATH
	"$SKEP" completion fish >c.fish
	fish -n c.fish
	fish_asks() { fish -c 'source c.fish; complete -C $argv[1]' -- "$1" 2>&1 | cut -f1; }
	touch afile
	[ "$(fish_asks "skep flame --dur")" = --duration ]
	[ "$(fish_asks "skep stat -e page-fa")" = page-faults ]
	[ "$(fish_asks "skep probe u:$WORK/hitrate:hi")" = "u:$WORK/hitrate:hit" ]
	[[ "$(fish_asks "skep probe u:libc:mallo")" == *u:libc:malloc* ]]
	[ "$(fish_asks "skep report -s comm,pare")" = comm,parent ]
	[ "$(fish_asks "skep stat -o afi")" = afile ]
	[[ "$(fish_asks "skep stat -- cat afi")" == *afile* ]]
	[[ "$(fish_asks "skep sched ti")" == timehist ]]
	[ "$(fish_asks "skep stat -C ")" = "" ]
}

@test "completion: in zsh" {
	need zsh
	"$SKEP" completion zsh >_skep
	zsh -n _skep
	touch afile
	# A zsh of its own, which is typed at; ^X writes down the line as it is then
	cat >drive <<-'EOF'
		zmodload zsh/zpty
		zpty z "TERM=dumb ZDOTDIR=$PWD zsh -f -i"
		zpty -w z 'PS1=; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; unsetopt automenu; show() { print -r -- "$BUFFER" >>lines; BUFFER= }; zle -N show; bindkey "^X" show; print re''ady >ready'
		for i in {1..200}; do [[ -e ready ]] && break; sleep 0.05; done
		n=0
		while IFS= read -r line; do
			zpty -n -w z "$line"$'\t'$'\x18'
			(( n++ ))
			for i in {1..200}; do [[ -e lines && $(wc -l <lines) -ge $n ]] && break; zpty -r -t z out; sleep 0.02; done
		done
		zpty -d z
	EOF
	PATH=$(dirname "$SKEP"):$PATH
	timeout 60 zsh -f drive <<-EOF
		skep flame --dur
		skep stat -e page-fa
		skep probe u:$WORK/hitrate:hi
		skep report -s comm,ds
		skep record --event=page-fa
		skep stat -o afi
		skep stat -- cat afi
		skep sched ti
	EOF
	sed 's/ $//' lines | diff - <(printf '%s\n' "skep flame --duration" "skep stat -e page-faults" "skep probe u:$WORK/hitrate:hit" "skep report -s comm,dso" \
		"skep record --event=page-faults" "skep stat -o afile" "skep stat -- cat afile" "skep sched timehist")
}

@test "manual: every option of every command is in its page, and the pages are well formed" {
	for c in $(commands); do
		page=$ROOT/man/skep-$c.1
		[ -e "$page" ]
		for o in $("$SKEP" "$c" -h | grep -oE '^ +(-., )?--[a-z_-]+' | grep -oE '[a-z][a-z_-]+$'); do
			grep -q -- "\\\\-\\\\-${o//-/\\\\-}" "$page" || { echo "$page lacks --$o"; false; }
		done
		if command -v mandoc >/dev/null; then mandoc -T lint -W error "$page"; fi
	done
}

@test "record: a level of compression is 0 to 22, without a space" {
	for o in "-z23" "-z-1" "-zx" "--compression-level=" "--compression-level=23" "-z -z"; do
		# shellcheck disable=SC2086
		run "$SKEP" record $o -- true
		[ "$status" = 2 ] || { echo "status $status: $o: $output"; false; }
		[[ "$output" == "skep record: "*compression-level* ]]
	done
	"$SKEP" record -h | grep -qF -- '-z, --compression-level[=LEVEL]'
}

@test "stat: what contradicts itself is exit 2 with the words that do" {
	for o in "-r 3 -a" "-x, -j -- true" "-I 10 -r 2 -- true" "--append -- true" "-A -- true" "--per-thread -- true" "--per-thread -a --per-core" "-u 0 -a" "--comm x" \
		"-p 1 -C 0" "--timeout 5 --duration 1 -- true" "-r 99999999999 -- true" "-r 0 -- true" "-I 0 -- true" "-I -5 -- true" "-e nonsense -- true" \
		"-e syscalls:sys_enter_nonsense -- true" "-e task-clock:q -- true" "-e cycles,, -- true" "-e raw_syscalls:x -- true"; do
		# shellcheck disable=SC2086
		run "$SKEP" stat $o
		[ "$status" = 2 ] || { echo "status $status: $o: $output"; false; }
		[[ "$output" == "skep stat: "* ]]
	done
}

@test "list: what cannot be meant is exit 2, what is not there exit 1, and its name is no escape sequence" {
	for o in "user" "usdt" "u:" "--no-such" "-o"; do
		# shellcheck disable=SC2086
		run "$SKEP" list $o
		[ "$status" = 2 ] || { echo "status $status: $o: $output"; false; }
		[[ "$output" == "skep list: "* ]]
	done
	run "$SKEP" list ""
	[ "$status" = 2 ]
	for o in "software -v" "software --json" "-v software -x"; do
		# shellcheck disable=SC2086
		run "$SKEP" list $o
		[ "$status" = 2 ] || { echo "status $status: $o: $output"; false; }
		[ "${lines[0]}" = "skep list: bad name '${o##* }': options go before names" ]
		[ "${lines[1]}" = "hint: skep list ${o##* } GLOB" ]
	done
	run "$SKEP" list cycels
	[ "$status" = 1 ]
	[ "${lines[0]}" = "skep list: no event or function matches 'cycels'" ]
	[[ "${lines[1]}" == "hint: similar: cycles, "* ]]
	run "$SKEP" list $'x\e[31m'
	[ "$status" = 1 ]
	[[ "$output" == *'x\x1b[31m'* ]]
	for o in u:/no/such:f "u:$ROOT/Makefile" "usdt:$ROOT/Makefile:x" u:/tmp; do
		run "$SKEP" list "$o"
		[ "$status" = 1 ] || { echo "status $status: $o: $output"; false; }
		[[ "$output" == "skep list: cannot list '"* ]]
	done
}

@test "list: a name a line in a pipe, a kind each; headings on a terminal, however narrow" {
	"$SKEP" list software >out
	[ "$(awk '$2 == "software"' out | wc -l)" = "$(wc -l <out)" ]
	"$SKEP" list software hw | head -1 >first
	[ "$(wc -l <first)" = 1 ]
	for o in "" --json; do
		run bash -c "'$SKEP' list $o > /dev/full"
		[ "$status" = 1 ]
		# Where tracefs is not mounted that is said first
		[ "${lines[-1]}" = "skep list: cannot write standard output: No space left on device" ]
	done
	"$SKEP" list -o file software
	"$SKEP" list software | diff - file
	need script
	script -qec "stty cols 30; $SKEP list software" /dev/null </dev/null | tr -d '\r' >narrow
	[ "$(head -1 narrow)" = "Software events:" ]
	grep -qx "page-faults" narrow
	grep -qx "    or faults" narrow
}

# caret_is TEXT: it stands below TEXT, which the line above has once
caret_is() {
	local caret=${lines[2]%%^*}
	[ "${lines[2]}" = "$caret^" ] && [[ "${lines[1]:${#caret}}" == "$1"* ]]
}

@test "probe: -h has each option, what it is given, and no word twice" {
	run "$SKEP" probe -h
	[ "$status" = 0 ]
	for o in -e,\ --event -x,\ --exec --filter -V,\ --vars\\[=PROBE] -F,\ --funcs\\[=GLOB] --text-size -a,\ --all-cpus -p,\ --pid -t,\ --tid -u,\ --uid -G,\ --cgroup --comm \
		--count --by --hist --linear --latency -g,\ --stacks -n,\ --max-events --duration -I,\ --interval-print --top --max-keys --format \
		-o,\ --output -m,\ --ring-size --strict --receipt; do
		[ "$(grep -cE -- "^ +$o( |$)" <<<"$output")" = 1 ] || { echo "-h lacks $o, or has it twice"; false; }
	done
	for p in k: kr: u: ur: usdt: t:; do grep -qE "[ :,]$p" <<<"$output"; done
}

@test "--fields and --filter: what is no column, or no comparison, has a caret and a hint" {
	while IFS='|' read -r line option text under says; do
		# shellcheck disable=SC2086
		run "$SKEP" $line "$option" "$text" -- true
		echo "$line $option $text: $status $output"
		[ "$status" = 2 ]
		[[ "${lines[0]}" == "skep ${line%% -*}: $says" ]]
		[ "${lines[1]}" = "      $text" ]
		caret_is "$under"
	done <<-'END'
		sched|--fields|comm,wiat|wiat|bad column 'wiat' in --fields
		sched --by comm|--fields|comm,pid|pid|bad column 'pid' in --fields
		sched --format csv|--fields|wait_slots|wait_slots|bad column 'wait_slots' in --fields
		net --conn|--fields|bytes|bytes|bad column 'bytes' in --fields
		stat --by comm -e raw_syscalls:sys_enter|--fields|pid|pid|bad column 'pid' in --fields
		sched|--filter|wiat > 1ms|wiat|bad --filter: no column 'wiat'
		sched|--filter|wait > 1ks|ks|bad --filter: unknown unit (expected K, M, G, ns, us, ms, s)
		sched timehist|--filter|comm == 3|== 3|bad --filter: a text and a number are compared: a text is in quotes, as in comm == "make"
		net --events|--filter|comm == "x" pid|pid|bad --filter: expected an operator
	END
	run "$SKEP" sched --fields comm,wiat -- true
	[[ "${lines[3]}" == "hint: similar: wait; columns are comm, pid, "* ]]
	run "$SKEP" sched timehist --filter 'run > 0' --format chrome
	[ "$status" = 2 ]
	run "$SKEP" stat --fields comm -- true
	[ "$output" = "skep stat: --fields needs --by or --latency" ]
}

@test "probe: nothing to probe, unknown options, words that exclude each other: exit 2, one line" {
	run "$SKEP" probe
	[ "$status" = 2 ]
	[ "${lines[0]}" = "skep probe: no probe was given" ]
	[[ "${lines[1]}" == "hint: skep probe "* ]]
	f=u:$SKEP:main
	for o in "--no-such" "-Z" "-n 3 --count" "-n 3 --by comm" "-n 3 --latency" "-n 0" "-n x" "--top 5" "-I 100" "--linear 0:10:1" \
		"--hist pid --linear 0:10" "--hist pid --linear 10:0:1" "--hist pid --linear 0:10:0" "--hist pid --linear 0:10:1x" "--hist pid --linear 0:1000:1" \
		"--hist pid --latency" "--text-size 4096" "--text-size 0" "-m 5" "-m 3" "--format xml" "-C 0" "-g --count" "-g -n 5" "-g --hist pid" "-p 12x" \
		"--duration 5parsecs" "--by a,b,c,d,e" "--by comm, " "--hist"; do
		# shellcheck disable=SC2086
		run "$SKEP" probe "$f" $o
		[ "$status" = 2 ] || { echo "status $status: $o: $output"; false; }
		[[ "${lines[0]}" == "skep probe: "* ]]
		[ "$(grep -c '^skep probe: ' <<<"$output")" = 1 ]
	done
	run "$SKEP" probe "$f" --hist pid --linear 0:10
	[ "${lines[0]}" = "skep probe: bad --linear '0:10': expected LOW:HIGH:STEP, as in 0:1000:100" ]
	run "$SKEP" probe "$f" -n 3 --count
	[ "${lines[0]}" = "skep probe: -n and --count exclude each other" ]
	run "$SKEP" probe "$f" -I 100
	[ "${lines[0]}" = "skep probe: -I needs --count, --by, --hist or --latency" ]
	# letters that mean something else in perf
	run "$SKEP" probe -m ext4 "$f"
	[ "$status" = 2 ] && [ "${lines[1]}" = "hint: a module is a part of the probe: k:MODULE:FUNCTION" ]
	run "$SKEP" probe -n -a "$f"
	[ "$status" = 2 ] && [ "${lines[1]}" = "hint: -V PROBE shows what would be probed, and probes nothing" ]
	run timeout -s INT 1 "$SKEP" probe -x "$SKEP" main
	[[ "${lines[0]}" == "note: 'main' is traced until Ctrl-C; where perf probe adds an event that stays: skep probe -x PATH --add PROBE" ]]
	[ "$("$SKEP" probe -x "$SKEP" --funcs=main)" = "$("$SKEP" probe -x "$SKEP" -F main)" ]
	[ "$("$SKEP" probe -x "$SKEP" --vars=main)" = "$("$SKEP" probe -x "$SKEP" -V main)" ]
}

@test "probe: grammar, with a caret below the place" {
	run "$SKEP" probe "k:vfs_read(count"
	[ "$status" = 2 ]
	[ "${lines[0]}" = "skep probe: bad probe: no closing bracket after the arguments" ]
	caret_is "(count"
	run "$SKEP" probe "k:vfs_read(count) if (count > 4"
	[ "$status" = 2 ]
	[[ "${lines[0]}" == "skep probe: bad filter: no closing bracket for this one" ]]
	caret_is "(count > 4"
	run "$SKEP" probe "k:vfs_read(buf[0)"
	[ "$status" = 2 ]
	caret_is "[0)"
	run "$SKEP" probe 'k:vfs_read if comm == "cat'
	[ "$status" = 2 ]
	[[ "${lines[0]}" == *"no quote that ends this string" ]]
	caret_is '"cat'
	run "$SKEP" probe "k:vfs_read(count >> 5Q)"
	[ "$status" = 2 ]
	[[ "${lines[0]}" == *"unknown unit"* ]]
	caret_is "Q)"
	run "$SKEP" probe "vfs_read:12"
	[ "$status" = 2 ]
	[[ "${lines[0]}" == *"lines of source code cannot be probed" ]]
	caret_is ":12"
	run "$SKEP" probe "k:vfs_read(pid)" --filter "(pid == 1"
	[ "$status" = 2 ]
	[ "${lines[1]}" = "      (pid == 1" ]
	caret_is "(pid == 1"
	for p in k: kr: u: u:x usdt: usdt:x usdt:x:y t:sched t: "k:vfs_read(" "k:f+zz" "kr:f+4" "k:f if" "k:f(a,)b"; do
		run "$SKEP" probe "$p"
		[ "$status" = 2 ] || { echo "status $status: $p: $output"; false; }
		[[ "${lines[0]}" == "skep probe: bad "* ]]
		[ "$(grep -cE '^ +\^$' <<<"$output")" = 1 ] || { echo "no caret: $p: $output"; false; }
	done
}

@test "probe: files and functions that are not there: exit 2" {
	run "$SKEP" probe u:./none:main
	[ "$status" = 2 ]
	[ "${lines[0]}" = "skep probe: cannot probe './none': No such file or directory" ]
	run "$SKEP" probe u:no-such-program:main
	[ "$status" = 2 ]
	[[ "$output" == *"hint: ./no-such-program is a file in this directory" ]]
	run "$SKEP" probe "u:$ROOT/Makefile:main"
	[ "$status" = 2 ]
	[[ "$output" == *"it is not an ELF file"* ]]
	run "$SKEP" probe "u:$SKEP:no_such_function_of_it"
	[ "$status" = 2 ]
	[[ "$output" == *"has no such function"*"hint: "* ]]
}
