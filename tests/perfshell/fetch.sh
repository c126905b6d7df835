#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# perf 6.12 and 7.3 of Debian's backports with their tests, unpacked under build/perfshell/VERSION, never installed.
# usage: tests/perfshell/fetch.sh VERSION; then tests/perfshell/run.sh -d build/perfshell/VERSION
# The lists of packages are those of tests/vm/fetch.sh, which makes them (build/vm/apt). perf 7.3 is of a suite with a newer libc: patchelf
# gives the program the libraries beside it.
set -eu
cd "$(dirname "$0")/../.."
VM=$PWD/build/vm
case ${1:-} in
6.12) suite=bookworm beside=libtraceevent1 ;;
7.3) suite=trixie beside="libc6 libtraceevent1 libpython3.13 libexpat1" ;;
*) echo "usage: $0 6.12|7.3" >&2; exit 2 ;;
esac
DIR=$PWD/build/perfshell/$1
[ -e "$VM/apt/sources.list" ] || tests/vm/fetch.sh 5.10

apt_get() {
	apt-get -qq -o Dir::State="$VM/apt" -o Dir::State::lists="$VM/apt/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$VM/apt/cache" \
		-o Dir::Etc::sourcelist="$VM/apt/sources.list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User=root "$@"
}

# unpack INTO PACKAGE/SUITE...
unpack() {
	local into=$1
	shift
	rm -rf "$DIR/deb" && mkdir -p "$DIR/deb" "$into"
	(cd "$DIR/deb" && apt_get download "$@")
	for deb in "$DIR"/deb/*.deb; do dpkg-deb -x "$deb" "$into"; done
}

rm -rf "$DIR"
unpack "$DIR/tools" patchelf/bookworm
# shellcheck disable=SC2046,SC2086
unpack "$DIR" linux-perf/$suite-backports $(printf "%s/$suite " $beside)
lib=$DIR/usr/lib/x86_64-linux-gnu
# RPATH, not RUNPATH: also for the libraries that its libraries need
patch=(--force-rpath --set-rpath "$lib")
[ ! -e "$lib/ld-linux-x86-64.so.2" ] || patch+=(--set-interpreter "$lib/ld-linux-x86-64.so.2")
"$DIR/tools/usr/bin/patchelf" "${patch[@]}" "$DIR/usr/bin/perf"
"$DIR/usr/bin/perf" --version
