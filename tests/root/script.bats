#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep script beside perf script: the same text of the same recordings.
# bats file_tags=user-space
load ../lib.bash

# A corpus of recordings by perf: plain, chains, several events, a group, data addresses, tracepoints with and without chains, a pipe,
# compressed, threads, short processes, registers, all CPUs.
setup_file() {
	[ "$(id -u)" = 0 ] || return 0
	command -v perf >/dev/null || return 0
	ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd) W=${WORK:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)/build/work}
	cd "$BATS_FILE_TMPDIR"
	# Where the frame pointer was used for another number, that may look like a marker of the chain: perf then shows nothing of the stack
	record() { # NAME ARGUMENT...
		local try
		for try in 1 2 3 4 5; do
			perf record -q -o "$1.data" "${@:2}" >/dev/null 2>"$1.err" || { rm -f "$1.data" && echo "$1: $(cat "$1.err")" >&2; return; }
			perf script -v -i "$1.data" 2>&1 | grep -q 'invalid callchain context' || return 0
			echo "$1: a chain that perf does not show, at try $try" >&2
		done
	}
	record plain -F 999 "$W/shares" 0.3
	record chains -g -F 999 "$W/shares" 0.3
	record events -e cpu-clock,task-clock:u,page-faults -g ls -R /usr/share/doc
	record group -e '{cpu-clock,page-faults}' ls -R /usr/share/doc
	record data -e page-faults -c 1 -d --phys-data --data-page-size --code-page-size ls /usr
	record cpus -a -F 499 -- bash -c "'$W/shares' 0.2; head -c 1G /dev/zero" # also in the kernel
	record packed -z -g -F 499 -- "$W/shares" 0.3
	record threads --threads -g -F 499 -- "$W/shares" 0.3
	record packedthreads --threads=core -z --switch-events -F 499 -- "$W/shares" 0.3
	record jit -g -F 999 "$W/jitted" 0.2
	rm -f jit-*.dump # perf reads it only after perf inject --jit
	record short -F 4999 -- bash -c 'for i in 1 2 3 4 5 6 7 8; do /bin/true; done'
	record regs -e cpu-clock --user-regs=ip,sp,bp --intr-regs=ip,ax,r15 "$W/shares" 0.2
	record period -e cpu-clock -c 2000000 "$W/shares" 0.2
	record nanos -k mono -e cpu-clock "$W/shares" 0.2
	record faults -e faults:u -e minor-faults:k -c 1 bash -c 'ls; ls'
	perf record -q -o - -e cpu-clock -g "$W/shares" 0.2 >pipe.data 2>/dev/null
	if [ -r /sys/kernel/tracing/events/sched ]; then
		record trace -a -e sched:sched_switch,sched:sched_wakeup,syscalls:sys_enter_openat,raw_syscalls:sys_exit -- ls -R /usr/share/doc
		record tracechains -e syscalls:sys_enter_openat,sched:sched_process_exec -g -- bash -c 'ls; ls'
		record fields -a -e irq:softirq_entry,kmem:kmalloc,kmem:kfree,timer:timer_expire_entry,sched:sched_process_fork,signal:signal_generate -c 1 -- bash -c '/bin/true; kill -WINCH $$; sleep 0.05'
	fi
	return 0
}

setup() {
	need_root
	need perf
	cd "$BATS_FILE_TMPDIR"
}

# Of both texts: skep names the function before one that was interrupted at its start; perf names what follows a call that never returns
# (of qemu, too, which may run beside), chooses among the names of one kernel address in another way, leaves out whose PLT it is, and keeps the
# mappings that a program had before execve(). No other line may differ.
known() {
	[ -e aliases ] || awk '{ n[$1]++; names[$1] = names[$1] $3 "\n" } END { for (a in n) if (n[a] > 1) printf "%s", names[a] }' /proc/kallsyms >aliases
	awk 'NR == FNR { alias[$1]; next } { name = $2; sub(/\+0x[0-9a-f]+$/, "", name) } !(/\(\[/ && name in alias)' aliases - |
		grep -vE '_dl_start_user|_init\+0x| _start(\+0x8| \(|$)|abort\+|(raise_(exception|interrupt)|cpu_loop_exit)[a-z_0-9]*\+|__stack_chk_fail|@plt|__pfx_|x86_64_start_reservations|execve\+0x7|exit\+0x1a|\+0x0 \(\[kernel|\[unknown\]( \(|$)|bpf_prog_' | sed -E 's/__pi_//; s/ __(mem[a-z]+\+)/ \1/'
}

