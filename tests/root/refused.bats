#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Kernels, machines and sandboxes that say no: skep works without what it can spare, else one clear line and exit 3.
load ../lib.bash

cleanup() {
	[ ! -e saved ] || tac saved | while read -r file value; do echo "$value" >"$file"; done
}

# set_for_test FILE VALUE: put back by cleanup
set_for_test() {
	echo "$1 $(cat "$1")" >>saved
	# shell built-ins do not always report a write that the kernel refuses
	echo "$2" >"$1" 2>/dev/null || true
	[ "$(cat "$1")" = "$2" ] || skip "$1 cannot be set to $2 here"
}

# one_line_and_3: status 3, one line of error with a hint at most
one_line_and_3() {
	echo "$output"
	[ "$status" = 3 ]
	[ "$(grep -cv '^hint: ' <<<"$output")" = 1 ]
	[[ "$output" == "skep "* ]]
	[ ! -e a.folded ]
}

# Before Linux 5.11 maps count against it, and only CAP_SYS_RESOURCE raises it.
enough_memlock() {
	ulimit -l unlimited || true
}

works() {
	"$SKEP" flame -F $(hz 4999) -o a.folded -- "$WORK/shares" 0.3 2>said || { cat said; false; }
	grep -q ';main;hot ' a.folded
}

# as_nobody CAPS COMMAND...: with those capabilities and no other ("" for none at all)
as_nobody() {
	local caps=$1
	shift
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set "-all${caps:+,$caps}" --inh-caps "-all${caps:+,$caps}" \
		--ambient-caps "-all${caps:+,$caps}" "$@"
}

@test "no BTF: exit 3 and the kernel option" {
	mkdir none
	run unshare -m sh -c "mount --bind none /sys/kernel/btf && exec '$SKEP' flame -o a.folded -- true"
	one_line_and_3
	[[ "$output" == *CONFIG_DEBUG_INFO_BTF* ]]
}

@test "BTF, kallsyms: empty files are reported as empty" {
	: >empty
	for o in "flame -o a.folded -- true" "probe -a --count t:sched:sched_switch --duration 100ms" "sched -- true" "net -a --duration 100ms"; do
		run -3 unshare -m sh -c "mount --bind empty /sys/kernel/btf/vmlinux && '$SKEP' $o"
		echo "$output"
		[[ "$output" == *"types in /sys/kernel/btf/vmlinux: the file is empty"* ]]
	done
	run unshare -m sh -c "mount --bind empty /proc/kallsyms && '$SKEP' list k:vfs_read"
	echo "$output"
	[ -e /sys/kernel/tracing/available_filter_functions ] || [[ "$output" == *"/proc/kallsyms is empty"* ]]
	run unshare -m sh -c "mount --bind empty /proc/kallsyms && '$SKEP' probe -a --count k:vfs_read --duration 100ms"
	echo "$output"
	[ "$status" = 0 ] || [[ "$output" == *"/proc/kallsyms is empty"* ]] || [[ "$output" == *"no kprobes"* ]] || [[ "$output" == *"'k:vfs_read' was not called"* ]] ||
		[[ "$output" == *"of skep itself are left out"* ]]
}

# bats test_tags=user-space
@test "a removed working directory: no such directory, not a lack of privileges" {
	mkdir gone
	for o in "flame -- '$WORK/shares' 0.3" "record -- '$WORK/shares' 0.3" "stat -o x -- true"; do
		mkdir -p gone
		run -1 sh -c "cd gone && rmdir ../gone && '$SKEP' $o"
		echo "$output"
		[[ "$output" == *"No such file or directory"* ]]
	done
}

@test "net without CAP_NET_ADMIN: an error that says so" {
	run -3 setpriv --reuid 65534 --clear-groups --inh-caps=-all,+bpf,+perfmon --ambient-caps=-all,+bpf,+perfmon "$SKEP" net -a --duration 100ms
	echo "$output"
	[[ "$output" == *"CAP_NET_ADMIN missing"*"cap_net_admin"* ]]
}

@test "tracefs read-only or missing: not needed" {
	unshare -m sh -c "mount -o remount,bind,ro /sys/kernel/tracing 2>/dev/null; exec '$SKEP' flame -F $(hz 4999) -o a.folded -- '$WORK/shares' 0.3"
	grep -q ';main;hot ' a.folded
	unshare -m sh -c "umount -l /sys/kernel/tracing /sys/kernel/debug/tracing /sys/kernel/debug 2>/dev/null
		exec '$SKEP' flame -F $(hz 4999) -o b.folded -- '$WORK/shares' 0.3"
	grep -q ';main;hot ' b.folded
}

