#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Probes with arguments in a recording: perf prints their values, and they are the truth.
load ../lib.bash

load probe_rows.bash # need_feature

# truth FN FIELD...: of each call one line, its values
truth() {
	jq -r --arg fn "$1" 'select(.fn == $fn) | [.[$ARGS.positional[]] | tostring] | join(" ")' --args "${@:2}" <calls
}

# values FILE EVENT: what perf prints of each hit, without its address and the names
values() {
	perf script -i "$1" -F event,trace 2>/dev/null | sed -nE "s/^.*$2.*: \([0-9a-f]+\) //p" | sed -E 's/[a-z0-9_]+=//g'
}

# both FILE: perf and skep print the same
both() {
	perf script -i "$1" -F comm,tid,event,trace 2>/dev/null >perf.lines
	"$SKEP" -q script -i "$1" -F comm,tid,event,trace >skep.lines
	[ -s perf.lines ]
	diff perf.lines skep.lines
}

@test "texts that are as long as what is kept of one are counted" {
	need perf
	need gcc
	need_feature uprobe
	printf '%s\n' '__attribute__((noinline)) void take(const char *s) { __asm__ volatile("" :: "r"(s)); }' \
		'int main(int n, char **v) { for (int i = 1; i < n; i++) take(v[i]); return 0; }' | gcc -O1 -o taker -x c -
	run -0 "$SKEP" record -e "u:./taker:take(s=arg0:string)" -o texts.data -- ./taker short "$(printf 'x%.0s' {1..126})" "$(printf 'y%.0s' {1..127})" "$(printf 'z%.0s' {1..300})"
	[[ "$output" == *"note: 2 texts have 127 bytes, which is what is kept of one: they may be longer"* ]]
	both texts.data
	values texts.data take | awk '{ print length($0) - 2 }' | tr '\n' ' ' | grep -qx '5 126 127 127 '
}

@test "numbers of every size and texts are in the file, and perf prints them as skep does" {
	need perf
	need_feature uprobe
	P=u:$WORK/probed
	"$SKEP" record -e "$P:take_ints(i8,u8,i16,u16,i32,u32)" -e "$P:take_longs(i64,hex=u64)" -e "ur:$WORK/probed:give_text(n,text=ret:string)" \
		-o probes.data -- "$WORK/probed" user >calls 2>said
	cat said
	both probes.data
	truth take_ints i8 u8 i16 u16 i32 u32 >want
	[ -s want ]
	values probes.data take_ints | diff want -
	values probes.data take_longs | awk '{ print $1 }' | diff <(truth take_longs i64) -
	truth give_text n ret | sed 's/null$/"(fault)"/; s/ \([a-z]*\)$/ "\1"/' >want
	grep -q fault want
	values probes.data give_text | diff want -
	grep -qE 'note: [0-9]+ values could not be read: their numbers are 0' said
	run ! grep 'which is what is kept of one' said
	# As objects
	"$SKEP" -q script --json -i probes.data | jq -c 'select(.event | endswith("take_ints")) | .args | [.i8, .u8, .i32]' >json
	truth take_ints i8 u8 i32 | sed 's/ /,/g; s/.*/[&]/' | diff - json
}

@test "functions of the kernel: numbers, its texts, and what a return was entered with" {
	need perf
	need_feature kprobe
	"$SKEP" record -e 'k:do_sys_openat2(filename, flags=how->flags) if filename ~ "probed.*"' \
		-e 'kr:vfs_read(ret, count) if comm == "probed" && count in 7000..9000' -o kernel.data -- "$WORK/probed" kernel >calls
	both kernel.data
	truth open name flags | awk '{ print "\"" $1 "\"", $2 }' >want
	[ -s want ]
	values kernel.data do_sys_openat2 | awk '{ print $1, $2 % 32768 }' | diff want - # O_LARGEFILE is the kernel's
	truth read ret count | awk '$2 == 8000' >want
	[ -s want ]
	values kernel.data vfs_read | diff want -
}