# same FILE ARGUMENT...: both print the same of it, and something
same() {
	local file=$1
	shift
	perf script -i "$file" "$@" 2>/dev/null | known >perf.txt
	"$SKEP" -q script -i "$file" "$@" 2>skep.err | known >skep.txt || { cat skep.err; return 1; }
	[ -s perf.txt ] || { echo "$file $*: perf printed nothing"; return 1; }
	diff perf.txt skep.txt >differs || { echo "$file $*: $(grep -c '^[<>]' differs) lines differ"; head -8 differs; return 1; }
}

@test "the default text is perf script's, byte for byte" {
	n=0
	for f in *.data; do
		same "$f"
		n=$((n + 1))
	done
	[ $n -ge 12 ] && [ -f threads.data/data.1 ] && [ -f packedthreads.data/data.1 ]
}

@test "a directory as perf record --kcore leaves it: kernel names are those beside the records" {
	mkdir kept.data kept.data/kcore_dir
	cp cpus.data kept.data/data
	name=$("$SKEP" -q script -i kept.data -F ip,sym | awk '/ffffffff/ { print $2; exit }')
	sed "s/ $name\$/ kept_$name/" /proc/kallsyms >kept.data/kcore_dir/kallsyms
	"$SKEP" -q script -i kept.data -F ip,sym >out
	grep -q " kept_$name" out
	run ! grep -q " $name\$" out
	mkfifo kept.data/data.0
	run -1 "$SKEP" script -i kept.data
	[[ "$output" == *"kept.data/data.0': it is not a regular file"* ]]
	rm kept.data/data*
	run -1 "$SKEP" script -i kept.data
	[[ "$output" == *"is a directory, without the file 'data' of a recording"* ]]
	rm -r kept.data
}

@test "a directory of a recording without one of its files: a note names it" {
	cp -r threads.data parts.data
	"$SKEP" script -i parts.data 2>notes >/dev/null
	run ! grep missing notes
	mv parts.data/data.1 parts.data/data.2
	"$SKEP" script -i parts.data 2>notes >/dev/null
	cat notes
	grep -q 'note: 1 files of the directory are missing, data.1 is the first' notes
	# of the files of all threads it is not known how many there were
	rm parts.data/data.*
	for what in script report annotate "flame -o f.svg"; do
		# shellcheck disable=SC2086
		run -1 "$SKEP" $what -i parts.data
		echo "$output"
		[[ "$output" == *"no samples of "*" in 'parts.data': the directory has no data.N files"*"hint: copy the whole directory: "* && "$output" != *missing* ]]
	done
	rm -r parts.data
}

@test "a stream on standard input" {
	perf script -i - <pipe.data 2>/dev/null | known >perf.txt
	"$SKEP" -q script -i - <pipe.data | known >skep.txt
	[ -s perf.txt ]
	diff perf.txt skep.txt
}

