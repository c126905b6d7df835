#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The one-way rule of the pipeline, checked over #include lines: each folder, and each file at the top of
# user/, may include only what is listed for it (its own files always). Exit 1 names every offender.
cd "$(dirname "$0")/.." || exit 1
bad=0
ruled=
check() { # check FILE PATTERN...
	f=$1
	shift
	for inc in $(sed -n 's/^#include "\(.*\)"/\1/p' "$f"); do
		ok=0
		for pat in "$@"; do
			case $inc in "$pat"*) ok=1 ;; esac
		done
		[ $ok = 1 ] || { echo "layers: $f must not include \"$inc\"" >&2; bad=1; }
	done
}
allow() { # allow FOLDER PATTERN...
	dir=$1
	shift
	ruled="$ruled $dir "
	for f in user/"$dir"/*.[ch] user/"$dir"/*/*.[ch]; do
		[ ! -e "$f" ] || check "$f" "$dir/" "util/" "$@"
	done
}
allow util
allow elf sample.h
allow types elf/
allow unwind elf/ bpf/
allow event row.h bpf/ gen/ elf/ types/ unwind/insns sym/
allow sym sample.h frame.h profile.h unwinding.h bpf/ elf/ types/ unwind/
allow model row.h sample.h frame.h profile.h event/event.h
allow render row.h calls/ model/ event/event.h pprof/wire.h sample.h frame.h profile.h
allow ui
allow calls sample.h bpf/ gen/ event/syscalls
allow data sample.h profile.h event/event.h pprof/pprof.h bpf/
allow capture row.h sample.h unwinding.h target.h event/ profile.h bpf/ skel/ types/btf unwind/walk
allow pprof sample.h frame.h
allow serve
allow push data/store.h pprof/ sample.h frame.h
allow cmd row.h sample.h frame.h profile.h target.h calls/ event/ capture/ data/ elf/ types/ unwind/ sym/ model/ render/ pprof/ serve/ push/ ui/
for f in user/*.[ch]; do
	case $f in
	user/main.c) check "$f" cmd/ ui/ util/ elf/debuginfod.h ;;
	user/sample.h) check "$f" bpf/schedwords.h bpf/stack.h row.h ;; # words, and no record of a program: all that show them include it
	user/frame.h | user/profile.[ch]) check "$f" profile.h bpf/loss.h ;;
	user/unwinding.h) check "$f" bpf/ ;;
	user/row.[ch]) check "$f" row.h util/ ;;
	user/target.[ch]) check "$f" target.h bpf/ util/ ;;
	*) echo "layers: $f has no rule here" >&2; bad=1 ;;
	esac
done
for dir in user/*/; do
	case $ruled in
	*" $(basename "$dir") "*) ;;
	*) echo "layers: $dir has no rule here" >&2; bad=1 ;;
	esac
done
# Only capture/ may know libbpf; nothing but cmd and main may include cmd.
if grep -lE '#include [<"](bpf/(libbpf|bpf)\.h|skel/)' user/*.[ch] $(find user -mindepth 2 -name '*.[ch]' ! -path 'user/capture/*'); then
	echo "layers: only capture/ includes libbpf or a skeleton" >&2
	bad=1
fi
exit $bad