# bats test_tags=user-space
@test "probes with arguments in a stream, in several files and without tracefs" {
	need perf
	need_feature uprobe
	E=u:$WORK/hitrate:hit
	"$SKEP" record -o - -e "$E(index)" -- "$WORK/hitrate" 1000 2>said | perf script -i - -F event,trace 2>/dev/null >stream
	[ "$(grep -c ' index=' stream)" = 1000 ]
	"$SKEP" record -m 8M -e "$E(index)" --switch-output=200K -o part -- bash -c "for i in 1 2 3 4 5 6; do $WORK/hitrate 1000; done" >/dev/null
	files=0 n=0
	for f in part.20*; do
		k=$(perf script -i "$f" -F event,trace 2>/dev/null | grep -c ' index=')
		[ "$k" -gt 0 ]
		n=$((n + k)) files=$((files + 1))
	done
	[ $files -ge 2 ] && [ $n = 6000 ]
	unshare -m bash -c 'umount -a -t tracefs,debugfs 2>/dev/null; "$@"' _ "$SKEP" record -e "$E(index)" -o none.data -- "$WORK/hitrate" 10 >/dev/null
	[ "$(perf script -i none.data -F event,trace 2>/dev/null | grep -c ' index=')" = 10 ]
}

@test "an argument with the name of a field that each record has keeps its value" {
	need perf
	need_feature uprobe
	"$SKEP" record -e "u:$WORK/hitrate:hit(index,common_pid=index,__probe_ip=index)" -o own.data -- "$WORK/hitrate" 10 >/dev/null
	both own.data
	[ "$(grep -cE ' index=([0-9]+) arg2_common_pid=\1 arg3___probe_ip=\1$' skep.lines)" = 10 ]
}

@test "arguments of a tracepoint: only these fields, also computed" {
	need perf
	[ -r /sys/kernel/tracing/events/sched ] || [ -r /sys/kernel/debug/tracing/events/sched ] || skip "tracefs is not mounted"
	"$SKEP" record -e 't:sched:sched_process_exit(comm,twice=pid * 2)' -o exit.data -- sh -c 'true & wait'
	both exit.data
	perf script -i exit.data -F tid,event,trace 2>/dev/null | awk '{ for (i = 1; i <= NF; i++) if (sub(/^twice=/, "", $i)) { n++; bad += $i != 2 * $1 } } END { exit n < 2 || bad }'
}

@test "what cannot be recorded is refused" {
	need_feature uprobe
	run -2 "$SKEP" flame -e "u:$WORK/hitrate:hit(index)" -o x.html -- true
	[[ "$output" == *"arguments work only in a filter here"* ]]
	run -2 "$SKEP" record -e "u:$WORK/hitrate:hit(nosuch)" -- true
	[[ "$output" == *"nosuch"* ]]
}

cleanup() {
	[ -z "${STAYS:-}" ] || "$SKEP" probe -q --del 'skepbats:*' || true
}

@test "kernel functions with probes that stay: values, their types and the place are those that perf records" {
	need perf
	need_feature kprobe
	[ -w /sys/kernel/tracing/kprobe_events ] || skip "no kprobe_events in tracefs"
	STAYS=1
	"$SKEP" probe -q --add 'skepbats:opened=do_sys_openat2 dfd filename:string'
	"$SKEP" probe -q --add 'skepbats:left=do_sys_openat2%return $retval'
	for tool in skep perf; do
		how=("$SKEP" record -q)
		[ $tool = skep ] || how=(perf record)
		"${how[@]}" -e skepbats:opened -e skepbats:left -o $tool.data -- "$WORK/probed" kernel >calls 2>said || { cat said; false; }
		# The record of a return has the function before the place
		perf script -i $tool.data -F comm,event,trace 2>/dev/null | sed 's/([0-9a-f]* <- [0-9a-f]*)/()/; /left/s/([0-9a-f]*)/()/' |
			grep -A1 '"probed' | grep -v '^--' >$tool.lines
		truth open name ret | awk '{ print $1, $2 }' >want
		[ -s want ]
		sed -n 's/.*filename_string="\(.*\)"/\1/p' $tool.lines | diff <(cut -d' ' -f1 want) -
	done
	cat skep.lines
	diff perf.lines skep.lines
}
