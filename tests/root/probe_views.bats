#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What skep probe sums in the kernel, and probes as events of other commands: hitrate calls its function as often as it is told, in five
# rounds, with 0, 1, 2... each round.
load ../lib.bash
load probe_rows.bash

HIT=u:$WORK/hitrate:hit

setup() { cd "$BATS_TEST_TMPDIR" || exit; need_feature uprobe; }

probe() { "$SKEP" probe "$@" -- "$WORK/hitrate" 1000 >out 2>said; }

# bats test_tags=newest
@test "--by an expression: a row for each of its values" {
	probe $HIT --by index --format json -o rows.json
	ends rows.json
	[ "$(jq -s 'length' rows.json)" = 200 ]
	[ "$(jq -s 'map(.hits) | unique == [5]' rows.json)" = true ]
	[ "$(jq -s 'map(.index) | sort == [range(200)]' rows.json)" = true ]
}

# bats test_tags=user-space
@test "--by built-in keys, a string and a number in one key" {
	probe $HIT --by comm,pid,name,bytes --format json -o rows.json
	ends rows.json
	[ "$(jq -c '[.comm, .name, .bytes, .hits]' rows.json)" = '["hitrate","a name of some length",4096,1000]' ]
}

# bats test_tags=user-space
@test "--hist: powers of two, and slots of a step" {
	probe $HIT --hist bytes --format json -o rows.json
	ends rows.json
	[ "$(jq -c '[.hits, .total, .max, .slots]' rows.json)" = '[1000,4096000,4096,[{"from":4096,"n":1000}]]' ]
	probe $HIT --hist index --linear 50:150:25 --format json -o rows.json
	ends rows.json
	[ "$(jq -c '.slots | map([.from, .n])' rows.json)" = '[[null,250],[50,125],[75,125],[100,125],[125,125],[150,250]]' ]
	probe $HIT --hist 'index - 100' --format json -o rows.json
	ends rows.json
	[ "$(jq -c '[.hits, .out_of_range, (.slots | map(.n) | add)]' rows.json)" = '[1000,500,500]' ]
	probe $HIT --hist 'bytes - 5000' --format json -o rows.json
	cat rows.json
	ends rows.json
	[ "$(jq -c '[.hits, .out_of_range, .total, .max, .slots]' rows.json)" = '[1000,1000,0,null,[]]' ]
	probe $HIT --hist 'bytes - 5000' --linear 0:100:10 --format json -o rows.json
	ends rows.json
	[ "$(jq -c '[.out_of_range, .slots]' rows.json)" = '[1000,[{"from":100,"n":1000}]]' ]
	probe $HIT --hist index --by 'index / 100'
	grep -q '^index / 100 0: 500 hits, mean 49.5, min 0, max 99$' out
	grep -q '\[ *64, *128) *180 ' out
}

@test "--latency: every call that returned" {
	probe ${HIT} --latency --format json -o rows.json
	ends rows.json
	[ "$(jq -c '[.hits, (.slots | map(.n) | add), .total_ns > 0]' rows.json)" = '[1000,1000,true]' ]
}

@test "the dearest filter: patterns, divisions and strings, with every view" {
	FILTER='if (name ~ "*nam?*[a-h]" || name ~ "x*" || comm ~ "*q*") && index * 4096 / (index + 1) % 4096 >= -(index | 3) && name != "other"'
	probe "$HIT $FILTER" --by comm,pid,tid,cpu,user,cgroup,event,index,bytes,name,sum --hist 'bytes / (index + 1)' --format json -o rows.json
	ends rows.json
	[ "$(jq -s 'map(.hits) | add' rows.json)" = 1000 ]
	probe "$HIT(index, bytes, name, sum, comm, depth, cgroup, *sum) $FILTER" --format json -o rows.json
	ends rows.json
	[ "$(wc -l <rows.json)" = 1000 ]
	probe --count "$HIT $FILTER" --format json -o rows.json
	ends rows.json
	[ "$(jq .hits rows.json)" = 1000 ]
	probe -g "$HIT $FILTER" --format folded -o out.folded
	[ "$(awk '{ n += $NF } END { print n }' out.folded)" = 1000 ]
	probe "ur:$WORK/hitrate:hit $FILTER && latency > 0" --by comm --hist latency --format json -o rows.json
	ends rows.json
	[ "$(jq .hits rows.json)" = 1000 ]
}

