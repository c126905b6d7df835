#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep probe of programs: what functions and USDT probes were called with is what the workload says it called them with, to the unit.
# Values and expressions are the same on every kernel, and ways of attaching are seen by probe_views.bats.
# bats file_tags=user-space
load ../lib.bash
load probe_rows.bash

MODE=user

@test "integers of each width and sign, as they are and with a type after a colon" {
	need_feature uprobe
	row take_ints 'u:@:take_ints(i8, u8, i16, u16, i32, u32)' '[.i8, .u8, .i16, .u16, .i32, .u32]'
	row take_longs 'u:@:take_longs(i64, u64:x64)' '[.i64, .u64]'
	row take_ints 'u:@:take_ints(a=u32:s32, b=i32:u32, c=i32:x32, d=i8:u8, e=u8:s8, f=u16:s16, g=i16:x16)' '[.a, .b, .c, .d, .e, .f, .g]' \
		'[.u32 - 4294967296, .i32 + 4294967296, .i32, .i8 + 256, .u8 - 256, .u16 - 65536, .i16] | .[2] |= (. + 4294967296 | hex) | .[6] |= (. + 65536 | hex)'
	row take_ints 'u:@:take_ints(arg0:s8, arg1:u8, arg4:s32)' '[.arg0, .arg1, .arg4]' '[.i8, .u8, .i32]'
	row take_ints 'u:@:take_ints(s=(i8 + 1), m=(i8 * u8), d=(u16 / 7), r=(u16 % 7), x=(u8 ^ 0xff), h=(u8 >> 3), l=(u8 << 20), n=(-i32), i=(~i8), o=(u8 | 1), a=(u8 & 0xf0))' \
		'[.s, .m, .d, .r, .x, .h, .l, .n, .i, .o, .a]' \
		'[.i8 + 1, .i8 * .u8, (.u16 / 7 | floor), .u16 % 7, 255 - .u8, (.u8 / 8 | floor), .u8 * 1048576, -.i32, -.i8 - 1, (.u8 / 2 | floor) * 2 + 1, .u8 - .u8 % 16]'
	row take_ints 'u:@:take_ints(q=(i8 / 7), r=(i8 % 7), h=(i8 >> 2), b=(i32 / 1000))' '[.q, .r, .h, .b]' \
		'[(.i8 / 7 | ceil), (.i8 - 7 * (.i8 / 7 | ceil)), (.i8 / 4 | floor), (.i32 / 1000 | ceil)]'
	row take_ints 'u:@:take_ints(a=(u8)i8, b=(s8)u8, c=(short)u16, d=(unsigned)i32, e=(long)i8)' '[.a, .b, .c, .d, .e]' '[.i8 + 256, .u8 - 256, .u16 - 65536, .i32 + 4294967296, .i8]'
	row take_ints 'u:@:take_ints(w=ntohs(u16), l=ntohl(u32))' '[.w, .l]' \
		'[.u16 % 256 * 256 + (.u16 / 256 | floor), (.u32 as $u | [0, 1, 2, 3] | map(($u / pow(256; .) | floor) % 256 * pow(256; 3 - .)) | add)]'
	rows_end
}

@test "operators of filters" {
	need_feature uprobe
	row take_ints 'u:@:take_ints(i8) if i8 == -98' .i8 'select(.i8 == -98) | .i8'
	row take_ints 'u:@:take_ints(i8) if i8 != -98' .i8 'select(.i8 != -98) | .i8'
	row take_ints 'u:@:take_ints(i8) if i8 < -98' .i8 'select(.i8 < -98) | .i8'
	row take_ints 'u:@:take_ints(i8) if i8 <= -98' .i8 'select(.i8 <= -98) | .i8'
	row take_ints 'u:@:take_ints(i8) if i8 > -98' .i8 'select(.i8 > -98) | .i8'
	row take_ints 'u:@:take_ints(i8) if i8 >= -98' .i8 'select(.i8 >= -98) | .i8'
	row take_ints 'u:@:take_ints(i8) if i8 in -99..-97' .i8 'select(.i8 >= -99 and .i8 <= -97) | .i8'
	row take_ints 'u:@:take_ints(i8) if !(i8 in -99..-97)' .i8 'select(.i8 < -99 or .i8 > -97) | .i8'
	row take_ints 'u:@:take_ints(i8) if i8 == -100 || i8 == -98 && u8 == 1 || u8 == 204' .i8 'select(.i8 == -100 or .u8 == 204) | .i8'
	row take_ints 'u:@:take_ints(i8) if (i8 == -100 || i8 == -98) && u8 == 202' .i8 'select(.i8 == -98) | .i8'
	row take_ints 'u:@:take_ints(u32) if u32 > 4000000001' .u32 'select(.u32 > 4000000001) | .u32'
	row take_ints 'u:@:take_ints(u32) if i32 < u8 && u32 > i32' .u32
	row take_ints 'u:@:take_ints(u8) if u8 & 1' .u8 'select(.u8 % 2 == 1) | .u8'
	row take_ints 'u:@:take_ints(u8) if !(u8 & 1)' .u8 'select(.u8 % 2 == 0) | .u8'
	row take_longs 'u:@:take_longs(i64) if u64 > 0xfedcba9876543212' .i64 'select(.u64 > "0xfedcba9876543212") | .i64'
	row take_longs 'u:@:take_longs(i64) if i64 < -2097152M' .i64 'select(.i64 < -2097152 * 1048576) | .i64'
	row take_longs 'u:@:take_longs(i64) if i64 / 2 < -1000G' .i64 'select(.i64 / 2 < -1000 * 1073741824) | .i64'
	row take_ints 'u:@:take_ints(u16) if u16 > 60us && u16 <= 60004' .u16 'select(.u16 > 60000) | .u16'
	row take_ints 'u:@:take_ints(u16) if u16 * 2 - 120000 == 1 + 1 * 3' .u16 'select(.u16 * 2 - 120000 == 4) | .u16'
	row take_ints 'u:@:take_ints(u16) if comm == "probed" && u16 == 60001' .u16 'select(.u16 == 60001) | .u16'
	row take_ints 'u:@:take_ints(u16) if comm ~ "pr?b*d" && comm !~ "x*" && comm != "probe"' .u16
	rows_end
}

