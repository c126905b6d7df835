#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What skep report prints of a recording.
# bats file_tags=user-space
load ../lib.bash

setup_file() {
	[ "$(id -u)" = 0 ] || return 0
	ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	"${SKEP:-$ROOT/build/skep}" record -F "$(hz 4999)" -o "$BATS_FILE_TMPDIR/a.data" -- "${WORK:-$ROOT/build/work}/shares" 1
}

setup() {
	need_root
	cd "$BATS_FILE_TMPDIR"
}

@test "--json is JSON, with and without callers" {
	need node
	for args in "" -g "-s comm" "--percent-limit 100 -s dso,sym"; do
		"$SKEP" report -i a.data --json $args >a.json
		node -e 'const r = JSON.parse(require("fs").readFileSync("a.json", "utf8"));
			if (!Array.isArray(r.rows) || r.kept < 1000) process.exit(1)'
	done
}

@test "-s event shows the event's name" {
	"$SKEP" report -i a.data -s event >a.txt
	grep -qE '^ +100.00% +100.00%  (cpu-clock|cycles)' a.txt
	"$SKEP" report -i a.data -s event --json | grep -qE '"event":"(cpu-clock|cycles)[^"]*"}'
}

@test "a file whose first event has no samples: the others are shown, by name" {
	"$SKEP" record --off-cpu -e cpu-clock -c 10000000000 -o off.data -- sleep 0.2
	for c in report "flame -o off.svg"; do
		# shellcheck disable=SC2086
		run "$SKEP" $c -i off.data
		echo "$output"
		[ "$status" = 0 ]
		[[ "$output" == *"offcpu-time"*"one event of the file has no samples: 'cpu-clock'"* ]] || [[ "$output" == *"no samples: 'cpu-clock'"*"offcpu-time"* ]]
		run "$SKEP" $c -i off.data --event-index 0
		echo "$output"
		[ "$status" = 1 ]
		[[ "$output" == *"no samples of 'cpu-clock' in 'off.data'"*"hint: --event-index 1 has samples of 'offcpu-time'"* ]]
	done
	"$SKEP" report -i off.data --event-index 1 | grep -q 'sleep'
}

@test "several events: a table for each, in every format; a dummy has none" {
	need perf
	perf record -q -e '{cpu-clock,page-faults}:S' -e dummy -e context-switches -o ev.data -- sh -c 'ls -lR /usr/share/doc >/dev/null; sleep .01'
	# of each event: number of samples, sum of periods
	perf report --stdio --no-group -g none -i ev.data 2>/dev/null |
		sed -nE "s/# Samples: ([0-9K]+) +of events? '(.*)'/\\2 \\1/p; s/# Event count.*: ([0-9]+)/\\1/p" | grep -v '^dummy' | paste -sd' ' >theirs
	"$SKEP" report -i ev.data | sed -nE "s/# Samples: ([0-9]+) of event '(.*)'/\\2 \\1/p; s/# Event count.*: ([0-9]+)/\\1/p" | paste -sd' ' >ours
	awk '{ for (i = 2; i <= NF; i += 3) if ($i > 1000) $i = int($i / 1000) "K"; print }' ours | diff - theirs
	[ "$(wc -w <ours)" = 9 ]
	"$SKEP" report -i ev.data --format csv -s comm | awk -F, 'NR > 1 { gsub(/"/, "", $NF); n[$NF] += $5 } END { for (e in n) print e, n[e] }' | sort >csv
	tr ' ' '\n' <ours | paste -d' ' - - - | cut -d' ' -f1,2 | sort | diff csv -
	"$SKEP" report -i ev.data --json >ev.json
	need jq
	jq -r '., .other_events[] | .event + " \(.kept)"' ev.json | sort | diff csv -
	run "$SKEP" flame -i ev.data -o ev.folded
	[[ "$output" == *"has samples of 3 events; this picture shows number 0: 'cpu-clock'"*"hint: --event-index N draws another: 1 'page-faults' ("*", 3 'context-switches' ("* ]]
}

@test "flame -i draws events of the same kind together" {
	"$SKEP" record -e cpu-clock:u,cpu-clock:k -F "$(hz 4999)" -o sides.data -- sh -c 'ls -lR /usr/share/doc >/dev/null'
	run "$SKEP" flame -i sides.data -o sides.json
	echo "$output"
	[[ "$output" == *"2 events of the same kind are drawn together: cpu-clock:u, cpu-clock:k"* ]]
	need jq
	[ "$(jq .kept sides.json)" = "$("$SKEP" report -i sides.data --json | jq '[., .other_events[]] | map(.kept) | add')" ]
}

@test "--json has the kind of code of each row" {
	"$SKEP" report -i a.data --json -s sym | grep -q '"sym":"hot","kind":"user"'
}

# by_dso FILE PROGRAM...: "PERCENT OBJECT" of the objects above 1 %, by name, but for BPF programs of others, which perf lists one by one
by_dso() {
	"${@:2}" -i "$1" -s dso --no-children 2>/dev/null | awk '/^ +[0-9.]+%/ && $1 + 0 >= 1 && !/bpf/ { print $1, $2 }' | sort -k2
}

@test "self time is of the sample's address, also with chains of user space alone" {
	need perf
	for chains in --user-callchains --kernel-callchains; do
		perf record -q -e cpu-clock -F "$(hz 4999)" -g $chains -o chains.data -- sh -c 'ls -lR /usr/share >/dev/null'
		by_dso chains.data "$SKEP" report >ours
		by_dso chains.data perf report --stdio -g none >theirs
		diff ours theirs
		grep -q 'kernel.kallsyms' ours
	done
}