@test "-F, -G, --max-stack, times, filters as perf has them" {
	for o in -G --ns --reltime --deltatime "--max-stack 2" "-F comm,ip,sym" "-F +pid,-symoff" "-F ip,sym,dso" "-F -event,-time" "-F +misc,-period" \
		"-F time,period,event" "--stop-bt main" "-S hot" "--dsos shares" "-F sw:comm,event" "--comms shares" "-G -F comm,sym,ip"; do
		# shellcheck disable=SC2086
		same chains.data $o
	done
	same events.data --comms ls
	same cpus.data -C "$(perf script -i cpus.data -F cpu 2>/dev/null | sed -n "1{s#[^0-9]##g;s#^0*\\(.\\)#\\1#;p}")"
	same cpus.data -F comm,cpu,time
	same data.data -F comm,addr,phys_addr
	same data.data -F +data_page_size,+code_page_size
	same regs.data -F comm,iregs
	same regs.data -F +uregs
	# A sample's source line with the sample, of those that have one: for the others perf prints FILE[ADDRESS] or, in a file
	# of which it knows other lines, nothing. Of the loader's code perf chooses among lines in another way
	with_line() {
		awk 'NF == 1 { at = at " " $1; next } NR > 1 { print at } { at = $0 } END { print at }' | grep ':[0-9]*$' | grep -v 'ld-linux' | known
	}
	perf script -i plain.data -F +srcline 2>/dev/null | with_line >perf.txt
	"$SKEP" -q script -i plain.data -F +srcline | with_line >skep.txt
	[ "$(grep -cE '(shares\.c|work\.h):[0-9]+$' perf.txt)" -ge 100 ]
	diff perf.txt skep.txt
	first=$(perf script -i plain.data -F time 2>/dev/null | sed -n '50{s/[ :]//g;p}')
	same plain.data --time "$first,"
	same plain.data --time ",$first"
	same plain.data --time 10%-40%
	same plain.data --time 10%/2
	same plain.data --tid "$(perf script -i plain.data -F tid 2>/dev/null | sed -n '1{s/ //g;p}')"
}

# An image with the running kernel's functions, linked elsewhere as if KASLR had moved it; one of them is renamed
@test "-k: kernel names are those of the image" {
	need /usr/bin/python3
	grep -q ' [tT] _etext$' /proc/kallsyms || skip "addresses of the kernel are hidden"
	name=$("$SKEP" -q script -i cpus.data -F ip,sym | awk '/ffffffff/ && !/bpf_prog|unknown/ { print $2; exit }')
	/usr/bin/python3 - "$name" >image <<-'EOF'
		import struct, sys
		MOVED, strings, symbols = 0x1000000, bytearray(b"\0"), bytearray(24) # they grow in place: kernels have 200,000
		for line in open("/proc/kallsyms"):
		    addr, kind, name = line.split("\t")[0].split()[:3]
		    if "\t" in line or kind not in "tTwW":
		        continue
		    symbols += struct.pack("<IBBHQQ", len(strings), {"t": 0x02, "T": 0x12}.get(kind, 0x22), 0, 1, int(addr, 16) - MOVED, 0)
		    strings += (b"image_" if name == sys.argv[1] else b"") + name.encode() + b"\0"
		names, at = b"\0.text\0.symtab\0.strtab\0", 64
		def section(name, kind, flags, addr, off, size, link=0, info=0, each=0):
		    return struct.pack("<IIQQQQIIQQ", name, kind, flags, addr, off, size, link, info, 8, each)
		strings += names
		table = section(0, 0, 0, 0, 0, 0) + section(1, 1, 6, 0xffffffff80000000, 64, 0)
		table += section(7, 2, 0, 0, at, len(symbols), 3, 1, 24) + section(15, 3, 0, 0, at + len(symbols), len(strings))
		table += section(15, 3, 0, 0, at + len(symbols) + len(strings) - len(names), len(names))
		head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, at + len(symbols) + len(strings), 0, 64, 0, 0, 64, 5, 4)
		sys.stdout.buffer.write(head + symbols + strings + table)
	EOF
	"$SKEP" -q script -i cpus.data -F ip,sym >own
	"$SKEP" -q script -i cpus.data -F ip,sym -k image >moved
	grep -q "image_$name" moved
	# modules and BPF programs are not in it; where one address has several names either is one
	diff <(sed "s/image_$name/$name/" moved) own | grep '^[<>] ' >differs || true
	[ "$(wc -l <differs)" -lt $(($(wc -l <own) / 10)) ] || { head -20 differs; false; }
	"$SKEP" -q report -i cpus.data --vmlinux image -s sym | grep -q "image_$name"
	run -1 "$SKEP" script -i cpus.data -k plain.data
	[[ "$output" == *"is no ELF file"* ]]
	run -1 "$SKEP" script -i cpus.data -k "$WORK/shares"
	[[ "$output" == *"has another build id than the recorded kernel"* ]]
	run -2 "$SKEP" script -i cpus.data -k image --kallsyms /proc/kallsyms
}

