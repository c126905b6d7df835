#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Debian's cloud kernels, unpacked under build/vm, never installed. usage: tests/vm/fetch.sh [VERSION...]
# Prints "VERSION PACKAGE" for each that is there, "VERSION -" for one that is not. The mirror is the one that apt uses here.
set -u
cd "$(dirname "$0")/../.." || exit 1
VM=$PWD/build/vm
KEY=/usr/share/keyrings/debian-archive-keyring.gpg
mkdir -p "$VM/apt/lists/partial" "$VM/apt/cache/archives/partial"

# An apt of its own: suites that this machine does not follow, and nothing of its state touched.
apt() {
	local tool=$1
	shift
	"$tool" -q -o Dir::State="$VM/apt" -o Dir::State::lists="$VM/apt/lists" -o Dir::State::status=/dev/null \
		-o Dir::Cache="$VM/apt/cache" -o Dir::Etc::sourcelist="$VM/apt/sources.list" -o Dir::Etc::sourceparts=- \
		-o Acquire::Languages=none -o APT::Sandbox::User=root "$@"
}

sources() {
	local uri main= sec= suite
	for uri in $(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sort -u); do
		case $uri in
		*security*) sec=${sec:-$uri} ;;
		*/debian | */debian/) main=${main:-$uri} ;;
		esac
	done
	[ -n "$main" ] || return 1
	for suite in bullseye bookworm bookworm-backports trixie trixie-backports; do
		echo "deb [check-valid-until=no signed-by=$KEY] $main $suite main"
	done
	[ -z "$sec" ] || echo "deb [check-valid-until=no signed-by=$KEY] $sec bookworm-security main"
}

# The lists are fetched once a day at most.
update() {
	[ -z "$(find "$VM/apt/sources.list" -mtime -1 2>/dev/null)" ] || return 0
	sources >"$VM/apt/sources.list" && apt apt-get update >"$VM/apt/update.log" 2>&1 || rm -f "$VM/apt/sources.list"
}

# newest VERSION: the package with the kernel image, which from 7.x on is linux-binary.
newest() {
	local kind
	for kind in linux-binary linux-image; do
		apt apt-cache pkgnames "$kind-$1." 2>/dev/null | grep -E -- '-cloud-amd64$' | sort -V | tail -1
	done | head -1
}

for version in ${*:-5.10 6.1 6.12 7.2}; do
	have=$(cat "$VM/$version/package" 2>/dev/null)
	if [ -z "$have" ]; then
		update
		package=$(newest "$version")
		rm -rf "$VM/$version.new" && mkdir -p "$VM/$version.new"
		if [ -n "$package" ] && (cd "$VM/$version.new" && apt apt-get download "$package" >download.log 2>&1 &&
			dpkg-deb -x ./*.deb x && cp "$(find x -name 'vmlinuz*' -type f | head -1)" vmlinuz && rm -rf x ./*.deb); then
			echo "$package" >"$VM/$version.new/package"
			rm -rf "${VM:?}/$version" && mv "$VM/$version.new" "$VM/$version"
			have=$package
		fi
	fi
	echo "$version ${have:--}"
done
