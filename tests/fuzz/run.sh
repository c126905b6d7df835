#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# One fuzzer for FUZZ_SECONDS (default 15), seeded with real files; the corpus grows under build/.
fuzzer=$1
[ -x "$fuzzer" ] || { echo "no fuzzer '$fuzzer': make FUZZ=1 fuzzers"; exit 1; }
name=$(basename "$fuzzer")
corpus=build/corpus/$name
log=build/test/$name.libfuzzer
mkdir -p "$corpus" build/test
case $name in
*elf*)
	gcc -nostdlib -static -no-pie -Wl,-e0 tests/fuzz/go.s -o "$corpus/seed_go"
	cp -n build/work/shares build/work/shares_stripped /usr/bin/true /usr/lib/*/libz.so.1 "$corpus" 2>/dev/null ;;
*dwarf*)
	for how in "" "-gdwarf-4 -fdebug-types-section" "-gdwarf-2 -gstrict-dwarf" "-O0"; do
		printf '%s\n' 'struct node { char name[16]; struct node *next; unsigned low : 3; union { int i; float f; }; enum { A, B = -3 } e; } n;' \
			'static inline int f(int x) { return x * 3; }' 'double g(struct node v, int (*h)(char, ...), long double d) { return f(v.i) + h(2); }' |
			gcc -g -O2 $how -nostdlib -shared -x c - -o "$corpus/seed$(echo "$how" | tr -d ' -')"
	done ;;
*event*) printf 'cycles:u,{cs,faults:k}:W,msr/tsc,name=a/,r1a8,sched:*,syscalls:sys_enter_*' >"$corpus/seed" ;;
*probe*)
	i=0
	while read -r text; do printf '%s' "$text" >"$corpus/seed$((i += 1))"; done <<-'EOF'
		k:tcp_sendmsg+0x10(arg0, arg7, x=%di:x16) if arg1 > 1M && !(arg2 in 3..5ms)
		kr:m:f(n->n->a, ret->i, $retval:string, latency) if ret->e == BLUE || n->f << 2 >= -1
		u:./a b:std::vector<int, x>::f(((struct e *)c)->v[t]->i:s32, container_of(n, struct e, s)->a, *n->p, ntohs( c))
		usdt:a:p*:n(arg0, arg1:ustring, arg3) if arg4 ~ "*[!a-z]?\*" && comm !~ "x*"
		t:sched:sched_*(c, args->n, s, t, p, x->i) if s == "text" && d != 0 || l[0] % 3
		e=f%return n->i t c:u8 if depth > 3 && uid == 0
	EOF
	;;
*ehframe*)
	cp -n build/work/stacks_musl_stripped "$corpus" 2>/dev/null
	gcc -nostdlib -static -no-pie -Wl,-e0 tests/fuzz/go.s -o "$corpus/seed_go"
	for how in "" "-g -fno-asynchronous-unwind-tables" "-g -gz -fno-asynchronous-unwind-tables" "-mstackrealign -mavx -fno-omit-frame-pointer" "-O0"; do
		printf '%s\n' 'void g(void *); long f(long n, long m) { char v[n]; g(v); return f(m, n) + v[0]; }' 'void h(void) { _Alignas(64) char v[64]; g(v); g(v); }' \
			'__asm__(".globl s\ns: .cfi_startproc simple\n.cfi_signal_frame\n.cfi_escape 0x0f,4,0x77,0xa0,1,6,0x10,6,3,0x77,0xf8,0,0x10,16,3,0x77,0xa8,1\nnop\n.cfi_endproc");' |
			gcc -O2 $how -nostdlib -shared -x c - -o "$corpus/seed$(echo "$how" | tr -d ' -')"
	done ;;
*statjson*) printf '# started\n\n{"counter-value" : "1.389551", "unit" : "msec", "event" : "task-clock", "event-runtime" : 1389551}\n' >"$corpus/seed" ;;
*lasting*)
	i=0
	while read -r text; do printf '%s' "$text" >"$corpus/seed$((i += 1))"; done <<-'EOF'
		p:probe_t/foo /tmp/t:0x11b0(0x20) i=%di:s32 name=+4(-8(%si)):string b=+0(%ax):b3@2/8
		r5:kprobes/x ext4:f+4%return ret=$retval:x64 s=$stack2 a=$arg1:u8 c=$comm n=\5
	EOF
	;;
*usdt*) cp -n build/work/usdt "$corpus" 2>/dev/null ;;
*btf*) for f in build/bpf/*.bpf.o; do objcopy -I elf64-little -O binary --only-section=.BTF --set-section-flags .BTF=alloc "$f" "$corpus/$(basename "$f")"; done ;;
*format*) printf 'ID: 7\nformat:\n\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:__data_loc char[] a;\toffset:24;\tsize:4;\n' >"$corpus/seed"
	i=0
	while read -r text; do
		printf 'ID: 7\n\tfield:u32 v;\toffset:8;\tsize:4;\n\tfield:char c[8];\toffset:16;\tsize:8;\n\tfield:__data_loc u16[] a;\toffset:24;\tsize:4;\n\nprint fmt: %s\n' "$text" >"$corpus/print$((i += 1))"
	done <<-'EOF'
		"v=%u [%s] %5d%-8s", REC->v, __print_symbolic(REC->v, { 0, "HI" }, { 7, "S" "D" }), (int)REC->v, REC->c
		"%s%s%*pbl", REC->v & ((1 << 3) - 1) ? __print_flags(REC->v & ~1UL, "|", { (unsigned long)(1UL << 2), "A" }) : "R", __get_str(a), 64, REC->c
		"%s %d %pS %pI6c %.*s", __print_array(__get_dynamic_array(a), __get_dynamic_array_len(a) / sizeof(u16), 2), ((u16 *)__get_dynamic_array(a))[1], (void *)REC->v, &REC->c, 3, REC->c
		"%s %pM %pU %*ph %08lx", __print_hex_str(REC->c, 4), REC->c, REC->c, 6, REC->c, *(unsigned long *)REC->c
	EOF
	;;
*clickhouse*)
	number='\001\0\0\0\0\0\0\0' hash=0123456789abcdef
	printf "\\066\\0\\011cpu-clock\\013nanoseconds$number$number$number$number\\021\\0\\004lost$number\\003why\\034\\0$hash\\001\\001f\\001\\001o\\001\\002ab\\001\\0$hash\\001c$number$number" >"$corpus/seed" ;;
*disasm*) objcopy -O binary --only-section=.text build/work/shares "$corpus/seed" ;;
*jitdump*) # a header, a line of code, and the code
	printf 'DTiJ\001\000\000\000(\000\000\000>\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\002\000\000\0005\000\000\000d\000\000\000\000\000\000\000\000\020\000\000\000\000\000\000\001\000\000\000\000\000\000\000\000\020\000\000\000\000\000\000\007\000\000\000\000\000\000\000a.js\000\000\000\000\000>\000\000\000d\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\020\000\000\000\000\000\000\000\020\000\000\000\000\000\000\004\000\000\000\000\000\000\000\001\000\000\000\000\000\000\000f\000\220\220\220\303' >"$corpus/seed" ;;
*viewers*) printf '\000\126\001\002\003\004\005\006\001\001comm\000field\000</script>\000\003\001main\000/bin/a\000a.c\000\006hot\000/bin/a\000\104\377\000k\000' >"$corpus/seed" ;;
*perfmap*) printf '400 10 a\n0x410 0x20 b c\n408 4 d\n' >"$corpus/seed" ;;
*calllog*)
	if [ "$(id -u)" = 0 ]; then
		build/skep -q trace --record "$corpus/seed.all" -- build/work/traced >/dev/null 2>&1
		build/skep -q trace --record "$corpus/seed.v" -v -s 100 -e %process,%signal -- build/work/traced ends >/dev/null 2>&1
		build/skep -q trace --record "$corpus/seed.files" -yy -F all -- build/work/openfiles >/dev/null 2>&1
		build/skep -q trace --record "$corpus/seed.uring" -e io_uring -- build/work/operations >/dev/null 2>&1
	fi ;;
*pprof*) [ "$(id -u)" = 0 ] && build/skep -q flame -F 999 -o "$corpus/seed.pb.gz" -- build/work/shares 0.1 >/dev/null 2>&1 && gzip -dc "$corpus/seed.pb.gz" >"$corpus/seed" ;;
*perfdata*)
	[ "$(id -u)" = 0 ] && build/skep -q record -F 999 -o "$corpus/seed.data" -- true >/dev/null 2>&1
	perf record -q -N -F 999 --call-graph dwarf,1024 -o "$corpus/seed.dumps" -- true >/dev/null 2>&1
	perf record -q -N -c 1 -d -e page-faults:u -o "$corpus/seed.faults" -- true >/dev/null 2>&1 || true ;;
esac
# Thousands of tracepoints are read for near names: without them it is a hundred times as fast
hidden=()
[ "$name" != fuzz_event ] || [ "$(id -u)" != 0 ] || hidden=(unshare -m sh -c 'mount -t tmpfs none /sys/kernel/tracing && exec "$@"' sh)
"${hidden[@]}" "$fuzzer" -max_total_time="${FUZZ_SECONDS:-15}" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
	-artifact_prefix=build/test/ "$corpus" 2>"$log" || { tail -40 "$log"; exit 1; }
inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
[ "${inputs:-0}" -gt 0 ] || { echo "no input was run"; exit 1; }
echo "$inputs inputs"
