#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Puts the table of the last `make check-vm` into README.md, and what the verifiers said into tools/verified.txt.
set -eu
cd "$(dirname "$0")/.."
awk 'FILENAME != "README.md" { table = table $0 "\n"; next }
	/^<!-- matrix -->$/ { print; printf "%s", table; skip = 1; next }
	/^<!-- end of matrix -->$/ { skip = 0 }
	!skip' build/vm/matrix.md README.md >build/vm/README.md
cat build/vm/README.md >README.md
for version in 5.10 6.1 6.12 7.2; do
	[ ! -e build/vm/$version/tap ] || tools/verified.sh -w $version <build/vm/$version/tap
done