@test "bpf_jit off: slower, and doctor says so" {
	set_for_test /proc/sys/net/core/bpf_jit_enable 0
	works
	"$SKEP" doctor | grep -qE '^jit +no'
}

# bats test_tags=slow
@test "kptr_restrict 2: kernel frames have names from BPF, or a note says that they have none" {
	set_for_test /proc/sys/kernel/kptr_restrict 2
	run "$SKEP" flame -F $(hz 4999) -o a.folded -- sh -c 'for i in 1 2 3; do ls -R /usr >/dev/null; done'
	echo "$output"
	[ "$status" = 0 ]
	grep -qE ';(do_syscall_64|invoke_syscall);' a.folded || [[ "$output" == *kptr_restrict* ]]
	run "$SKEP" doctor
	[[ "$output" == *"kernel.kptr_restrict is 2"* ]]
}

@test "perf_event_paranoid 3: works as root; works with capabilities alone, or names the sysctl" {
	set_for_test /proc/sys/kernel/perf_event_paranoid 3
	works
	rm a.folded
	chmod 777 .
	enough_memlock
	run as_nobody +bpf,+perfmon,+sys_ptrace,+syslog "$SKEP" flame -F $(hz 4999) -o a.folded -- "$WORK/shares" 0.3
	if [ "$status" = 0 ]; then
		grep -q ';main;hot ' a.folded
	else
		one_line_and_3
		[[ "$output" == *"sysctl kernel.perf_event_paranoid=2"* ]]
	fi
}

# bats test_tags=measuring
@test "CAP_BPF and CAP_PERFMON are enough; CAP_SYS_PTRACE and CAP_SYSLOG add symbols of other users' processes" {
	chmod 777 .
	enough_memlock
	set_for_test /proc/sys/kernel/perf_event_paranoid 2
	run as_nobody +bpf,+perfmon "$SKEP" flame -F $(hz 4999) -o a.folded -- "$WORK/shares" 0.5
	echo "$output"
	[ "$status" = 0 ]
	grep -q ';main;hot ' a.folded
	as_nobody +bpf,+perfmon "$SKEP" record -F $(hz 4999) -o a.data -- "$WORK/shares" 0.5
	busy "$WORK/recurse" 3 60
	as_nobody +bpf,+perfmon,+sys_ptrace,+syslog "$SKEP" flame -F 999 -a -o b.folded --duration 1
	grep -q ';main;down' b.folded
	as_nobody +bpf,+perfmon,+sys_ptrace "$SKEP" doctor >out
	grep -qE "^other users' maps +yes" out
}

@test "file capabilities are enough, and COMMAND gets none of them" {
	need setcap
	chmod 777 .
	enough_memlock
	set_for_test /proc/sys/kernel/perf_event_paranoid 2
	cp "$SKEP" skep
	setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog=ep skep || skip "no file capabilities on $PWD"
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all ./skep flame -F $(hz 4999) -o a.folded -- \
		sh -c "grep -E 'Cap(Inh|Prm|Eff|Amb)' /proc/self/status; exec '$WORK/shares' 0.5"
	echo "$output"
	[ "$status" = 0 ]
	grep -q ';main;hot ' a.folded
	[ "$(grep -c '^Cap.*0000000000000000' <<<"$output")" = 4 ]
}

@test "a missing capability is named, with a command that grants it" {
	chmod 777 .
	run as_nobody "" "$SKEP" flame -a -o a.folded -- true
	one_line_and_3
	[[ "$output" == *"CAP_BPF and CAP_PERFMON missing"*"hint: "*setcap* ]]
	run as_nobody +bpf "$SKEP" flame -a -o a.folded -- true
	one_line_and_3
	[[ "$output" == *"CAP_PERFMON missing"* ]]
	run as_nobody +perfmon "$SKEP" flame -a -o a.folded -- true
	one_line_and_3
	[[ "$output" == *"CAP_BPF missing"* ]]
}

