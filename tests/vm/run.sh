#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The root tests in virtual machines, a kernel each. usage: tests/vm/run.sh [VERSION...]
# One line a kernel, "vm VERSION PASSED FAILED SKIPPED PACKAGE", and the reasons; TAP under build/vm/VERSION/tap.
# VM_PLAN: all (default): every kernel runs all tests, or those of VM_TESTS.
# spread: what no kernel can change, and long tests whose kernel side others test (tag user-space), run on this machine alone; of the rest the
# newest kernel runs all, in two machines, $LONG in the first, the oldest the files $OLDEST, and those between, in turn, what BETWEEN has, but
# for long tests (tag newest). While VM_LONE exists, a file, there is one machine at a time.
# quick: one kernel, the newest if none is named, runs the files $QUICK, without long tests (tags newest, slow).
# The table of README is build/vm/matrix.md; quick leaves it alone. Exit 77 when this machine cannot do it. Under CI fewer than three kernels
# are a failure.
set -u
cd "$(dirname "$0")/../.." || exit 1
VM=build/vm
TESTS=${VM_TESTS:-$(cd tests/root && ls ./*.bats | sed 's|^\./||; s|\.bats$||' | paste -sd,)}
SECONDS_MAX=${VM_SECONDS:-1400}
BETWEEN=(doctor,probe_views,timehist,trace,walks doctor,offcpu,sched,trace,trace_sums,uring)
LONG=net,probe,sched,stat,timehist,unwind # less than half of the time: the oldest kernel, which is the longest of the others, comes after them
QUICK=doctor,probe_views
OLDEST=doctor,net,offcpu,probe_views,sched,timehist,walks,by,probe,record,record_probe,stat,trace,trace_sums,uring
for tool in qemu-system-x86_64 cpio busybox apt-get bats; do
	command -v $tool >/dev/null || { echo "no $tool here: tools/packages.sh test"; exit 77; }
done
[ "$(uname -m)" = x86_64 ] || { echo "only on x86-64"; exit 77; }

# boot VERSION TAP TESTS [PARAMETER...]: what the console says from the kernel's name on, added to the tap
# One thread emulates both CPUs: with a thread each, QEMU before 8.1 keeps translations of code that the other CPU changes while it translates
# (deba78709ae8 "accel/tcg: Always lock pages before translation"), and a kernel dies when a probe leaves a function that is running. The CPU is
# without what is slow to emulate, copies by bytes above all: the same tests take 14 % less time.
boot() {
	timeout -s KILL "$SECONDS_MAX" qemu-system-x86_64 -accel tcg,thread=single -cpu max,-erms,-fsrm,-la57,-smap,-smep -smp 2 -m 2G -nographic -no-reboot \
		-kernel "$VM/$1/vmlinuz" -initrd $VM/image.cpio \
		-append "console=ttyS0 panic=-1 softlockup_panic=1 quiet skep.tests=$3 ${4:-} ${5:-} ${VM_APPEND:-}" </dev/null 2>&1 |
		stdbuf -oL tr -d '\r' | sed -un '/skep-vm: kernel/,$p' >>"$2"
}

# machine VERSION PART TESTS [PARAMETER]: all of them, into tap.PART; only the first part has the verifier's and the rig's. An emulated machine
# may lock up: then it is started once more for the file at which it stood and those behind it, which is told.
machine() {
	local tap=$VM/$1/tap.$2 only= last rest
	[ "$2" = 1 ] || only=skep.tests_only=1
	boot "$1" "$tap" "$3" "${4:-}" $only
	grep -q '^skep-vm: done' "$tap" && return
	last=$(sed -n 's/^skep-vm: begin \([a-z_]*\) at.*/\1/p' "$tap" | tail -1)
	[ -n "$last" ] || return
	# What that file said is said again
	sed -i "/^skep-vm: begin $last at/,\$d" "$tap"
	echo "skep-vm: died in $last" >>"$tap"
	rest=,$3,
	rest=$last,${rest#*",$last,"}
	boot "$1" "$tap" "${rest%,}" "${4:-}" skep.tests_only=1
}

# start VERSION PART TESTS [PARAMETER]: a machine, as soon as there is a place for it
running=0
start() {
	echo "skep-vm: machine" >"$VM/$1/tap.$2"
	while [ -e "${VM_LONE:-}" ] && [ -n "$(jobs -pr)" ]; do sleep 1; done
	running=$((running + 1))
	[ $running -le "${VM_AT_ONCE:-2}" ] || wait -n
	machine "$@" &
}

# those TESTS [-v]: of them those of LONG, or the others
those() {
	tr , '\n' <<<"$1" | grep -xF ${2:-} -e "${LONG//,/$'\n'}" | paste -sd,
}

# verdict VERSION TAP: "PASSED FAILED SKIPPED", then why; without the end of each machine it has failed, whatever it says before
verdict() {
	local tap=$2 pass skip fail planned verified v_bad again
	planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$tap" | awk '{ n += $1 } END { print n + 0 }')
	skip=$(grep -c '^ok .*# skip' "$tap")
	pass=$(($(grep -c '^ok ' "$tap") - skip))
	fail=$((planned - pass - skip)) # also tests that were never reached
	[ "$(grep -c '^skep-vm: done' "$tap")" = "$(grep -c '^skep-vm: machine' "$tap")" ] || fail=$((fail + 1))
	again=$(sed -n 's/^again: ok [0-9]* //p' "$tap")
	if [ -n "$again" ]; then
		pass=$((pass + $(wc -l <<<"$again")))
		fail=$((fail - $(wc -l <<<"$again")))
	fi
	verified=$(tools/verified.sh "$1" <"$tap")
	v_bad=$(grep -c '^not ok' <<<"$verified")
	pass=$((pass + $(grep -c '^ok' <<<"$verified")))
	echo "$pass $((fail + v_bad)) $skip"
	grep '^not ok' <<<"$verified"
	sed -n 's/^skep-vm: died in \(.*\)/  the machine locked up in \1.bats and was started again/p' "$tap"
	[ -z "$again" ] || sed 's/^/  passed at another try: /' <<<"$again"
	sed -n 's/^ok [0-9]* \(.*\) # skip *\(.*\)/  skipped: \1 (\2)/p' "$tap"
	[ "$fail" = 0 ] || { awk '/^not ok/ { on = 1 } /^ok|^skep-vm/ { on = 0 } on' "$tap"; tail -qn 3 "$VM/$1"/tap.[0-9]; }
}

# Would the matrix see it? What is broken on purpose must be seen broken on this kernel: one program at least that it refuses,
# every test of broken.bats, and a machine that dies half-way. Prints what went unseen.
blind() {
	local tap=$2 planned
	sed -n 's/^break /verify /p' "$tap" | tools/verified.sh "$1" | grep -q '^not ok break/.*refused' ||
		echo "not ok $1: no deliberate break of a program was seen"
	planned=$(sed -n 's/^broken: 1\.\.\([0-9]*\)$/\1/p' "$tap")
	[ "${planned:-0}" -gt 0 ] && [ "$(grep -c '^broken: not ok' "$tap")" = "$planned" ] ||
		echo "not ok $1: a test that must fail did not"
	head -c $(($(wc -c <"$tap") / 2)) "$tap" >"$tap.half"
	[ "$(verdict "$1" "$tap.half" | awk 'NR == 1 { print ($2 > 0) }')" = 1 ] || echo "not ok $1: a machine that died was not seen"
	rm -f "$tap.half"
}

# count VERSION PACKAGE
count() {
	local tap=$VM/$1/tap said unseen pass fail skip
	cat "$tap".[0-9] >"$tap"
	said=$(verdict "$1" "$tap")
	unseen=$(blind "$1" "$tap")
	read -r pass fail skip < <(head -1 <<<"$said")
	[ -z "$unseen" ] || fail=$((fail + $(wc -l <<<"$unseen")))
	echo "vm $1 $pass $fail $skip $2"
	tail -n +2 <<<"$said"
	[ -z "$unseen" ] || echo "$unseen"
	echo "| $(sed -n 's/.*skep-vm: kernel //p' "$tap" | head -1) | $pass | $fail | $skip |" >>"$matrix"
}

plan=${VM_PLAN:-all} matrix=$VM/matrix.md
if [ "$plan" = quick ]; then
	matrix=/dev/null
	[ $# -gt 0 ] || set -- 7.2
fi
fetched=$(tests/vm/fetch.sh "$@") || exit 1
tests/vm/image.sh $VM/image.cpio || exit 1
printf '| kernel | passed | failed | skipped |\n|---|---|---|---|\n' >$matrix
there=$(grep -vc ' -$' <<<"$fetched")
nr=0
while read -r version package; do
	nr=$((nr + 1))
	rm -f "$VM/$version"/tap.[0-9]
	if [ "$plan" = all ]; then
		start "$version" 1 "$TESTS"
	elif [ "$plan" = quick ]; then
		start "$version" 1 "${VM_TESTS:-$QUICK}" skep.without=user-space,newest,slow
	elif [ $nr = 1 ]; then
		start "$version" 1 "$(those "$TESTS")" skep.without=user-space
		start "$version" 2 "$(those "$TESTS" -v)" skep.without=user-space
	elif [ $nr = 2 ]; then
		start "$version" 1 $OLDEST skep.without=user-space,newest
	else
		start "$version" 1 "${BETWEEN[nr % 2]}" skep.without=user-space,newest
	fi
done < <(grep -v ' -$' <<<"$fetched" | awk '{ l[NR] = $0 } END { print l[NR]; if (NR > 1) print l[1]; for (i = 2; i < NR; i++) print l[i] }')
wait
while read -r version package; do
	if [ "$package" = - ]; then
		echo "vm $version 0 0 1 NOT FETCHED"
		echo "  skipped: kernel $version (no package of it could be fetched)"
	else
		count "$version" "$package"
	fi
done <<<"$fetched"
[ -z "${CI:-}" ] || [ "$plan" = quick ] || [ $there -ge 3 ] || echo "vm - 0 1 0 only $there kernels could be fetched"
