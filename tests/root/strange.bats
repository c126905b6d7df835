#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks that are hostile, or not as others: walked to their root, or stopped where the output says why; never frames that are not there.
load ../lib.bash
load rooted.bash

setup_file() {
	[ "$(uname -m)" = x86_64 ] || skip "only on x86-64"
}

# stacks_ok FUNCTION STACK [PERCENT]: 99 % of the samples whose stack has that function have this one up to burn(), and there are enough
stacks_ok() {
	awk -v name="$1" -v stack="$2" -v percent="${3:-99}" '
		index($0, ";" name ";") && /;burn[; ]/ { all += $NF; if ($0 ~ "^strange;" stack ";burn[; ]") good += $NF; else other = $0 }
		END {
			printf "%s: %d of %d samples\n", name, good, all
			if (all >= 100 && good * 100 >= percent * all) exit
			print "  " substr(other, 1, 300)
			exit 1
		}' got.folded
}

strange() { # strange MODE SECONDS
	"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/strange" "$1" "$(lasting "$2")" >said 2>&1 || { cat said; false; }
	cat said
}

# bats test_tags=user-space,measuring
@test "2,000 executable mappings" {
	strange mappings 1
	SKEP_SAMPLES=200 rooted_ok got.folded
	stacks_ok mappings "_start;(.*;)?main;mappings$(printf ';\\[anon\\]%.0s' {1..20})"
}

# bats test_tags=user-space,measuring
@test "coroutines: stacks up to where each began, or marked as cut" {
	strange coroutines 2
	stacks_ok co_context '[^;]*;co_context'
	# What is walked by skep, before the kernel has tables, has one stack only
	stacks_ok co_stack '_start;(.*;)?main;coroutines;on_stack;co_stack' $((${SKEP_SLOW:-1} > 1 ? 80 : 95))
	stacks_ok co_end 'on_end;co_end'
	stacks_ok co_up '\[truncated: frames out of order\];on_stack;co_up'
	stacks_ok co_bare '\[truncated: not in executable memory\];co_bare'
	grep -q 'note: [0-9]* *user stacks cut: a return address is not in executable memory' said
	grep -q 'note: [0-9]* *user stacks cut: a frame does not lie above the one before' said
}

# bats test_tags=measuring
@test "the red zone of a leaf: also while the kernel has no tables" {
	"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do cp "$1" s$i; ./s$i red "$2"; done' sh \
		"$WORK/strange" "$(times 0.1)"
	awk '/;red_zone[; ]/ { all += $NF; if (/main;red;red_zone/) good += $NF; else other = $0 }
		END { printf "%d of %d\n%s\n", good, all, other; exit !(all >= 200 && good == all) }' got.folded
}

# bats test_tags=user-space,measuring
@test "a stack that is not in memory" {
	strange dropped 1
	stacks_ok deep '\[truncated: stack not in memory\](;deep)+'
	grep -qE 'note: [0-9]{3,} *user stacks cut: a part of the stack is not in memory' said
}

# bats test_tags=user-space,measuring,slow
@test "a deleted program and a replaced library, while they are mapped" {
	cp "$WORK/stacks_O2" program
	cp "$WORK/stacks_library.so" library.so
	./program "$(times 5)" "$PWD/library.so" >truth &
	BACKGROUND+=($!)
	for ((i = 0; i < 600; i++)); do
		! grep -q library.so "/proc/$!/maps" || break
		sleep 0.1
	done
	rm program
	cp "$WORK/stacks_static" other
	mv other library.so
	"$SKEP" flame --call-graph eh -F $HZ -o got.folded -p $!
	wait $!
	SKEP_SAMPLES=100 rooted_ok got.folded
	ways_ok truth got.folded
}

# bats test_tags=user-space,measuring
@test "a program and a library deleted as soon as they are mapped" {
	cp "$WORK/stacks_O2" program
	cp "$WORK/stacks_library.so" library.so
	"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- sh -c '
		./program "$1" "$PWD/library.so" >truth &
		while ! grep -q library.so "/proc/$!/maps"; do
			sleep 0.01
			! readlink "/proc/$!/exe" | grep -q /program || rm -f program
		done
		rm library.so
		wait' sh "$(times 2)"
	rooted_ok got.folded
	ways_ok truth got.folded
}

