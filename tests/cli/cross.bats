#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The build for another machine than this.
load ../lib.bash

@test "every object is built for arm64, without a warning" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no cross compiler: tools/packages.sh arm64"
	make -C "$ROOT" -j2 cross
	readelf -h "$ROOT/build/arm64/user/main.o" | grep -q AArch64
	grep -q '"fcntl"' "$ROOT/build/arm64/gen/syscalls_native.h"
}
