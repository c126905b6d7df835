#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# perf.data: perf agrees with us on our files and on its own; interrupted files are readable.
load ../lib.bash

cleanup() {
	[ ! -d tiny ] || umount tiny 2>/dev/null || true
}

# table REPORT...: the rows with a name, "PERCENT COMM OBJECT SYMBOL". Code without a symbol is one row of its object here,
# a row for each address there. A stub of the PLT, which perf 6.1 names by the symbol before it, is left out.
table() {
	"$@" 2>err | sed -nE 's/^ +([0-9.]+)% +([^ ]+) +([^ ]+) +\[.\] (.*[^ ]) *$/\1 \2 \3 \4/p' | grep -vE ' (\[[^ ]*\]|0x[0-9a-f]*|_init|.*@plt)$' | LC_ALL=C sort
}

# fold a perf script to "comm;root;...;leaf count", as stackcollapse-perf.pl does by default
fold_script() {
	perf script -i "$1" -F comm,ip,sym,dso 2>/dev/null | awk '
		function flush() { if (comm != "") { n[comm s]++ } comm = ""; s = "" }
		/^$/ { flush(); next }
		/^[^ \t]/ { flush(); comm = $0; sub(/ +$/, "", comm); next }
		{ f = $0; sub(/^[ \t]*[0-9a-f]+ /, "", f); sub(/ \([^()]*(\([^()]*\))?\)$/, "", f); gsub(/;/, ":", f); s = ";" f s }
		END { flush(); for (k in n) print k, n[k] }' | LC_ALL=C sort
}

# bats test_tags=user-space
@test "perf report prints the same table for our file" {
	need perf
	"$SKEP" record -F "$(hz 4999)" -o a.data -- "$WORK/shares_cxx" 1
	table "$SKEP" report -i a.data --no-children --percent-limit 0.2 >skep.txt
	table perf report -i a.data --stdio --no-children -g none --percent-limit 0.2 >perf.txt
	if grep -i warning err; then false; fi
	[ "$(wc -l <perf.txt)" -ge 2 ]
	diff perf.txt skep.txt
}

# bats test_tags=user-space
@test "folded stacks equal those of perf script of the same file" {
	need perf
	"$SKEP" record -F "$(hz 4999)" -o a.data -- "$WORK/shares" 1
	"$SKEP" flame -i a.data -o - --format folded | sed 's/;\[truncated: [^;]*\]//' |
		awk '{ n[substr($0, 1, length($0) - length($NF) - 1)] += $NF } END { for (k in n) print k, n[k] }' | LC_ALL=C sort >skep.folded
	fold_script a.data >perf.folded
	# compare the stacks that end in the workload's own functions, from main on (perf has no name for what is before it
	# unless libc has its symbols here), and the totals
	[ "$(awk '{ n += $NF } END { print n }' skep.folded)" = "$(awk '{ n += $NF } END { print n }' perf.folded)" ]
	for f in perf skep; do
		sed -nE '/;(hot|cold) /s/^shares;.*;main;/main;/p' $f.folded |
			awk '{ n[$1] += $2 } END { for (k in n) print k, n[k] }' | sort >$f.own
	done
	[ "$(wc -l <perf.own)" = 2 ]
	diff perf.own skep.own
}

# bats test_tags=user-space
@test "report of a file that perf recorded equals perf's" {
	need perf
	perf record -q -g -F "$(hz 4999)" -e cpu-clock -o p.data "$WORK/shares" 1 >/dev/null
	table "$SKEP" report -i p.data --no-children --percent-limit 1 >skep.txt
	table perf report -i p.data --stdio --no-children -g none --percent-limit 1 >perf.txt
	[ -s perf.txt ]
	diff perf.txt skep.txt
}

