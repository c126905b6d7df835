# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the tests of skep probe share: a row is a probe, what is looked at of each of its hits, and the same of the workload's truth.
PROGRAM=$WORK/probed
OPTIONS=()
ROWS=0
BAD=0

# need_feature NAME: as skep doctor tells it
need_feature() {
	"$SKEP" doctor --json | jq -re --arg f "$1" '.features[] | select(.name == $f) | if .has then empty else "\(.name): \(.why)" end' >why || true
	[ ! -s why ] || skip "$(cat why)"
}

# row FUNCTION SPEC HITS [TRUTH [HOW]]: SPEC, with the program in the place of @, is probed while the program runs as MODE; jq's HITS
# of each hit's values, in order, is jq's TRUTH (the same where it is missing) of each line of the truth whose fn is FUNCTION.
# HOW: refused: skep must say no, with exit code 2; refused_or_rows: either. rows_end compares, by one jq for all rows of a test.
row() {
	local spec=${2//@/$PROGRAM} how=${5:-rows} status=0
	ROWS=$((ROWS + 1))
	"$SKEP" probe "${OPTIONS[@]}" --format json -o $ROWS.json "$spec" -- "$PROGRAM" "$MODE" >$ROWS.truth 2>row.said || status=$?
	if [ "$how" != rows ] && [ $status = 2 ]; then return 0; fi
	if [ $status != 0 ] || [ "$how" = refused ]; then
		echo "$spec: exit $status: $(cat row.said)"
		BAD=$((BAD + 1))
		return 0
	fi
	[ "$how" = rows ] || return 0
	SPECS[ROWS]=$spec
	FILES+=(--slurpfile hits$ROWS $ROWS.json --slurpfile truth$ROWS $ROWS.truth)
	CHECKS+=", row($ROWS; \$hits$ROWS; .values | ($3); \$truth$ROWS[] | select(.fn == \"$1\") | (${4:-$3}))"
}
SPECS=() FILES=() CHECKS=
DEFS='def hex: [recurse(if . >= 16 then . / 16 | floor else empty end) % 16] | reverse | map("0123456789abcdef"[.:. + 1]) | "0x" + add;
	def char: if type == "number" then [.] | implode else . end;
	def row($n; $hits; got; want):
		if ($hits | map(select(has("end"))) | length != 1) or ($hits[-1].end | .losses and .receipt and .notes | not) then
			"\($n) no ledger at the end"
		else
			try ([$hits[:-1][] | got] as $got | [want] as $want |
				if $want == [] then "\($n) nothing in the truth"
				elif $got == $want then empty
				else ([range([$got, $want] | map(length) | max) | select($got[.] != $want[.])][0]) as $i |
					"\($n) \($i): wanted \($want[$i]), got \($got[$i]); of \($want | length) and \($got | length)"
				end)
			catch "\($n) \(.)"
		end;'

# All rows of a test are tried before it fails.
rows_end() {
	local n why
	jq -nr "${FILES[@]}" "$DEFS empty$CHECKS" >rows.bad || BAD=$((BAD + 1))
	while read -r n why; do
		echo "${SPECS[n]}: $why"
		BAD=$((BAD + 1))
	done <rows.bad
	echo "$ROWS rows, $BAD wrong"
	[ $BAD = 0 ] && [ $ROWS -gt 0 ]
}

# ledger TRUTH PRINTED: with what ./said says was lost they are the truth, but for hits that the kernel skipped (counted)
ledger() {
	local lost
	cat said
	lost=$(awk '/^lost:|^ +[0-9]+  / { n += $1 == "lost:" ? $2 : $1 } END { print n + 0 }' said)
	echo "truth $1, printed $2, lost $lost"
	counted "$1" $(($2 + lost))
}

# refuses EXIT SPEC TEXT... [-- OPTION...]: one line first, that says each TEXT; never a crash, never longer than a second or two
# shellcheck disable=SC2154 # output is what run leaves
refuses() {
	local want=$1 spec=${2//@/$PROGRAM} texts=() options=()
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do texts+=("$1"); shift; done
	options=("${@:2}")
	ROWS=$((ROWS + 1))
	run timeout 20 "$SKEP" probe "${options[@]}" --format json "$spec" -- "$PROGRAM" "$MODE"
	for text in "skep probe: " "${texts[@]}"; do
		[[ "$output" == *"$text"* ]] || { status="without '$text'"; break; }
	done
	if [ "$status" != "$want" ] || [ "$(grep -c '^skep probe: ' <<<"$output")" != 1 ] || grep -q '^{' <<<"$output"; then
		printf '%.200s: %s, not %s:\n%.800s\n' "$spec" "$status" "$want" "$output"
		BAD=$((BAD + 1))
	fi
}
