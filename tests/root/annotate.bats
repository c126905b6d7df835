#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What skep annotate prints of recordings: the shares of perf annotate, and a reason where there is no code.
# bats file_tags=user-space
load ../lib.bash

setup_file() {
	[ "$(id -u)" = 0 ] || return 0
	ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_FILE_TMPDIR" || return
	cp "${WORK:-$ROOT/build/work}/shares" "${WORK:-$ROOT/build/work}/vdso" .
	"${SKEP:-$ROOT/build/skep}" record -F "$(hz 4999)" -o a.data -- ./shares 1
	"${SKEP:-$ROOT/build/skep}" record -F "$(hz 4999)" -o vdso.data -- ./vdso 0.5
}

setup() {
	need_root
	cd "$BATS_FILE_TMPDIR" || return
}

# rows: "ADDRESS SHARE" of the instructions with samples, from the text of skep or perf
rows() {
	sed -nE 's/^ +([0-9.]+) +: +([0-9a-f]+):.*/\2 \1/p' | grep -v ' 0.00$' | sort
}

# same_rows FILE FUNCTION [OPTION...]: as perf has them
same_rows() {
	local file=$1 function=$2
	shift 2
	"$SKEP" annotate -i "$file" "$function" "$@" | rows >ours
	perf annotate -i "$file" --stdio "$@" 2>/dev/null | awk -v f="<$function(@@.*)?>:$" '/^ [A-Z][a-z]+ +\|/ { on = 0 } $NF ~ f { on = 1 } on' | rows >theirs # -s: global shares are of that function, too
	[ -s ours ]
	# perf rounds other halves
	join -a1 -a2 -e none -o 0,1.2,2.2 ours theirs | awk '$2 - $3 > .0101 || $3 - $2 > .0101 || $2 == "none" || $3 == "none" { print; bad = 1 } END { exit bad }'
}

@test "the share of each instruction is that of perf annotate" {
	need perf
	same_rows a.data hot
	same_rows a.data cold
	same_rows a.data hot --percent-type global-period
	same_rows a.data hot --percent-type local-hits
	"$SKEP" annotate -i a.data hot -n | rows >ours
	perf annotate -i a.data --stdio -s hot -n 2>/dev/null | sed -nE 's/^ +([0-9]+) +: +([0-9a-f]+):.*/\2 \1/p' | grep -v ' 0$' | sort >theirs
	grep -v ' 0$' ours | diff - theirs
	"$SKEP" annotate -i a.data hot --show-total-period | rows >ours
	perf annotate -i a.data --stdio -s hot --show-total-period 2>/dev/null | sed -nE 's/^ +([0-9]+) +: +([0-9a-f]+):.*/\2 \1/p' | grep -v ' 0$' | sort >theirs
	grep -v ' 0$' ours | diff - theirs
}

@test "the instructions are those of objdump" {
	need objdump
	"$SKEP" annotate -i a.data hot --no-source --asm-raw --no-jumps | sed -nE 's/^ +[0-9.]+ : +([0-9a-f]+): +(.*[^ ]) *$/\1 \2/p' | tr -s ' ' >ours
	objdump -d --insn-width=15 --disassemble=hot shares | sed -nE 's/^ +([0-9a-f]+):\t(.*)/\1 \2/p' | tr -s '\t ' ' ' >theirs
	[ "$(wc -l <ours)" -gt 10 ]
	cut -d' ' -f1-3 ours | diff - <(cut -d' ' -f1-3 theirs)
	diff <(grep -v nop ours) <(grep -v nop theirs)
}

@test "options of how it looks: syntax, bytes, lines, arrows, colours" {
	"$SKEP" annotate -i a.data hot -M intel --no-source | grep -q 'mov    rbp,rsp'
	"$SKEP" annotate -i a.data hot --jumps | grep -q ':   [ |]*/-- j'
	run ! grep -q '/--' <("$SKEP" annotate -i a.data hot)
	"$SKEP" annotate -i a.data hot | grep -q ' : 7 .*SPIN(n)'
	run ! grep -q SPIN <("$SKEP" annotate -i a.data hot --no-source)
	"$SKEP" annotate -i a.data hot -l | grep -qE '^ +[0-9.]+ shares.c:7$'
	"$SKEP" annotate -i a.data hot -l -P | grep -qE '^ +[0-9.]+ /.*/shares.c:7$'
	"$SKEP" annotate -i a.data hot --stdio-color=always | grep -q $'\e\[31m'
	"$SKEP" annotate -i a.data hot --prefix /nowhere | grep -q ' : shares.c:7$'
}

