#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep top on a terminal, in tmux: what the screen shows beside what the workload did, each key of its help, and how it leaves.
# bats file_tags=user-space
load ../lib.bash
load ../screen.bash

top() { # top OPTION...
	type_line "'$SKEP' top $*; echo status \$?"
}

@test "a table with the workload's shares, its head, its history and its keys" {
	background "$WORK/shares" 60
	terminal 100 24
	top -F 999 -d 0.3 -p "$BG"
	shows '^ skep top +[a-z-]+ +[0-9.]+ s +[0-9]+ samples' 'Now +Overhead +Command +Shared Object +Symbol' '\[\.\] hot$' 'Enter Calls.* s Sort'
	sleep 3
	shows '\[\.\] cold$' '[▁▂▃▄▅▆▇█]{5}.*\[\.\] hot$'
	awk -v h="$(share hot 2)" -v c="$(share cold 2)" 'BEGIN { print h, c; exit !(h + c > 75 && h / (h + c) > 0.6 && h / (h + c) < 0.8) }'
	[ "$(grep -c . now)" -le 24 ]
	keys q
	left
}

@test "/ filters as it is typed, Enter keeps it, Esc ends it" {
	background "$WORK/shares" 60
	terminal 100 24
	top -F 999 -d 0.3 -p "$BG"
	shows '\[\.\] hot$' '\[\.\] cold$'
	keys / c o l
	shows '^filter: col' '\[\.\] cold$'
	eventually gone '\[\.\] hot$'
	keys Enter
	shows '^ filter: col '
	keys / x y z
	shows "no row has 'colxyz'; there are [0-9]+ without the filter"
	keys Escape
	shows '\[\.\] hot$'
	keys q
	left
}

@test "Enter shows who calls a function and what it calls, with shares; + and - open and close" {
	background "$WORK/stacks_O2" 60
	terminal 120 150
	top -F 999 -d 0.3 -s sym -p "$BG"
	shows '%.*\[\.\] burn$'
	sleep 1
	keys Enter
	shows ' burn: [0-9.]+% of all samples, [0-9.]+% in itself' '^called by' ' 100.00% +burn$' '[-+ ] down$'
	keys End
	shows '^calls'
	keys Home Down Down
	keys -- -
	shows '%  *\+ '
	keys +
	shows '%  *- '
	keys Escape
	shows 'Now +Overhead'
	keys +
	shows '%  *[-+ ] down$'
	keys -- -
	eventually gone '%  *[-+ ] down$'
	keys q
	left
}

@test "s sums what was counted so far by other keys; t goes from functions to threads, processes, cgroups" {
	background "$WORK/shares" 60
	terminal 100 24
	top -F 999 -d 0.3 -p "$BG"
	shows '\[\.\] hot$'
	keys s
	shows '^sum by .*: comm,dso,sym'
	keys C-u
	in_tmux send-keys -l comm,nothing
	keys Enter
	shows "there is none named 'nothing'"
	keys s C-u c o m m Enter
	shows 'by comm$' 'Now +Overhead +Command *$' '100.00% +shares'
	keys s C-u s r c l i n e Enter
	shows "sort key 'srcline' is not one of skep top"
	keys t t
	shows 'by tid$' "$BG:shares"
	keys t
	shows 'by pid$' "$BG:shares"
	keys t
	shows 'by cgroup$' '100.00% +/'
	keys t
	shows 'by comm,dso,sym$' '\[\.\] hot$'
	# of all samples, not of those since: their number is of two refreshes at least
	many() { on_screen 'skep top' && awk '/skep top/ { for (i = 1; i < NF; i++) if ($(i + 1) ~ /^samples/) n = $i } END { exit !(n > 500) }' now; }
	eventually many
	keys t t t t
	shows 'by comm,dso,sym$'
	many
	keys q
	left
}

@test "rows of one process by pid and comm have stacks of their own" {
	terminal 120 40
	top -F 999 -d 0.3 -s pid,comm -- "$WORK/threads"
	shows '\[ended\]'
	keys / t 7 Enter Enter
	shows ': [12][0-9]\.[0-9]+% of all samples' # of eight threads that take 1 to 8 parts of 36 it is 22 %
	keys q q
	left
	type_line clear
	background "$WORK/threads"
	top -F 999 -d 0.3 -s pid -p "$BG"
	shows "100.00% +$BG:threads *$"
	[ "$(grep -c ":t[0-7]" now)" = 0 ]
	keys q
	left
}