@test "kernel symbols: of files of this kernel, through a pipe, too, but not of files of another release" {
	need perf
	perf record -q -e cpu-clock -F "$(hz 4999)" -g -o - -- sh -c 'ls -lR /usr/share >/dev/null' 2>/dev/null >pipe.data
	"$SKEP" report -i - --no-children -s dso,sym --format csv <pipe.data >here.csv
	grep -qE '"\[kernel.kallsyms\]","[a-z_]' here.csv
	grep -qE '"libc.so.6","[a-z_]' here.csv
	# as many characters, so that nothing moves
	LC_ALL=C sed "s/$(uname -r)/$(uname -r | sed 's/./9/g')/" pipe.data >other.data
	"$SKEP" report -i other.data --no-children -s dso,sym --format csv >other.csv 2>err
	run ! grep -E '"\[kernel.kallsyms\]","[a-z_]' other.csv
	grep -qF '"[kernel.kallsyms]","[kernel.kallsyms]"' other.csv
	grep -q "kernel addresses have no names: the file was recorded under kernel 9.*this one is $(uname -r).*read the file where it was recorded" err
	"$SKEP" report -i other.data --no-children -s sym | grep -qE '\[k\] \[kernel.kallsyms\]'
	# but of a copy of their kernel's names
	cat /proc/kallsyms >kallsyms
	"$SKEP" -q report -i other.data --kallsyms kallsyms --no-children -s sym --format csv | grep kallsyms -v >copied.csv
	"$SKEP" -q report -i pipe.data --no-children -s sym --format csv >here.csv
	[ "$(comm -12 <(cut -d, -f3,6 copied.csv | sort) <(cut -d, -f3,6 here.csv | sort) | wc -l)" -gt 20 ]
	run -1 "$SKEP" report -i other.data --kallsyms nosuch
	[[ "$output" == "skep report: cannot read 'nosuch' of '--kallsyms': No such file or directory" ]]
	echo '0000000000000000 T _text' >zeroes
	for f in / /dev/null zeroes; do
		run -1 "$SKEP" report -i other.data --kallsyms "$f"
		[[ "$output" == *"'$f' of '--kallsyms'"* ]]
		[[ "$output" != *"kernel addresses are hidden"* ]]
	done
	run -1 "$SKEP" report -i other.data --symfs zeroes
	[[ "$output" == *"'zeroes' of '--symfs' is not a directory"* ]]
}

