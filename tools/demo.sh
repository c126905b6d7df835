#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The machine for three seconds while a bundled workload burns 70/30 in hot() and cold(): a picture and the top functions.
cd "$(dirname "$0")/.." || exit 1
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || { echo "skep needs root to sample the machine: run make demo as root" >&2; exit 3; }
	sudo=sudo
fi
$sudo build/skep flame -a --top 12 --receipt -o flame.html -- build/work/shares 3 || exit
echo
echo "open flame.html in a browser: file://$PWD/flame.html"
