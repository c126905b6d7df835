#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep list names what is here: as perf, bpftool, nm and readelf see it.
load ../lib.bash
bats_require_minimum_version 1.5.0

# What begins the lines of skep's list
names() {
	"$SKEP" -q list "$@" | awk '!/^ / { print $1 }' | LC_ALL=C sort -u
}

unprivileged() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@"
}

# bats test_tags=user-space
@test "software events and their aliases are perf's" {
	need perf
	perf list sw 2>/dev/null | sed -n 's/ *\[Software event\]//p' | sed 's/ OR /\n/g' | tr -d ' ' | sort -u >perfs
	[ -s perfs ]
	"$SKEP" list software | awk '{ print $1; if ($3 == "or") print $4 }' | sort -u >ours
	comm -23 perfs ours >lacks
	head lacks
	[ ! -s lacks ]
}

@test "every tracepoint of perf list is listed, but for ftrace's records" {
	need perf
	perf list 2>/dev/null | awk '/\[Tracepoint event\]/ { print $1 }' | grep -v '^ftrace:' | LC_ALL=C sort -u >perfs
	[ "$(wc -l <perfs)" -gt 100 ] || skip "perf lists no tracepoints here"
	names >ours
	LC_ALL=C comm -23 perfs ours >lacks
	head lacks
	[ ! -s lacks ]
	names 'sched:*' >sched
	grep '^sched:' perfs | diff - sched
}