# What loads and stores met: a file with all its bits, which few CPUs record
@test "data_src in words" {
	need /usr/bin/python3
	/usr/bin/python3 - >memory.file <<-'EOF'
		import random, struct, sys
		random.seed(20)
		IP, TID, TIME, ADDR, PERIOD, WEIGHT, DATA_SRC = 1, 2, 4, 8, 1 << 8, 1 << 14, 1 << 15
		attr = struct.pack("<IIQQQQQ", 4, 112, 0x1cd, 1000, IP | TID | TIME | ADDR | PERIOD | WEIGHT | DATA_SRC, 0, 0).ljust(112, b"\0")
		data = struct.pack("<IHHII16s", 3, 0, 32, 7, 7, b"loads")
		for i in range(400):
		    # one bit more than the last, then any; the last fields are newer than some perfs
		    source = 1 << i if i < 46 else random.getrandbits(43) | random.randrange(5) << 43
		    data += struct.pack("<IHHQIIQQQQQ", 9, 2, 64, 0x401000 + i, 7, 7, 1000 + i, random.getrandbits(47), 1, random.getrandbits(12), source)
		at = 104
		sys.stdout.buffer.write(b"PERFILE2" + struct.pack("<QQQQQQQQ4Q", 104, 128, at, 128, at + 128, len(data), 0, 0, 0, 0, 0, 0))
		sys.stdout.buffer.write(attr + struct.pack("<QQ", 0, 0) + data)
	EOF
	for o in "" "-F comm,data_src,weight"; do
		# shellcheck disable=SC2086
		perf script -i memory.file $o >perf.txt 2>/dev/null
		[ "$(wc -l <perf.txt)" = 400 ]
		# shellcheck disable=SC2086
		"$SKEP" -q script -i memory.file $o | diff perf.txt -
	done
	"$SKEP" -q script -i memory.file --json >memory.json
	# perf cuts longer ones
	[ "$(perf script -i memory.file -F data_src 2>/dev/null | head -46 | sed -nE 's/.*\|OP (\S+)\|.*\|LCK (\S+)\|BLK  *(.*[^ ]) *$/\1 \2 \3/p')" = \
		"$(head -46 memory.json | jq -r '.memory | "\(.op) \(.lock) \(.blocked)"')" ]
	[ "$(jq -r .memory.op memory.json | sort -u | wc -l)" -ge 5 ]
}

@test "records beside the samples" {
	for f in plain chains cpus events packed short threads packedthreads; do
		same $f.data --show-task-events --show-mmap-events --show-lost-events --show-bpf-events
	done
	"$SKEP" -q script -i plain.data --show-round-events | grep -q '^PERF_RECORD_FINISHED_ROUND'
}

@test "tracepoints: their values by the format in the file, with and without call chains" {
	[ -e fields.data ] || skip "tracefs is not mounted"
	for f in trace tracechains fields; do
		same $f.data
		same $f.data -F comm,event,trace
		same $f.data -F trace:time,trace
	done
	same trace.data --switch-on syscalls:sys_enter_openat --switch-off sched:sched_wakeup
	same trace.data --switch-on syscalls:sys_enter_openat --show-on-off-events
}

@test "-D dumps the bytes of every record, where it is in the file" {
	"$SKEP" -q script -D -i chains.data >dump
	perf script -D -i chains.data 2>/dev/null >perf.dump
	# Each record of perf's dump, by place and size; and the bytes of all
	grep -E "^0x[0-9a-f]+@chains.data \[0x[0-9a-f]+\]: event: [0-9]+$" perf.dump | sort >perf.txt
	grep -E "^0x[0-9a-f]+@chains.data \[0x[0-9a-f]+\]: event: [0-9]+$" dump | sort >skep.txt
	[ -s perf.txt ]
	diff perf.txt skep.txt
	diff <(grep '^\.  [0-9a-f]' perf.dump | sort) <(grep '^\.  [0-9a-f]' dump | sort)
	# a place in the file: what xxd shows there
	at=$(sed -nE 's/^(0x[0-9a-f]+)@[^ ]* \[0x[0-9a-f]+\]: event: 9$/\1/p' dump | sed -n 3p)
	[ "$(od -An -tx1 -j "$((at))" -N 16 chains.data)" = "$(grep -A4 "^$at@" dump | sed -nE 's/^\.  0000: (( [0-9a-f]{2}){16}).*/\1/p')" ]
}

