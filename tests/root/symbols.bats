#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Names in hard places: deleted, replaced, other namespaces, vdso, exec in between.
load ../lib.bash

file_build_id() {
	readelf -n "$1" | awk '/Build ID:/ { print $3; exit }'
}

# bats test_tags=user-space,measuring
@test "a program deleted after its start" {
	cp "$WORK/shares" gone
	busy ./gone 4
	sleep 0.2
	rm gone
	"$SKEP" flame -p $BG -o a.folded --duration 600ms
	grep -q ';main;hot ' a.folded
}

# bats test_tags=user-space,measuring
@test "a program replaced by another after its start: the old symbols, not the new ones" {
	cp "$WORK/shares" prog
	busy ./prog 4
	sleep 0.2
	cp "$WORK/threads" prog.new
	mv prog.new prog
	"$SKEP" flame -p $BG -o a.folded --duration 600ms
	grep -q ';main;hot ' a.folded
	! grep -q burn a.folded
}

@test "a process in another mount and PID namespace" {
	mkdir -p jail
	background unshare -m -p -f --kill-child --mount-proc sh -c "mount -t tmpfs none $PWD/jail && cp $WORK/shares $PWD/jail/inner && exec $PWD/jail/inner 4"
	eventually pgrep -P "$BG" -x inner
	"$SKEP" flame -p "$(pgrep -P "$BG" -x inner)" -o a.folded --duration 600ms
	grep -q ';main;hot ' a.folded
}

@test "exec during the run: symbols of each program for its own samples" {
	"$SKEP" flame -F "$(hz 4999)" -o a.folded -- sh -c "$WORK/shares $(times 0.4) >&2; exec $WORK/recurse 20 $(times 0.4)"
	grep -q '^shares;.*;hot ' a.folded
	grep -q '^recurse;.*;down ' a.folded
	! grep -q '^shares;.*;down ' a.folded
}

# percent_at LEAF FOLDED: the part of the samples whose stacks end in LEAF
percent_at() {
	awk -v leaf="$1" '{ all += $NF; n = $NF; sub(/ [0-9]+$/, ""); k = split($0, f, ";"); if (f[k] == leaf) at += n }
		END { printf "%d\n", all ? 100 * at / all : 0 }' "$2"
}

# bats test_tags=measuring
@test "the vdso has symbols, where it serves the clock" {
	source=$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)
	case $source in
	tsc | kvm-clock | hyperv_clocksource_tsc_page | arch_sys_counter) ;;
	*) skip "clock source $source: every reading is a system call" ;;
	esac
	"$SKEP" flame -F "$(hz 4999)" -o a.folded -- "$WORK/vdso" "$(times 0.6)"
	sed -E 's/^.*;([^;]+;[^;]+) ([0-9]+)$/\2 \1/' a.folded | sort -rn | head -5
	# What it calls may be a function of the vDSO that has no symbol
	sed -E 's/;__vdso_clock_gettime;\[vdso\] /;__vdso_clock_gettime /' a.folded >known.folded
	named=$(percent_at __vdso_clock_gettime known.folded)
	# where all is emulated the C library's part is dearer
	[ "$named" -ge $((60 / ${SKEP_SLOW:-1})) ]
	[ "$(percent_at '[vdso]' known.folded)" -le 1 ]
	"$SKEP" flame -F "$(hz 4999)" -o a.json -- "$WORK/vdso" "$(times 0.2)"
	grep -qE '"name": *"__vdso_clock_gettime", *"obj": *"\[vdso\]"' a.json
}

@test "the kernel has symbols, below the functions that called it" {
	mkdir full
	(cd full && seq 3000 | xargs touch)
	"$SKEP" flame -F "$(hz 4999)" -o a.folded -- sh -c 'for i in $(seq 20); do ls -U full >/dev/null; done'
	grep -qE '^ls;.*;__x64_sys_getdents64;|^ls;.*;__arm64_sys_getdents64;' a.folded
}

# bats test_tags=user-space,measuring
@test "no .symtab but .gnu_debugdata (MiniDebugInfo)" {
	need xz
	objcopy --only-keep-debug "$WORK/shares" debug
	objcopy -S -K hot -K cold -K main debug mini
	xz mini
	strip -o prog "$WORK/shares"
	"$SKEP" flame -F "$(hz 4999)" -o bare.folded -- ./prog 0.2
	run ! grep -q ';hot ' bare.folded
	objcopy --add-section .gnu_debugdata=mini.xz prog
	steadily "$SKEP" flame -F "$(hz 9973)" -o a.folded -- ./prog 1.5
	shares_ok truth a.folded
}

# bats test_tags=user-space,measuring
@test "a debug file found by build id" {
	[ -d /usr/lib/debug ] || skip "no /usr/lib/debug to mount over"
	id=$(file_build_id "$WORK/shares")
	mkdir -p ".build-id/${id:0:2}"
	objcopy --only-keep-debug "$WORK/shares" ".build-id/${id:0:2}/${id:2}.debug"
	strip -o prog "$WORK/shares"
	steadily unshare -m sh -c "mount --bind '$PWD' /usr/lib/debug && exec '$SKEP' flame -F "$(hz 9973)" -o '$PWD/a.folded' -- '$PWD/prog' 1.5"
	shares_ok truth a.folded
}

