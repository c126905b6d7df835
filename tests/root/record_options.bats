#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options of perf record that change what is recorded, or how.
load ../lib.bash

# of_comms FILE: the commands of its samples
of_comms() {
	"$SKEP" -q script -i "$1" -F comm | sort -u | tr -d ' '
}

# bats test_tags=user-space
@test "record -i: no child, with privileges and without" {
	# burns for half a second itself, and then by a child
	cat >both.sh <<-EOF
		end=\$((\$(date +%s%N) / 1000000 + 500))
		while [ \$((\$(date +%s%N) / 1000000)) -lt \$end ]; do for i in 1 2 3 4 5 6 7 8 9; do :; done; done
		$WORK/shares 0.3 >/dev/null
	EOF
	"$SKEP" record -F "$(hz 4999)" -o all.data -- bash both.sh
	of_comms all.data | grep -qx shares
	"$SKEP" record -i -F "$(hz 4999)" -o one.data -- bash both.sh
	[ "$(of_comms one.data)" = bash ]
	chmod 777 .
	install -m 755 "$SKEP" .
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		./skep record -i -F "$(hz 4999)" -o user.data -- bash both.sh 2>said || { cat said; [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ] && skip "perf_event_paranoid"; false; }
	grep -q 'without BPF' said
	[ "$(of_comms user.data)" = bash ]
}

@test "record -r: skep has the priority, COMMAND has not" {
	need chrt
	chrt -f 5 true || skip "no real-time priority here"
	"$SKEP" record -r 5 -F "$(hz 999)" -o a.data -- sh -c "chrt -p \$PPID; chrt -p \$\$; $WORK/shares 0.2" >said
	cat said
	sed -n 1,2p said | grep -q 'SCHED_FIFO'
	sed -n 2p said | grep -q ': 5$'
	sed -n 3p said | grep -q 'SCHED_OTHER'
}

# bats test_tags=user-space
@test "record -k, -r, callchains: what is refused" {
	for line in "-k boottime|clock 'boottime' is not available: times are CLOCK_MONOTONIC" "-r 0|bad value '0' of '--realtime': expected 1 to 99" \
		"--kernel-callchains --user-callchains|exclude each other: they leave nothing"; do
		# shellcheck disable=SC2086
		run -2 "$SKEP" record ${line%|*} -- true
		[[ "$output" == *"${line#*|}"* ]] || { echo "$output"; false; }
	done
}