# bats test_tags=measuring
@test "no privileges at all: own processes are counted as perf_event_paranoid allows, with a note of the rest" {
	chmod 777 .
	set_for_test /proc/sys/kernel/perf_event_paranoid 2
	run as_nobody "" "$SKEP" stat -x, -e task-clock,page-faults,context-switches -- "$WORK/shares" 0.3
	echo "$output"
	[ "$status" = 0 ]
	awk -F, '/task-clock:u/ { t = $1 } /page-faults:u/ { p = $1 } /context-switches:u/ { c = $1 }
		END { exit !(t >= 300 && t < 3000 && p > 20 && c == "<not counted>") }' <<<"$output"
	[[ "$output" == *"note: events in the kernel were not counted"*"kernel.perf_event_paranoid=1"* ]]
	busy setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$WORK/shares" 60
	eventually pgrep -P $$ -u 65534 -x shares
	run as_nobody "" "$SKEP" stat -x, -e task-clock -p $BG -- sleep 0.3
	echo "$output"
	[ "$status" = 0 ]
	awk -F, '/task-clock:u/ { ok = $1 > 50 } END { exit !ok }' <<<"$output"
	run as_nobody "" "$SKEP" stat -a -e task-clock -- true
	one_line_and_3
	[[ "$output" == *"CAP_PERFMON"* || "$output" == *perf_event_paranoid* || "$output" == *cap_perfmon* ]]
	set_for_test /proc/sys/kernel/perf_event_paranoid 1
	run as_nobody "" "$SKEP" stat -x, -e context-switches -- sleep 0.01
	awk -F, '/context-switches,/ { ok = $1 >= 1 } END { exit !ok }' <<<"$output"
}

# bats test_tags=user-space,measuring,slow
@test "no privileges at all: own programs are sampled without BPF, with whole stacks, as perf_event_paranoid allows" {
	chmod 777 .
	set_for_test /proc/sys/kernel/perf_event_paranoid 2
	run as_nobody "" "$SKEP" record -F $(hz 1999) -o a.data -- sh -c "'$WORK/shares' 1.5 >truth; exit 3"
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" == *"note: sampled by perf events, without BPF"*"only in user space"* ]]
	"$SKEP" flame -i a.data --format folded -o a.folded
	cat a.folded
	SKEP_SAMPLES=$(hz 1000) shares_ok truth a.folded 4
	"$SKEP" report -i a.data --json | grep -q '"cpu-clock:u"'
	# no frame pointers, threads, children; another's reader
	as_nobody "" "$SKEP" -q flame -F $(hz 1999) --format folded -o b.folded -- "$WORK/stacks_O2" 1
	awk '{ n += $NF } /^stacks_O2;(_start|__GI___clone|__clone|clone|start_thread)/ { whole += $NF } END { print whole, n; exit !(n > 100 && whole > .8 * n) }' b.folded # the rest is deeper than what is copied
	as_nobody "" "$SKEP" -q record -F $(hz 1999) -o c.data -- "$WORK/threads" 3 0.5
	"$SKEP" -q report -i c.data -s tid --format csv >c.csv
	[ "$(wc -l <c.csv)" -gt 3 ]
	# a process that runs already, by frame pointers; the kernel's part where that is allowed
	busy setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$WORK/shares" 60
	eventually pgrep -P $$ -u 65534 -x shares
	as_nobody "" "$SKEP" flame --call-graph fp -p $BG -F $(hz 999) --format folded -o d.folded --duration 1
	grep -q 'main;hot ' d.folded
	set_for_test /proc/sys/kernel/perf_event_paranoid 1
	as_nobody "" "$SKEP" -q flame -F $(hz 1999) --format folded -o e.folded -- sh -c 'for i in 1 2 3; do ls -R /usr/lib >/dev/null 2>&1; done; true'
	grep -qE '\[kernel|vmlinux|entry_SYSCALL|sys_' e.folded
	# a part that is left out has no frame, and a deep chain says that it was cut
	as_nobody "" "$SKEP" -q flame --no-kernel -F $(hz 1999) --format folded -o g.folded -- dd if=/dev/zero of=/dev/null bs=1 count=1000000 2>/dev/null
	awk '{ n += $NF } /;\[unknown\] / { bad += $NF } END { print bad + 0, n; exit !(n > 50 && bad * 10 < n) }' g.folded
	as_nobody "" "$SKEP" -q flame --call-graph fp -F $(hz 1999) --format folded -o h.folded -- "$WORK/recurse" 200 1
	grep -q 'truncated: 127 frames' h.folded
	run ! grep -q 'no frame pointer.*down' h.folded
	set_for_test /proc/sys/kernel/perf_event_paranoid 3
	run as_nobody "" "$SKEP" record -o f.data -- true
	[ "$status" = 3 ] || [ "$status" = 0 ] # only some distributions' kernels know 3
}

@test "a seccomp filter refuses bpf(), then perf_event_open()" {
	run "$WORK/refuse" bpf "$SKEP" flame -o a.folded -- true
	one_line_and_3
	[[ "$output" == *"the kernel refuses bpf()"*"seccomp"* ]]
	run "$WORK/refuse" perf_event_open "$SKEP" flame -o a.folded -- true
	one_line_and_3
	[[ "$output" == *perf_event_open* ]]
	run "$WORK/refuse" bpf "$SKEP" doctor
	[ "$status" = 3 ]
	[[ "$output" == *"nothing can be sampled here"* ]]
}