# bats test_tags=user-space
@test "keys beyond --max-keys: one row and a loss" {
	run -1 "$SKEP" probe $HIT --by index --max-keys 8 --strict --format json -o rows.json -- "$WORK/hitrate" 1000
	ends rows.json
	[ "$(jq -s 'map(.hits) | add' rows.json)" = 1000 ]
	[ "$(jq -s 'map(select(.of == "other")) | length' rows.json)" = 1 ]
	[[ "$output" == *"--max-keys"* ]]
}

# bats test_tags=user-space
@test "--top and -I" {
	probe $HIT --by index --top 3
	[ "$(grep -cE '^[0-9]+ +5$' out)" = 3 ]
	grep -q '197 more rows' out
	"$SKEP" probe --count $HIT -I 50 --format json -o rows.json -- "$WORK/hitrate" 20000 >out
	ends rows.json
	[ "$(jq -s 'map(.hits) | add' rows.json)" = 20000 ]
	[ "$(jq -s 'map(.time_ns) | sort == .' rows.json)" = true ]
}

@test "-g: stacks, as a table and folded" {
	probe $HIT -g --format json -o rows.json
	[ "$(jq -s '[.. | .samples? // empty | numbers] | max' rows.json)" = 1000 ]
	probe $HIT -g --format folded -o out.folded
	[ "$(awk '{ n += $NF } END { print n }' out.folded)" = 1000 ]
	grep -q '^hitrate;.*hit 1000$\|;hit ' out.folded
}

# bats test_tags=newest
@test "-V: arguments and their types; -F: functions" {
	"$SKEP" probe -V "$HIT" "ur:$WORK/hitrate:hit" >out
	grep -q '	int index$' out
	grep -q 'char \*name$' out
	grep -q '	long \(int \)\?ret$' out
	"$SKEP" probe -F -x "$WORK/hitrate" 'hi*' | grep -q "u:$WORK/hitrate:hit "
}

@test "probes as events of stat, flame and record, with filters" {
	"$SKEP" stat -j -o rows.json -e "$HIT,$HIT if index < 50,ur:$WORK/hitrate:hit if ret > 0,task-clock" -- "$WORK/hitrate" 1000 >out
	[ "$(jq -sc 'map(select(.event != "task-clock") | .["counter-value"] | tonumber)' rows.json)" = '[1000,250,1000]' ]
	"$SKEP" flame -e "$HIT if index >= 150" -o out.folded -- "$WORK/hitrate" 1000 >out
	[ "$(awk '{ n += $NF } END { print n }' out.folded)" = 250 ]
	"$SKEP" record -e "$HIT" -o perf.data -- "$WORK/hitrate" 1000 >out
	"$SKEP" report -n --format csv -i perf.data >out 2>said || cat said
	grep -q 'hit' out
	run -2 "$SKEP" stat -e "$HIT(index)" -- true
	[[ "$output" == *"arguments work only in a filter here"* ]]
	run -2 "$SKEP" stat --by comm -e "$HIT" -- true
	[[ "$output" == *"skep probe --by"* ]]
}