@test "a file of skep: the same text from perf script" {
	"$SKEP" -q record -g -F 999 -o own.data -- "$WORK/shares" 0.3
	perf script -i own.data 2>/dev/null | known >perf.txt
	"$SKEP" -q script -i own.data | known >skep.txt
	[ -s perf.txt ]
	diff perf.txt skep.txt
	rm own.data
}

@test "--json: an object a line, with the numbers of the text; --csv" {
	need jq
	"$SKEP" -q script --json -i chains.data >chains.json
	n=$(perf script -G -i chains.data 2>/dev/null | wc -l)
	[ "$(jq -c . chains.json | wc -l)" = "$n" ]
	diff <(jq -r '"\(.comm) \(.tid) \(.period) \(.event)"' chains.json) <("$SKEP" -q script -G -i chains.data -F comm,tid,period,event | awk '{ sub(/:$/, "", $4); print $1, $2, $3, $4 }')
	diff <(jq -r '.stack[] | select(.inlined | not) | .sym // "[unknown]"' chains.json) <("$SKEP" -q script -i chains.data -F ip,sym | sed -nE 's/^\t *[0-9a-f]+ //p')
	[ "$("$SKEP" -q script --json --max-stack 2 -i chains.data | jq '[.stack[] | select(.inlined | not)] | length' | sort -n | tail -1)" = 2 ]
	[ "$("$SKEP" -q script --json --stop-bt main -i chains.data | jq -r '.stack | map(.sym) | index("main") as $m | $m != null and $m + 1 < length' | sort -u)" = false ]
	"$SKEP" -q script --format csv -i chains.data >chains.csv
	[ "$(wc -l <chains.csv)" = $((n + 1)) ]
	[ "$(head -1 chains.csv)" = "time,comm,pid,tid,cpu,event,period,ip,sym,dso,trace,stack" ]
	grep -q ',"*[^,]*main;hot' chains.csv
}

@test "the scripts of the manual run" {
	need python3
	[ -e trace.data ] || skip "tracefs is not mounted"
	awk '/^\.SH SCRIPTS/ { on = 1 } /^\.SH SEE/ { on = 0 } /^\.nf/ && on { n++; text = 1; next } /^\.fi/ { text = 0 } on && text { print > ("script" n ".py") }' "$ROOT/man/skep-script.1"
	sed -i 's/\\-/-/g' script[123].py
	"$SKEP" -q script --json -i cpus.data | python3 script1.py | grep -q ' shares [0-9]'
	perf record -q -a -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -o calls.data -- ls -R /usr/share/doc >/dev/null 2>&1
	"$SKEP" -q script --json -i calls.data | python3 script2.py | grep -q '^ls call 257 [0-9]* times'
	perf record -q -a -e sched:sched_wakeup,sched:sched_switch -o wakes.data -- bash -c 'sleep 0.05; sleep 0.05' >/dev/null 2>&1
	"$SKEP" -q script --json -i wakes.data | python3 script3.py | grep -q 'waits, longest'
	rm calls.data wakes.data
}

@test "--per-event-dump and -S with addresses are perf's" {
	perf script -i events.data --per-event-dump >/dev/null 2>&1
	mkdir theirs
	mv events.data.*.dump theirs
	"$SKEP" script -i events.data --per-event-dump >out 2>notes
	[ ! -s out ]
	n=0
	for f in events.data.*.dump; do
		known <"theirs/$f" >perf.txt
		known <"$f" | diff perf.txt -
		grep -q "wrote $f: $(grep -c '^$' "$f") samples" notes
		n=$((n + 1))
	done
	[ $n -ge 2 ]
	rm -r theirs events.data.*.dump
	run -2 "$SKEP" script -i events.data --per-event-dump --json
	run -2 "$SKEP" script --per-event-dump -i - <pipe.data
	addr=$("$SKEP" -q script -i plain.data -F ip,sym | awk '/hot/ { print $1; exit }')
	for range in 1 16 4096; do
		same plain.data -F ip,sym -S "0x$addr" --addr-range $range
		same plain.data -F ip,sym -S "0x$addr,0x1000" --addr-range $range
	done
	same plain.data -F ip,sym -S "0x$addr"
	run -2 "$SKEP" script -i plain.data --addr-range 3
}