# bats test_tags=user-space
@test "debug files of the caches of debuginfod's clients and of perf, by build id; another's is refused" {
	id=$(file_build_id "$WORK/shares")
	strip -o prog "$WORK/shares"
	"$SKEP" record -q -F "$(hz 999)" -o a.data -- ./prog 0.3
	named() { # named WHERE [VARIABLE=VALUE...]
		mkdir -p "$(dirname "$1")"
		objcopy --only-keep-debug "$WORK/${of:-shares}" "$1"
		env "${@:2}" "$SKEP" report -i a.data -s sym --stdio 2>/dev/null | grep -c '\[\.\] hot$' || true
		rm "$1"
	}
	[ "$(named nowhere/debuginfo HOME="$PWD/home")" = 0 ]
	[ "$(named "cache/$id/debuginfo" HOME="$PWD/home" DEBUGINFOD_CACHE_PATH="$PWD/cache")" = 1 ]
	[ "$(named "home/.cache/debuginfod_client/$id/debuginfo" HOME="$PWD/home")" = 1 ]
	[ "$(named "xdg/debuginfod_client/$id/debuginfo" HOME="$PWD/home" XDG_CACHE_HOME="$PWD/xdg")" = 1 ]
	[ "$(named "home/.debug/.build-id/${id:0:2}/${id:2}/debug" HOME="$PWD/home")" = 1 ]
	of=shares_cxx
	[ "$(named "cache/$id/debuginfo" HOME="$PWD/home" DEBUGINFOD_CACHE_PATH="$PWD/cache")" = 0 ]
}

# bats test_tags=user-space,measuring
@test "a debug file of 1 TB: its checksum is not computed" {
	need objcopy
	cp "$WORK/shares" big
	objcopy --strip-all --remove-section .note.gnu.build-id big
	echo >big.debug
	objcopy --add-gnu-debuglink=big.debug big
	truncate -s 1T big.debug
	busy ./big 60
	timeout -k 1 20 "$SKEP" flame -a --duration 300ms -o a.folded 2>said
	cat said
	grep -q 'debug files found by .gnu_debuglink are not used: one is larger' said
	grep -q '^big;' a.folded
	for o in "list u:$PWD/big:*" "probe -V u:$PWD/big:main"; do
		timeout -k 1 20 "$SKEP" $o >said 2>&1 || [ $? -lt 124 ]
		cat said
	done
}

# bats test_tags=user-space
@test "inlined functions and source lines with --inline" {
	"$SKEP" flame -F "$(hz 4999)" --inline -o a.json -- "$WORK/inlined"
	"$SKEP" flame -F "$(hz 4999)" --inline -o a.folded -- "$WORK/inlined"
	grep -q ';outer;inner ' a.folded
	grep -q '"file": *"[^"]*inlined.c"' a.json
}

# bats test_tags=user-space,slow
@test "debug information that unpacks to a thousand times its size is left out, with a note" {
	need objcopy
	cp "$WORK/inlined" bomb
	objcopy --dump-section .debug_str=str --decompress-debug-sections bomb
	head -c 1G /dev/zero >>str
	objcopy --update-section .debug_str=str bomb
	rm str
	objcopy --compress-debug-sections=zlib bomb
	"$SKEP" flame -F "$(hz 999)" --inline --receipt -o a.folded -- ./bomb 2>said
	cat said
	grep -q 'no source lines or inlined functions for 1 files' said
	grep -q ';outer' a.folded
	[ "$(sed -n 's/.* \([0-9]*\)\.[0-9] MB peak.*/\1/p' said)" -lt 200 ]
}

# bats test_tags=user-space
@test "a stripped program: each function by where it begins, or each address" {
	need jq strip nm
	cd "$BATS_TEST_TMPDIR" || return
	export HOME=$PWD # no cache of build ids
	strip -o bare "$WORK/shares"
	nm "$WORK/shares" | sed -nE 's/^0*([0-9a-f]+) T (hot|cold)$/bare+0x\1 \2/p' >names
	"$SKEP" record -F "$(hz 997)" -o bare.data -- ./bare 0.5
	"$SKEP" report -i bare.data -s sym --no-children --json | jq -r '.rows[] | "\(.sym) \(.samples)"' >bare.rows
	# The same recording by names: with the program that has them
	cp "$WORK/shares" full
	mkdir -p root/"$PWD"
	cp full root/"$PWD"/bare
	awk 'NR == FNR { name[$1] = $2; next } $1 in name { print name[$1], $2 }' names bare.rows | sort >ours
	[ "$(wc -l <ours)" = 2 ]
	"$SKEP" report -i bare.data -s sym --no-children --json --symfs root | jq -r '.rows[] | select(.sym == "hot" or .sym == "cold") | "\(.sym) \(.samples)"' | sort >theirs
	diff ours theirs
	# No user code of the program itself is nameless
	"$SKEP" report -i bare.data -s sym --no-children --json | jq -e '.losses.unnamed < 5'
	"$SKEP" report -i bare.data -s sym --no-children --addresses --json | jq -r '.rows[].sym' >addresses
	[ "$(grep -c '^bare+0x' addresses)" -gt 2 ]
	"$SKEP" report -i bare.data --addresses --json | jq -e '.losses.unnamed > 100'
	"$SKEP" flame -F "$(hz 997)" --format folded -o live.folded -- ./bare 0.3
	grep -qE ";$(sed -n 's/ hot$//p' names | sed 's/+/\\+/') [0-9]+$" live.folded
}
