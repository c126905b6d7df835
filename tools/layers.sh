#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The one-way rule of the pipeline, checked over #include lines: each folder may include only what is
# listed for it (its own files always). Exit 1 names every offender.
cd "$(dirname "$0")/.." || exit 1
bad=0
allow() {
	dir=$1
	shift
	for f in user/"$dir"/*.[ch]; do
		[ -e "$f" ] || continue
		for inc in $(sed -n 's/^#include "\(.*\)"/\1/p' "$f"); do
			ok=0
			for pat in "$dir/" "util/" "$@"; do
				case $inc in "$pat"*) ok=1 ;; esac
			done
			[ $ok = 1 ] || { echo "layers: $f must not include \"$inc\"" >&2; bad=1; }
		done
	done
}
allow util
allow event bpf/
allow sym sample.h bpf/
allow model sample.h sym/sym.h bpf/
allow render model/ sym/sym.h sample.h
allow ui
allow data sample.h event/event.h bpf/
allow capture sample.h target.h event/event.h model/profile.h bpf/ skel/
allow cmd sample.h target.h session.h event/ capture/ data/ sym/ model/ render/ ui/
# Only capture/ may know libbpf; nothing but cmd and main may include cmd.
if grep -lE '#include [<"](bpf/(libbpf|bpf)\.h|skel/)' user/*.c user/[!c]*/*.[ch] user/cmd/*.[ch] 2>/dev/null; then
	echo "layers: only capture/ includes libbpf or a skeleton" >&2
	bad=1
fi
exit $bad
