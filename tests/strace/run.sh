#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep trace against strace's own tests: each of its programs prints the lines that strace must print for it. Fetches Debian's source package
# of strace, builds the programs under build/strace, and runs those whose options skep has, too, two at a time.
# usage: tests/strace/run.sh [NAME...]
# A line each: "ok NAME", "not ok NAME: SAME of ALL lines", "skipped NAME: REASON". differs.txt has the tests that are known to differ, and why;
# those of them that pass, and all others that do not pass, are named at the end. Then two lines, of the tests whose options are a width and
# names of calls ("plain"), and of the others: "strace KIND PASSED FAILED SKIPPED SHARES", where those of differs.txt are skipped.
# Exit 1 when a test fails, or less than 90 % of the plain ones pass or 98 % of their lines are the same; 77 when the source cannot be fetched.
# OF=strace: strace itself, for comparison.
set -u
cd "$(dirname "$0")/../.." || exit 1
ROOT=$PWD
export DIR=$ROOT/build/strace
export SKEP=$ROOT/build/skep
export LARGE_RING_KB=65536
DIFFERS=$ROOT/tests/strace/differs.txt
VERSION=6.1
AT_ONCE=2
PLAIN_WHOLE_PERCENT=90
PLAIN_LINES_PERCENT=98
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }

