#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Probes that stay: skep writes into tracefs what perf probe writes, lists what perf lists, and every command records them by name.
load ../lib.bash

TRACEFS=/sys/kernel/tracing
[ -e $TRACEFS/events ] || TRACEFS=/sys/kernel/debug/tracing

setup() {
	BACKGROUND=()
	cd "$BATS_TEST_TMPDIR" || return
	need_root
	need gcc
	[ -w $TRACEFS/uprobe_events ] || skip "no uprobe_events in tracefs"
	N=skepadd$BASHPID # a file's name, so that its group is nobody else's
	cat >add.c <<'EOF'
#include <stdio.h>
struct item { int a; char name[16]; const char *s; unsigned b : 3, c : 5; long more[4]; };
static int sum;
__attribute__((noinline)) int work(int i, struct item *p, const char *text, unsigned long big, short sh, signed char c, int seven)
{
	int local = i * 2;
	for (int j = 0; j < i; j++)
		local += j ^ p->a;
	printf("%d %s %d\n", i, text, local);
	sum += local;
	return local + seven;
}
int main(int argc, char **argv)
{
	struct item x = { 3, "hello", "there", 5, 9, { 1, 2, 3, 4 } };
	int all = 0;
	for (int i = 1; i < 4; i++)
		all += work(i, &x, argv[argc - 1], 5, 6, -7, 8);
	return all & 1;
}
EOF
	gcc -g -O2 -o "$N" add.c
	gcc -g -O0 -o "${N}slow" add.c
}

cleanup() {
	local line
	while read -r line; do
		[[ "$line" =~ :(probe_${N:-none}(slow)?/[^ ]*|skepbats/[^ ]*) ]] && echo "-:${BASH_REMATCH[1]}" 2>/dev/null >>$TRACEFS/uprobe_events
	done < <(cat $TRACEFS/uprobe_events 2>/dev/null)
	true
}

# ours: what tracefs has of this test's
ours() {
	grep -E ":(probe_$N(slow)?|skepbats)/" $TRACEFS/uprobe_events || true
}

# What perf takes, too; FILE|PROBE
DEFINITIONS='|work
|work i p->a p->s big sh c seven text:string
|work p->name:string p->more[2] p->more[1]:u32
|work i:x32 y=i:u8 big:s64
|work%return $retval
|work%return $retval:s32
|work+4 %di %ax:x64 +0(%si):u32 q=+8(%sp):s32
|skepbats:named=work i text
|work $params
|work:2
|work:3 local
|work:4 $vars
|work@add.c:5 local
|add.c:8 j
|add.c:10
|work@add.c
|main
|0x1190
slow|work:3 local p->name:string p->more[3]
slow|add.c:8 $vars
slow|add.c:17 x.a x.name:string argc all
slow|work+4 i'

@test "probe --definition: what perf probe -D prints" {
	need perf
	n=0
	while IFS='|' read -r file probe; do
		perf probe -x "$PWD/$N$file" -D "$probe" >theirs 2>said || { echo "perf refuses: $probe"; cat said; continue; }
		"$SKEP" probe -x "$PWD/$N$file" -D "$probe" >ours
			diff theirs ours || { echo "of $file: $probe"; false; }
		n=$((n + 1))
	done <<<"$DEFINITIONS"
	echo "$n alike"
	[ $n -ge 18 ]
}

@test "probe --add and --list: as perf probe adds and lists" {
	need perf
	probes=("work i p->a" "work:3 local" "work%return \$retval" "plus=work+4 %di" "skepbats:b=add.c:10")
	for tool in perf skep; do
		for p in "${probes[@]}"; do
			if [ $tool = perf ]; then perf probe -q -x "$PWD/$N" --add "$p"; else "$SKEP" probe -q -x "$PWD/$N" --add "$p"; fi
		done 2>$tool.said || { cat $tool.said; false; }
		ours >$tool.there
		# Each lists what the other added
		perf probe --list 2>/dev/null | grep -E "probe_$N:|skepbats:" >$tool.perf
		"$SKEP" probe --list | grep -E "probe_$N:|skepbats:" >$tool.skep
		diff $tool.perf $tool.skep
		"$SKEP" probe -q --del "probe_$N:*" --del 'skepbats:*'
		[ -z "$(ours)" ]
	done
	[ "$(wc -l <skep.there)" -ge 5 ]
	diff perf.there skep.there
	cat skep.said
	[ ! -s skep.said ]
}