# bats test_tags=user-space,measuring,slow
@test "side by side with perf record -g: top symbols' shares within 2 points" {
	need perf
	both() {
		background perf record -B -q -g -F 1999 -e cpu-clock -a -o p.data -- sleep 5
		sleep 0.3
		"$SKEP" record -a -F 1999 -o s.data -- "$WORK/shares" 4
		wait $BG || true
	}
	steadily both
	for f in p s; do
		"$SKEP" report -i $f.data --no-children -s comm,sym --format csv >$f.csv
	done
	awk -F, 'function pct(a, b) { return b ? 100 * a / b : 0 }
		FNR == 1 { next }
		{ gsub(/"/, ""); if ($6 != "shares") next }
		FILENAME == "p.csv" { p[$7] = $3; ps += $3 }
		FILENAME == "s.csv" { s[$7] = $3; ss += $3 }
		END {
			for (k in s) if (pct(s[k], ss) > 0.5) {
				printf "%-30s perf %.2f skep %.2f\n", k, pct(p[k], ps), pct(s[k], ss)
				d = pct(p[k], ps) - pct(s[k], ss); if (d > 2 || d < -2) bad = 1; n++
			}
			exit bad || n < 2
		}' p.csv s.csv
}

# programs of several kinds, short and long, for a minute at most
mixed_load() {
	local end=$((SECONDS + 60))
	while [ $SECONDS -lt $end ]; do
		head -c 3000000 /bin/bash "$SKEP" | md5sum
		ls -R /usr/lib | head -20000 | sort | tail -1
		"$WORK/shares" 0.1
		awk 'BEGIN { for (i = 0; i < 300000; i++) n += i; print n }'
	done >/dev/null
}

# bats test_tags=user-space,measuring,slow
@test "side by side with perf record -a -g under a mixed load: the top 20 within 2 points" {
	need perf
	background mixed_load
	background mixed_load
	sleep 0.3
	background perf record -B -q -g -F "$(hz 4999)" -e cpu-clock -a -o p.data -- sleep "$(times 5)"
	"$SKEP" record -a -F "$(hz 4999)" -o s.data --duration "$(times 5)"
	wait $BG || true
	for f in p s; do
		"$SKEP" report -i $f.data --no-children -s comm,sym --format csv >$f.csv
	done
	awk -F, '
		FNR == 1 { next }
		{ gsub(/"/, ""); if ($6 ~ /^(perf|skep|swapper)$/) next; k = $6 "," $7 }
		FILENAME == "p.csv" { p[k] = $3; ps += $3 }
		FILENAME == "s.csv" { s[k] = $3; ss += $3; order[++n] = k }
		END {
			for (i = 1; i <= 20; i++) {
				k = order[i]; d = 100 * p[k] / ps - 100 * s[k] / ss
				printf "%-46s perf %.2f skep %.2f\n", k, 100 * p[k] / ps, 100 * s[k] / ss
				if (d > 2 || d < -2) bad = 1
			}
			exit bad || n < 20
		}' p.csv s.csv
}

# bats test_tags=user-space
@test "record -z: perf and skep read the same samples, and the header has the ratio" {
	need perf
	"$SKEP" record -z0 -F "$(hz 4999)" -o plain.data -- "$WORK/shares_cxx" 0.5 2>said
	grep -q '^wrote plain.data: .* samples of cpu-clock$' said
	perf report -i plain.data --stats >stats 2>/dev/null
	grep -q 'SAMPLE events: *[1-9]' stats
	run ! grep -q COMPRESSED stats
	run "$SKEP" record -z -F "$(hz 4999)" -o z.data --receipt -- "$WORK/shares_cxx" 1
	echo "$output"
	[[ "$output" != *"this skep has no zstd"* ]] || skip "built without zstd"
	# wrote z.data: X MB, N samples of cpu-clock, compressed from Y MB
	read -r mb kept from < <(sed -nE 's/^wrote z.data: ([0-9.]+) MB, ([0-9]+) samples of .*, compressed from ([0-9.]+) MB$/\1 \2 \3/p' <<<"$output")
	grep -qx "cost: $(stat -c %s z.data) bytes out" <<<"$output"
	[ "$(perf script -i z.data -F time 2>/dev/null | grep -c .)" = "$kept" ]
	[ "$("$SKEP" flame -i z.data -o - --format folded 2>/dev/null | awk '{ n += $NF } END { print n }')" = "$kept" ]
	table "$SKEP" report -i z.data --no-children --percent-limit 0.2 >skep.txt
	table perf report -i z.data --stdio --no-children -g none --percent-limit 0.2 >perf.txt
	[ "$(wc -l <perf.txt)" -ge 2 ]
	diff perf.txt skep.txt
	perf report -i z.data --stats 2>/dev/null | grep -qE 'COMPRESSED events: +[1-9]'
	ratio=$(perf report --header-only -i z.data 2>/dev/null | sed -n 's/^# compressed : Zstd, level = 1, ratio = //p')
	# It is rounded, and the file has features, too, which are not compressed
	awk -v mb="$mb" -v from="$from" -v ratio="$ratio" 'BEGIN { exit !(ratio >= 3 && mb * (ratio + 0.5) >= from && mb * 2 < from) }'
}

# bats test_tags=user-space
@test "a file of a killed recording is readable up to the last whole record" {
	busy "$WORK/shares" 20
	background "$SKEP" record -a -F 999 -o a.data
	for _ in $(seq 30); do
		sleep 1
		! "$SKEP" report -i a.data --no-children 2>/dev/null | grep -q hot || break
	done
	kill -9 $BG
	wait $BG || true
	run "$SKEP" report -i a.data --no-children
	echo "$output" | head -20
	[ "$status" = 0 ]
	[[ "$output" == *"hot"* ]]
}

# bats test_tags=user-space
@test "a full disk: one message, and what fitted is readable" {
	mkdir tiny
	mount -t tmpfs -o size=256k none tiny || skip "cannot mount"
	run "$SKEP" record -F 9973 -o tiny/a.data -- "$WORK/shares" 3
	echo "$output"
	[ "$status" = 1 ]
	[[ "$output" == *"skep record: cannot write 'tiny/a.data': No space left on device"* ]]
	run "$SKEP" report -i tiny/a.data --no-children
	umount tiny
	[ "$status" = 0 ]
	[[ "$output" == *"hot"* ]]
}

@test "formats of report: the same in text, csv and json" {
	"$SKEP" record -F "$(hz 4999)" -o a.data -- "$WORK/shares" 0.5
	text=$("$SKEP" report -i a.data --no-children -s sym | awk '/ hot$/ { sub(/%/, "", $1); print $1 }')
	csv=$("$SKEP" report -i a.data --no-children -s sym --format csv | awk -F, '/"hot"/ { printf "%.2f", $1 }')
	[ "$text" = "$csv" ]
	"$SKEP" report -i a.data --no-children -s sym --json >a.json
	grep -q '"sym":"hot"\|"sym": "hot"' a.json
	"$SKEP" report -i a.data -g --percent-limit 5 | grep -q main
}

@test "tracepoints: their fields are in the file, also texts and those of system calls" {
	[ -r /sys/kernel/tracing/events/sched ] || [ -r /sys/kernel/debug/tracing/events/sched ] || skip "tracefs is not mounted"
	"$SKEP" record -c 1 -e syscalls:sys_enter_getpriority,sched:sched_process_exec,sched:sched_process_exit -o fields.data -- "$WORK/calls" >truth
	"$SKEP" -q script -i fields.data -F comm,tid,event,trace >lines
	cat lines | head -3
	[ "$(grep -c 'sys_enter_getpriority: which: 0x' lines)" = "$(awk '$2 == "getpriority" { print $3 }' truth)" ]
	[ "$(grep -c "sched_process_exec: filename=$WORK/calls pid=" lines)" = 1 ]
	# The thread in the record is that of the sample
	awk '/sched_process_exit: / { n++; split($0, a, " pid="); split(a[2], b, " "); bad += b[1] != $2 } END { exit !n || bad }' lines
	"$SKEP" -q script --json -i fields.data >json
	grep -q "\"args\":{\"filename\":\"$WORK/calls\",\"pid\":" json
}
