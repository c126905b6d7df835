#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: a recording of a JIT that dumped 100,000 methods is read in less than 2 s, and leaves no files; perf inject --jit makes a file for each.
. "$(dirname "$0")/lib.sh"
RUNS=${JIT_RUNS:-3}
METHODS=${JIT_METHODS:-100000}
PEER_METHODS=${JIT_PEER_METHODS:-2000} # of which perf makes as many files

cd "$TMP" || exit 1
must "$SKEP" record -F 997 -o many.data -- "$WORK/jitswap" 1 1 "$METHODS"
must perf record -q -k mono -F 997 -o few.data "$WORK/jitswap" 1 1 "$PEER_METHODS"
"$SKEP" -q report --stdio -i many.data | grep -q second || fail "names of the dump"
for ((i = 0; i < RUNS; i++)); do
	timed "$TMP/many" "$SKEP" -q report --stdio -i many.data
	timed "$TMP/few" "$SKEP" -q report --stdio -i few.data
	timed "$TMP/inject" perf inject --jit -i few.data -o injected.data
done
echo "jit: skep report of a recording with a dump of $METHODS methods, $(($(stat -c %s jit-*.dump | sort -n | tail -1) / 1000000)) MB: $(median "$TMP/many") s"
echo "jit: of $PEER_METHODS methods: skep report $(median "$TMP/few") s; perf inject --jit $(median "$TMP/inject") s and $(find . -name 'jitted-*.so' | wc -l) files"