# control TEXT: as many bytes, of which the first are what a terminal obeys: ESC [31m, BEL, a CSI of C1, a cursor's way back
control() {
	printf '\033[31m\007\302\233\r%s' "$1" | head -c ${#1}
}

@test "control bytes in a recording's strings reach no terminal and no file" {
	need perf
	need gcc
	echo 'int main(void) { for (volatile long i = 0; i < 300000000; i++); }' | gcc -O1 -xc - -o "the-program"
	perf record -q -e cpu-clock:u -e page-faults:u -g -F "$(hz 999)" -o - "$PWD/the-program" some-long-argument 2>/dev/null >clean.data
	args=()
	for text in cpu-clock:u the-program some-long-argument "$(uname -r)"; do args+=(-e "s/$text/$(control "$text")/g"); done
	LC_ALL=C sed "${args[@]}" clean.data >dirty.data
	for c in report "report -g" "report -s event,comm,dso,sym,pid" "report --format csv -s event,comm,dso,sym" "report --json -g -s event,comm,dso,sym" \
		"flame -o f.html" "flame -o f.svg" "flame -o f.folded" "flame -o f.json --by tid --top 5" "flame --event-index 1 -o f.svg --strict" "report --event-index 7"; do
		# shellcheck disable=SC2086
		"$SKEP" $c -i dirty.data >out 2>&1 || true
		[ -s out ]
		[[ "$c" != flame* ]] || cat f.* >>out
		run ! env LC_ALL=C grep -naP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out
		echo "$c: $output"
		iconv -f UTF-8 -t UTF-8 out >/dev/null
		rm -f f.*
	done
	"$SKEP" -q report -i dirty.data | grep -qF "of event '\\x1b[31m\\x07"
	"$SKEP" -q report -i dirty.data -s comm | grep -qF '\x1b[31m'
}

@test "tools/recordings.sh: files, streams and compressed files are the same to perf; a difference is seen" {
	need perf
	need zstd
	mkdir rec
	# :u: a BPF program of another test may run in the kernel
	perf record -q -e cpu-clock:u -e page-faults:u -g -o rec/perf.data -- sh -c 'ls -lR /usr/share/doc >/dev/null' 2>/dev/null
	perf record -q -e cpu-clock:u -o - -- sh -c 'ls -lR /usr/share/doc >/dev/null' 2>/dev/null >rec/stream
	gzip -k rec/perf.data
	zstd -q rec/perf.data
	echo "not a recording" >rec/notes.txt
	SKEP=$SKEP run "$ROOT/tools/recordings.sh" rec
	echo "$output"
	# texts may: script.bats has what is known
	[[ "${lines[-1]}" == "4 recordings, 0 tables differ, "[0-4]" texts" ]]
	[ "$(grep -c ': same, [12] events, ' <<<"$output")" = 4 ]
	printf '#!/bin/sh\n"%s" "$@" | sed 2d\n' "$SKEP" >half
	chmod +x half
	SKEP=$PWD/half run "$ROOT/tools/recordings.sh" rec
	[ "$status" = 1 ]
	[[ "$output" == *"rec/perf.data: differs"*"samples of cpu-clock:u: perf "*"4 recordings, 4 tables differ, 4 texts"* ]]
}

# A program whose chains every walker finds whole, recorded by perf: s.data
record_tree() {
	need perf
	need gcc
	cat >tree.c <<-'END'
		static volatile long x;
		__attribute__((noinline)) void leaf(long n) { for (long i = 0; i < n; i++) x += i; x++; }
		__attribute__((noinline)) void left(void) { leaf(6000000); x++; }
		__attribute__((noinline)) void right(void) { leaf(4000000); x++; }
		__attribute__((noinline)) void other(void) { for (long i = 0; i < 3000000; i++) x ^= i; }
		int main(void) { for (int i = 0; i < 20; i++) { left(); right(); other(); } }
	END
	gcc -g -O0 -fno-omit-frame-pointer -o tree tree.c
	perf record -q -F "$(hz 4999)" -e cpu-clock:u -g --sample-cpu -o s.data ./tree 2>/dev/null
}

# same_as_perf OPTION...: the rows of both, without their blanks
same_as_perf() {
	perf report --stdio -i "${DATA:-s.data}" --percent-limit "${LIMIT:-1}" "$@" 2>/dev/null | sed 's/\[\.\.\.\] (inlined)/[...]/; s/\x1b/\\x1b/' | grep -v '^#' | tr -d ' ' | grep . >theirs || true
	"$SKEP" -q report -i "${DATA:-s.data}" --percent-limit "${LIMIT:-1}" "$@" | grep -v '^#' | tr -d ' ' | grep . >ours || true
	# Functions without a name (of a chain that perf lost its way in) are a row an address there, and one row here
	sed -i -E '/\[\.\](\[unknown\]|[0-9a-f]{16})$/d' ours theirs
	[ -s theirs ] || { echo "$*: perf prints nothing"; false; }
	diff ours theirs || { echo "$*: < skep, > perf"; false; }
}

@test "sort keys, columns, filters and call chains are perf's" {
	record_tree
	cpu=$("$SKEP" -q report -i s.data -s cpu --no-children --top 1 --format csv | tail -1 | cut -d, -f6)
	while read -ra words; do
		same_as_perf "${words[@]}"
	done <<-END
		--no-children -g none
		-g none -s sym
		-g none -s +cpu
		-g none -s overhead,sym,comm --no-children
		-g none -s sym,srcline,srcfile --no-children
		-g none -s sym,time --time-quantum 20ms --ns --no-children
		-g none -n --show-total-period --show-cpu-utilization -s comm,cpu --no-children
		-g none -F sym,overhead,period --no-children
		-g none -F overhead,overhead_us,overhead_sys,sample,sym
		-g none -F +period,sample -s dso,sym --no-children
		-g none -d tree --no-children
		-g none -S leaf,other --no-children
		-g none -S leaf --no-children
		-g none -S leaf,left --percentage relative --no-children
		-g none -c tree,no -s comm,sym --no-children
		-g none -C $cpu --no-children
		-g none --symbol-filter=ea --no-children
		-g none --time 10%-20% --no-children
		-g none --time 10%/2,10%/6 --no-children
		-g none -p ^left$ --no-children -s sym
		-g none -p ^left$ -x --no-children -s sym
		-g none -U --no-children
		-g --no-children
		-g callee --no-children
		-g caller,2
		-g callee,30 --no-children -s comm
		-g -s sym
		-g fractal,20 -s dso --no-children
		-g fractal,caller -s comm
		-g graph,0.5,1,callee,period -s dso --no-children
		-g graph,count -s comm
		-g flat,5 -s comm --no-children
		-g folded,5,count -s comm --no-children
		-G -s dso --no-children
		-g none -s per --no-children
		-g none -s +sam --no-children
		-g none --time 1,0 --no-children
		-g none --hierarchy
		-g none --hierarchy -s dso,sym,srcline -n
		-g caller,2 --hierarchy -s comm,dso
		-g callee --max-stack 2 --no-children -s sym
		-g callee --ignore-callees ^left$ --no-children -s sym
	END
}

@test "what is left out is not lost; percentages are of all samples, or of those that are shown" {
	record_tree
	all=$("$SKEP" report -i s.data --json 2>err | jq .kept)
	"$SKEP" report --strict -i s.data -S leaf --json >leaf.json
	"$SKEP" -q report -i s.data -S leaf --percentage relative -s sym --no-children | grep -qE '^ +100.00%'
	[ "$(jq .kept leaf.json)" -lt "$all" ]
	jq -e '.rows[0].self_pct < 95 and (.losses | add // 0) == 0' leaf.json
	run -1 "$SKEP" report -i s.data -c nobody
	[[ "$output" == "skep report: none of the $all samples in 's.data' is of those that the options name" ]]
	run -1 "$SKEP" report -i s.data --time 1,2
	[[ "$output" == *"none of the $all samples"* ]]
}

@test "-t has a separator and no blanks, -w widths" {
	"$SKEP" -q report -i a.data -t , --no-children -s comm,sym >out
	grep -qxF '# Overhead,Command,Symbol' out
	grep -qE '^[0-9.]+%,shares,hot$' out
	"$SKEP" -q report -i a.data -t h --no-children -s comm,sym | grep -qE '^[0-9.]+%hs\.aresh\.ot$'
	"$SKEP" -q report -i a.data -w 12,4,20 --no-children -s comm,sym | grep -qE '^ {2} +[0-9.]+%  shar  \[\.\] hot$'
}

@test "--header-only, --stats, --tasks and --mmaps print perf's lines; --header prints them before the table" {
	need perf
	perf record -q -F "$(hz 999)" -e cpu-clock:u -e page-faults -g -o f.data -- sh -c 'sh -c "ls >/dev/null; ls /; true" >/dev/null; sleep 0.01' 2>/dev/null
	perf record -q -z -F "$(hz 999)" -e cpu-clock -g -o z.data -- sh -c 'ls -lR /usr/share/doc' >/dev/null 2>&1
	perf record -q -F "$(hz 999)" -e '{cpu-clock,page-faults}' -e context-switches -k monotonic -o k.data -- ls -R /usr/share/doc >/dev/null 2>&1
	"$SKEP" record -o skep.data -- ls -R /usr/share/doc >/dev/null 2>&1
	for f in f z k skep; do
		for o in --header-only "--header-only -I" --stats --tasks --mmaps; do
			# shellcheck disable=SC2086
			[ "$f $o" != "skep --mmaps" ] || continue # perf prints a part of the build id as the inode
			# programs of others
			perf report --stdio -i $f.data $o 2>/dev/null | grep -vE "^# (bpf_prog_info|btf info|$(printf '\t')sub_prog)" >theirs
			"$SKEP" report -i $f.data $o | diff - theirs
		done
	done
	"$SKEP" -q report -i f.data --header >both
	"$SKEP" -q report -i f.data --header-only | diff - <(head -n "$(grep -n '^#$' both | head -1 | cut -d: -f1)" both)
	grep -q '^# Samples: ' both
	"$SKEP" report -i a.data --header-only | grep -qE '^# cmdline : .*record'
	"$SKEP" report -i a.data --tasks | grep -qE '^ +[0-9]+ +[0-9]+ +-1 \|'
}

@test "--symfs: programs are looked for below a directory; --no-demangle leaves names as they are" {
	need perf
	need g++
	export HOME=$PWD # no cache of former runs
	printf 'namespace hive { void bee(long n) { for (volatile long i = 0; i < n; i++); } }\nint main() { hive::bee(100000000); }\n' | g++ -O1 -xc++ - -o gone
	perf record -q -N -F "$(hz 999)" -e cpu-clock:u -o gone.data ./gone 2>/dev/null
	mkdir -p "below$PWD"
	mv gone "below$PWD/gone"
	run ! grep bee <("$SKEP" -q report -i gone.data -s sym --no-children)
	"$SKEP" -q report -i gone.data -s sym --no-children --symfs "$PWD/below" | grep -q '\[\.\] hive::bee$'
	"$SKEP" -q report -i gone.data -s sym --no-children --symfs below --no-demangle | grep -qF '[.] _ZN4hive3beeEl'
	run -1 "$SKEP" report -i gone.data --symfs nosuch
	[[ "$output" == "skep report: cannot read 'nosuch' of '--symfs': No such file or directory" ]]
}

@test "--mmaps: what many forks inherit is bounded, and what is left out is said" {
	need python3
	python3 "$ROOT/tests/root/perfdata.py" maps m.data 20000 60
	"$SKEP" report -i m.data --mmaps >out 2>err
	[ "$(grep -c ' //*a$' out)" = $((1 << 20)) ]
	grep -q '^171424 mappings are left out: skep report shows 65536 of a process, and 1048576 in all$' err
	"$SKEP" report -i m.data --tasks >out 2>err
	[ "$(wc -l <out)" = 63 ] && [ ! -s err ]
	python3 "$ROOT/tests/root/perfdata.py" maps m.data 300 2
	"$SKEP" report -i m.data --mmaps >out 2>err
	[ "$(grep -c ' //*a$' out)" = 900 ] && [ ! -s err ]
}

@test "--group: a column of each event, side by side" {
	record_tree
	perf record -q -F "$(hz 4999)" -e cpu-clock:u,page-faults:u -e task-clock:u -g -o g.data ./tree 2>/dev/null
	perf record -q -F "$(hz 4999)" -e '{cpu-clock:u,page-faults:u}' -g -o h.data ./tree 2>/dev/null
	for DATA in g.data h.data; do
		while read -ra words; do
			same_as_perf --group "${words[@]}"
		done <<-END
			-g none --no-children
			-g none -s sym
			-g none -s comm -n --show-total-period --no-children
			-g none -s sym --group-sort-idx 1 --no-children
			-g none -S leaf -s sym --no-children
			-g none -S leaf -s comm,sym --percentage relative --no-children
			-g callee,2 -s comm --no-children
			-g caller,2 -s dso
		END
	done
	# All are equal in the event that sorts: their names say the order then, not event 0
	cp tree less && cp tree more
	perf record -q -F "$(hz 999)" -e '{cpu-clock:u,emulation-faults:u}' -o equal.data sh -c './more; ./more; ./less' 2>/dev/null
	DATA=equal.data same_as_perf --group -g none -s comm --group-sort-idx 1 --no-children
	perf report --stdio -i g.data --group -g none -s comm --no-children 2>/dev/null | sed -nE 's/# Samples: .*(of events .*)/\1/p; s/^# Event count/&/p' >theirs
	"$SKEP" -q report -i g.data --group -s comm --no-children | sed -nE 's/# Samples: .*(of events .*)/\1/p; s/^# Event count/&/p' | diff - theirs
	"$SKEP" -q report -i h.data --group -n -s comm --no-children -t , | grep -qxE '[0-9.]+% [0-9.]+%,[0-9]+ [0-9]+,tree'
	run -2 "$SKEP" report -i h.data --group-sort-idx 2
	[[ "$output" == *"--group-sort-idx 2: the group has 2 events, counted from 0"* ]]
	run -2 "$SKEP" report -i h.data --group --json
	"$SKEP" -q report -i h.data --no-group -s comm | grep -c '# Samples: ' | grep -qx 2
}

@test "--switch-on, --switch-off: as perf; -D prints what skep script -D does" {
	record_tree
	perf record -q -F "$(hz 4999)" -e cpu-clock:u -e page-faults -e context-switches -o s.data -- sh -c './tree; sleep 0.01; ./tree' 2>/dev/null
	for words in "--switch-on context-switches" "--switch-off page-faults --switch-on context-switches --show-on-off-events" \
		"--switch-on context-switches -c tree"; do
		# shellcheck disable=SC2086
		same_as_perf -g none -s comm --no-children -n --no-group $words
	done
	# alone it ends what is shown; perf 6.1 leaves out that sample only (evswitch__discard())
	# On a busy machine the first switch may be before the first page fault: then there is nothing
	"$SKEP" -q report -i s.data --switch-off context-switches -n -s comm --no-children --event-index 1 >out || [ ! -s out ]
	[ "$(awk '/^ / { n += $2 } END { print n + 0 }' out)" = \
		"$("$SKEP" -q script -i s.data --switch-off context-switches -F event | grep -c page-faults)" ]
	run -2 "$SKEP" report -i s.data --switch-on nosuch
	[[ "$output" == *"--switch-on 'nosuch': the file has no such event"* ]]
	"$SKEP" report -i s.data -D >dump
	grep -q 'PERF_RECORD_SAMPLE\|raw event' dump
	"$SKEP" script -i s.data -D 2>/dev/null | diff -q - dump
	run -2 "$SKEP" report -i s.data -D --stats
}

@test "keys of memory accesses, weights and transactions are perf's, and so is --mem-mode" {
	need perf
	need python3
	for kind in plain struct; do
		python3 "$ROOT/tests/root/perfdata.py" memory s.data "$kind"
		while read -ra words; do
			LIMIT=0 same_as_perf -g none --no-children "${words[@]}"
		done <<-END
			-s local_weight,weight,local_ins_lat,ins_lat
			-s addr,code_page_size
			-s transaction
			--mem-mode -s mem
			--mem-mode -s snoop
			--mem-mode -s tlb,locked,blocked
			--mem-mode -s data_page_size,local_weight
		END
	done
	"$SKEP" -q report -i s.data --mem-mode | grep -q '^# Overhead  Local Weight  Memory access'
	"$SKEP" report -i s.data -s mem,weight --json | jq -e '.rows[0] | has("mem") and has("weight")'
	run -2 "$SKEP" report -i a.data -s mem
	[[ "$output" == *"sort key 'mem': the samples in 'a.data' have no data sources (perf mem record)"* ]]
	# what no sample of a file has
	perf record -q -a -e cpu-clock -F "$(hz 999)" -o s.data -- sh -c 'ls -lR /usr/share/doc >/dev/null'
	same_as_perf -g none --no-children -s cgroup,weight,transaction,code_page_size
	same_as_perf -g none --no-children -s socket,cpu
}

# A program's page faults, with data addresses, namespaces and data mappings
record_faults() {
	cat >faults.c <<-END
		#include <stdlib.h>
		char table[64 * 4096];
		static char other[16 * 4096] = { 1 };
		__attribute__((noinline)) void fill_table(void) { for (int i = 0; i < 64; i++) table[i * 4096 + 8] = 1; }
		__attribute__((noinline)) void fill_other(void) { for (int i = 0; i < 16; i++) other[i * 4096 + 8] = 1; }
		int main(void) { fill_table(); fill_other(); return 0; }
	END
	gcc -g -O1 -o faults faults.c
	perf record -q -c 1 -d --namespaces -e page-faults:u -o s.data ./faults 2>/dev/null
}

@test "sizes of functions and mappings and cgroup namespaces are perf's" {
	need perf
	need gcc
	record_faults
	# perf adds a column of IPC to every table of symbols
	for keys in symbol_size,sym dso_size,dso cgroup_id,comm; do
		perf report --stdio -i s.data -g none --no-children --percent-limit 1 -s $keys 2>/dev/null | grep -v '^#' |
			sed 's/ -      -  *$//' | tr -d ' ' | grep . >theirs
		"$SKEP" -q report -i s.data --no-children --percent-limit 1 -s $keys | grep -v '^#' | tr -d ' ' | grep . >ours
		diff ours theirs
	done
	grep -q '^100.00%[0-9]*/0x[0-9a-f]*faults$' ours
	bytes=$((0x$(nm -S faults | awk '$4 == "fill_table" { print $2 }')))
	"$SKEP" -q report -i s.data --no-children -s symbol_size,sym | grep -qE "% +$bytes +\\[\\.\\] fill_table"
	"$SKEP" report -i s.data -s symbol_size,dso_size,cgroup_id --json | jq -e '.rows[0] | has("symbol_size") and has("dso_size") and has("cgroup_id")'
}

# Variables of the file, of shared and of private memory, touched by the program and by the kernel
record_data() {
	cat >data.c <<-END
		#include <fcntl.h>
		#include <stdlib.h>
		#include <sys/mman.h>
		#include <unistd.h>
		char bytes[16 * 4096] __attribute__((aligned(4096))) = { 1 };
		const volatile char constants[8 * 4096] __attribute__((aligned(4096))) = { 2 };
		int main(void)
		{
			volatile char sum = 0;
			int fd = open("shared.bin", O_RDWR | O_CREAT | O_TRUNC, 0600), zero = open("/dev/zero", O_RDONLY);
			char *shared, *private = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (fd < 0 || ftruncate(fd, 16384))
				return 1;
			shared = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
			for (int i = 0; i < 16; i++) bytes[i * 4096 + 8] = 1;
			for (int i = 0; i < 8; i++) sum += constants[i * 4096];
			for (int i = 0; i < 4; i++) shared[i * 4096] = 1;
			return read(zero, private, 16384) != 16384;
		}
	END
	gcc -O1 -o data data.c
	perf record -q -c 1 -d -e page-faults -o s.data ./data 2>/dev/null
}

@test "keys of data addresses are perf's, and name the variables that were touched" {
	need perf
	need gcc
	record_data
	# perf 6.1 names no stubs of libraries, and adds a column of IPC. It prints a cache line's distance to a variable as a difference of
	# unlike addresses.
	for keys in symbol_daddr dso_daddr symbol_iaddr sym,symbol_daddr,dso_daddr dcacheline; do
		perf report --stdio --mem-mode -s $keys -i s.data 2>/dev/null | grep -v '^#' | sed 's/ -      -  *$//' | tr -d ' ' | grep . >theirs
		"$SKEP" -q report --mem-mode -s $keys -i s.data | grep -v '^#' | tr -d ' ' | grep . >ours
		case $keys in
		dcacheline)
			diff <(grep -c . ours) <(grep -c . theirs)
			for level in s X; do diff <(grep -F "[$level]" ours | sort) <(grep -F "[$level]" theirs | sort); done
			;;
		dso_daddr) diff ours theirs ;;
		*) diff <(grep -v @plt ours) <(grep -v @plt theirs) ;;
		esac
	done
	[ "$(grep -cF '[s]' ours)" = 4 ]
	"$SKEP" -q report -i s.data --no-children -s dso_daddr | grep -qE '^ +[0-9.]+% +shared.bin *$'
	"$SKEP" report -i s.data --no-children -s symbol_daddr,dso_daddr --json >rows.json
	for i in 0 7 15; do
		printf -v at '%x' $((i * 4096 + 8))
		jq -e --arg at "bytes+0x$at" '[.rows[] | select(.symbol_daddr == $at)] | length == 1' rows.json
	done
	[ "$(jq '[.rows[] | select(.symbol_daddr | startswith("bytes+0x"))] | length' rows.json)" = 16 ]
	"$SKEP" script -i s.data -F addr,sym,dso 2>/dev/null | grep -v @plt >ours
	perf script -i s.data -F addr,sym,dso 2>/dev/null | grep -v @plt | diff ours -
	[ "$(grep -c ' bytes ' ours)" = 16 ]
	same_as_perf -g none --no-children -s addr
	# Memory that processes share is one, and that of each its own; the code is that of the sample, whatever the stack is cut to
	cat >shared.c <<-END
		#include <sys/ipc.h>
		#include <sys/mman.h>
		#include <sys/shm.h>
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) void touch(char *p) { for (int i = 0; i < 4; i++) p[i * 4096] = 1; }
		int main(void)
		{
			int id = shmget(IPC_PRIVATE, 16384, 0600);
			char *all = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), *old = shmat(id, NULL, 0);
			char *own = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			shmctl(id, IPC_RMID, NULL);
			for (int i = 0; i < 2; i++)
				if (!fork()) {
					touch(all); touch(old); touch(own);
					_exit(0);
				}
			while (wait(NULL) > 0) ;
			return 0;
		}
	END
	gcc -O1 -o sharing shared.c
	perf record -q -g -c 1 -d -e page-faults:u -o s.data ./sharing 2>/dev/null
	"$SKEP" -q report -i s.data --no-children -g none -n -s dcacheline,symbol_iaddr | grep touch >lines
	[ "$(grep -cE '^ +[0-9.]+% +2 +\[s\] ' lines)" = 8 ]
	[ "$(grep -cE '^ +[0-9.]+% +1 +\[\.\] ' lines)" = 8 ]
	perf report --stdio --mem-mode -i s.data -g none -n -s dcacheline,symbol_iaddr 2>/dev/null | grep touch | grep -cF '[s]' | grep -qx 8
	"$SKEP" report -i s.data --no-children -s dcacheline --json | jq -e '[.rows[] | select(.dcacheline | startswith("[s] "))] | length == 8'
	"$SKEP" report -i s.data --no-children -s symbol_iaddr --json | jq -e '[.rows[] | select(.symbol_iaddr | test("^touch\\+0x[0-9a-f]+$"))] | length > 0'
	"$SKEP" -q report -i s.data --no-children -n -s symbol_iaddr --ignore-callees main | grep -E '\[\.\] touch' | awk '{ n += $2 } END { exit n != 24 }'
	python3 "$ROOT/tests/root/perfdata.py" memory s.data plain noaddr
	"$SKEP" -q report -i s.data --mem-mode | grep -qF 'Data Symbol'
	run -2 "$SKEP" report -i s.data --mem-mode -s symbol_daddr
	run -2 "$SKEP" report -i a.data -s symbol_daddr
	[[ "$output" == *"sort key 'symbol_daddr': the samples in 'a.data' have no data addresses (perf record -d)"* ]]
}