# In a list of its own: the machine's is left alone.
fetch() {
	local apt=(apt-get -o Dir::Etc::sourceparts="$DIR/sources.d" -o Dir::Etc::sourcelist=/dev/null -o Dir::State::lists="$DIR/lists" -qq)
	mkdir -p "$DIR/sources.d" "$DIR/lists/partial" "$DIR/src" || return 1
	for f in /etc/apt/sources.list.d/*.sources; do
		[ ! -e "$f" ] || sed 's/^Types: deb$/Types: deb-src/' "$f" >"$DIR/sources.d/$(basename "$f")"
	done
	[ ! -e /etc/apt/sources.list ] || sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$DIR/sources.d/machine.list"
	(cd "$DIR" && "${apt[@]}" update && "${apt[@]}" source --download-only strace && tar xf strace_*.orig.tar.xz --strip-components=1 -C src) >"$DIR/fetch.log" 2>&1
}

# The list of differences is that of one version.
is_known() {
	grep -q "^PACKAGE_VERSION='$VERSION'" "$DIR/src/configure"
}

if [ ! -e "$DIR/configured" ]; then
	[ -e "$DIR/src/configure" ] || fetch || { echo "strace's source cannot be fetched: $(tail -n1 "$DIR/fetch.log" 2>/dev/null)"; exit 77; }
	is_known || { echo "the source is not that of strace $VERSION, whose differences are known"; exit 77; }
	(cd "$DIR/src" && ./configure --enable-mpers=no --disable-gcc-Werror --with-libselinux=no) >"$DIR/configure.log" 2>&1 ||
		{ echo "strace's source cannot be configured: $DIR/configure.log"; exit 77; }
	touch "$DIR/configured"
fi

# NAME OPTIONS of gen_tests.in, without those whose options are others, or whose script is not the usual one (+NAME.test).
awk '!/^#/ && NF {
	for (i = 2; i <= NF; i++)
		if ($i !~ /^-(a|s)[0-9]+$/ && $i !~ /^(-e|-v|-x|-xx|-y|-yy|-f|-T|-P|--no-abbrev|--decode-fds=path)$/ && $i !~ /^-X(raw|abbrev|verbose)$/ &&
		    $i !~ /^(-e|--)?(trace|signal)=/ && $i !~ /^--trace-path=/ && $i !~ /^[0-9]?[<>]+\/dev\/(null|full|zero)$/ && $(i - 1) != "-P") next
	print
}' "$DIR/src/tests/gen_tests.in" >"$DIR/list"
# Their rules do not name the generated headers.
make -C "$DIR/src/tests" ksysent.h scno.h >"$DIR/make.log" 2>&1
# shellcheck disable=SC2046
make -C "$DIR/src/tests" -k -j"$(nproc)" $(awk '{ print $1 }' "$DIR/list") >>"$DIR/make.log" 2>&1

# trace NAME OPTION...: its program under the tracer, by the options of either; redirections are the program's. Files NAME.want, NAME.log, NAME.err.
# With -f each line begins with the number of its thread, as strace writes it. Without, strace shows the first process only: skep writes a file for
# each thread, and that is taken that has most of strace's lines.
trace() {
	local name=$1 calls=${1%%-*} o log skep=() strace=() redirect='' follow='' most=-1 n status
	shift
	while [ $# != 0 ]; do
		o=${1//[\"\']/}
		o=${o//\$NAME/$name}
		shift
		case $o in
		[0-9]'>'* | [0-9]'<'* | '<'* | '>'*) redirect+=" $o"; continue ;;
		-e | -P)
			[ "$o" = -e ] || o=--trace-path=
			o+=${1//[\"\']/}
			o=${o//\$NAME/$name}
			shift
			;;
		-f) follow=1 ;;
		esac
		strace+=("$o")
		case $o in
		-etrace=* | --trace=*) calls=${o##*trace=} ;;
		-a*) skep+=(--columns "${o#-a}") ;;
		-esignal=* | --signal=*) skep+=(-e "signal=${o##*signal=}") ;;
		--decode-fds=path) skep+=(-y) ;;
		*) skep+=("$o") ;;
		esac
	done
	# Tens of thousands of calls a second
	case $name in print*-umov*) skep+=(-m "$LARGE_RING_KB") ;; esac
	# As strace's runner does it: -P selects a descriptor's file only if the path is there when the run begins.
	case " ${skep[*]} " in *--trace-path=*) eval '"../$name" >/dev/null 2>&1 </dev/null' "$redirect" ;; esac
	if [ "${OF:-skep}" = strace ]; then
		eval 'timeout 30 strace -o "$DIR/out/$name.log" -e trace="$calls" "${strace[@]}" "../$name"' "$redirect"
	else
		if [ "$follow" ]; then skep+=(--always-show-pid); else skep+=(--output-separately); fi
		eval 'timeout 30 "$SKEP" trace -q -o "$DIR/out/$name.log" "${skep[@]}" -e trace="$calls" -- "../$name"' "$redirect"
	fi >"$DIR/out/$name.want" 2>"$DIR/out/$name.err" </dev/null
	status=$?
	sed -i "$ALIKE" "$DIR/out/$name.want" "$DIR/out/$name".log* 2>/dev/null
	if [ "$follow" ] && [ "${OF:-skep}" = skep ]; then
		awk '{ if (match($0, /^\[pid +[0-9]+\] /)) { $0 = sprintf("%-5d ", substr($0, 6)) substr($0, RLENGTH + 1) } print }' \
			"$DIR/out/$name.log" >"$DIR/out/$name.log.new"
		mv "$DIR/out/$name.log.new" "$DIR/out/$name.log"
	fi
	for log in "$DIR/out/$name".log.*; do
		[ -e "$log" ] || break
		n=$(lines_of "$DIR/out/$name.want" "$log")
		[ "$n" -gt "$most" ] || continue
		most=$n
		ln -f "$log" "$DIR/out/$name.log"
	done
	return $status
}

# lines_of A B: how many lines of A are in B
lines_of() {
	diff -a --unchanged-line-format=x --old-line-format= --new-line-format= "$1" "$2" 2>/dev/null | wc -c
}

# one "NAME OPTION...": in a directory of its own, as strace's runner has it; says how it went
one() {
	local name=${1%% *} status all
	rm -rf "$DIR/out/$name".* "$DIR/src/tests/$name.dir"
	mkdir "$DIR/src/tests/$name.dir" && cd "$DIR/src/tests/$name.dir" || return
	[ -x "../$name" ] || { echo "skipped $name: not built"; return; }
	# shellcheck disable=SC2086
	trace $1
	status=$?
	! grep -qE 'no system call is called|invalid system call' "$DIR/out/$name.err" || { echo "skipped $name: not a call of this machine"; return; }
	[ $status != 77 ] || { echo "skipped $name: $(head -n1 "$DIR/out/$name.err")"; return; }
	all=$(wc -l <"$DIR/out/$name.want")
	if [ "$all" = 0 ]; then
		echo "not ok $name: it printed nothing: 0 of 0 lines"
	elif cmp -s "$DIR/out/$name.want" "$DIR/out/$name.log"; then
		echo "ok $name: $all of $all lines"
	else
		echo "not ok $name: $(lines_of "$DIR/out/$name.want" "$DIR/out/$name.log") of $all lines"
	fi
}
export ALIKE='s/) *= /) = /' # what may differ
export -f trace lines_of one

mkdir -p "$DIR/out"
while read -r name options; do
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	printf '%s\0' "$name $options"
done <"$DIR/list" | xargs -0 -P $AT_ONCE -I{} bash -c 'one "$1"' one {} | tee "$DIR/result"

# differs.txt, list and result: what became of each, and the sums
awk -v plain_least="$PLAIN_WHOLE_PERCENT" -v lines_least="$PLAIN_LINES_PERCENT" -v is_part=$(($# > 0)) '
	FNR == 1 { file++ }
	file == 1 { if (!/^#/ && match($0, /: /)) { split(substr($0, 1, RSTART - 1), w, " "); why[w[1]] = substr($0, RSTART + 2); unsteady[w[1]] = w[2] == "sometimes" } next }
	file == 2 {
		kind[$1] = "plain"
		for (i = 2; i <= NF; i++)
			if ($i !~ /^-a[0-9]+$/ && $i !~ /^-e$/ && $i !~ /^(-e|--)?trace=/) kind[$1] = "others"
		next
	}
	{ name = $1 == "not" ? $3 : $2; sub(/:$/, "", name); k = kind[name] }
	/^skipped/ { skipped[k]++ }
	/^ok/ { whole[k]++; if (name in why && !unsteady[name]) print "passes, though differs.txt has it: " name }
	/^not ok/ { if (name in why) listed[k]++; else { failed[k]++; print "FAILED: " name } }
	/lines$/ { same[k] += $(NF - 3); all[k] += $(NF - 1) }
	function share(part, of) { return of ? 100 * part / of : 100 }
	END {
		for (i = 1; i <= 2; i++) {
			k = i == 1 ? "plain" : "others"
			run = whole[k] + listed[k] + failed[k]
			printf "strace %s %d %d %d whole: %d of %d (%.1f %%), lines: %d of %d (%.2f %%)\n", k, whole[k], failed[k], listed[k] + skipped[k], whole[k], run,
				share(whole[k], run), same[k], all[k], share(same[k], all[k])
			bad += failed[k]
			if (k == "plain" && !is_part && (share(whole[k], run) < plain_least || share(same[k], all[k]) < lines_least)) {
				print "FAILED: less than " plain_least " % of the plain tests, or " lines_least " % of their lines"
				bad++
			}
		}
		exit bad != 0
	}' "$DIFFERS" "$DIR/list" "$DIR/result"