@test "a seccomp filter refuses pidfd_open() and prlimit(): the end of the target is still seen" {
	enough_memlock
	busy "$WORK/shares" "$(times 2)"
	"$WORK/refuse" pidfd_open,prlimit64 "$SKEP" -v flame -p $BG -o a.folded 2>said
	cat said
	grep -q ';main;hot ' a.folded
	grep -q 'no pidfd here.*a check every 0.1 s instead' said
}

@test "RLIMIT_MEMLOCK low: works, or names the limit" {
	run setpriv --bounding-set -sys_resource,-ipc_lock --inh-caps -sys_resource,-ipc_lock sh -c "ulimit -l 64; exec '$SKEP' flame -F $(hz 4999) -o a.folded -- '$WORK/shares' 0.3"
	echo "$output"
	if [ "$status" = 0 ]; then
		grep -q ';main;hot ' a.folded
	else
		one_line_and_3
		[[ "$output" == *"ulimit -l"* ]]
	fi
}

@test "RLIMIT_MEMLOCK low, without CAP_IPC_LOCK: smaller ring buffers, also with context switches; else what is refused is named" {
	chmod 777 .
	set_for_test /proc/sys/kernel/perf_event_paranoid 2
	run as_nobody +bpf,+perfmon sh -c "ulimit -l 64; exec '$SKEP' record -o a.data -- true"
	[[ "$status" = 0 || "$output" != *"(ulimit -l) blocks it"* ]] || skip "BPF maps count against RLIMIT_MEMLOCK here"
	as_nobody +bpf,+perfmon sh -c "ulimit -l 64; exec '$SKEP' record --switch-events -o a.data -- sh -c 'for i in 1 2 3; do sleep 0.05; done'"
	"$SKEP" -q script -i a.data --show-switch-events >a.text
	cat a.text
	[ "$(grep -c 'PERF_RECORD_SWITCH' a.text)" -ge 3 ]
	# room for the mappings alone
	set_for_test /proc/sys/kernel/perf_event_mlock_kb $((256 + $(awk '/KernelPageSize/ { print $2; exit }' /proc/self/smaps)))
	run -3 as_nobody +bpf,+perfmon sh -c "ulimit -l 0; exec '$SKEP' record --switch-events -o b.data -- true"
	echo "$output"
	[[ "$output" == "skep record: cannot follow context switches: this user may not lock more memory"*"hint: "*perf_event_mlock_kb* ]]
}

# bats test_tags=user-space
@test "too few open files: works, or names the limit" {
	enough_memlock
	for n in $(seq 12 4 64) 256; do
		rm -f a.folded
		# CAP_SYS_RESOURCE raises the hard limit, too
		if setpriv --bounding-set -sys_resource --inh-caps -sys_resource sh -c \
			"ulimit -n $n; exec '$SKEP' -q flame -F $(hz 999) -o a.folded -- '$WORK/shares' 0.2" >said 2>&1; then
			[ -e a.folded ]
			enough=$n
		else
			echo "$n: $(cat said)"
			[ ! -e a.folded ]
			grep -q '^hint: raise the limit of open files: ulimit -n' said
			refusals=$((${refusals:-0} + 1))
		fi
	done
	[ "${refusals:-0}" -ge 5 ]
	[ "${enough:-0}" = 256 ]
}

@test "sysfs without any PMU: the clock is enough" {
	mkdir none
	unshare -m sh -c "mount --bind none /sys/bus/event_source && exec '$SKEP' flame -F $(hz 4999) -o a.folded -- '$WORK/shares' 0.3"
	grep -q ';main;hot ' a.folded
}

# bats test_tags=user-space
@test "one CPU; a CPU that goes off-line during the run and comes back" {
	off=/sys/devices/system/cpu/cpu1/online
	[ -n "$SKEP_OWN_MACHINE" ] || skip "would take a CPU from whoever else is on this machine"
	[ -w $off ] || skip "CPU 1 cannot be taken off-line"
	set_for_test $off 0
	works
	run "$SKEP" flame -C 1 -o b.folded --duration 100ms
	echo "$output"
	[ "$status" = 1 ]
	[[ "$output" == *"CPU 1 is not online"* ]]
	echo 1 >$off
	background sh -c "sleep $(times 0.5); echo 0 >$off; sleep $(times 0.3); echo 1 >$off"
	"$SKEP" flame -a -F 999 -o c.folded -- "$WORK/shares" "$(times 1.5)"
	grep -q ';main;hot ' c.folded
}