@test "-b: branches instead of samples, as perf has them" {
	need perf
	need python3
	need nm
	prog=$WORK/shares
	# shellcheck disable=SC2046
	python3 "$ROOT/tests/root/perfdata.py" branches s.data "$prog" $(nm "$prog" | awk '$3 ~ /^(main|hot|cold)$/ { print $1 }')
	# perf 6.1 ends with a signal where -s has symbol_from, and a stream is read. Rows that weigh the same stand in another order.
	while read -ra words; do
		LIMIT=0 same_as_perf "${words[@]}" 2>&1 >diff || true
		[ -s theirs ] && diff <(sort ours) <(sort theirs) || { echo "${words[*]}"; false; }
	done <<-END
		-b
		-b -F overhead,symbol_from,symbol_to
		-b -F overhead,period,dso_to,symbol_to,sample
		-b -s comm,sym
		-b -s cycles
		-b -s srcline_from,srcline_to
		-b -s pid,dso_from -U -n --show-total-period
		--no-branch-stack -s sym --no-children -g none
	END
	# perf 6.1 compares these flags without an order: sums of its rows
	for key in mispredict in_tx abort; do
		LIMIT=0 same_as_perf -b -s $key -n >/dev/null || true
		for f in ours theirs; do
			sed -E 's/^[0-9.]+%//; s/^([0-9]+)/\1 /' $f | awk '$1 { n[$2 == "N/A" ? "N" : $2] += $1 } END { for (k in n) print k, n[k] }' | sort >$f.sums
		done
		[ $key = mispredict ] || diff ours.sums theirs.sums
	done
	"$SKEP" report -i s.data -s mispredict --json | jq -e '[.rows[].mispredict] | sort == ["N", "N/A", "Y"]'
	# the default for such a file; -g and --children have the samples
	diff <("$SKEP" -q report -i s.data) <("$SKEP" -q report -i s.data -b)
	"$SKEP" -q report -i s.data --children | grep -q '^# Children'
	"$SKEP" report -i s.data | grep -q '^# Note: the table counts branches: those of 200 samples, of which [1-9][0-9]* have none'
	run -2 "$SKEP" report -i s.data -s symbol_from --no-branch-stack
	[[ "$output" == *"sort key 'symbol_from' is of branches: it needs -b"* ]]
	run -2 "$SKEP" report -i a.data -b
	[[ "$output" == *"-b: the samples in 'a.data' have no branch stacks (perf record -b)"* ]]
	run -2 "$SKEP" report -i a.data -s symbol_from
	[[ "$output" == *"sort key 'symbol_from': the samples in 'a.data' have no branch stacks (perf record -b)"* ]]
}