@test "probe --add: names, what is said, and nothing of it when one is refused" {
	"$SKEP" probe -x "./$N" --add 'work i' >out 2>said
	[ ! -s out ]
	[ "$(sed -n 1p said)" = "Added new event:" ]
	[[ "$(sed -n 2p said)" == "  probe_$N:work"*" (on work in $PWD/$N with i)" ]]
	grep -q "skep record -e probe_$N:work -a -- sleep 1" said
	run -1 "$SKEP" probe -x "./$N" --add work
	[ "${lines[0]}" = 'skep probe: event "work" already exists' ]
	# perf's -a, and -f
	"$SKEP" probe -f -x "./$N" -a work 2>said
	grep -qF "  probe_$N:work_1" said
	"$SKEP" probe -q -f -x "./$N" --add work --add main 2>said
	[ ! -s said ]
	ours | sed -E 's/.*\/([a-z_0-9]*) .*\/.*/\1/' | sort | tr '\n' ' ' | grep -x "main work work_1 work_2 "
	ours >before
	run -1 "$SKEP" probe -x "./$N" --add "skepbats:first=work" --add 'work i'
	run "$SKEP" probe -x "./$N" --add "skepbats:first=work" --add 'skepbats:second=work +0(%nosuch):u32'
	[ "$status" = 1 ]
	[[ "$output" == *"the kernel refuses"* ]]
	"$SKEP" probe --dry-run -x "./$N" --add skepbats:none=work 2>said
	grep -q "^Would add" said
	"$SKEP" probe --dry-run -d "probe_$N:*" 2>said
	grep -q "^Would remove" said
	ours | diff before -
}

@test "probe --del: what matches, and nothing else" {
	"$SKEP" probe -q -x "./$N" --add work --add main --add skepbats:work=work
	"$SKEP" probe -d "probe_$N:w*" 2>said
	[ "$(cat said)" = "Removed event: probe_$N:work" ]
	ours | grep -c . | grep -x 2
	run -1 "$SKEP" probe -d "probe_$N:w*"
	[ "${lines[0]}" = "skep probe: \"probe_$N:w*\" does not hit any event" ]
	[[ "$("$SKEP" probe "--list=skepbats:*")" == "  skepbats:work        (on work@"*"/add.c in $PWD/$N)" ]]
	"$SKEP" probe -q -d "probe_$N:main,x" && false
	"$SKEP" probe -q -d "probe_$N:main" -d 'skepbats:*'
	[ -z "$(ours)" ]
}

@test "probe --add: what cannot be fetched is refused, and says why" {
	while IFS='|' read -r probe why; do
		run "$SKEP" probe -x "./$N" --add "$probe"
		echo "$probe: $output"
		[ "$status" = 2 ]
		[[ "$output" == *"$why"* ]]
	done <<'EOF'
work i*2|the kernel adds constants and follows pointers only
work pid|the kernel adds constants and follows pointers only
work nosuch|work has no argument 'nosuch'
work p->nosuch|no member 'nosuch'
work i:q|no such type
work $retval|only a return
work i if i > 2|
nosuch|has no such function
work:1000|no statement begins there
work;i*|patterns of lines are not supported
1x=work|a name has letters, digits and _ only
work x=|a value is missing
EOF
	[ -z "$(ours)" ]
}

@test "every command records a probe that stays by its name, with its values" {
	need jq
	"$SKEP" probe -q -x "./$N" --add 'work i text:string p->name:string p->b p->c last=sh' --add 'skepbats:back=work%return $retval:s32' --add 'skepbats:line=work:5 local'
	"./$N" some >truth || true
	"$SKEP" record -o r.data -e "probe_$N:*" -e skepbats:line -e skepbats:back -- "./$N" some >/dev/null 2>said || [ $? = 1 ]
	"$SKEP" -q script -i r.data -F event,trace >lines
	cat lines
	grep 'work' lines | sed -E 's/.*\) //' | diff <(awk '{ print "i=" $1 " text_string=\"" $2 "\" name=\"hello\" b=5 c=9 last=6" }' truth) -
	grep 'skepbats:line' lines | sed -E 's/.*local=//' | diff <(cut -d' ' -f3 truth) -
	grep 'skepbats:back' lines | sed -E 's/.*retval=|.*arg1=//' | diff <(awk '{ print $3 + 8 }' truth) -
	if command -v perf >/dev/null; then
		perf script -i r.data -F event,trace 2>/dev/null | sed 's/^ *//' | diff <(sed 's/^ *//' lines) -
		perf record -q -o p.data -e "probe_$N:*" "./$N" some >/dev/null 2>&1 || true
		perf script -i p.data -F event,trace 2>/dev/null | sed -E 's/.*\) //' | diff <(grep work lines | sed -E 's/.*\) //') -
	fi
	[ "$("$SKEP" stat -x, -e "probe_$N:work" -- "./$N" some 2>&1 >/dev/null | grep work | cut -d, -f1)" = 3 ]
	"$SKEP" trace -e "probe_$N:work" -- "./$N" some 2>&1 | grep -c 'i=[123], text' | grep -x 3
	"$SKEP" probe -q --format json -o out "t:probe_$N:work(i) if i > 1" -- "./$N" some >/dev/null || true
	jq -c 'select(.values).values.i' out | tr '\n' ' ' | grep -x '2 3 '
	"$SKEP" flame -e "probe_$N:work" --format folded -o f.folded -- "./$N" some >/dev/null 2>&1 || true
	grep -q 'main;work 3$' f.folded
}