need_tracefs() {
	[ -r /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted"
}

cleanup() {
	[ -z "${INSTANCE:-}" ] || rmdir "$INSTANCE"
}

# The kernel prints the same events into a buffer of their own: what skep shows of each must be there, word for word.
@test "tracepoints: all fields of each hit, by the tracepoint's own format" {
	need_tracefs
	INSTANCE=/sys/kernel/tracing/instances/skep$$
	mkdir "$INSTANCE" || skip "no instances of tracefs here"
	local events=(sched:sched_process_fork sched:sched_process_exec sched:sched_process_exit sched:sched_switch irq:softirq_raise task:task_newtask
		signal:signal_generate exceptions:page_fault_user workqueue:workqueue_queue_work) probes=() e
	for e in "${events[@]}"; do
		[ -d "/sys/kernel/tracing/events/${e/:/\/}" ] || continue
		echo 1 >"$INSTANCE/events/${e/:/\/}/enable"
		probes+=("t:$e")
	done
	"$SKEP" probe "${probes[@]}" -m 4096 -o hits -- sh -c 'for i in 1 2 3; do ls / >/dev/null; sh -c "kill -USR1 \$\$" || true; done'
	echo 0 >"$INSTANCE/tracing_on"
	cp "$INSTANCE/trace" kernel
	# "sched:sched_switch(TEXT)" and "sched_switch: TEXT"
	sed -n 's/^.\{55\}[a-z]*:\([a-z_]*\)(\(.*\))$/\1: \2/p' hits | grep -v '0x[0-9a-f]\{16\}' | sort -u >ours
	sed -n 's/^.\{30,\} [0-9]*\.[0-9]*: \([a-z_]*: .*\)/\1/p' kernel | sed 's/ *$//' | sort -u >theirs
	comm -23 ours theirs >wrong
	comm -12 ours theirs >same
	echo "$(wc -l <ours) texts, $(wc -l <hits) lines; not the kernel's: $(wc -l <wrong)"
	head wrong
	# The kernel's buffer loses some
	[ "$(wc -l <same)" -ge 20 ] && [ "$(wc -l <wrong)" -le $(($(wc -l <same) / 50)) ]
	for e in sched_process_fork sched_process_exec sched_process_exit signal_generate; do grep -q "^$e: " same; done
}

@test "tracepoints: (*) among others, JSON by field, () for none" {
	need_tracefs
	"$SKEP" probe 't:sched:sched_process_exit(pid_twice=pid * 2, *)' -o out -- true
	grep -q 'sched:sched_process_exit(pid_twice=[0-9]*, comm=true pid=[0-9]* prio=120' out
	"$SKEP" probe t:sched:sched_process_exec t:syscalls:sys_exit_exit_group t:syscalls:sys_enter_exit_group --format json -o out.json -- true
	ends out.json
	jq -se '.[0] | .probe == "t:sched:sched_process_exec" and (.values.filename | endswith("true")) and .values.pid == .pid' out.json
	jq -se '.[-1] | .probe == "t:syscalls:sys_enter_exit_group" and .values.error_code == 0' out.json
	"$SKEP" probe 't:sched:sched_process_exit()' -o out -- true
	grep -q 'sched:sched_process_exit()$' out
	# A long text is cut at --text-size
	"$SKEP" probe --text-size 8 t:sched:sched_process_exec -o out -- /usr/bin/env true
	grep -q 'sched:sched_process_exec(filename=/usr/bin pid=' out
	run -2 "$SKEP" probe 'k:vfs_read(*)' -- true
	[[ "$output" == *"* means all fields of a tracepoint"*"hint: skep probe -V"* ]]
}

# bats test_tags=user-space
@test "functions of a glob that cannot be probed: a note, an error with --strict" {
	[ "$(uname -m)" = x86_64 ] || skip "AVX-512 is of x86-64"
	cp /lib/x86_64-linux-gnu/libc.so.6 libc.so
	"$SKEP" list "u:$PWD/libc.so:__memset_evex_unaligned" >/dev/null 2>&1 || skip "libc.so.6 names none of its AVX-512 functions"
	run -1 "$SKEP" -v probe --count "u:$PWD/libc.so:*memset*" --duration 10ms
	[[ "$output" == *"not probed: __memset_evex_unaligned: its AVX-512 instruction would give wrong results"* ]]
	run -1 "$SKEP" probe --strict --count "u:$PWD/libc.so:*memset*" --duration 10ms
	[[ "$output" == *"cannot be probed"* ]]
}

# bats test_tags=user-space
@test "--format csv: a column a value, of several places a column a name; tables and stacks" {
	probe "$HIT(index, name)" "ur:$WORK/hitrate:hit(ret, index) if index < 10" --format csv -o rows.csv
	head -3 rows.csv
	[ "$(head -1 rows.csv)" = time_ns,comm,pid,tid,cpu,probe,values.index,values.name,values.ret ]
	[ "$(grep -c ",$HIT,[0-9]*,a name of some length,\$" rows.csv)" = 1000 ]
	[ "$(awk -F, -v probe="ur:$WORK/hitrate:hit if index < 10" '$6 == probe && $7 < 10 && $8 == "" && $9 != ""' rows.csv | wc -l)" = 50 ]
	probe $HIT --by name --format csv -o table.csv
	[ "$(cat table.csv)" = "$(printf 'hits,name\n1000,a name of some length')" ]
	probe $HIT -g --format csv -o stacks.csv
	head -3 stacks.csv
	grep -q hitrate stacks.csv
	many=$(seq -f 'a%g=index' -s ', ' 1 16)
	run -2 "$SKEP" probe "$HIT($many)" "$HIT(${many//a/b})" "$HIT(${many//a/c})" "$HIT(${many//a/d})" --format csv -- "$WORK/hitrate" 1
	[[ "$output" == *"a row has room for 55 values: these probes have more of different names"* ]]
}

# bats test_tags=user-space
@test "--fields: chosen columns in their order, in every format and of tables" {
	two=("$HIT(index, name)" "ur:$WORK/hitrate:hit(ret) if index < 10")
	probe "${two[@]}" --fields values.ret,comm,values.index,time --format csv -o rows.csv
	[ "$(head -1 rows.csv)" = values.ret,comm,values.index,time ]
	[ "$(awk -F, '$1 == "" && $2 == "hitrate" && $3 != "" && $4 ~ /^[0-9]+\.[0-9]+$/' rows.csv | wc -l)" = 1000 ]
	[ "$(awk -F, '$1 != "" && $3 == ""' rows.csv | wc -l)" = 50 ]
	probe $HIT --fields cpu,comm --format csv -o plain.csv
	[ "$(head -1 plain.csv)" = cpu,comm ]
	[ "$(grep -c '^[0-9]*,hitrate$' plain.csv)" = 1000 ]
	probe "${two[@]}" --fields values.ret,tid --format json -o rows.json
	ends rows.json
	jq -se 'length == 1050 and all(keys_unsorted == ["values.ret", "tid"])' rows.json
	probe "${two[@]}" --fields time,call,values.name -o rows.txt
	head -3 rows.txt
	[[ "$(head -1 rows.txt)" =~ ^\ *TIME\ PROBE\ *name$ ]]
	[ "$(wc -l <rows.txt)" = 1051 ]
	probe $HIT --by name,comm --fields comm,hits --format csv -o table.csv
	[ "$(cat table.csv)" = "$(printf 'comm,hits\nhitrate,1000')" ]
}

# bats test_tags=user-space
@test "a signed argument of a system call is the same number in sums, in hits and as a key" {
	local openat=syscalls:sys_enter_openat
	"$SKEP" stat -j --by 'args->dfd' -e $openat -o stat.json -- cat /proc/self/stat >out
	"$SKEP" probe t:$openat --by dfd --format json -o keys.json -- cat /proc/self/stat >out
	"$SKEP" probe "t:$openat(dfd)" --filter 'dfd < 0' --format json -o hits.json -- cat /proc/self/stat >out
	cat stat.json keys.json
	jq -se 'any(.["args.dfd"] == -100)' stat.json
	jq -se 'any(.dfd == -100)' keys.json
	jq -se 'any(.values.dfd? == -100)' hits.json
}
