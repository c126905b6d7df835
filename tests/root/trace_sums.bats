#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep trace -c and -C: sums beside lines, or alone.
load ../lib.bash

# lines_of TRACE: how many lines with a result each call has, "NAME COUNT"
lines_of() {
	sed -n 's/^\[pid *[0-9]*\] //; /= ?$/d; s/^\([a-z0-9_]*\)(.*/\1/p' "$1" | LC_ALL=C sort | uniq -c | awk '{ print $2, $1 }'
}

# sums_of TRACE: the same of the table at its end
sums_of() {
	sed '1,/^------/d; /^------/,$d' "$1" | awk '{ sub(/:compat$/, ""); print $NF, $4 }' | LC_ALL=C sort
}

# bats test_tags=user-space
@test "-C: lines, and after the last one the table: it has as many calls as there are lines" {
	need jq
	"$SKEP" trace -C --strict -o t.txt -- "$WORK/traced" >truth
	diff <(lines_of t.txt | grep -v syscall_) <(sums_of t.txt | grep -v syscall_)
	[ "$(sums_of t.txt | wc -l)" -ge 20 ]
	tail -n 3 t.txt
	[ "$(tail -n 1 t.txt | awk '{ print $1, $NF }')" = "100.00 total" ]
	[ "$(grep -c '^% time     seconds  usecs/call     calls    errors syscall$' t.txt)" = 1 ]
	sed '/^% time/,$d' t.txt | tail -n 3 | grep -qE '^(\[pid +[0-9]+\] )?\+\+\+ exited with 0 \+\+\+$'
	"$SKEP" trace -C --strict --format json -o t.json -- "$WORK/calls" 50 3 2 >truth
	jq -r 'select(.kind == "call" and .ret != null) | .name' t.json | sort | uniq -c | awk '{ print $2, $1 }' | LC_ALL=C sort >lines
	jq -r 'select(.calls) | "\(.syscall | sub(":compat"; "")) \(.calls)"' t.json | awk '{ n[$1] += $2 } END { for (name in n) print name, n[name] }' | LC_ALL=C sort >sums
	diff lines sums
	[ "$(wc -l <lines)" -ge 30 ]
	while read -r name n; do
		grep -qx "$name $n" sums || { echo "$name: $n, and not $(grep "^$name " sums)"; false; }
	done < <(sed -n 's/^call //p' truth)
	tail -n 1 t.json | jq -e .end.kept
}

# bats test_tags=user-space
@test "-C: what -e selects, and the keys of --by" {
	need jq
	"$SKEP" -q trace -C -e openat,close -e signal=none -o t.txt -- cat /dev/null
	diff <(lines_of t.txt) <(sums_of t.txt)
	[ "$(sums_of t.txt | cut -d' ' -f1 | xargs)" = "close openat" ]
	"$SKEP" -q trace -C --by errno,syscall -e %file --format json -o t.json -- cat /none || true
	jq -es 'any(.syscall == "openat" and .errno == "ENOENT" and .calls >= 1)' t.json
	"$SKEP" -q trace -C --by comm -o t.txt -- sh -c 'cat /dev/null; :'
	grep -qE '^cat ' t.txt
	run -2 "$SKEP" trace -C -c -- true
	run -2 "$SKEP" trace -C --format csv -o - -- true
	run -2 "$SKEP" trace -C --min-duration 1ms -- true
	run -2 "$SKEP" trace --cpu 0 -- true
	[[ "$output" == *"a call may be made on any CPU"* ]]
}

# bats test_tags=user-space
@test "-U and -S: strace's columns and words, and the quantiles of skep's own" {
	"$SKEP" -q trace -c -U name,calls,max-time,avg-time,total-time,time-percent,errors -o c.txt -- cat /dev/null
	cat c.txt
	[ "$(sed -n 1p c.txt)" = "syscall              calls  longest  usecs/call     seconds % time    errors" ]
	[ "$(sed -n 2p c.txt)" = "---------------- --------- -------- ----------- ----------- ------ ---------" ]
	tail -n 1 c.txt | grep -qE '^total {12}[ 0-9]{9} [0-9.]{8} [ 0-9]{11} [ 0-9.]{11} 100.00'
	"$SKEP" -q trace -c -U errors,time -S calls -o c.txt -- cat /dev/null
	[ "$(sed -n 1p c.txt)" = "   errors % time syscall" ]
	"$SKEP" -q trace -c -U calls,p50-time,p99-time,longest -S p99-time -e read,clock_nanosleep,nanosleep -o c.txt -- sh -c 'sleep 0.1; sleep 0.1'
	cat c.txt
	sed -n 3p c.txt | grep -qE "^ +2 +[0-9]{5,6}\.[0-9]{3} +1[0-9]{5}\.[0-9]{3} 0\.1[0-9]{5} (clock_)?nanosleep\$"
	for by in time time-total total-time min-time max-time avg-time mean calls errors name nothing p50-time p99-time; do
		"$SKEP" -q trace -c -S $by -o c.txt -- cat /dev/null
		[ "$(sums_of c.txt | wc -l)" -ge 5 ]
	done
	"$SKEP" -q trace -c -S nothing -e read,write,close,execve -o c.txt -- printf hi
	[ "$(sed '1,/^---/d; /^---/,$d' c.txt | awk '{ print $NF }' | xargs)" = "read write close execve" ]
	"$SKEP" -q trace -c --by syscall,errno -e %file -o c.txt -- cat /none || true
	grep -qE '^openat +ENOENT ' c.txt
	"$SKEP" -q trace -c -U calls,min-time,longest,name -S min-time -e clock_nanosleep,nanosleep -o c.txt -- sh -c 'sleep 0.1; sleep 0.2'
	cat c.txt
	sed -n 3p c.txt | grep -qE "^ +2 0\.1[0-9]{5} 0\.2[0-9]{5} (clock_)?nanosleep\$"
	run -2 "$SKEP" trace -c -U calls,calls -- true
	run -2 "$SKEP" trace -c -S size -- true
	run -2 "$SKEP" trace -U calls -- true
	run -2 "$SKEP" trace -c --by comm -U calls -- true
}