@test "a probe that stays: its values in -V, an event of its own in a glob's place, and another tool's with several places" {
	echo "p:skepbats/two $PWD/$N:0x$(nm "$N" | awk '/ work$/ { print $1 }') i=%di:s32" >>$TRACEFS/uprobe_events
	echo "p:skepbats/two $PWD/$N:0x$(nm "$N" | awk '/ main$/ { print $1 }') i=%di:s32" >>$TRACEFS/uprobe_events || skip "this kernel has one place for an event"
	run "$SKEP" probe -V t:skepbats:two
	[[ "$output" == *"i = %di:s32"* ]]
	"$SKEP" record -o r.data -e skepbats:two -- "./$N" some >/dev/null 2>&1 || true
	"$SKEP" -q script -i r.data -F trace | sed 's/.*) //' | tr '\n' ' ' | grep -x 'i=2 i=1 i=2 i=3 '
	run "$SKEP" probe 't:skepbats:*' -- "./$N"
	[ "$status" = 2 ]
	[[ "$output" == *"it is a probe of tracefs: name it without a glob"* ]]
	run "$SKEP" probe t:skepbats:two'(x)' -- "./$N"
	[[ "$output" == *"hint: two has i;"* ]]
	# What skep cannot read is refused
	echo "p:skepbats/global $PWD/$N:0x$(nm "$N" | awk '/ work$/ { print $1 }') x=@+0:x64" >>$TRACEFS/uprobe_events
	run "$SKEP" record -o r.data -e skepbats:global -- "./$N" some
	[ "$status" = 2 ]
	[[ "${lines[0]}" == *"cannot read 'x' of 'global', '@+0:x64'"* ]]
}

@test "lines of source code are probed without --add, too" {
	need jq
	"./${N}slow" some >truth || true
	"$SKEP" probe -q --format json -o out -x "./${N}slow" 'work:5 local p->name' -- "./${N}slow" some || true
	jq -c 'select(.values) | [.values.local, .values.name]' out | diff <(awk '{ print "[" $3 ",\"hello\"]" }' truth) -
}

@test "functions of the kernel: what would be written" {
	while IFS='|' read -r probe want; do
		[ "$("$SKEP" probe -D "$probe")" = "$want" ] || { "$SKEP" probe -D "$probe"; echo "wanted $want"; false; }
	done <<'EOF'
vfs_read|p:probe/vfs_read vfs_read+0
x=vfs_read+0 %di|p:probe/x vfs_read+0 %di
0xffffffff81000010 %di|p:probe/abs_ffffffff81000010 0xffffffff81000010 %di
vfs_read%return $retval|r:probe/vfs_read__return vfs_read+0 $retval
vfs_read $arg1:x64 +0($arg2):ustring|p:probe/vfs_read vfs_read+0 $arg1:x64 +0($arg2):ustring
EOF
	run -2 "$SKEP" probe -D 'tcp_*'
	[[ "${lines[0]}" == *" places: at most 128 of one definition can stay" ]]
	[ -r /sys/kernel/btf/vmlinux ] || skip "no types of the kernel"
	[ "$(uname -m)" = x86_64 ] || skip "its registers are of x86-64"
	[ "$("$SKEP" probe -D 'vfs_read count file->f_flags')" = "p:probe/vfs_read vfs_read+0 count=%dx:x64 $("$SKEP" probe -D 'vfs_read file->f_flags' | sed 's/.* //')" ]
	[[ "$("$SKEP" probe -D 'vfs_read file->f_flags')" =~ \ f_flags=\+[0-9]+\(%di\):x32$ ]]
}

@test "by the name perf, a probe in perf's spelling is added; by its own name it is traced" {
	ln -s "$SKEP" perf
	./perf probe -q -x "./$N" work
	"$SKEP" probe --list | grep -q "probe_$N:work "
	./perf probe -x "./$N" --del work
	run "$SKEP" probe --list
	[[ "$output" != *"probe_$N:work "* ]]
	"$SKEP" probe -x "./$N" work -- "./$N" x | grep -c work | grep -qx 3
}

@test "a glob of functions whose names differ in their endings only: the later ones have a number" {
	cat >ends.c <<'EOF'
__attribute__((noinline)) int whole(int i) __asm__("skepend");
__attribute__((noinline)) int part(int i) __asm__("skepend.part.0");
int whole(int i) { return i + 1; }
int part(int i) { return i * 3; }
int main(int argc, char **argv) { (void)argv; return whole(argc) + part(argc) ? 0 : 1; }
EOF
	gcc -O1 -o "$N" ends.c
	"$SKEP" probe -x "./$N" --add 'skepend*' 2>said
	[ "$(ours | wc -l)" = 2 ]
	ours | grep -q ":probe_$N/skepend "
	ours | grep -q ":probe_$N/skepend_1 "
	"$SKEP" probe --del "probe_$N:skepend*" 2>said
}