@test "other keys, when the kernel's hashes were full and were emptied: all that was counted is there" {
	n=$([ "${SKEP_SLOW:-1}" = 1 ] && echo 300 || echo 30)
	terminal 120 24
	top -a -e syscalls:sys_enter_getpgid -c 1 -d 0.3 -s tid --show-nr-samples --max-stacks 16
	shows '^ skep top +syscalls:sys_enter_getpgid'
	for i in $(seq 4); do "$WORK/calls" "$n" 8 40 >>truth; done
	shows ':calls'
	sleep "$(times 0.5)"
	keys s C-u c o m m Enter
	shows 'by comm$' ' calls *$'
	awk '$NF == "calls" { print $(NF - 1); exit }' now >got
	cat now got
	[ "$(cat got)" = $((4 * 49 * n)) ]
	keys z
	shows 'begun again'
	eventually gone ' calls *$'
	keys q
	left
}

@test "b and d: what changed since the baseline" {
	terminal 100 24
	background "$WORK/phases" 8 4
	top -F 999 -d 0.3 -s sym -p "$BG"
	shows '\[\.\] alone$'
	keys d
	shows 'b takes a baseline first'
	sleep 1
	keys b
	shows 'baseline taken'
	for ((i = 0; i < 3; i++)); do shows '\[\.\] together$' && break; done
	keys d
	shows 'change since [0-9.]+ s' '^ +Change' '^ +\+[0-9.]+ .*together$' '^ +-[0-9.]+ .*alone$'
	keys d
	eventually gone 'Change'
	keys q
	left
}

@test "a shows instructions with their samples, f writes a flame graph, z begins again, p holds, e goes to the next event" {
	background "$WORK/shares" 60
	terminal 120 150
	top -F 999 -d 0.3 -e cpu-clock -e page-faults -p "$BG"
	shows 'cpu-clock \(1 of 2\)' '\[\.\] hot$'
	sleep 1
	keys a
	shows 'instructions of hot' '[0-9.]+ +.*(add|sub|cmp|mov|lea|j[a-z]+) '
	keys q
	shows 'Now +Overhead'
	keys f
	shows 'wrote skep-top-[0-9]{8}-[0-9]{6}.html'
	grep -q 'hot' skep-top-*.html
	before=$(sed -n 's/.* \([0-9]*\) samples.*/\1/p' now | head -1)
	keys p
	shows '\[paused\]'
	held=$(sed -n 's/.* \([0-9]*\) samples.*/\1/p' now | head -1)
	sleep 1
	on_screen " $held samples"
	keys p
	eventually gone '\[paused\]'
	shows '\[\.\] hot$'
	keys z
	shows 'begun again'
	eventually fewer_than "$before"
	keys e
	shows 'page-faults \(2 of 2\)'
	keys q
	left
}

fewer_than() {
	on_screen samples && [ "$(sed -n 's/.* \([0-9]*\) samples.*/\1/p' now | head -1)" -lt "$1" ]
}

# of_row COMMAND NAME COLUMN: of the first row with these first two columns, in ./now
of_row() {
	awk -v c="$1" -v s="$2" -v k="$3" '$1 == c && $2 == s { print $k; exit }' now
}

all_made() {
	local name n
	on_screen calls
	while read -r name n; do
		[ "$(of_row calls "$name" 3)" = "$n" ] || return 1
	done <made
}

@test "2: the system calls of each command, as many as it made; other orders, the filter, the last refresh alone" {
	terminal 120 150
	top -d 0.3 -a
	shows 'samples'
	keys 2
	shows 'skep top +system calls +[0-9.]+ s +in [0-9.]+ s +by total' '^ +comm +syscall +calls +errors +total +mean'
	"$WORK/calls" 1000 >truth
	keys / c a l l s Enter
	shows '^ calls +getpgid +1000 ' '^ calls +getsid +1001 '
	awk '/^call / && $2 ~ /^(get|sched)/ { print $2, $3 }' truth >made
	eventually all_made || { cat now; false; }
	[ "$(of_row calls getresuid 4)" = "$(of_row calls getresuid 3)" ] # all of them fail
	keys s C-u c a l l s Enter
	shows 'by calls$'
	awk '$1 == "calls" { if (n != "" && $3 > n) exit 1; n = $3 }' now
	keys s C-u n o t h i n g Enter
	shows "bad order 'nothing'"
	keys n
	shows 'in the last 0\.[0-9] s'
	eventually gone 'getpgid'
	keys n
	shows '^ calls +getpgid +1000 '
	keys z
	shows 'begins again'
	eventually gone 'getpgid'
	keys q
	left
}