@test "--filter is added to each probe's own filter, whatever its operators" {
	need_feature uprobe
	OPTIONS=(--filter 'u8 > 202')
	row take_ints 'u:@:take_ints(u8)' .u8 'select(.u8 > 202) | .u8'
	row take_ints 'u:@:take_ints(u8) if u8 == 200 || u8 == 204' .u8 'select(.u8 == 204) | .u8'
	row take_ints 'u:@:take_ints(u8) if(u8 != 204)' .u8 'select(.u8 == 203) | .u8'
	OPTIONS=(--filter 'u8 == 201 || u8 == 203')
	row take_ints 'u:@:take_ints(u8) if u8 > 202' .u8 'select(.u8 == 203) | .u8'
	rows_end
}

@test "strings: shown, cut, compared, matched" {
	need_feature uprobe
	row take_text 'u:@:take_text(s, c)' '[.s, (.c | char)]' '[.s, .c]'
	row take_text 'u:@:take_text(arg0:string)' .arg0 .s
	row take_text 'u:@:take_text(arg0:ustring)' .arg0 .s
	row take_text 'u:@:take_text(s) if s == "apple"' .s 'select(.s == "apple") | .s'
	row take_text 'u:@:take_text(s) if "apple" == s' .s 'select(.s == "apple") | .s'
	row take_text 'u:@:take_text(s) if s != "apple"' .s 'select(.s != "apple") | .s'
	row take_text 'u:@:take_text(s) if s == ""' .s 'select(.s == "") | .s'
	row take_text 'u:@:take_text(s) if s ~ "apple*"' .s 'select(.s | startswith("apple")) | .s'
	row take_text 'u:@:take_text(s) if s ~ "*pl*"' .s 'select(.s | contains("pl")) | .s'
	row take_text 'u:@:take_text(s) if s !~ "*pl*"' .s 'select(.s | contains("pl") | not) | .s'
	row take_text 'u:@:take_text(s) if s ~ "*[an]a s?l*t"' .s 'select(.s == "banana split") | .s'
	row take_text 'u:@:take_text(s) if s ~ "*"' .s
	row take_text 'u:@:take_text(s) if arg0 == "apple"' .s 'select(.s == "apple") | .s'
	row take_text "u:@:take_text(s) if c == 98" .s 'select(.c == "b") | .s'
	row take_text 'u:@:take_text(f=s[0], l=s[1]:u8) if s[0] == 97' '[(.f | char), .l]' 'select(.s[0:1] == "a") | [.s[0:1], (.s[1:2] | explode[0])]'
	row take_text 'u:@:take_text(s, comm)' '[.s, .comm]' '[.s, "probed"]'
	OPTIONS=(--text-size 8)
	row take_text 'u:@:take_text(s)' .s '.s[0:7]'
	rows_end
}

