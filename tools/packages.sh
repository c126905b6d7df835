#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Packages that building and testing need on Debian 12. usage: tools/packages.sh build|test|arm64
# arm64: a cross compiler and an emulator, 56 MB; tests that need them are skipped without.
# Installs what is missing when root; else names the one line that does, and fails.
build="make gcc libc6-dev clang bpftool pkg-config libbpf-dev libelf-dev zlib1g-dev libdw-dev liblzma-dev libzstd-dev libiberty-dev \
	libcapstone-dev libncurses-dev libmicrohttpd-dev libcurl4-openssl-dev libxxhash-dev libjson-c-dev libdebuginfod-dev"
test="$build bats libcmocka-dev chromium chromium-driver nodejs valgrind linux-perf golang-go g++ mandoc libclang-rt-14-dev \
	procps util-linux jq gdb elfutils musl-tools xz-utils binutils bsdextrautils libcap2-bin iproute2 iputils-ping qemu-system-x86 busybox-static cpio zsh fish strace locales zstd \
	git curl sqlite3 redis-server redis-tools nginx tmux htop prometheus clickhouse-server podman debuginfod"
# Of npm, readers of the files that skep writes for them, and the sources of SQLite: into build/npm. Without npm, or where it reaches nothing, their tests are skipped.
npm="speedscope@1.25.0 pprof-format@2.3.2 protobufjs@8.8.1 better-sqlite3@11.10.0"
arm64="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
# A rustc that is there already (rustup) will do.
command -v rustc >/dev/null || test="$test rustc"
command -v node >/dev/null && test=$(echo "$test" | sed 's/nodejs//')
cd "$(dirname "$0")/.." || exit 1
case $1 in
build) want=$build ;;
test) want=$test ;;
arm64) want=$arm64 ;;
*) echo "usage: $0 build|test|arm64" >&2; exit 2 ;;
esac
if [ "$1" = test ] && command -v npm >/dev/null && [ "$(cat build/npm/have 2>/dev/null)" != "$npm" ]; then
	mkdir -p build/npm && (cd build/npm && echo '{}' >package.json && npm install --silent --no-audit --no-fund --ignore-scripts $npm </dev/null) &&
		echo "$npm" >build/npm/have || echo "not from npm: $npm" >&2
fi
command -v dpkg-query >/dev/null || exit 0 # not Debian: the build will say what it lacks
missing=
for p in $want; do
	dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
	echo "missing packages; install them with:" >&2
	echo "  sudo apt-get install -y --no-install-recommends$missing" >&2
	exit 1
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# Tests start redis, nginx, Prometheus and ClickHouse themselves: as services they are neither started now (policy-rc.d) nor at the next boot.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
	trap 'rm -f $policy' EXIT
	trap 'exit 1' INT TERM
	printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy
fi
apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null || exit
for p in redis-server nginx prometheus clickhouse-server; do
	case " $missing " in *" $p "*) update-rc.d "$p" disable >/dev/null || exit ;; esac
done