@test "-s cgroup: the paths of control groups that the file names" {
	need perf
	need python3
	perf record -q --all-cgroups -F "$(hz 4999)" -e cpu-clock -o s.data -- sh -c 'ls -lR /usr/share/doc >/dev/null' 2>/dev/null || skip "this kernel or perf has no --all-cgroups"
	perf report --stdio -i s.data --stats 2>/dev/null | grep -q 'CGROUP events' || skip "no cgroup has a name here"
	same_as_perf -g none --no-children -s cgroup,comm
	python3 "$ROOT/tests/root/perfdata.py" cgroups s.data
	LIMIT=0 same_as_perf -g none --no-children -s cgroup
	"$SKEP" -q report -i s.data --no-children -s cgroup -t , | grep -qxF '20.00%,/b\x1b[31m'
}

@test "-s trace: the text of tracepoints, as perf has it" {
	need perf
	perf record -q -e sched:sched_switch -e cpu-clock -F "$(hz 999)" -o s.data -- sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done' 2>/dev/null || skip "no tracepoints here"
	# perf cuts a text that is wider than its column
	LIMIT=0 same_as_perf -g none --no-children -s comm,trace --no-group -w 8,20,400
	"$SKEP" -q report -i s.data -s trace --no-children --event-index 0 | grep -q 'prev_comm=sleep.* ==> '
}