@test "structs: members, bit fields, enums by name, arrays, anonymous unions, pointers to pointers" {
	need_feature uprobe
	row take_node 'u:@:take_node(n->id, n->name, n->label, n->on)' '[.id, .name, .label, .on]'
	row take_node 'u:@:take_node(id=n.id, next=n->next->id, far=n->next->next->id, name=n->next->name)' '[.id, .next, .far, .name]' '[.id, .next.id, .next.next.id, .next.name]'
	row take_node 'u:@:take_node(n->low, n->mid, n->high)' '[.low, .mid, .high]'
	row take_node 'u:@:take_node(n->color)' .color
	row take_node 'u:@:take_node(n->whole, b=n->bytes[0], c=n->bytes[3], n->x, n->y)' '[.whole, .b, .c, .x, .y]' '[.whole, .bytes[0], .bytes[3], .x, .y]'
	row take_node 'u:@:take_node(a=n->array[1], b=n->array[3], c=n->array[n->low & 1])' '[.a, .b, .c]' '[.array[1], .array[3], .array[.low % 2]]'
	row take_node 'u:@:take_node(v=(*n).id, w=*(int *)n, u=((struct node *)arg0)->next->id)' '[.v, .w, .u]' '[.id, .id, .next.id]'
	row take_node 'u:@:take_node(id=container_of(n, struct node, id)->id, x=container_of(&n->x, struct node, x)->id)' '[.id]' '[.id]' refused
	row take_node 'u:@:take_node(back=container_of(n->next, struct node, id)->name)' .back .next.name
	row take_node 'u:@:take_node(n->id) if n->color == GREEN' .id 'select(.color == "GREEN") | .id'
	row take_node 'u:@:take_node(n->id) if BLUE == n->color' .id 'select(.color == "BLUE") | .id'
	row take_node 'u:@:take_node(n->id) if n->color < 0' .id 'select(.color == "BLUE") | .id'
	row take_node 'u:@:take_node(n->id) if n->mid < -2' .id 'select(.mid < -2) | .id'
	row take_node 'u:@:take_node(n->id) if n->low == 3 || n->high == 0x100000' .id 'select(.low == 3 or .low == 0) | .id'
	row take_node 'u:@:take_node(n->id) if n->name == "node-2"' .id 'select(.name == "node-2") | .id'
	row take_node 'u:@:take_node(n->id) if n->next->name ~ "node-[23]"' .id 'select(.next.name == "node-2" or .next.name == "node-3") | .id'
	row take_node 'u:@:take_node(n->id) if n->on' .id 'select(.on) | .id'
	row take_node 'u:@:take_node(n->id) if n->label ~ "t*"' .id 'select(.label | startswith("t")) | .id'
	row take_nodes 'u:@:take_nodes(first=list[0]->id, second=list[1]->id, picked=list[i]->name, again=(*list)->id)' '[.first, .second, .picked, .again]' '[.first, .second, .picked, .first]'
	row take_bool 'u:@:take_bool(on, color)' '[.on, .color]'
	row take_bool 'u:@:take_bool(on) if color == RED' .on 'select(.color == "RED") | .on'
	rows_end
}

@test "arguments on the stack, by value, beside floats; names of parameters before built-in names" {
	need_feature uprobe
	row take_eight 'u:@:take_eight(a, b, c, d, e, f, g, h)' '[.a, .b, .c, .d, .e, .f, .g, .h]'
	row take_eight 'u:@:take_eight(g) if h > 702' .g 'select(.h > 702) | .g'
	row take_values 'u:@:take_values(pa=p.a, pb=p.b, wa=w.a, wb=w.b, after)' '[.pa, .pb, .wa, .wb, .after]'
	row take_values 'u:@:take_values(after) if p.b < -7 && w.b == -3' .after 'select(.pb < -7 and .wb == -3) | .after'
	row take_big 'u:@:take_big(a=b.v[0], b=b.v[1], d=b.v[3], after)' '[.a, .b, .d, .after]' '[.v[0], .v[1], .v[3], .after]'
	row take_real 'u:@:take_real(n)' .n
	row take_pid 'u:@:take_pid(pid, comm)' '[.pid, .comm]'
	row take_two 'u:@:take_two(pa=p->a, qa=q->a)' '[.pa, .qa]'
	# two members of one name are two values
	row take_two 'u:@:take_two(p->a, q->a)' length 2
	rows_end
}

@test "returns: values of each kind, arguments of the call, recursion" {
	need_feature uprobe
	row give_int 'ur:@:give_int(ret, n)' '[.ret, .n]'
	row give_int 'ur:@:give_int(v=$retval, w=retval)' '[.v, .w]' '[.ret, .ret]'
	row give_int 'ur:@:give_int(ret) if ret < -10' .ret 'select(.ret < -10) | .ret'
	row give_int 'ur:@:give_int(ret, n) if n == 14' '[.ret, .n]' 'select(.n == 14) | [.ret, .n]'
	row give_long 'ur:@:give_long(ret:x64)' .ret
	row give_long 'ur:@:give_long(n) if ret > 0x8000000000000029' .n 'select(.n > 41) | .n'
	row give_text 'ur:@:give_text(ret)' .ret
	row give_text 'ur:@:give_text(t=$retval:string, n)' '[.t, .n]' '[.ret, .n]'
	row give_text 'ur:@:give_text(ret) if ret == "two"' .ret 'select(.ret == "two") | .ret'
	row give_node 'ur:@:give_node(ret->id, ret->name, was=n->id)' '[.id, .name, .was]' '[.ret, .name, .id]'
	row give_bool 'ur:@:give_bool(ret)' .ret
	row give_nothing 'ur:@:give_nothing(n)' .n
	row deep 'ur:@:deep(k, ret)' '[.k, .ret]'
	row deep 'ur:@:deep(k, ret) if ret > 5 && k < 6' '[.k, .ret]' 'select(.ret > 5 and .k < 6) | [.k, .ret]'
	row slow 'ur:@:slow(us, latency) if us > 0' '[.us, (.latency / 1000 >= .us and .latency / 1000 < .us + 900000)]' 'select(.us > 0) | [.us, true]'
	# A busy machine makes shorter ones last as long: they may be there, too
	row slow 'ur:@:slow(us, latency) if latency > 2500us && latency < 10s' 'select(.us > 2500 or .latency <= 2500000) | .us' 'select(.us > 2500) | .us'
	rows_end
}

