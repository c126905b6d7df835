#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep trace against strace's own tests: each of its programs prints the lines that strace must print for it. Fetches Debian's source package
# of strace, builds the programs under build/strace, and runs those whose options skep has, too.
# usage: tests/strace/run.sh [NAME...]      a line each, "ok NAME" or "not ok NAME: SAME of ALL lines", then the sums: of those whose options
#                                           are a width and names of calls, and of the others
# OF=strace: strace itself, for comparison. Exit 77 when the source cannot be had.
set -u
cd "$(dirname "$0")/../.." || exit 1
ROOT=$PWD
DIR=$ROOT/build/strace
SKEP=$ROOT/build/skep
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }

# In a list of its own: the machine's is left alone.
fetch() {
	local apt=(apt-get -o Dir::Etc::sourceparts="$DIR/sources.d" -o Dir::Etc::sourcelist=/dev/null -o Dir::State::lists="$DIR/lists" -qq)
	mkdir -p "$DIR/sources.d" "$DIR/lists/partial" "$DIR/src" || return 1
	for f in /etc/apt/sources.list.d/*.sources; do
		[ ! -e "$f" ] || sed 's/^Types: deb$/Types: deb-src/' "$f" >"$DIR/sources.d/$(basename "$f")"
	done
	(cd "$DIR" && "${apt[@]}" update && "${apt[@]}" source --download-only strace && tar xf strace_*.orig.tar.xz --strip-components=1 -C src) >"$DIR/fetch.log" 2>&1
}

if [ ! -e "$DIR/src/tests/Makefile" ]; then
	fetch || { echo "strace's source cannot be had: $(tail -n1 "$DIR/fetch.log" 2>/dev/null)"; exit 77; }
	(cd "$DIR/src" && ./configure --enable-mpers=no --disable-gcc-Werror --with-libselinux=no) >"$DIR/configure.log" 2>&1 || { echo "cannot configure it: $DIR/configure.log"; exit 77; }
fi

# NAME OPTIONS of gen_tests.in, without those whose options are others, or whose script is not the usual one (+NAME.test).
awk '!/^#/ && NF {
	for (i = 2; i <= NF; i++)
		if ($i !~ /^-(a|s)[0-9]+$/ && $i !~ /^(-e|-v|-x|-xx|-y|-yy|-f|-T|-P|--no-abbrev|--decode-fds=path)$/ && $i !~ /^-X(raw|abbrev|verbose)$/ &&
		    $i !~ /^(-e|--)?(trace|signal)=/ && $i !~ /^--trace-path=/ && $i !~ /^[0-9]?[<>]+\/dev\/(null|full|zero)$/ && $(i - 1) != "-P") next
	print
}' "$DIR/src/tests/gen_tests.in" >"$DIR/list"
# shellcheck disable=SC2046
make -C "$DIR/src/tests" -k -j"$(nproc)" $(awk '{ print $1 }' "$DIR/list") >>"$DIR/make.log" 2>&1

# one NAME OPTION...: its program under the tracer, by the options of either; redirections are the program's
one() {
	local name=$1 calls=${1%%-*} o skep=() strace=() redirect=''
	shift
	while [ $# != 0 ]; do
		o=$1
		shift
		case $o in
		[0-9]'>'* | [0-9]'<'* | '<'* | '>'*) redirect+=" $o"; continue ;;
		-e) o=-e$1; shift ;;
		-P) o=--trace-path=${1//\"/}; shift ;;
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
	rm -f "$DIR/out/$name".*
	if [ "${OF:-skep}" = strace ]; then
		eval 'timeout 30 strace -o "$DIR/out/$name.log" -e trace="$calls" "${strace[@]}" "./$name"' "$redirect"
	else
		eval 'timeout 30 "$SKEP" trace -q -o "$DIR/out/$name.log" "${skep[@]}" -e trace="$calls" -- "./$name"' "$redirect"
	fi >"$DIR/out/$name.want" 2>"$DIR/out/$name.err" </dev/null
}

mkdir -p "$DIR/out"
cd "$DIR/src/tests" || exit 1
while read -r name options; do
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	[ -x "./$name" ] || { echo "skipped $name: not built"; continue; }
	# shellcheck disable=SC2086
	one "$name" $options
	status=$?
	! grep -qE 'no system call is called|invalid system call' "$DIR/out/$name.err" || { echo "skipped $name: not a call of this machine"; continue; }
	[ $status != 77 ] || { echo "skipped $name: $(head -n1 "$DIR/out/$name.err")"; continue; }
	sed -i 's/) *= /) = /' "$DIR/out/$name.want" "$DIR/out/$name.log" 2>/dev/null
	all=$(wc -l <"$DIR/out/$name.want")
	missing=$(diff "$DIR/out/$name.want" "$DIR/out/$name.log" 2>/dev/null | grep -c '^<')
	if [ "$all" = 0 ]; then
		echo "not ok $name: it printed nothing: 0 of 0 lines"
	elif cmp -s "$DIR/out/$name.want" "$DIR/out/$name.log"; then
		echo "ok $name: $all of $all lines"
	else
		echo "not ok $name: $((all - missing)) of $all lines"
	fi
done <"$DIR/list" | tee "$DIR/result"
awk 'NR == FNR { plain[$1] = 1; for (i = 2; i <= NF; i++) if ($i !~ /^-a[0-9]+$/ && $i !~ /^-e$/ && $i !~ /^(-e|--)?trace=/) plain[$1] = 0; next }
	{ name = $1 == "not" ? $3 : $2; sub(/:$/, "", name); k = plain[name] ? "plain" : "other" }
	/^ok/ { ok[k]++ } /^not ok/ { bad[k]++ } /^skipped/ { skipped[k]++ } /lines$/ { same[k] += $(NF - 3); all[k] += $(NF - 1) }
	END { for (k in ok) printf "%s options: %d whole, %d not, %d skipped; %d of %d lines the same (%.2f %%)\n", k, ok[k], bad[k], skipped[k], same[k], all[k],
		all[k] ? 100 * same[k] / all[k] : 0 }' "$DIR/list" "$DIR/result"