# latency_rows OPTION...: the rows of s.data, without blanks at their ends
latency_rows() {
	"$SKEP" -q report -i s.data "$@" | grep '%' | sed 's/^ *//; s/ *$//'
}

# as_new_perf OPTION...: the rows of s.data are those of perf 7.3 (tests/perfshell/fetch.sh)
as_new_perf() {
	diff <("$SKEP" -q report -i s.data "$@" | grep -v '^#' | tr -d ' ' | grep .) \
		<("$ROOT/build/perfshell/7.3/usr/bin/perf" report --stdio -g none -i s.data "$@" 2>/dev/null | grep -v '^#' | tr -d ' ' | grep .)
}

@test "--latency, --parallelism: each sample is divided by the threads that ran" {
	need python3
	python3 "$ROOT/tests/root/perfdata.py" switches s.data thread
	diff <(latency_rows -s parallelism) - <<-'END'
		44.44%    28.57%            3
		37.04%    35.71%            2
		18.52%    35.71%            1
	END
	diff <(latency_rows -s comm) - <<-'END'
		62.96%    46.43%  two
		37.04%    53.57%  one
	END
	diff <(latency_rows -s comm --latency -n) - <<-'END'
		53.57%    37.04%             2  one
		46.43%    62.96%             2  two
	END
	diff <(latency_rows -s latency,parallelism) - <<-'END'
		35.71%            1
		35.71%            2
		28.57%            3
	END
	diff <(latency_rows -s overhead,parallelism) - <<-'END'
		44.44%            3
		37.04%            2
		18.52%            1
	END
	[ "$(latency_rows -s comm --parallelism 3)" = "44.44%    28.57%  two" ]
	[ "$(latency_rows -s comm --parallelism 3 --percentage relative)" = "100.00%   100.00%  two" ]
	[ "$(latency_rows -s comm --parallelism 1,3-4 --pid 7 | wc -l)" = 2 ]
	# switches count, also those of times and threads that are not shown
	[ "$(latency_rows -s parallelism --time 16,)" = "100.00%   100.00%            3" ]
	[ "$(latency_rows -s parallelism --group --comms two --latency)" = $'28.57%    44.44%            3\n17.86%    18.52%            2' ]
	diff <(latency_rows --latency --hierarchy -s parallelism,comm) - <<-'END'
		35.71%    37.04%     2
		17.86%    18.52%     one
		17.86%    18.52%     two
		35.71%    18.52%     1
		35.71%    18.52%     one
		28.57%    44.44%     3
		28.57%    44.44%     two
	END
	"$SKEP" -q report -i s.data -s parallelism --latency | grep -qxF '#  Latency  Overhead  Parallelism'
	"$SKEP" -q report -i s.data -s parallelism --children --latency | grep -qxF '#  Latency  Children   Latency      Self  Parallelism'
	"$SKEP" -q report -i s.data --hierarchy -s parallelism,comm | grep -qxF '#    Overhead   Latency  Parallelism / Command'
	diff <("$SKEP" -q report -i s.data -s comm --latency --format csv) - <<-'END'
		self_pct,total_pct,self,total,samples,latency_pct,latency_total_pct,comm
		37.0370,37.0370,200,200,2,53.5714,53.5714,"one"
		62.9630,62.9630,340,340,2,46.4286,46.4286,"two"
	END
	"$SKEP" -q report -i s.data -s parallelism --json | jq -ce '[.rows[] | [.parallelism, .latency_pct, .latency_total_pct]] == [[3, 28.5714, 28.5714], [2, 35.7143, 35.7143], [1, 35.7143, 35.7143]]'
	for list in 0 5000 4097 1,0 x 3-1 ''; do
		run -2 "$SKEP" report -i s.data --parallelism "$list"
		[[ "$output" == *"bad value '$list' of '--parallelism': "* ]]
	done
	run -2 "$SKEP" report -i s.data --latency --mem-mode
	[[ "$output" == *"--latency and --mem-mode exclude each other: it divides the time of samples"* ]]
	run -2 "$SKEP" report -i s.data -F latency --mem-mode
	[[ "$output" == *"column 'latency' divides the time of samples: it is not available with --mem-mode"* ]]
}