@test "returns nested deeper than the kernel probes: a loss" {
	need_feature uprobe
	# 201 calls in one another, of which the kernel has 64 return to it
	for e in 'ur:@:down' 'ur:@:down(ret)' 'ur:@:down(latency)'; do
		for o in --count ""; do
			run -1 --separate-stderr "$SKEP" probe $o --strict "${e/@/$WORK/recurse}" -- "$WORK/recurse" 200 0.01
			echo "$stderr"
			[[ "$stderr" == *"samples: 201 seen, 64 kept"* ]]
			[[ "$stderr" == *"lost: 137  returns of calls nested more than 64 deep"* ]]
		done
	done
	run -1 --separate-stderr "$SKEP" stat --strict -e "ur:$WORK/recurse:down" -- "$WORK/recurse" 200 0.01
	[[ "$stderr" == *"lost: 137  returns of calls nested more than 64 deep"* ]]
	run -1 --separate-stderr "$SKEP" flame --strict -e "ur:$WORK/recurse:down" --format folded -- "$WORK/recurse" 200 0.01
	[[ "$stderr" == *"lost: 137  returns of calls nested more than 64 deep"* ]]
	"$SKEP" probe --count --strict "ur:$WORK/recurse:down" -- "$WORK/recurse" 63 0.01 2>said
	grep 'samples: 64 seen, 64 kept' said
}

@test "perf's spelling: -x, arguments behind spaces, %return, offsets" {
	need_feature uprobe
	OPTIONS=(-x "$WORK/probed")
	row take_ints 'take_ints i8 u8' '[.i8, .u8]'
	row take_ints 'event=take_ints value=i8:u8 u16' '[.value, .u16]' '[.i8 + 256, .u16]'
	row take_ints 'grp:event=take_ints i8' .i8
	row give_int 'give_int%return $retval' '.[]' .ret
	row give_int 'give_int%return v=$retval n if v > 1' '.v' .ret refused
	row take_text 'take_text s:string' .s
	row take_text 'take_text+0x0 t=s' .t .s
	row take_node 'take_node n->id n->name' '[.id, .name]'
	row take_eight 'take_eight a g h' '[.a, .g, .h]'
	row take_ints 'take_ints v=%si:u8 w=%di:s8' '[.v, .w]' '[.u8, .i8]'
	row take_ints 'take_ints %si:u8 %di:s8' '[.[]]' '[.u8, .i8]'
	row take_ints 'take_ints i8 if i8 > -98' .i8 'select(.i8 > -98) | .i8'
	OPTIONS=(-x "$WORK/probed" --filter 'u8 > 202')
	row take_ints 'take_ints i8' .i8 'select(.u8 > 202) | .i8'
	rows_end
}

@test "offsets, globs, functions of a library, several probes at once" {
	need_feature uprobe
	row take_ints 'u:@:take_ints+0(i8)' .i8
	rows_end
	"$SKEP" probe --format json -o a.json "u:$WORK/probed:take_*" -- "$WORK/probed" user >truth 2>said
	ends a.json
	cat said
	jq -r .probe a.json | sed 's/.*://' | sort >got
	jq -r '.fn | select(startswith("take_"))' truth | sort >want
	diff want got
	"$SKEP" probe --format json -o b.json "u:$WORK/probed:take_[ip]*" "ur:$WORK/probed:give_*(ret)" "usdt:$WORK/probed:probed:*" -- "$WORK/probed" user >truth 2>said
	ends b.json
	jq -r .probe b.json | sed 's/.*://' | sort >got
	jq -r '.fn | select(test("^take_[ip]|^give_[^n]|^plain|^guarded"))' truth >some
	# give_real() has no truth and no value, give_nothing() returns nothing
	jq -r '.fn | select(test("^give_n"))' truth | grep -v nothing >>some || true
	sort some >want
	cat said
	diff want got
}