@test "--per-event-dump: no two events share a file, not either where one is named like the file of another" {
	perf record -q -e cpu-clock/name=a/,task-clock/name=a/,cpu-clock/name=a.1/ -o alike.data -- ls -R /usr/share/doc >/dev/null
	"$SKEP" script -i alike.data --per-event-dump 2>notes
	[ "$(ls alike.data.*.dump | wc -l)" = 3 ]
	for f in alike.data.*.dump; do
		[ "$(grep -c "wrote $f: $(wc -l <"$f") samples" notes)" = 1 ]
	done
	rm alike.data*
}

@test "what cannot be printed is said" {
	run -2 "$SKEP" script -i plain.data -F +addr
	[[ "$output" == *"cannot print 'addr': samples of 'cpu-clock"*"record with -d"* ]]
	run -2 "$SKEP" script -i plain.data -F comm,tme
	[[ "$output" == *"unknown field 'tme'"*"similar: time"* ]]
	run -2 "$SKEP" script -i plain.data -F +insn
	[[ "$output" == *"field 'insn' is not supported"* ]]
	run -2 "$SKEP" script -i plain.data -F +comm,tid
	run -2 "$SKEP" script -i plain.data -F xx:comm
	run -2 "$SKEP" script -i plain.data --switch-on nosuch
	for o in "--comms nosuch" "--pid 1" "--time 1,2" "-S nosuch"; do
		# shellcheck disable=SC2086
		run -1 "$SKEP" script -i plain.data $o
		[[ "$output" == *"none of the "*" samples in 'plain.data' is of those that the options name"* ]]
	done
	run -1 "$SKEP" report -i chains.data -p nosuch -x
	[[ "$output" == *"none of the "* ]]
	for c in script report annotate; do
		run -2 "$SKEP" $c -i plain.data -C 0
		[[ "$output" == *"--cpu: samples of 'cpu-clock"*"' have no CPUs"* ]]
	done
	for f in sym dso; do
		run -2 "$SKEP" script -i plain.data -F comm,$f
		[[ "$output" == *"'$f' needs 'ip' or 'addr'"* ]]
	done
	run -2 "$SKEP" script -i plain.data -F trace
	[[ "$output" == *"cannot print 'trace': the file has no tracepoints"* ]]
	for o in "-D --json" "--json -F comm" "--format csv --show-mmap-events" "--json --ns"; do
		# shellcheck disable=SC2086
		run -2 "$SKEP" script -i plain.data $o
		[[ "$output" == *" exclude each other: "* ]]
	done
	run -2 "$SKEP" script -i plain.data --format folded -F comm
	run -2 "$SKEP" script nosuch.py
	[[ "$output" == *"skep script --json"* ]]
	# The reader of a pipe had enough
	"$SKEP" script -i chains.data | head -1 >first
	[ -s first ]
	"$SKEP" -q script -D -i chains.data 2>err | head -1 >first
	[ -s first ]
	[ ! -s err ]
	run -1 "$SKEP" -q script -D -i chains.data -o /dev/full
	[[ "$output" == *"No space left"* ]]
	run -1 "$SKEP" -q script -i chains.data -o /dev/full
	[[ "$output" == *"No space left"* ]]
}

@test "folded: the sums of its lines are those of skep flame; chrome: each sample on its thread's track" {
	for f in chains threads packed; do
		"$SKEP" -q script -i $f.data --format folded | awk '{ sub(/ [0-9]+$/, ""); n[$0]++ } END { for (s in n) print s, n[s] }' | LC_ALL=C sort >sums
		"$SKEP" -q flame -i $f.data --format folded | LC_ALL=C sort >folded
		[ -s folded ]
		diff folded sums
	done
	run -2 "$SKEP" script -i events.data --format folded -o sums.folded
	[[ "$output" == *"folded stacks are of one event, and 'events.data' has samples of '"*"hint: skep flame -i events.data --event-index N --format folded"* ]]
	[ ! -e sums.folded ]
	for f in chains events cpus; do
		"$SKEP" -q script -i $f.data --format chrome >chrome.json
		"$SKEP" -q script -i $f.data --json >lines.json
		[ "$(jq -c '.traceEvents[] | select(.ph == "i") | [.name, .pid, .tid, .args.period]' chrome.json)" = "$(jq -c '[.event, .pid, .tid, .period]' lines.json)" ]
		jq -e --slurpfile l lines.json '[.traceEvents[] | select(.ph == "i") | .ts] | (.[0] == 0) and (. == sort) and (.[-1] - ($l[-1].time_ns - $l[0].time_ns) / 1000 | fabs < 0.01)' chrome.json
		jq -e --slurpfile l lines.json '[.traceEvents[] | select(.ph == "M") | [.tid, .args.name]] | unique == ([$l[] | [.tid, .comm]] | unique)' chrome.json
		jq -e '.otherData | .kept > 0 and .losses' chrome.json
	done
}