@test "--latency, --parallelism: files without context switches, those of CPUs, and those that lost some" {
	need python3
	python3 "$ROOT/tests/root/perfdata.py" switches s.data lost
	for option in "-s comm" "-s comm --latency" "-s parallelism"; do
		# shellcheck disable=SC2086
		"$SKEP" report -i s.data $option | grep -qx '# Note: context switches may be among what was lost: parallelism and latency may be wrong'
	done
	python3 "$ROOT/tests/root/perfdata.py" switches s.data thread
	! "$SKEP" report -i s.data | grep -q 'among what was lost'
	python3 "$ROOT/tests/root/perfdata.py" switches s.data cpu
	"$SKEP" -q report -i s.data -s comm | grep -qx '# Overhead  Command'
	"$SKEP" -q report -i s.data --json | jq -e '.rows[0] | has("latency_pct") | not'
	while IFS='|' read -r option name; do
		# shellcheck disable=SC2086
		run -2 "$SKEP" report -i a.data $option
		[ "$output" = "skep report: $name: 'a.data' has no context switches"$'\n'"hint: record with skep record --latency" ]
		# shellcheck disable=SC2086
		run -2 "$SKEP" report -i s.data $option
		[[ "$output" == *"skep report: $name: 's.data' is of all that CPUs ran, and does not say how many threads that was when it began"* ]]
	done <<-'END'
		--latency|--latency
		--parallelism 1|--parallelism
		-s latency|column 'latency'
		-F overhead,latency_children|column 'latency_children'
		-s parallelism|sort key 'parallelism'
	END
	! "$SKEP" -q report -i a.data | grep -q Latency
}