@test "USDT: operands of each kind, semaphores, provider and name by glob" {
	need_feature uprobe
	row plain 'usdt:@:probed:plain(arg0, arg1:string, arg2, arg3)' '[.arg0, .arg1, .arg2, .arg3]' '[.n, .s, .stack, .seven]'
	row plain 'usdt:@:probed:plain(arg0) if arg0 < 0' .arg0 'select(.n < 0) | .n'
	row plain 'usdt:@:probed:plain(arg0) if arg1 ~ "*[34]"' .arg0 'select(.n > 0) | .n'
	row guarded 'usdt:@:probed:guarded(arg0)' .arg0 .n
	row guarded 'usdt:@:*:guard*(n=arg0)' .n
	rows_end
	"$SKEP" probe --format json -o a.json "usdt:$WORK/probed:probed:guarded" -- "$WORK/probed" user >truth
	ends a.json
	[ "$(jq -s 'map(select(.fn == "semaphore").on) | add' truth)" = 5 ]
	"$SKEP" probe --format json -o a.json "usdt:$WORK/probed:probed:plain" -- "$WORK/probed" user >truth
	ends a.json
	[ "$(jq -s 'map(select(.fn == "semaphore").on) | add' truth)" = 0 ]
}

@test "threads: each hit once, with its thread; built-in names" {
	need_feature uprobe
	"$SKEP" probe --format json -o a.json "u:$WORK/probed:many(thread, i, tid, pid, uid, cpu, time, depth, comm)" -- "$WORK/probed" user >truth
	ends a.json
	jq -c '[.values.thread, .values.i]' a.json | sort >got
	jq -c 'select(.fn == "many") | [.thread, .i]' truth | sort >want
	diff want got
	[ "$(jq -r .tid a.json | sort -u | wc -l)" = 4 ]
	[ "$(jq -c '[.values.thread, .tid]' a.json | sort -u | wc -l)" = 4 ]
	pid=$(jq 'select(.fn == "process").pid' truth)
	jq -se --argjson pid "$pid" 'all(.pid == $pid and .values.pid == $pid and .values.tid == .tid and .values.uid == 0 and .values.cpu == .cpu and
		.values.time == .time_ns and .values.depth >= 2 and .values.comm == "probed" and .comm == "probed")' a.json
}

# bats test_tags=slow
@test "--count: exact with threads and children, by glob and by filter; -I adds up; --top" {
	need_feature uprobe
	n=$(($(times 20000) / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1}))
	"$SKEP" probe --count --format json -o a.json "u:$WORK/probed:hit" -- "$WORK/probed" load "$n" 4 3 >truth
	ends a.json
	cat a.json truth
	[ "$(jq -r '.hits // .count // .calls' a.json)" = "$(jq .n truth)" ]
	"$SKEP" probe --count --format json -o b.json "u:$WORK/probed:hit if i < 1000" -- "$WORK/probed" load "$n" 4 3 >truth
	ends b.json
	[ "$(jq -r '.hits // .count // .calls' b.json)" = 8000 ]
	"$SKEP" probe --count --format json -o c.json "ur:$WORK/probed:hit if i >= 1000" -- "$WORK/probed" load "$n" 4 3 >truth
	ends c.json
	[ "$(jq -r '.hits // .count // .calls' c.json)" = $(($(jq .n truth) - 8000)) ]
	"$SKEP" probe --count -I 50 --format json -o d.json "u:$WORK/probed:hit" -- "$WORK/probed" load "$n" 4 3 >truth
	ends d.json
	[ "$(jq -s 'map(.hits // .count // .calls) | add' d.json)" = "$(jq .n truth)" ]
	"$SKEP" probe --count --top 2 -o e.txt "u:$WORK/probed:take_*" -- "$WORK/probed" user >truth
	cat e.txt
	[ "$(grep -c ':take_' e.txt)" = 2 ]
}

@test "--count of one function with two filters: two rows" {
	need_feature uprobe
	"$SKEP" probe --count --format json -o a.json "u:$WORK/probed:many if thread == 1" "u:$WORK/probed:many if i < 10" -- "$WORK/probed" user >truth
	ends a.json
	cat a.json
	[ "$(jq -s -c 'map(.hits) | sort' a.json)" = "[40,100]" ]
}

@test "-o: a stream and a table replace what the file held" {
	need_feature uprobe
	seq 5000 >a.json
	"$SKEP" probe --format json -o a.json "u:$WORK/probed:take_pid(comm)" -- "$WORK/probed" user >truth
	ends a.json
	wc -l a.json
	[ "$(wc -l <a.json)" = 5 ]
	seq 5000 >b.json
	"$SKEP" probe --count --format json -o b.json "u:$WORK/probed:take_pid" -- "$WORK/probed" user >truth
	ends b.json
	[ "$(wc -l <b.json)" = 1 ]
}

