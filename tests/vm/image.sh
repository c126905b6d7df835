#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# An initramfs with this tree's skep, its tests and what they call, made again when one of them is newer. usage: tests/vm/image.sh OUT.cpio
set -eu
cd "$(dirname "$0")/../.."
[ ! -e "$1" ] || [ -n "$(find build/skep build/work build/bpf/*.bpf.o build/verify build/vm/break.bpf.o tests man /var/lib/dpkg/status \
	-newer "$1" -print -quit 2>/dev/null)" ] || exit 0
R=build/vm/root
rm -rf $R
mkdir -p $R/{bin,proc,sys,dev,tmp,run,etc,var/tmp,usr/bin,usr/lib,usr/share/doc,usr/lib/debug,skep/build,root}
for d in bin sbin lib lib64 usr/sbin; do [ $d = bin ] || [ -e $R/$d ] || mkdir -p "$(dirname $R/$d)"; done

# A program, or a library, with all that it is linked to, at the place where it is here.
put() {
	local f real
	for f in "$@"; do
		f=$(type -P "$f") || continue
		for real in "$f" $(ldd "$f" 2>/dev/null | grep -oE '/[^ )]+'); do
			[ -e "$R$real" ] || { mkdir -p "$R$(dirname "$real")" && cp -L "$real" "$R$real"; }
		done
	done
}
put bash dash awk grep sed find xargs sort cut tail head wc date id ls cat cp mv rm mkdir rmdir ln chmod stat tr uniq seq tee od \
	basename dirname mktemp readlink realpath sleep true false env timeout kill touch truncate dd sync uname nproc diff cmp comm \
	mount umount unshare setpriv script taskset pgrep ps nsenter mountpoint getopt setsid perf strace mandoc \
	printf test expr paste tac sha256sum md5sum flock su setcap getcap ip ping \
	nice jq bpftool objcopy strip readelf openssl xz gzip
cp "$(command -v busybox)" $R/bin/busybox
mkdir -p $R/usr/lib $R/usr/libexec
cp -r /usr/lib/bats-core $R/usr/lib/ && cp -r /usr/libexec/bats-core $R/usr/libexec/ && cp -P /usr/bin/bats $R/usr/bin/
[ -e $R/bin/sh ] || ln -s "$(type -P dash)" $R/bin/sh
[ -e $R/bin/bash ] || cp -L "$(command -v bash)" $R/bin/bash
[ -e $R/usr/bin/env ] || { mkdir -p $R/usr/bin && cp -L "$(command -v env)" $R/usr/bin/env; }
echo 'root:x:0:0:root:/root:/bin/sh
nobody:x:65534:65534:nobody:/:/bin/sh' >$R/etc/passwd
echo 'root:x:0:
nogroup:x:65534:' >$R/etc/group

put "$PWD/build/skep"
for real in $(ldconfig -p | grep -oE '/[^ ]*/libcapstone\.so\.[0-9]+$'); do # which skep opens when it needs it
	mkdir -p "$R$(dirname "$real")" && cp -L "$real" "$R$real"
done
mkdir -p $R/skep/build/work && cp build/skep $R/skep/build/ && cp -L build/work/* $R/skep/build/work/
for f in build/work/*; do put "$PWD/$f"; done
mkdir -p $R/skep/build/bpf $R/skep/build/vm && cp build/verify $R/skep/build/ && cp build/bpf/*.bpf.o $R/skep/build/bpf/
cp build/vm/break.bpf.o $R/skep/build/vm/ && put "$PWD/build/verify"
cp -r tests man $R/skep/ && rm -rf $R"${PWD:?}"
cp tests/vm/init $R/init && chmod 755 $R/init
(cd $R && find . -print0 | cpio --null -o -H newc --quiet) >"$1.new" && mv "$1.new" "$1"
