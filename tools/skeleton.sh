#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bpftool's skeleton of a BPF object, with the object itself packed: a fifth of its bytes. usage: tools/skeleton.sh BPFTOOL OBJECT NAME
set -eu -o pipefail
skeleton=$("$1" gen skeleton "$2" name "$3")
begin="static inline const void *$3__elf_bytes(size_t *sz)"
[ "$(grep -cxF "$begin" <<<"$skeleton")" = 1 ] || { echo "skeleton.sh: bpftool writes another skeleton: where are the bytes of $3?" >&2; exit 1; }
packed=$(gzip -9nc "$2" | od -An -v -tu1 | sed 's/ *\([0-9]\+\)/\1,/g')
bytes=$(stat -c %s "$2")
echo '#include "capture/unpack.h"'
awk -v begin="$begin" '$0 == begin { exit } { print }' <<<"$skeleton"
cat <<END
$begin
{
	static const unsigned char packed[] = {
$packed
	};
	static void *unpacked; /* until the process ends: libbpf reads it from the open to the load */

	if (!unpacked)
		unpacked = unpack(packed, sizeof(packed), $bytes);
	*sz = unpacked ? $bytes : 0;
	return unpacked;
}
END
# What is behind it, from the end of the function on
awk -v begin="$begin" '$0 == begin { on = 1 } on == 2 { print } on == 1 && $0 == "}" { on = 2 }' <<<"$skeleton"