@test "-n N prints exactly N" {
	need_feature uprobe
	for n in 1 7 1000; do
		"$SKEP" probe -n $n --format json -o a.json "u:$WORK/probed:hit(i)" -- "$WORK/probed" load 20000 2 0 user >truth
		ends a.json
		[ "$(wc -l <a.json)" = $n ]
		jq -e --argjson n "$n" ".seen == \$n and .kept == \$n" a.json.end
	done
	"$SKEP" probe -n 3 "u:$WORK/probed:hit(i)" -- "$WORK/probed" load 5 0 0 user >out
	cat out
	[ "$(grep -c 'hit(i=' out)" = 3 ]
}

# bats test_tags=slow
@test "a load that a ring of 4 KiB cannot hold: printed and lost add up to the truth, exact; --strict fails" {
	need_feature uprobe
	n=$((1000000 / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1}))
	"$SKEP" probe -m 4 --format json -o a.json "u:$WORK/probed:hit(i)" -- "$WORK/probed" load $n 0 0 user >truth 2>said
	ends a.json
	ledger $n "$(wc -l <a.json)"
	# what came is in its order and whole
	jq -se 'map(.values.i) | . == (sort | unique)' <(head -20000 a.json)
	run "$SKEP" probe --strict -m 4 --format json -o b.json "u:$WORK/probed:hit(i, comm, a=comm, b=comm, c=comm, d=comm)" -- "$WORK/probed" load $((n / 4)) 3 0 user
	[ "$status" = 1 ]
	"$SKEP" probe --format json -o c.json "u:$WORK/probed:hit(i)" -- "$WORK/probed" load 2000 2 2 user >truth 2>said
	ends c.json
	[ "$(wc -l <c.json)" = 10000 ]
	ledger 10000 10000
}

@test "values that cannot be read are null; a filter that cannot be read is a loss" {
	need_feature uprobe
	row give_text 'ur:@:give_text(c=ret[0]:u8, n)' '[.c, .n]' '[(.ret | if . then explode[0] else null end), .n]'
	row take_ints 'u:@:take_ints(a=*(int *)i8, i8)' '[.a, .i8]' '[null, .i8]'
	rows_end
	"$SKEP" probe --format json -o a.json "ur:$WORK/probed:give_text(ret) if ret[0] == 116" -- "$WORK/probed" user >truth 2>said
	ends a.json
	cat said
	[ "$(jq -r .values.ret a.json | xargs)" = "two" ]
	ledger 2 1
}

@test "targets: -p, --comm, children of COMMAND; a deleted program by /proc/PID/exe" {
	need_feature uprobe
	mkfifo go
	cp "$WORK/probed" own
	background sh -c 'exec ./own wait <go >truth'
	exec 9>go
	eventually grep -q ready truth
	rm own
	run "$SKEP" probe u:./own:take_ints -p "$BG" --duration 1
	echo "$output"
	[ "$status" = 2 ]
	"$SKEP" probe --format json -o a.json "u:/proc/$BG/exe:take_ints(i8)" -p "$BG" >said 2>&1 9>&- 3>&- &
	probe=$!
	BACKGROUND+=($probe)
	sleep "$(times 1)"
	exec 9>&-
	wait $probe
	cat said
	ends a.json
	[ "$(jq -c .values.i8 a.json | xargs)" = "$(jq -c 'select(.fn == "take_ints").i8' truth | xargs)" ]
	"$SKEP" probe --format json -o b.json "u:$WORK/probed:take_ints(i8)" --comm probed -- sh -c "'$WORK/probed' user >truth; cp '$WORK/probed' other; ./other user >truth2"
	ends b.json
	[ "$(wc -l <b.json)" = 5 ]
}

@test "C++, Rust, Go: classes, overloads, templates; names as in the source" {
	need_feature uprobe
	if [ -x "$WORK/probed_cxx" ]; then
		PROGRAM=$WORK/probed_cxx
		row area 'u:@:shapes::Box::area(scale, w=this->width, h=this->height)' '[.scale, .w, .h]'
		row total 'u:@:shapes::total(n)' .n '[.n] | .[]' refused_or_rows
		row length 'u:@:shapes::Named::length(d=this->depth, t=this->tag)' '[.d, .t]'
		row twice_int 'u:@:*twice<int>*(v)' .v
		row twice 'u:@:*twice<*>*' '0' '0'
		row over 'u:@:over(v)' .v
	fi
	if [ -x "$WORK/probed_rust" ]; then
		PROGRAM=$WORK/probed_rust
		row plain_add 'u:@:plain_add(a, b)' '[.a, .b]'
		row plain_add 'ur:@:plain_add(ret, a)' '[.ret, .a]'
		row thrice 'u:@:probed::math::thrice(x)' .x
		row measure 'u:@:probed::measure(n=s.length)' .n
	fi
	if [ -x "$WORK/probed_go" ]; then
		PROGRAM=$WORK/probed_go
		row Add 'u:@:main.Add(a, b)' '[.a, .b]'
		row Add 'ur:@:main.Add(ret)' .ret
		row Greet 'u:@:main.Greet(n=name.len, p=name.str:string)' '[.n, (.p[0:3] // "")]' '[.n, .s[0:3]]'
		row Greet 'u:@:main.Greet(p=name.str:string:name.len)' .p .s
		row Add 'u:@:main.Add(a) if a > 2 && b < 0' .a 'select(.a > 2 and .b < 0) | .a'
	fi
	rows_end
}