@test "3, 4, Tab: packets of each process, what the scheduler did; what was collected stays; what is of samples is said to be" {
	background "$WORK/shares" 60
	terminal 120 150
	top -F 999 -d 0.3 -a
	shows '\[\.\] hot$'
	keys 3
	shows 'skep top +network ' '^ +comm +pid +tx pkts'
	"$WORK/sockets" udp4 40 100 >truth
	shows '^ sockets +[0-9]+ +40 +4000 +0 +0 '
	while read -r pid tx tx_bytes rx rx_bytes; do
		on_screen "^ sockets +$pid +$tx +$tx_bytes +$rx +$rx_bytes "
	done <truth
	keys 4
	shows 'skep top +scheduler ' '^ +comm +pid +run +wait' "^ shares +$BG "
	keys d
	shows 'needs samples'
	in_tmux resize-window -x 80
	shows 'skep top +scheduler .* no room for stopped, ' 'needs samples' # the message is not lost with the size
	in_tmux resize-window -x 120
	keys Tab Tab
	shows 'cpu-clock' '\[\.\] hot$'
	keys 3
	shows '^ sockets +[0-9]+ +40 +4000 +0 +0 '
	for key in Enter + t b d a f e; do
		keys Home
		eventually gone 'needs samples|no stacks|belong to view'
		keys -- "$key"
		shows 'needs samples|no stacks|belong to view'
	done
	gone 'hot$'
	keys q
	left
	on_screen '^samples: '
}

# off_shares: of the thread that polls, the share of its sleeps in that of both, as the rows of ./now and as ./truth have it
off_shares() {
	on_screen ':waits .*poll' || return 1
	awk '
		NR == FNR { if ($1 == "off") told[$2] = $3; next }
		{
			tid = ""
			n = 0
			for (i = 1; i <= NF; i++) {
				if ($i ~ /%$/ && ++n == 2) share = $i + 0
				if ($i ~ /^[0-9]+:waits$/) tid = $i
			}
			if ($NF ~ /nanosleep/) sleeps[tid] += share
			if ($NF ~ /poll/) { polls[tid] += share; it = tid }
		}
		END {
			print sleeps[it] / (sleeps[it] + polls[it]), told["sleep_3ms"] / (told["sleep_3ms"] + told["poll_1ms"])
			d = sleeps[it] / (sleeps[it] + polls[it]) - told["sleep_3ms"] / (told["sleep_3ms"] + told["poll_1ms"])
			exit !(d < 0.05 && d > -0.05)
		}' truth now
}

@test "5: where threads wait, and as long as they tell; by other keys, with callers" {
	terminal 120 150
	top -F 49 -d 0.3 -- sh -c "'sleep 3; exec $WORK/waits 3 >truth'"
	shows 'skep top'
	keys 5
	shows 'skep top +off-CPU time +[0-9.]+ s +[0-9]+ spans'
	shows '\[k\] [a-z_]*poll[a-z_.0-9]*$'
	keys s C-u c g r o u p Enter
	shows 'by cgroup$' '100.00% +/'
	keys s C-u t i d , s y m Enter
	shows '^[^0-9]*[ 0-9.%]+[0-9]+:waits '
	keys / p o l l Enter Home Enter
	shows '^called by' ' poll_1ms$'
	keys q Escape
	shows '\[ended\]'
	off_shares
	keys q
	left
	[ "$(sed -n 's/^samples: \([0-9]*\) seen.*/\1/p' now)" -lt 400 ] # 49 a second and CPU: spans are not among them
}

@test "2 with COMMAND: its calls from then on; when it has ended, views that were not looked at say so" {
	terminal 100 24
	top -F 999 -d 0.2 -- sh -c "'sleep 3; $WORK/calls 500 >truth; sleep 0.3'"
	shows 'skep top'
	keys 2
	shows 'system calls'
	shows '\[ended\]'
	keys / g e t p g Enter
	shows '^ calls +getpgid +500 '
	keys 3
	shows 'the run has ended; network was not measured'
	keys q
	left
	# what came after the last refresh, beside no sample
	top -F 1 -d 2 -e "'syscalls:*'" -- sh -c "'sleep 2.6; exec $WORK/callrate 1000'"
	shows 'skep top'
	shows '\[ended\]'
	keys / g e t p p i d Enter
	shows '^ callrate +getppid +1000 '
	keys q
	left
}

