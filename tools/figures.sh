#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Puts what the benchmarks measured (build/perf/rows) into README.md, with what it was measured on, and the example at its top.
# usage: tools/figures.sh BENCHMARK..., in the order of the table
set -eu
cd "$(dirname "$0")/.."
out=build/perf/rows
version() { command -v "$1" >/dev/null && "$@" 2>&1 | grep -oE '[0-9]+\.[0-9]+[.0-9]*' | head -1; }
virtual=$(systemd-detect-virt 2>/dev/null) || virtual=
{
	echo "Measured at $(cat $out/commit) on $(date -u +%F): Linux $(uname -r), $(nproc) CPUs${virtual:+, a virtual machine}; perf $(version perf --version)," \
		"bpftrace $(version bpftrace --version || echo "not there"), strace $(version strace --version || echo "not there"). Medians, skep and its peer in turn."
	printf '\n| what | skep | peer | ratio |\n|---|---|---|---|\n'
	for name; do cat "$out/$name" 2>/dev/null || true; done
} >$out/figures.md
{
	echo '```'
	echo '$ sudo skep flame -a --top 6 --receipt -o flame.html -- build/work/shares 3'
	(cd build/perf && ../skep flame -a --top 6 --receipt -o flame.html -- ../work/shares 3 2>&1) | sed 's/ *$//'
	echo '```'
} >$out/example.md
awk -v figures=$out/figures.md -v example=$out/example.md '
	function put(file, line) { while ((getline line < file) > 0) print line }
	/^<!-- end of / { skip = 0 }
	!skip
	/^<!-- figures -->$/ { put(figures); skip = 1 }
	/^<!-- example -->$/ { put(example); skip = 1 }' README.md >$out/README.md
cat $out/README.md >README.md