@test "refused: unknown names, with similar ones" {
	need_feature uprobe
	refuses 2 u:@:take_intz "no such function" "hint: similar: " take_ints
	refuses 2 u:@:only_inlined 'it is only inlined, at 1 place'
	refuses 2 'u:@:take_ints(i9)' "has no argument 'i9'" "hint: take_ints has i8, u8, i16, u16, i32, u32"
	refuses 2 'u:@:take_ints(i8) if i9 > 2' "bad filter: " "has no argument 'i9'" "hint: take_ints has i8, u8"
	refuses 2 'u:@:take_node(n->idd)' "no member 'idd'" "hint: similar: id"
	refuses 2 'u:@:take_node(n->next->nothing)' "no member 'nothing'"
	refuses 2 'u:@:take_node((struct nod *)n)' "no such type"
	refuses 2 'u:@:take_node(n->id) if n->color == PURPLE' "PURPLE"
	refuses 2 'usdt:@:probed:plane' "no such USDT probe" "plain"
	refuses 2 'usdt:@:probed:plain(arg4)' "has no argument 'arg4'" "arg0, arg1, arg2, arg3"
	refuses 2 'u:@:nothing_like_it_*' "no such function"
	refuses 2 'u:@:take_ints(i8:s7)' "unknown type 's7'" "hint: types are u8"
	refuses 2 'u:@:take_text(nosuch == nosuch_either)' "'nosuch'"
	rows_end
}

@test "refused: types and operators that do not match" {
	need_feature uprobe
	refuses 2 'u:@:take_ints(i8) if i8 == "text"' "bad filter: " "compared with a string"
	refuses 2 'u:@:take_longs(u64) if u64 == "text"' "bad filter: " "compared with a string"
	refuses 2 'u:@:take_text(s) if s > "text"' "strings have no order"
	refuses 2 'u:@:take_text(s) if s == 5 && "a" == "b"' "two constant strings"
	refuses 2 'u:@:take_text(s) if "apple"' "a string alone"
	refuses 2 'u:@:take_values(p)' "a struct" "one of its members"
	refuses 2 'u:@:take_node(n->array)' "an array" "one of its elements"
	refuses 2 'u:@:take_node(n->array[4])' "4 elements"
	refuses 2 'u:@:take_node(n->weight)' "floating"
	refuses 2 'u:@:take_node(n->id->id)' "has no members"
	refuses 2 'u:@:take_node(*n->id)' "not a pointer"
	refuses 2 'u:@:take_real(d)' "floating-point register"
	refuses 2 'ur:@:give_real(ret)' "floating-point number"
	refuses 2 'ur:@:give_nothing(ret)' "returns nothing"
	refuses 2 'u:@:give_int(ret)' "only a return has a return value" "hint: "
	refuses 2 'u:@:give_int(latency)' "only a return has a latency" "hint: "
	refuses 2 'u:@:take_ints(i8 / 0)' "a division by zero"
	refuses 2 'u:@:take_ints+100000' "past its end"
	refuses 2 'u:@:take_ints+1' "in the middle of an instruction"
	refuses 2 'ur:@:give_int+4' "a return has no offset"
	refuses 2 'u:@:take_text(s) if s ~ "1234567890123456789012345678901234567890123456789012345678901234?"' "62 characters"
	rows_end
}

