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
# HOW: refused: skep must say no, with exit code 2; refused_or_rows: either.
row() {
	local spec=${2//@/$PROGRAM} truth=${4:-$3} how=${5:-rows} status=0
	local defs='def hex: [recurse(if . >= 16 then . / 16 | floor else empty end) % 16] | reverse | map("0123456789abcdef"[.:. + 1]) | "0x" + add;
		def char: if type == "number" then [.] | implode else . end;'
	ROWS=$((ROWS + 1))
	rm -f row.json
	"$SKEP" probe "${OPTIONS[@]}" --format json -o row.json "$spec" -- "$PROGRAM" "$MODE" >row.truth 2>row.said || status=$?
	if [ "$how" != rows ] && [ $status = 2 ]; then return 0; fi
	if [ $status != 0 ] || [ "$how" = refused ]; then
		echo "$spec: exit $status: $(cat row.said)"
		BAD=$((BAD + 1))
		return 0
	fi
	[ "$how" = rows ] || return 0
	if ! ends row.json || ! jq -c "$defs .values | $3" row.json >row.got || ! jq -c "$defs select(.fn == \"$1\") | $truth" row.truth >row.want; then
		echo "$spec: no JSON, or no ledger in it"
		BAD=$((BAD + 1))
		return 0
	fi
	if [ ! -s row.want ] || ! diff row.want row.got >row.diff; then
		echo "$spec: wanted <, got >:"
		cat row.diff row.said
		BAD=$((BAD + 1))
	fi
}

# All rows of a test are tried before it fails.
rows_end() {
	echo "$ROWS rows, $BAD wrong"
	[ $BAD = 0 ] && [ $ROWS -gt 0 ]
}

# ledger TRUTH PRINTED: with what ./said says was lost they are the truth
ledger() {
	local lost
	cat said
	lost=$(awk '/^lost:|^ +[0-9]+  / { n += $1 == "lost:" ? $2 : $1 } END { print n + 0 }' said)
	echo "truth $1, printed $2, lost $lost"
	[ $(($2 + lost)) = "$1" ]
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