# corrupt FILE SEED: some of the bytes of its .eh_frame
corrupt() {
	local at size i n where byte bytes
	read -r at size < <(readelf -SW "$1" | awk 'sub(/.* \.eh_frame /, "") { print $3, $4 }')
	# No draw in a subshell, where bash has a seed of its own
	RANDOM=$2
	for ((i = 0; i < 40; i++)); do
		where=$((16#$at + (RANDOM << 15 | RANDOM) % 16#$size)) bytes=
		for ((n = RANDOM % 8 + 1; n > 0; n--)); do
			printf -v byte '\\x%02x' $((RANDOM % 256))
			bytes+=$byte
		done
		# shellcheck disable=SC2059
		printf "$bytes" | dd of="$1" bs=1 seek=$where conv=notrunc status=none
	done
}

# bats test_tags=user-space,measuring
@test "a library where another one was mapped: stacks by its own tables, and a note" {
	need cc
	for size in 16 600; do
		echo "void spin(volatile char *); void work(void) { volatile char room[$size]; spin(room); room[0] = 0; }" >plugin$size.c
		cc -O2 -shared -fPIC -fomit-frame-pointer -o plugin$size.so plugin$size.c
	done
	cat >plugins.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		#include <time.h>
		__attribute__((noinline)) void spin(volatile char *p)
		{
			struct timespec t;
			for (clock_t end = clock() + CLOCKS_PER_SEC / 50; clock() < end;)
				clock_gettime(CLOCK_MONOTONIC, &t);
			*p = 1;
		}
		__attribute__((noinline)) int dirty(int n) { volatile int a[64]; a[n] = n; return n ? dirty(n - 1) + a[n] : a[0]; }
		__attribute__((noinline)) void *use(const char *name)
		{
			void *lib = dlopen(name, RTLD_NOW), *work = dlsym(lib, "work");
			dirty(30);
			((void (*)(void))work)();
			dlclose(lib);
			return work;
		}
		int main(void)
		{
			int same = 0;
			for (int i = 0; i < 30; i++)
				same += use("./plugin16.so") == use("./plugin600.so");
			printf("%d of 30 where the other one was\n", same);
			return 0;
		}
	END
	cc -O2 -fomit-frame-pointer -rdynamic -o plugins plugins.c
	"$SKEP" flame --call-graph eh -F $HZ --no-kernel -o got.folded -- ./plugins >truth 2>said
	cat truth said
	grep -q '^[12][0-9]\|^30' truth
	grep -qE 'note: [0-9]+ times new code replaced mapped code' said
	awk '/;work;spin/ { all += $NF; if (/;main;use;work;spin/) good += $NF; else other = $0 }
		END { printf "%d of %d\n%s\n", good, all, other; exit !(all >= 1000 && good * 100 >= 95 * all) }' got.folded
}

# bats test_tags=user-space,slow
@test "a program whose unwinding information is corrupt" {
	need readelf
	for seed in {1..20}; do
		how=$([ $((seed % 2)) = 0 ] && echo static || echo O2)
		cp "$WORK/stacks_$how" program
		corrupt program $seed
		"$WORK/stacks_$how" 0.001 >want
		"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- ./program "$(times 0.2)" >truth 2>said
		cmp truth want
		cat got.folded >>all.folded
		# Seen, kept, in the picture: the same number
		read -r seen kept < <(sed -n 's/^samples: \([0-9]*\) seen, \([0-9]*\) kept.*/\1 \2/p' said)
		[ "$seen" -ge 50 ]
		[ "$seen" = "$kept" ]
		[ "$(awk '{ n += $NF } END { print n }' got.folded)" = "$kept" ]
		rm program
	done
	# Some of it was hit, and most of it was not
	SKEP_SAMPLES=1000 run ! rooted_ok all.folded 1000
	SKEP_SAMPLES=1000 rooted_ok all.folded 300
	# What a walk takes for code is code
	run ! grep -E '^[^;]*;\[unknown\];' all.folded
}

# bats test_tags=user-space
@test "32-bit code: stacks are marked as cut" {
	run "$WORK/burn32"
	[ "$status" != 126 ] || skip "a kernel without 32-bit programs"
	[ "$status" = 0 ]
	"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/burn32" >said 2>&1 || { cat said; false; }
	cat said
	awk '{ all += $NF } /^burn32;\[truncated: 32-bit code\];burn[; ]/ { marked += $NF }
		END { printf "%d of %d samples marked\n", marked, all; exit !(all >= 200 && marked >= 0.99 * all) }' got.folded
	grep -q 'note: [0-9]* *user stacks cut: 32-bit code' said
}
