#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Profiles in pprof's format, both ways: go tool pprof reads skep's, and skep reads what Go programs write.
# bats file_tags=user-space
load ../lib.bash

pprof() { # pprof OPTION... FILE, without its home directory
	type -P go >/dev/null || skip "no go"
	env PPROF_TMPDIR=. GOFLAGS= HOME="$PWD" GOCACHE="$ROOT/build/gocache" go tool pprof "$@"
}

# shares FILE OPTION...: a run whose shares are known, as a profile
shares() {
	local out=$1
	shift
	"$SKEP" flame -F 999 "$@" -o "$out" -- "$WORK/shares" 1 >truth
}

@test "go tool pprof has the functions, the program and the build id of skep's profile" {
	shares a.pb.gz
	cat truth
	pprof -top a.pb.gz >top
	cat top
	grep -q '^File: shares$' top
	grep -q "^Build ID: $(readelf -n "$WORK/shares" | sed -n 's/.*Build ID: //p')\$" top
	grep -q '^Type: cpu$' top
	pprof -sample_index=samples -top a.pb.gz >counts
	# the same shares as skep's table of the profile, within what pprof rounds
	"$SKEP" report -i a.pb.gz --no-children -s sym --format csv | tr -d '"' >rows
	cat rows
	awk 'NR == FNR { if ($2 ~ /%$/) got[$6] = $2 + 0; next } { split($0, f, ","); for (i in f) if (f[i] == "hot" || f[i] == "cold") name = f[i]
		if (name) { want[name] = f[1]; name = "" } }
		END { for (n in want) { d = got[n] - want[n]; print n, got[n], want[n]; if (d > 0.1 || d < -0.1) bad = 1 } exit bad || length(want) != 2 }' top rows
	pprof -top -tagfocus=comm=shares a.pb.gz | grep -q ' hot$'
	pprof -comments a.pb.gz | grep -q '^skep flame '
}

@test "a profile of a recording is that recording: report, flame, diff; each again by way of another profile" {
	"$SKEP" -q record -F 999 -g -o a.data -- "$WORK/shares" 0.5 >truth
	"$SKEP" -q flame -i a.data -o a.pb.gz
	"$SKEP" -q flame -i a.pb.gz --format pprof -o b.pprof
	for file in a.data a.pb.gz b.pprof; do
		"$SKEP" -q flame -i $file -o $file.folded
		"$SKEP" report --stdio -i $file -s comm,dso,sym | grep -v '^#' >$file.report
		"$SKEP" report --stdio --no-children -i $file -s pid,sym | grep -v '^#' >$file.flat
	done
	for how in folded report flat; do
		[ -s a.data.$how ]
		cmp a.data.$how a.pb.gz.$how
		cmp a.data.$how b.pprof.$how
	done
	"$SKEP" -q diff --format json a.data b.pprof >diff
	jq -se '[.[] | select(.delta_points and .delta_points != 0)] | length == 0' diff
}

@test "--by: labels of the thread, or none; inlined functions with their lines" {
	shares none.pb.gz --by none
	pprof -tags none.pb.gz >tags
	[ ! -s tags ]
	shares tid.pb.gz --by tid --inline
	pprof -tags tid.pb.gz >tags
	cat tags
	grep -q 'comm: Total' tags
	grep -q 'tid: Total' tags
	pprof -lines -top tid.pb.gz | grep -q 'main tests/work/shares.c:'
}

@test "a Go program's own profile" {
	type -P go >/dev/null || skip "no go"
	mkdir own
	cat >own/main.go <<-'END'
		package main

		import (
			"os"
			"runtime/pprof"
			"time"
		)

		var sink int

		//go:noinline
		func work(until time.Time) {
			for time.Now().Before(until) {
				for i := 0; i < 1e6; i++ {
					sink += i
				}
			}
		}

		func main() {
			f, _ := os.Create(os.Args[1])
			pprof.StartCPUProfile(f)
			work(time.Now().Add(time.Second))
			pprof.StopCPUProfile()
			f.Close()
			f, _ = os.Create(os.Args[2])
			pprof.WriteHeapProfile(f)
			f.Close()
		}
	END
	GO111MODULE=off GOFLAGS= GOCACHE="$ROOT/build/gocache" go build -o own/own own/main.go
	own/own cpu.pb.gz heap.pb.gz
	pprof -top cpu.pb.gz >top
	"$SKEP" report --stdio --no-children -s sym -i cpu.pb.gz >got
	cat top got
	grep -qE '^ +(100|[89][0-9])\.[0-9]+% +\[\.\] main\.work' got
	[ "$(awk '$NF == "main.work" { print $2 + 0 }' top)" = "$(awk '$NF == "main.work" { print $1 + 0 }' got)" ]
	# four kinds of values are four events
	"$SKEP" flame -i heap.pb.gz -o heap.folded 2>said || true
	cat said
	grep -qE 'alloc_objects|no samples' said
}

@test "what is no profile, is cut, has negative values, or is asked for what a profile has not" {
	shares a.pb.gz
	head -c 700 a.pb.gz >cut.pb.gz
	run -1 "$SKEP" report --stdio -i cut.pb.gz
	[ "$output" = "skep report: 'cut.pb.gz' is no profile in pprof's format, or is damaged" ]
	gzip -c /dev/null >empty.pb.gz
	run -1 "$SKEP" flame -i empty.pb.gz -o x.html
	[[ "$output" == *"'empty.pb.gz' is no profile in pprof's format"* ]]
	for what in script "annotate --stdio" "flame -o x.html --annotate hot"; do
		run -1 "$SKEP" $what -i a.pb.gz
		[[ "$output" == *"'a.pb.gz' is a profile in pprof's format: sums of stacks, without samples and without code"* ]]
	done
	run -2 "$SKEP" report --stdio -i a.pb.gz --time 0,1
	[[ "$output" == *"have no times"* ]]
	shares b.pb.gz
	pprof -proto -output minus.pb.gz -diff_base a.pb.gz b.pb.gz
	run -1 "$SKEP" report --stdio -i minus.pb.gz
	[[ "$output" == *"it has negative values, as the difference of two profiles has"* ]]
	run -2 "$SKEP" flame -o x.pb -- true
	[[ "$output" == *"unknown format of 'x.pb'"* ]]
}

@test "a recording: each sample has its thread, CPU and control group" {
	need_root
	"$SKEP" record -q -a --all-cgroups -F "$(hz 99)" -g -o all.data -- "$WORK/shares" "$(times 0.5)" >truth # an idle machine has no samples
	"$SKEP" -q flame -i all.data -o all.pb.gz
	go tool pprof -sample_index=samples -tags all.pb.gz 2>/dev/null >tags
	cat tags
	for key in pid tid cpu cgroup; do # each has all of them
		[ "$(sed -n "s/^ *$key: Total //p" tags)" = "$(sed -n 's/^ *comm: Total //p' tags)" ]
	done
	# each CPU has what skep report says of it
	"$SKEP" report -i all.data -s cpu --no-children --format json | jq -r '.rows[] | "\(.cpu) \(.samples)"' | sort >want
	awk '/^ *cpu:/ { on = 1; next } /^ *[a-z]+:/ { on = 0 } on && NF { n = $1; sub("[^0-9].*", "", n); print $NF, n }' tags | sort | diff want -
}