# bats test_tags=user-space
@test "the same tracepoints without permission to read available_events" {
	[ -e /sys/kernel/tracing/events ] || skip "no tracefs in its place"
	names 'sched:*' >whole
	[ -s whole ]
	for t in $(sed s/.*:// whole); do mkdir -p "tracing/events/sched/$t"; done
	chmod a+rx . .. ../..
	touch tracing/available_events
	chmod 0 tracing/available_events
	unshare -m sh -c "mount --bind '$PWD/tracing' /sys/kernel/tracing && setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all '$SKEP' list 'sched:*'" |
		awk '{ print $1 }' | LC_ALL=C sort -u >folders
	diff whole folders
}

@test "-v: the fields of a tracepoint are those of its format file; the example counts" {
	"$SKEP" list -v sched:sched_switch >out
	cat out
	n=$(grep -c 'field:' /sys/kernel/tracing/events/sched/sched_switch/format)
	[ "$(grep -cE '^    [a-z].* [a-z_]+$' out)" = $((n - 4)) ]
	grep -qx '    char\[16\] prev_comm' out
	example=$(sed -n 's/^    example: skep //p' out)
	# shellcheck disable=SC2086
	"$SKEP" $example 2>&1 | grep -q sched:sched_switch
}

# bats test_tags=user-space
@test "a system call: its number, both names, its arguments" {
	"$SKEP" list --json -v syscalls:sys_enter_newfstat >out
	cat out
	grep -q '"alias":"syscalls:sys_enter_fstat"' out
	if [ "$(uname -m)" = x86_64 ]; then grep -q '"number":5,' out; fi
	[ "$(names 'syscalls:sys_enter_fstat')" = syscalls:sys_enter_newfstat ]
	"$SKEP" list --format csv -v syscalls:sys_enter_newfstat >out.csv
	cat out.csv
	head -1 out.csv | grep -q '^kind,name,alias,has,why,needs_root,.*,fields,parameters,example$'
	grep -q '^syscall,syscalls:sys_enter_newfstat,syscalls:sys_enter_fstat,1,,1,.*;unsigned int fd;struct stat \* statbuf,,skep ' out.csv
	"$SKEP" list --format json -v syscalls:sys_enter_newfstat | cmp - out
	names 'syscalls:*' >native
	run ! grep -q ':compat' native
	names 'syscalls:*:compat' | grep -qx syscalls:sys_enter_open:compat
}

@test "kernel functions: prototypes by BTF, of all that match a glob" {
	[ -e /sys/kernel/btf/vmlinux ] || skip "no BTF"
	"$SKEP" list -v k:tcp_sendmsg >out
	cat out
	grep -q 'prototype: int tcp_sendmsg(struct sock \*sk, struct msghdr \*msg, size_t size)' out
	"$SKEP" list 'k:vfs_*' >ours
	[ "$(wc -l <ours)" -ge 50 ]
	[ "$(names 'k:vfs_*' | wc -l)" = "$(wc -l <ours)" ]
	# and each is a function of the kernel
	cut -d' ' -f1 ours | sed 's/^k://' | sort -u >listed
	awk '$2 ~ /[tTwW]/ { print $3 }' /proc/kallsyms | sort -u | comm -23 listed - >invented
	cat invented
	[ ! -s invented ]
}

# bats test_tags=user-space
@test "kernel functions: parameters as bpftool has them" {
	need bpftool
	need jq
	[ -e /sys/kernel/btf/vmlinux ] || skip "no BTF"
	# of each FUNC the names of its FUNC_PROTO's parameters
	bpftool btf dump -j file /sys/kernel/btf/vmlinux | jq -r '.types as $t | $t[] | select(.kind == "FUNC" and (.name | startswith("vfs_"))) |
		.name + " " + ([$t[.type_id - 1].params[]?.name] | join(","))' | sort -u >bpftools
	[ -s bpftools ]
	"$SKEP" list --json 'k:vfs_*' | jq -r '.events[] | select(.parameters) | (.name | ltrimstr("k:")) + " " + ([.parameters[].name] | join(","))' |
		sort -u >ours
	comm -13 bpftools ours >others
	cat others
	[ ! -s others ]
	[ "$(wc -l <ours)" -ge 50 ]
}

# bats test_tags=user-space
@test "kernel functions: what cannot be probed is not listed; a note says where names come from" {
	if ! cat /sys/kernel/tracing/available_filter_functions >/dev/null 2>&1; then
		"$SKEP" list k:vfs_read 2>&1 >/dev/null | grep -q 'note: kernel functions come from /proc/kallsyms: some of them'
	fi
	names 'k:*' >all
	[ "$(wc -l <all)" -gt 5000 ]
	run ! grep -qE '^k:(__pfx_.*|.*\.cold|_stext|asm_exc_page_fault|do_idle_init|start_kernel)$' all
	grep -qx k:vfs_read all
}

@test "kernel functions: functions of the same name are one row with their number" {
	need jq
	"$SKEP" -q list --json 'k:*_show' >out
	jq -r '.events[] | select(.copies) | "\(.copies) \(.name)"' out >copies
	[ -s copies ]
	[ "$(awk '$1 < 2' copies | wc -l)" = 0 ]
	run ! grep -q '"functions of' out
}

# bats test_tags=user-space
@test "functions of a program: all that nm lists, with address and size" {
	need nm
	nm "$WORK/shares" | awk '$2 ~ /[tT]/ && NF == 3 { print "u:'"$WORK"'/shares:" $3 }' | LC_ALL=C sort -u >nms
	names "u:$WORK/shares" >ours
	LC_ALL=C comm -23 nms ours >lacks
	head lacks
	[ ! -s lacks ]
	"$SKEP" list -v "u:$WORK/shares:hot" >out
	cat out
	grep -q "address: 0x$(nm "$WORK/shares" | awk '$3 == "hot" { print $1 }' | sed 's/^0*//')\$" out
	grep -q "size: $(nm -S "$WORK/shares" | awk '$4 == "hot" { print $2 }' | sed 's/^/0x/' | xargs printf '%d')\$" out
}

# bats test_tags=user-space
@test "functions of the C library, every name of an address; C++ by the demangled name" {
	need nm
	need ldd
	libc=$(ldd "$WORK/shares" | awk '/libc\.so/ { print $3 }')
	nm -D --defined-only "$libc" | awk '$2 ~ /[TW]/ { sub(/@.*/, "", $3); print $3 }' | grep -x 'p*read6*4*' | sort -u >nms
	names "u:$libc:*read*" | sed 's/.*://' | sort -u >ours
	comm -23 nms ours >lacks
	cat nms lacks
	[ -s nms ]
	[ ! -s lacks ]
	mangled=$(nm "$WORK/shares_cxx" | awk '$3 ~ /^_Z/ && $2 ~ /[tTwW]/ { print $3; exit }')
	readable=$(c++filt -p "$mangled")
	"$SKEP" list "u:$WORK/shares_cxx:$readable" >out
	cat out
	grep -qF "u:$WORK/shares_cxx:$mangled" out
	grep -qF "$readable" out
}

# bats test_tags=user-space
@test "USDT: addresses, semaphores and sites as the program prints them" {
	"$WORK/usdt" >truth
	"$SKEP" list -v "usdt:$WORK/usdt" >out
	cat truth out
	for name in request__done idle; do
		grep -A4 ":skep:$name " out | grep -q "address: $(awk -v n=$name '$1 == "probe" && $2 == n { print $3 }' truth)\$" ||
			grep -A4 ":skep:$name\$" out | grep -q "address: $(awk -v n=$name '$1 == "probe" && $2 == n { print $3 }' truth)\$"
	done
	grep -A5 ':skep:request__done ' out | grep -q "semaphore: $(awk '$1 == "semaphore" { print $3 }' truth)\$"
	grep -A4 ':skep:request__start ' out | grep -qx '    sites: 2'
	[ "$(names "usdt:$WORK/usdt:request*" | wc -l)" = 2 ]
	[ "$(names "usdt:$WORK/usdt:skep:idle")" = "usdt:$WORK/usdt:skep:idle" ]
}

# bats test_tags=user-space
@test "USDT: names as readelf has them, in every file with probes" {
	n=0
	for f in "$WORK/usdt" /usr/bin/python3 /usr/lib/*/libstdc++.so.6 /usr/lib/*/libpython3*.so.1.0; do
		[ -e "$f" ] || continue
		readelf -n "$f" 2>/dev/null | awk '/Provider:/ { p = $2 } /Name:/ { print p ":" $2 }' | sort -u >notes
		[ -s notes ] || continue
		names "usdt:$f" | sed "s|^usdt:$f:||" | sort -u | diff notes -
		n=$((n + 1))
	done
	[ "$n" -ge 1 ]
}

# bats test_tags=user-space
@test "events not on this machine have the reason; no match is exit 1 with similar names" {
	run --separate-stderr "$SKEP" list hardware
	[ "$status" = 0 ]
	run perf stat -e cycles true
	if [[ "$output" == *"not supported"* ]]; then
		"$SKEP" list hw | grep '^cycles ' | grep -q 'not on this machine: '
		"$SKEP" list --json hw | grep '"name":"cycles"' | grep -q '"has":false,"why":"not on this machine: '
	fi
	run "$SKEP" list sched:sched_swich
	[ "$status" = 1 ]
	[[ "$output" == *"hint: similar: sched:sched_switch, "*", "* ]]
	run "$SKEP" list k:vfs_raed
	[ "$status" = 1 ]
	[[ "$output" == *"vfs_read"* ]]
	run "$SKEP" list 'k:no_such_thing_*'
	[ "$status" = 1 ]
}

# bats test_tags=user-space
@test "without privileges: a note of what needs root, the rest is listed" {
	chmod a+rx . ..
	unprivileged "$SKEP" list >out 2>err || true
	cat err
	grep -q '^page-faults ' out
	grep -q '^syscalls:sys_enter_read ' out
	if ! unprivileged ls /sys/kernel/tracing/events >/dev/null 2>&1; then
		grep -q 'note: no tracepoint: only root can read tracefs' err
		run unprivileged "$SKEP" list 'sched:*'
		[ "$status" = 3 ]
		[[ "$output" == *"only root can read tracefs"*"hint: "* ]]
	fi
}

# bats test_tags=user-space
@test "without privileges: a software event is listed as available exactly when stat counts it" {
	chmod a+rx . ..
	for e in $("$SKEP" list software | awk '!/not on this machine/ { print $1 }'); do
		counted=yes listed=yes
		unprivileged "$SKEP" list "$e" >row 2>/dev/null
		! grep "^$e " row | grep -q 'needs root' || listed=no
		unprivileged "$SKEP" stat -e "$e" -- true >stat 2>&1 || counted=no
		! grep -q '<not ' stat || counted=no
		[ $counted = $listed ] || { cat row stat; false; }
	done
}