@test "refused: grammar, with a caret under the place" {
	need_feature uprobe
	for spec in 'u:@:take_ints(i8' 'u:@:take_ints(i8))' 'u:@:take_ints(i8,,u8)' 'u:@:take_ints(i8 u8)' 'u:@:take_text(s) if s == "apple' 'u:@:take_text(s) if' \
		'u:@:take_text(s) if ' 'u:@:take_text(s) if (c == 1' 'u:@:take_text(s) if c ==' 'u:@:take_text(s[)' 'u:@:take_text(s[0)' 'u:@:take_node(n->)' 'u:@:take_node(n-> )' \
		'u:@:' 'u:@' 'u::main' 'usdt:@:probed' 'usdt:@' 'x:@:main' 'u:@:take_ints(i8:)' 'u:@:take_ints(=i8)' 'u:@:take_ints(a=)' 'u:@:take_ints(0x)' \
		'u:@:take_ints(99999999999999999999)' 'u:@:take_ints(5Q)' 'u:@:take_ints(i8 in 3)' 'u:@:take_ints(i8 in 3..)' 'u:@:take_ints(i8 @ 3)' 'u:@:take_ints+zz' 'u:@:take_ints(i8), u:@:take_text' \
		'u:@:take_ints(container_of(i8))' 'u:@:take_ints(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q)' 'u:@:take_ints(i8) if i8 ~ i8'; do
		refuses 2 "$spec" "bad "
		[ "$(awk '/^ *\^$/ { n++ } END { print n + 0 }' <<<"$output")" = 1 ] || { echo "$spec: no caret: $output"; BAD=$((BAD + 1)); }
	done
	refuses 2 'u:@:take_ints(i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8,i8)' "at most 16 arguments"
	refuses 2 $'u:@:take_ints(\ti8)' "control character"
	refuses 2 $'u:@:take_\033[31mints' "control character"
	refuses 2 $'u:/tmp/\001:x' "control character"
	refuses 2 "u:@:take_ints($(printf '%2000s' '' | tr ' ' '(')" "bad argument"
	refuses 2 "u:@:take_ints(i8) if $(printf '%2000s' '' | tr ' ' '-')i8" "bad filter"
	rows_end
}

@test "refused: files" {
	need_feature uprobe
	mkdir dir
	echo hello >text
	printf '\177ELF' >cut
	head -c 3000 "$WORK/probed" >half
	: >empty
	refuses 2 u:./none:main "cannot probe './none': No such file"
	refuses 2 u:none-of-path:main "no program in PATH" "hint: ./none-of-path"
	refuses 2 u:./dir:main "it is not a file"
	refuses 2 u:./text:main "it is not an ELF file"
	refuses 2 u:./empty:main "it is not an ELF file"
	refuses 2 u:./cut:main "cannot probe './cut'"
	refuses 2 u:./half:main "half"
	refuses 2 take_ints "cannot probe './none'" -- -x ./none
	cp "$WORK/probed" stripped
	strip stripped
	refuses 2 u:./stripped:take_ints "stripped"
	objcopy --strip-debug "$WORK/probed" nodebug
	refuses 2 'u:./nodebug:take_ints(i8)' "no debug information" "arg0 to arg5"
	rows_end
	PROGRAM=$PWD/nodebug
	row take_ints 'u:@:take_ints(v=arg0:s8, w=(u8)arg1) if arg4:s32 < 0' . . refused
	row take_ints 'u:@:take_ints(v=arg0:s8, w=(u8)arg1) if (int)arg4 < -1999999998' '[.v, .w]' 'select(.i32 < -1999999998) | [.i8, .u8]'
	row take_text 'u:@:take_text(arg0:string)' .arg0 .s
	row give_int 'ur:@:give_int(ret:s32)' .ret
	rows_end
}

@test "refused: returns of Go with arguments" {
	need_feature uprobe
	[ -x "$WORK/probed_go" ] || skip "no Go here"
	PROGRAM=$WORK/probed_go
	refuses 2 'ur:@:main.Add(ret, a)' "Go function" "not known when it returns"
	refuses 2 'ur:@:main.Add(latency)' "Go function"
	rows_end
}

@test "filters of 2,000 characters and of many parts work or are refused" {
	need_feature uprobe
	long=$(printf 'i8 == %d || ' $(seq 1 200))
	[ "${#long}" -gt 2000 ]
	row take_ints "u:@:take_ints(i8) if $long i8 == -98" .i8 . refused
	row take_ints "u:@:take_ints(i8) if $(printf 'i8 != %d && ' $(seq 1 60)) i8 == -98" .i8 'select(.i8 == -98) | .i8'
	row take_ints "u:@:take_ints(i8) if $(printf 'i8 != %d && ' $(seq 1 2000)) i8 == -98" .i8 . refused
	row take_text "u:@:take_text(s) if $(printf 's != "%d" && ' $(seq 1 50)) s == \"apple\"" .s 'select(.s == "apple") | .s'
	row take_text "u:@:take_text(s) if $(printf 's ~ "?%d*" || ' 1 2 3 4 5 6 7) s ~ \"?pple*\"" .s 'select(.s | test("^.pple")) | .s'
	row take_text "u:@:take_text(s) if $(printf 's ~ "?%d*" || ' 1 2 3 4 5 6 7 8 9) s ~ \"?pple*\"" .s . refused
	row take_ints "u:@:take_ints(i8) if ((((((((((((i8 + 1) * 2) - 3) * 2) + 5) & 255) | 1) ^ 2) + 3) - 4) * 5) % 7) >= 0" .i8
	row take_ints "u:@:take_ints(v=i8+(u8+(i16+(u16+(i32+(u32+(i8+(u8+(i16+u16)))))))))" .v '.i8 * 2 + .u8 * 2 + .i16 * 2 + .u16 * 2 + .i32 + .u32'
	rows_end
}