@test "--summary: the hottest lines, first" {
	"$SKEP" annotate -i a.data --summary --top 2 --lines 1 >out
	sed -n 2p out | grep -qE '^ +(9[0-9]|100)\.[0-9]+ shares.c:7 +SPIN'
	[ "$(grep -c 'hottest lines:' out)" = 2 ]
}

@test "without a function: all, hottest first; --percent-limit, -d and -C choose" {
	"$SKEP" annotate -i a.data --percent-limit 10 | grep -oE '^ +: [0-9a-f]{16} <.*>:' | sed 's/.*<//' | paste -sd' ' | grep -xF 'hot>: cold>:'
	"$SKEP" annotate -i a.data -d shares --summary | grep 'hottest lines' >out
	run ! grep -qv ' of shares, ' out
	run -1 "$SKEP" annotate -i a.data -d nosuch
	[[ "$output" == *"none of the "*" samples in 'a.data' is of those"* ]]
	run -1 "$SKEP" annotate -i a.data nosuch
	[[ "$output" == *"no samples of 'nosuch'"*"hint: the functions with most samples: hot, cold"* ]]
	all=$("$SKEP" annotate -i a.data hot --json | jq .functions[0].count)
	sum=0
	for c in $("$SKEP" report -i a.data -s cpu,sym --json | jq '.rows[] | select(.sym == "hot").cpu'); do
		sum=$((sum + $("$SKEP" annotate -i a.data -C "$c" hot --json | jq .functions[0].count)))
	done
	[ "$sum" = "$all" ]
}

@test "--json is JSON whose instructions add up; --format html is one page" {
	need jq
	"$SKEP" annotate -i a.data hot cold --json 2>&1 | grep -q "unexpected 'cold'"
	"$SKEP" annotate -i a.data '[hc]o*' -d shares --json >a.json
	jq -e '.functions | length == 2' a.json
	jq -e '.functions[] | (.instructions | map(.weight // 0) | add) == .weight and (.lines | map(.count) | add) == .count' a.json
	"$SKEP" annotate -i a.data hot --format html -o a.html
	grep -q '<title>a.data' a.html
	grep -q '&#60;hot+0x' a.html
	run ! grep -qE '<script|https?://' a.html
}

@test "a function of the vDSO, from this kernel's own" {
	need jq
	"$SKEP" annotate -i vdso.data -d '[vdso]' --json >v.json
	# There may be others without a symbol
	jq '.functions |= map(select(.name | test("clock_gettime")))' v.json >named.json && mv named.json v.json
	jq -e '.functions[0] | (.name | test("clock_gettime")) and (.code | test("vDSO")) and (.instructions | map(.count // 0) | add) > 10' v.json
	need perf
	same_rows vdso.data "$(jq -r .functions[0].name v.json)" || [ ! -s theirs ] # perf has another name of it, or none
}

@test "a program without symbols: its functions by where they begin" {
	need jq
	export HOME=$PWD # no cache of build ids
	strip -o bare shares
	"$SKEP" record -F "$(hz 999)" -o bare.data -- ./bare 0.3
	start=$(nm shares | sed -n 's/^0*\([0-9a-f]*\) T hot$/\1/p')
	"$SKEP" annotate -i bare.data "bare+0x$start" --json >bare.json
	jq -e '.functions[0] | .share > 30 and .name == "bare+0x'"$start"'" and (.instructions | map(.count // 0) | add) == .count' bare.json
	"$SKEP" annotate -i a.data hot --json | jq '.functions[0].instructions | map(.bytes)' >full
	jq '.functions[0].instructions | map(.bytes)' bare.json | diff full -
}