@test "the help names every key, and each is one" {
	terminal 100 40
	top -d 0.3
	shows 'skep top'
	keys h
	shows '^keys'
	for key in Enter / + h q 1 2 3 4 5 Tab n s t a f b d p z e; do
		[ ${#key} -gt 1 ] || key="[$key]"
		on_screen "^  $key +[a-z]"
	done
	keys q
	shows 'Now +Overhead'
	keys q
	left
}

@test "the chosen row stays chosen; the screen follows the terminal's size, down to 10 columns" {
	background "$WORK/shares" 60
	terminal 100 24
	top -F 999 -d 0.1 -a
	shows '\[\.\] hot$'
	for size in "10 5" "300 50" "1 1" "80 24" "40 10" "10 2" "120 30"; do
		# shellcheck disable=SC2086
		set -- $size
		in_tmux resize-window -x "$1" -y "$2"
		sleep 0.3
	done
	shows '\[\.\] hot$' 'Enter Calls'
	keys Down Down End Home PageDown PageUp
	keys q
	left
}

# rows: the table of ./now, without its head and its foot
rows() {
	in_tmux capture-pane -p | sed '1d;$d'
}

@test "p holds rows, history and views, whatever is pressed; what was counted meanwhile is there afterwards" {
	background "$WORK/shares" 60
	terminal 100 24
	top -F 999 -d 0.2 -p "$BG"
	shows '\[\.\] hot$'
	keys 2
	shows 'clock_|call'
	keys 1
	shows '\[\.\] hot$'
	sleep 1
	keys p
	shows '\[paused\]'
	rows >held
	n=$(sed -n 's/.* \([0-9]*\) samples.*/\1/p' now | head -1)
	sleep 1
	keys Home
	sleep 0.5
	rows | diff held -
	in_tmux resize-window -x 80 -y 20
	shows "$n samples +\\[paused\\]" '^ Enter Calls'
	keys Enter
	shows '^  hot: [0-9.]+% of all samples'
	awk '/of all samples/ && $2 + 0 > 100 { exit 1 }' now
	keys q p
	eventually more_than $((n + 1000))
	keys q
	left
}

more_than() {
	on_screen samples && [ "$(sed -n 's/.* \([0-9]*\) samples.*/\1/p' now | head -1)" -gt "$1" ]
}

@test "-z: the rows of a refresh stay until the next one, and keys act on them; -E limits the rows" {
	background "$WORK/shares" 60
	terminal 100 24
	top -F 999 -d 2 -z -E 2 -p "$BG"
	shows 'first refresh is after 2.0 s'
	shows '\[\.\] hot$' '\[\.\] cold$'
	[ "$(grep -c '\[[.k]\]' now)" = 2 ]
	keys Enter
	shows '^  hot: [0-9.]+% of all samples'
	keys q
	shows '\[\.\] hot$'
	sleep 4
	on_screen samples
	n=$(sed -n 's/.* \([0-9]*\) samples.*/\1/p' now | head -1)
	[ "$n" -gt 500 ]
	[ "$n" -lt 3000 ] # of two seconds
	keys t
	shows 'by tid$' "$BG:shares"
	n=$(sed -n 's/.* \([0-9]*\) samples.*/\1/p' now | head -1)
	[ "$n" -gt 500 ] && [ "$n" -lt 3000 ]
	keys b
	shows 'there is no baseline'
	sleep 4
	on_screen samples
	n=$(sed -n 's/.* \([0-9]*\) samples.*/\1/p' now | head -1)
	[ "$n" -gt 500 ] && [ "$n" -lt 3000 ]
	keys q
	left
}

@test "-e 'syscalls:*' --by syscall: the view of system calls, from the first one on" {
	terminal 100 24
	top -d 0.3 -e "'syscalls:*'" --by syscall -- "$WORK/callrate" 100000
	shows 'system calls .*\[ended\]' '^ syscall +calls +errors' '^ getppid +100000 '
	keys q
	left
	run -2 "$SKEP" top -e 'syscalls:*' -n 1
	[[ "$output" == *"needs the screen"*"hint: skep stat -a -e 'syscalls:*' --by comm,syscall -I 1000"* ]]
	run -2 "$SKEP" top --by syscall
	[[ "$output" == *"--by needs -e 'syscalls:*'"* ]]
}

@test "rows that stacks tell nothing of say so; those by object or thread have their shares" {
	background "$WORK/shares" 60
	terminal 100 24
	top -F 999 -d 0.3 -s dso -p "$BG"
	shows '%  shares$'
	sleep 1
	keys p Home
	shows '\[paused\]'
	keys Enter
	shows '^  shares: [0-9.]+% of all samples, [0-9.]+% in itself'
	awk '/ in itself/ { exit !($2 + 0 > 80 && $6 + 0 > 70 && $6 + 0 <= $2 + 0) }' now
	keys q t t t
	shows 'by pid$'
	keys Enter
	shows "^  $BG:shares.*: 100.00% of all samples *$"
	keys q t
	shows 'by cgroup' '100.00% +/'
	keys Enter
	shows 'rows by cgroup have no stacks'
	keys q
	left
}

@test "the target ends: the screen stays and says so; COMMAND does not write on it" {
	terminal 100 24
	top -F 999 -d 0.2 -- sh -c "'echo spoiled; echo spoiled >&2; ls -l /proc/self/fd >fds; exec $WORK/shares 1'"
	shows '\[ended\]' '\[\.\] hot$'
	gone '^spoiled$'
	keys s
	shows 'the run has ended'
	keys Enter
	shows '(hot|cold): [0-9.]+% of all samples'
	keys q q
	left
	gone '^spoiled$'
	cat fds
	[ "$(grep -c 'pts\|memfd' fds)" = 0 ]
}

@test "signals, a stop, a closed terminal: all is given back, nothing is left attached" {
	background "$WORK/shares" 60
	terminal 100 24
	top -F 999 -d 0.2 -p "$BG"
	shows '\[\.\] hot$'
	keys C-z
	shows 'Stopped'
	type_line fg
	shows '\[\.\] hot$' 'Enter Calls'
	keys C-c
	shows '^samples: '
	type_line clear
	type_line 'echo status 0'
	left
	type_line clear
	top -F 999 -d 0.2 -p "$BG"
	shows '\[\.\] hot$'
	pid=$(pgrep -n -f "^$SKEP top -F 999 -d 0.2 -p $BG")
	kill -TERM "$pid"
	left
	type_line clear
	top -F 999 -d 0.2 -p "$BG"
	shows '\[\.\] hot$'
	pid=$(pgrep -n -f "^$SKEP top -F 999 -d 0.2 -p $BG")
	kill -QUIT "$pid"
	eventually test ! -e "/proc/$pid"
	eventually test "$(in_tmux display-message -p '#{mouse_any_flag}')" = 0
	type_line clear
	top -F 999 -d 0.2 -p "$BG"
	shows '\[\.\] hot$'
	pid=$(pgrep -n -f "^$SKEP top -F 999 -d 0.2 -p $BG")
	in_tmux kill-server
	eventually test ! -e "/proc/$pid"
}

@test "terminals that cannot: tables instead, or an error that says so" {
	background "$WORK/shares" 60
	SCREEN_TERM=dumb
	terminal 100 24
	top -E 9 -d 0.2 --duration 1 -p "$BG"
	shows '^# [0-9.]+ s: [0-9]+ samples' '^status 0'
	type_line clear
	type_line export TERM=no-such-terminal
	top -E 9 -d 0.2 --duration 1 -p "$BG"
	shows "terminal 'no-such-terminal' is not known here: there are tables" '^status 0'
	"$SKEP" record -q -o a.data -F 999 --duration 0.5 -p "$BG"
	type_line clear
	in_tmux resize-window -x 100 -y 80
	type_line "'$SKEP' report -i a.data; echo status \$?"
	shows "terminal 'no-such-terminal' is not known here: there are tables" ' hot *$' '^status 0'
	run -2 "$SKEP" top --tui -p "$BG"
	[[ "$output" == *"--tui needs a terminal"* ]]
}

@test "no colour with NO_COLOR, ASCII where the locale is that, names without what a terminal would obey" {
	cp "$WORK/shares" $'a\033[31mb'
	background ./$'a\033[31mb' 60
	terminal 100 24
	type_line export NO_COLOR=1 LC_ALL=C
	top -F 999 -d 0.2 -p "$BG"
	shows 'a\\x1b\[31mb' '[.:=+*#@].*\[\.\] hot$'
	in_tmux capture-pane -p -e >coloured
	run ! grep -q $'\033\[3[12]m' coloured
	run ! grep -q '[▁▂▃▄▅▆▇█]' coloured
	keys 4
	shows 'scheduler' 'a\\x1b\[31mb +[0-9]+ '
	keys q
	left
	type_line unset NO_COLOR
	top -F 999 -d 0.2 -p "$BG"
	shows '\[\.\] hot$'
	in_tmux capture-pane -p -e >coloured
	grep -q $'\033\[[0-9;]*31m' coloured
	keys q
}