# bats test_tags=measuring
@test "--latency: one thread and then four, as the file's switches have it" {
	"$SKEP" record --latency -F "$(hz 4999)" -o s.data -- "$WORK/phases" "$(times 0.5)" 4 >truth
	"$SKEP" -q script -F comm,tid,time,event,period --show-switch-events --show-task-events -i s.data | awk -v cpus="$(nproc --all)" '
		BEGIN { running = 1 }
		/PERF_RECORD_SWITCH/ { running += / IN/ ? 1 : -1; next }
		/PERF_RECORD_EXIT/ { running--; next }
		/PERF_RECORD_/ { next }
		{
			period = $(NF - 1)
			n = running < 1 ? 1 : running > cpus ? cpus : running
			self[n] += period; all += period; latency[n] += int(period * 1000 / n); sum += int(period * 1000 / n)
		}
		END { for (n in self) printf "%d %.2f %.2f\n", n, 100 * self[n] / all, 100 * latency[n] / sum }' | sort -n >theirs
	"$SKEP" -q report -i s.data -s parallelism --format csv | awk -F, 'NR > 1 { printf "%d %.2f %.2f\n", $8, $1, $6 }' | sort -n >ours
	[ -s ours ]
	diff ours theirs
	# One thread is one thread
	diff <("$SKEP" -q report -i s.data -S alone -s parallelism --format csv | cut -d, -f8) <(printf 'parallelism\n1\n')
	# Half of the CPU time each; where two ran at a time, together() is less of the latency
	"$SKEP" -q report -i s.data -s sym --format csv | awk -F, '
		FNR == NR { if ($1 > 1) wide += $2; next }
		$8 ~ /^"(alone|together)"$/ { self[$8] = $1; latency[$8] = $6 }
		END {
			a = self["\"alone\""]; t = self["\"together\""]; la = latency["\"alone\""]; lt = latency["\"together\""]
			print a, t, la, lt, wide
			exit !(a > 44 && a < 56 && t > 40 && t < 56 && (wide < 2 || (la > a && lt < t)))
		}' ours -
	[ "$(nproc)" = 1 ] || awk '$1 > 1 { wide = 1 } END { exit !wide }' ours
	# of callees, too: main() has all that its alone() has, and no thread
	"$SKEP" -q report -i s.data -s sym --json | jq -e '(.rows[] | select(.sym == "main")) as $m | (.rows[] | select(.sym == "alone")) as $a |
		$m.latency_total_pct >= $a.latency_total_pct and $m.latency_total_pct < $a.latency_total_pct + 5 and $m.latency_pct < 1 and
		$a.latency_total_pct >= $a.latency_pct'
	"$SKEP" -q report -i s.data -s sym --percent-limit 10 | grep -qE '^# Children   Latency      Self   Latency  Symbol'
	[ -x "$ROOT/build/perfshell/7.3/usr/bin/perf" ] || return 0
	while read -ra words; do
		as_new_perf "${words[@]}" || { echo "${words[*]}: < skep, > perf"; false; }
	done <<-'END'
		--no-children -s parallelism
		--no-children -s parallelism,comm --latency -n
		--latency --hierarchy -s parallelism,comm --no-children
		--no-children -s comm --parallelism 2-3
		--no-children -s comm --parallelism 1 --percentage relative
		-s overhead,parallelism
		-s latency,parallelism
		-F latency,overhead,parallelism
		-F overhead -s parallelism
		-F +parallelism -s comm --no-children
		-s comm --latency --children
		-s comm --children
		-s comm,sym --latency --percent-limit 10 --no-children
	END
}

@test "-s pid: the name is that of the last sample's thread, also where samples are summed before" {
	"$SKEP" -q record -F "$(hz 4999)" -o s.data -- "$WORK/threads" 1 >truth
	for o in "--children" "--no-children"; do
		for k in pid pid,sym tid,dso; do
			"$SKEP" -q report -i s.data $o -s $k >a
			"$SKEP" -q report -i s.data $o -s $k --time 0%-100% | diff a -
		done
	done
}

@test "a file without times: threads have their names, as in perf; --time says that there are none" {
	need perf
	perf record -q --no-timestamp -F "$(hz 4999)" -e cpu-clock -o s.data -- sh -c 'for i in 1 2 3; do sh -c "exec ls -lR /usr/share/doc" >/dev/null; done' 2>/dev/null
	# But perf-exec, which perf shows as perf-ex
	for how in "$SKEP" perf; do "$how" report -i s.data --stdio -g none --no-children -s comm -n 2>/dev/null | awk 'NF && !/^#/ && !/perf-ex/ { $1 = $1; print }' >"$(basename "$how")"; done
	[ "$(wc -l <perf)" -ge 2 ]
	diff skep perf
	run -2 "$SKEP" report -i s.data --time 10%-50%
	[[ "$output" == "skep report: --time: samples of 'cpu-clock"*"' have no times (TIME): record with -T" ]]
}

@test "-s srcfile, srcline: files that have one name without their paths are one row, as in perf; --full-source-path: each by itself" {
	need gcc
	mkdir -p one two
	printf '__attribute__((noinline)) static void NAME(void) { for (volatile long i = 0; i < 300000000; i++) ; }\n' | tee one/spin.h >two/spin.h
	printf '#define NAME f\n#include "one/spin.h"\n#undef NAME\n#define NAME g\n#include "two/spin.h"\nint main(void) { f(); g(); }\n' >twice.c
	gcc -O1 -g -o twice twice.c
	"$SKEP" -q record -F "$(hz 999)" -o s.data -- ./twice
	for key in srcfile srcline; do
		[ "$("$SKEP" -q report -i s.data --no-children -s $key | grep -c 'spin\.h')" = 1 ]
		[ "$("$SKEP" -q report -i s.data --no-children -s $key --full-source-path | grep -cE '(one|two)/spin\.h')" = 2 ]
	done
}

@test "time off the CPUs: is the kernel's, and what has no object is one row" {
	need jq
	"$SKEP" -q record --off-cpu -F "$(hz 999)" -o s.data -- sh -c '"$0" 1 & "$0" 1 & "$0" 1; sleep 0.2; wait' "$WORK/shares" >/dev/null
	"$SKEP" -q report -i s.data --event-index 1 --no-children -s comm --show-cpu-utilization | grep '%' >rows
	grep -q shares rows
	awk '$3 != "0.00%" { exit 1 }' rows
	"$SKEP" report -i s.data --event-index 1 --no-children -s dso --json >a.json
	jq -e '[.rows[].dso] | length == (unique | length) and (index("") | not)' a.json
	"$SKEP" flame -i s.data --off-cpu --format folded | grep -q '\[preempted\]'
}

@test "-T: what each thread counted, as perf has it" {
	need perf
	perf record -q -s -e cpu-clock,page-faults -o s.data -- "$WORK/threads" "$(times 0.3)" >/dev/null 2>&1
	perf report --stdio -T -i s.data 2>/dev/null | sed -n '/^# *PID/,$p' >theirs
	[ "$(grep -c . theirs)" -ge 9 ]
	"$SKEP" -q report -T -i s.data | sed -n '/^# *PID/,$p' | diff - theirs
	# perf's raw rows have no end of line
	"$SKEP" -q report -T --pretty raw -i s.data | sed -n '/^# *PID/,$p' | tail -n +2 | tr -d '\n' | diff - <(perf report --stdio -T --pretty raw -i s.data 2>/dev/null | sed -n '/^# *PID/,$p' | tail -n +2)
	"$SKEP" report -T -i a.data | grep -qxF '# Note: the file does not say what threads counted: perf record -s has it'
	run -2 "$SKEP" report -T --json -i s.data
	[[ "$output" == *"it prints a table after the others"* ]]
}