@test "a program that was changed since is not used, and this is reported" {
	export HOME=$PWD # no cache of build ids
	cp shares changed
	"$SKEP" record -F "$(hz 999)" -o changed.data -- ./changed 0.2
	"$SKEP" annotate -i changed.data hot >/dev/null
	cp vdso changed
	run -1 "$SKEP" annotate -i changed.data -d changed
	[[ "$output" == *"the file has another build id than the one that ran"*"no function can be shown"* ]]
	run -1 "$SKEP" annotate -i changed.data hot
	[[ "$output" == *"note: not shown: code without a name ($PWD/changed, "*"another build id"*"no samples of 'hot'"* ]]
	rm changed
	run -1 "$SKEP" annotate -i changed.data -d changed
	[[ "$output" == *"cannot be opened: No such file or directory"* ]]
	mkdir -p root/"$PWD"
	cp shares root/"$PWD"/changed
	"$SKEP" annotate -i changed.data hot --symfs "$PWD/root" | grep -q SPIN
}

@test "samples of a clock are late, and this is reported" {
	run "$SKEP" annotate -i a.data hot
	[[ "$output" == *"they may be counted an instruction or more late"* ]] || [[ "$output" != *"for cpu-clock"* ]]
}

@test "code that a JIT dumped, from its dump and after perf inject --jit" {
	need jq
	"$SKEP" record -F "$(hz 999)" -o jit.data -- "$WORK/jitted" 0.3 >jit.out
	"$SKEP" annotate -i jit.data jitted_loop >out
	code=$(sed -n 's/^code \([0-9a-f]*\) .*/\1/p' jit.out)
	grep -qE "^ +[0-9]+\.[0-9][0-9] : $code: " out
	grep -qE "^ +: +jitted.js:7$" out
	"$SKEP" annotate -i jit.data jitted_loop --json |
		jq -e '.functions[0] | .count > 50 and (.instructions | map(.count // 0) | add) == .count and .lines[0].line == 7 and .instructions[-1].line == 9'
	mv jit-*.dump there
	run "$SKEP" annotate -i jit.data
	[[ "$output" == *"jit-"*".dump' cannot be read: No such file or directory"* ]]
	need perf
	perf record -q -k 1 -o pj.data "$WORK/jitted" 0.3
	perf inject -i pj.data --jit -o injected.data
	same_rows injected.data jitted_loop
	rm -f jit-*.dump
}

@test "flame --annotate prints the function of a live run, and of a file" {
	"$SKEP" flame -F "$(hz 999)" -o live.html --annotate hot -- ./shares 0.3 >out
	grep -q '<hot>:$' out
	[ "$(rows <out | wc -l)" -ge 2 ]
	"$SKEP" flame -i a.data -o file.html --annotate hot | rows >flame
	"$SKEP" annotate -i a.data hot | rows | diff flame -
}

@test "every option of perf annotate is taken, or refused with what to type instead" {
	need perf
	n=0
	for o in $(perf annotate -h 2>&1 | grep -oE '^ +(-[a-zA-Z], )?--?[a-z][a-z0-9-]*' | grep -oE -- '--?[a-zA-Z][a-z0-9-]*'); do
		case $o in
		-v | -q | --verbose | --quiet) continue ;; # of every command
		-C | --cpu) value=0 ;;
		-M | --disassembler-style) value=intel ;;
		--percent-limit | --prefix-strip) value=1 ;;
		--stdio-color) value=never ;;
		--percent-type) value=local-period ;;
		-[dikMs] | --dsos | --input | --vmlinux | --symbol | --objdump | --prefix | --symfs) value=x ;;
		*) value= ;;
		esac
		# shellcheck disable=SC2086
		run "$SKEP" annotate -i nosuch.data $o $value
		[[ "$output" == *"cannot read 'nosuch.data'"* ]] || [[ "$output" == *" given twice"* ]] || [[ "$output" == *"'$o' is not "*$'\n'"hint: "* ]] ||
			[[ "$output" == *"needs --prefix"* ]] || [[ "$output" == *"'x'"* ]] || { echo "$o: $output"; false; }
		n=$((n + 1))
	done
	[ $n -ge 40 ]
}