@test "tracepoints recorded by skep: perf script prints their values, and so does skep" {
	[ -r /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted"
	cp /bin/ls lister # others may run ls, too
	"$SKEP" -q record -c 1 -a -e sched:sched_switch,sched:sched_process_exec,syscalls:sys_enter_openat,raw_syscalls:sys_exit,'t:sched:sched_wakeup if pid > 1' \
		-o own.data -- bash -c './lister /usr; ./lister /usr; sleep 0.01' >/dev/null
	same own.data --max-stack 127 # perf's default
	same own.data -F comm,event,trace -G
	"$SKEP" -q script -i own.data | grep -qE 'sched:sched_switch: prev_comm=.* ==> next_comm='
	[ "$(grep -cE 'sched:sched_process_exec: filename=./lister pid=' skep.txt)" = 2 ]
	grep -qE 'syscalls:sys_enter_openat: dfd: 0x[0-9a-f]+, filename: 0x' skep.txt
	grep -qE 'sched_wakeup if pid > 1: comm=.* pid=[0-9]+ prio=' skep.txt
	# A name that is longer than what is kept of it
	long=$BATS_TEST_TMPDIR/$(printf 'd%.0s' {1..200})
	mkdir "$long"
	cp /bin/true "$long/t"
	"$SKEP" record -e sched:sched_process_exec --call-graph none -o own.data -- "$long/t" 2>err
	same own.data
	grep -qE 'filename=.*d pid=[0-9]+ old_pid=' skep.txt
	grep -q 'note: 1 samples have a field of variable length that was cut: 128 bytes' err
	# Calls of one command: as many as it says that it makes, with the arguments that it gives
	"$SKEP" -q record -e syscalls:sys_enter_getpgid,syscalls:sys_enter_getpriority -o own.data -- "$WORK/calls" >truth
	"$SKEP" -q script -i own.data -F event,trace >lines
	for c in getpgid getpriority; do
		[ "$(grep -c "sys_enter_$c: " lines)" = "$(awk -v c=$c '$2 == c { print $3 }' truth)" ]
	done
	grep -q 'sys_enter_getpriority: which: 0x' lines
	rm own.data
}

@test "a stream of skep, as perf and skep read it; COMMAND's output is not in it" {
	"$SKEP" record -o - -g -F 999 -- "$WORK/shares" 0.3 2>err >own.stream
	grep -q '^share hot' err
	perf script -i - <own.stream 2>/dev/null | known >perf.txt
	"$SKEP" -q script -i - <own.stream | known >skep.txt
	[ -s perf.txt ]
	diff perf.txt skep.txt
	for reader in "perf report -i - --stdio -g none --no-children" "$SKEP -q report -i - --no-children"; do
		$reader <own.stream 2>/dev/null | sed -nE 's/^ +([0-9.]+%)  shares .* hot *$/\1/p'
	done >hot
	[ "$(wc -l <hot)" = 2 ] && [ "$(sort -u hot | wc -l)" = 1 ]
	"$SKEP" -q record -z -o - -F 999 -- "$WORK/shares" 0.3 2>/dev/null | perf script -i - 2>/dev/null | grep -q ' hot+0x'
	if [ -r /sys/kernel/tracing/events/sched ]; then
		"$SKEP" -q record -o - -e sched:sched_process_exec -- ls 2>/dev/null | perf script -i - -G 2>/dev/null | grep -q 'filename=/usr/bin/ls pid='
	fi
	# A reader that leaves ends the run, without a word
	"$SKEP" -q record -o - -F 999 -- "$WORK/shares" 0.3 2>err | head -c 100 >/dev/null
	if grep -q skep err; then cat err; false; fi
	rm own.stream
}
