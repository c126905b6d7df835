#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claims: a counted hit of a user function costs no more than bpftrace's; one that is streamed with three numbers and a text, none of
# them lost, about half of what perf's uprobe does; the first event comes in a quarter of bpftrace's time; attaching to and detaching
# from many functions takes a fifth of bpftrace's. The floor is an empty program: the trap into the kernel, which is most of it all.
. "$(dirname "$0")/lib.sh"
N=${N:-500000}
PROG=$WORK/hitrate
VALUES='index, bytes, name, sum'

# whole NAME COMMAND...: seconds of CPU of the tool and its load for N hits, to the last byte written
whole() {
	local name=$1
	shift
	timed "$TMP/whole.$name" "$@"
}

perf_probe() { # perf's probe of the same values; its name is ours alone
	perf probe -q -x "$PROG" "skepbench=hit index=%di:s32 bytes=%si:u64 name=+0(%dx):string sum=%cx:x64" || fail "perf probe"
	at_end() { perf probe -q -d "*:skepbench"; }
}

echo "a hit of a user function: ns, best of 5 rounds of $((N / 5)), in turn"
perf_probe
EVENT=$(perf probe -l 2>/dev/null | sed -n 's/ *\([a-z_]*:skepbench\) .*/\1/p')
for ((i = 0; i < RUNS; i++)); do
	rate bare "$PROG" "$N"
	if command -v bpftrace >/dev/null; then
		rate floor bpftrace -q -e "uprobe:$PROG:hit { }" -c "$PROG $N"
	fi
	rate count "$SKEP" probe --count "u:$PROG:hit" -o "$TMP/o" -- "$PROG" "$N"
	rate count-all "$SKEP" probe --count -a "u:$PROG:hit" -o "$TMP/o" -- "$PROG" "$N"
	rate filter "$SKEP" probe --count "u:$PROG:hit if bytes > 10000 && name == \"x\"" --receipt -o "$TMP/o" -- "$PROG" "$N"
	rate stream "$SKEP" probe -m 131072 "u:$PROG:hit($VALUES)" -o "$TMP/o" -- "$PROG" "$N"
	rate by-text "$SKEP" probe "u:$PROG:hit" --by name -o "$TMP/o" -- "$PROG" "$N"
	rate latency "$SKEP" probe "u:$PROG:hit" --latency -o "$TMP/o" -- "$PROG" "$N"
	rate perf-stream perf record -q -m 4096 -e "$EVENT" -o "$TMP/p" -- "$PROG" "$N"
	rate perf-count perf stat -e "$EVENT" -o "$TMP/p" -- "$PROG" "$N"
	if command -v bpftrace >/dev/null; then
		rate bpftrace-count bpftrace -q -e "uprobe:$PROG:hit { @ = count(); }" -c "$PROG $N"
		rate bpftrace-latency bpftrace -q -e "uprobe:$PROG:hit { @s[tid] = nsecs; }
			uretprobe:$PROG:hit { @ = hist(nsecs - @s[tid]); delete(@s[tid]); }" -c "$PROG $N"
		rate bpftrace-stream bpftrace -q -o "$TMP/b" -e "uprobe:$PROG:hit { printf(\"%d %d %s %x\n\", arg0, arg1, str(arg2), arg3); }" -c "$PROG $N"
	fi
done
FLOOR=floor tell floor count count-all bpftrace-count perf-count filter by-text stream perf-stream bpftrace-stream latency bpftrace-latency
for what in "count bpftrace-count" "count-all bpftrace-count" "stream perf-stream" "stream bpftrace-stream" "latency bpftrace-latency"; do
	set -- $what
	[ -s "$TMP/rate.$2" ] || continue
	compare "$1" ns "$1" "$(median "$TMP/rate.$1")" "$2" "$(median "$TMP/rate.$2")"
done
floor=$(added floor)
row "a hit of a user function, counted${floor:+ (an empty program: $floor ns)}" ns '`probe --count`' "$(added count)" bpftrace "$(added bpftrace-count)"
row "the same" ns '`probe --count`' "$(added count)" '`perf stat`' "$(added perf-count)"
row "the same, each with three numbers and a string, none lost" ns '`probe -m 131072`' "$(added stream)" '`perf record -m 4096`' "$(added perf-stream)"

echo "200,000 hits streamed and printed as text: the CPU time of all"
for ((i = 0; i < 3; i++)); do
	whole skep "$SKEP" probe -m 65536 "u:$PROG:hit($VALUES)" -o "$TMP/o" -- "$PROG" 200000
	whole perf sh -c "perf record -q -m 4096 -e $EVENT -o $TMP/p -- $PROG 200000 && perf script -i $TMP/p >$TMP/t"
done
compare CPU s skep "$(median "$TMP/whole.skep" 2)" "perf record + script" "$(median "$TMP/whole.perf" 2)"
row "200,000 of them as text, CPU time in all" s '`probe`' "$(median "$TMP/whole.skep" 2)" '`perf record` and `perf script`' "$(median "$TMP/whole.perf" 2)"

# first FILE COMMAND...: seconds from its start to the first line with a digit that it prints
first() {
	local file=$1 line begin=$EPOCHREALTIME
	shift
	while read -r line && ! [[ $line =~ [0-9] ]]; do :; done < <(exec "$@" 2>/dev/null)
	awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }' >>"$file"
}

if command -v bpftrace >/dev/null; then
	echo "from the command to its first event"
	"$PROG" 2000000000 >/dev/null &
	load=$!
	for ((i = 0; i < RUNS; i++)); do
		first "$TMP/first.skep" "$SKEP" probe "u:$PROG:hit(index)" -p $load -n 1
		first "$TMP/first.bpftrace" bpftrace -q -e "uprobe:$PROG:hit { printf(\"%d\n\", arg0); exit(); }" -p $load
	done
	kill $load
	compare wall s skep "$(median "$TMP/first.skep")" bpftrace "$(median "$TMP/first.bpftrace")"
	row "from the command to the first hit" s '`probe`' "$(median "$TMP/first.skep")" bpftrace "$(median "$TMP/first.bpftrace")"
	cp /lib/*/libc.so.6 "$TMP/libc.so.6"
	echo "attach to and detach from the functions of a copy of libc that begin with mem"
	pair skep bpftrace sh -c "$SKEP probe --count 'u:$TMP/libc.so.6:mem*' -o $TMP/o -- $PROG 1; test \$? = 1" ::: \
		bpftrace -q -e "uprobe:$TMP/libc.so.6:mem* { @[func] = count(); } BEGIN { exit(); }"
	row "every function of a library that begins with mem, attach and detach" s '`probe --count`' "$(median "$TMP/a")" bpftrace "$(median "$TMP/b")"
fi
