#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Inside a container and beside one: process numbers, names and cgroups of other namespaces.
load ../lib.bash

# contained SCRIPT: by sh as process 1 of PID, mount, network, IPC, UTS and cgroup namespaces of its own, for a minute at most
contained() {
	timeout -s KILL "$(times 60)" unshare --pid --fork --kill-child --mount --mount-proc --net --ipc --uts --cgroup sh -c "$1"
}

# pids FOLDED: the process numbers of --by pid
pids() {
	grep -oE '^[^;]* \([0-9]+\)' "$1" | grep -oE '[0-9]+\)$' | tr -d ')' | sort -un | xargs
}

# bats test_tags=measuring
@test "inside: COMMAND has the pid of its own namespace, and symbols" {
	contained "'$SKEP' flame -F $(hz 4999) --by pid -o a.folded -- sh -c 'echo \$\$ >number; exec \"$WORK/shares\" $(times 0.7) >truth'"
	[ "$(cat number)" -lt 100 ]
	[ "$(pids a.folded)" = "$(cat number)" ]
	shares_ok truth a.folded
}

# bats test_tags=user-space
@test "inside: -p and -t take pids of the namespace, children are followed" {
	contained "sh -c 'sleep $(times 1); \"$WORK/shares\" 60; true' >/dev/null &
		'$SKEP' flame -p \$! -o a.folded --duration $(times 2) || exit; \
		'$WORK/threads' 60 >/dev/null & ps >/dev/null; \
		until [ -s tid ]; do sleep 0.1; grep -l '^t5\$' /proc/[0-9]*/task/*/comm | head -1 | cut -d/ -f5 >tid; done; tid=\$(cat tid); \
		'$SKEP' flame -t \$tid --by tid -o b.folded --duration 500ms"
	grep -q '^shares;.*;main;hot ' a.folded
	[ "$(cat tid)" -lt 200 ]
	[ "$(cut -d';' -f1 b.folded | sort -u | sed -E 's|t5 \([0-9]+/([0-9]+)\)|\1|')" = "$(cat tid)" ]
}

# bats test_tags=measuring
@test "inside: -a samples the whole machine; processes outside have pid 0, no symbols, and a note" {
	busy "$WORK/recurse" 20 60
	run contained "'$WORK/shares' 60 >/dev/null & '$SKEP' flame -a --by pid -o a.folded --duration 1"
	echo "$output"
	[ "$status" = 0 ]
	[[ "$output" == *"belong to processes outside this container"* ]]
	grep -qE '^shares \([1-9][0-9]?\);.*;main;hot ' a.folded
	grep -q '^recurse (0)' a.folded
	! grep '^recurse' a.folded | grep -qE ';(main|down|hot)[; ]'
}

# bats test_tags=user-space
@test "inside: record writes pids of the namespace, as perf reads them" {
	contained "'$WORK/shares' 60 >/dev/null & echo \$! >number; '$SKEP' record -p \$! -o a.data --duration 700ms; \
		'$SKEP' report -i a.data --no-children -s pid,sym --format csv >a.csv"
	grep -q ',"hot"' a.csv
	if type -P perf >/dev/null; then
		[ "$(perf script -i a.data -F pid 2>/dev/null | sort -u | xargs)" = "$(cat number)" ]
	fi
}

# bats test_tags=user-space
@test "inside a container within a container; and from the outer one into the inner one" {
	contained "unshare --pid --fork --kill-child --mount-proc sh -c '
		\"$SKEP\" flame -F $(hz 4999) --by pid -o a.folded -- \"$WORK/shares\" 0.5 >truth
		exec \"$WORK/shares\" 60' >/dev/null &
		while ! [ -s a.folded ] || ! pgrep -x shares >number; do sleep 0.1; done
		sleep 0.5
		'$SKEP' flame --by pid -p \$(cat number) -o b.folded --duration 600ms"
	[ "$(pids a.folded)" -le 4 ]
	grep -q ';main;hot ' a.folded
	[ "$(pids b.folded)" = "$(cat number)" ]
	grep -q ';main;hot ' b.folded
}

@test "outside: -p takes the outer pid of a process in a container, whose files are found in its own tree" {
	mkdir -p jail
	background unshare --pid --fork --kill-child --mount --mount-proc --net --cgroup \
		sh -c "mount -t tmpfs none jail && cp $WORK/shares jail/inner && exec jail/inner 60"
	eventually pgrep -x inner
	for pid in $(pgrep -x inner); do
		[ "$(readlink /proc/$pid/exe)" != "$PWD/jail/inner" ] || break
	done
	"$SKEP" flame -p "$pid" -o a.folded --duration 600ms
	kill -9 "$pid" # neither unshare nor the first process of a namespace hears less
	[ ! -e jail/inner ]
	grep -q ';main;hot ' a.folded
}

@test "/proc of another PID namespace, or none: exit 3 and a hint" {
	run unshare --pid --fork "$SKEP" flame -a -o a.folded --duration 100ms
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" == *"/proc here belongs to another PID namespace"*"hint: mount -t proc"* ]]
	run unshare --mount sh -c "umount -l /proc; exec '$SKEP' flame -a -o a.folded --duration 100ms"
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" == *"/proc is not mounted"* ]]
}

# The mount points of cgroup v2 here
cgroup2() {
	awk '/ - cgroup2 / { print $5 }' /proc/self/mountinfo
}

@test "cgroup v2 in a cgroup namespace: -G takes a path of the namespace" {
	mount=$(cgroup2 | head -1)
	[ -n "$mount" ] || skip "no cgroup v2"
	group=skep-test-$$
	mkdir -p "$mount/$group" || skip "cannot make a cgroup"
	run sh -c "echo \$\$ >$mount/$group/cgroup.procs && exec unshare --mount --cgroup sh -c '
		mkdir own && mount -t cgroup2 none own && umount -l $mount && mkdir own/below
		{ echo 0 >own/below/cgroup.procs; exec \"$WORK/shares\" $(times 2) >/dev/null; } &
		sleep 0.4
		\"$SKEP\" flame -G below -o a.folded --duration 600ms
		wait
		rmdir own/below'"
	echo "$output"
	rmdir "$mount/$group"
	[ "$status" = 0 ]
	[ "$(comms a.folded)" = shares ]
}

@test "cgroup v1 alone: all but -G works, and -G says what is missing" {
	run unshare --mount sh -c "for m in $(cgroup2 | xargs); do umount -l \$m; done
		'$SKEP' flame -F $(hz 4999) -o a.folded -- '$WORK/shares' 0.3 >/dev/null
		'$SKEP' flame -G x -o b.folded --duration 100ms"
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" == *"no cgroup v2 hierarchy is mounted"*"hint: "* ]]
	grep -q ';main;hot ' a.folded
}

# bats test_tags=user-space,measuring
@test "in a time namespace: times, waits and symbols are those of outside" {
	unshare -T --monotonic 60 true || skip "no time namespaces"
	# A clock cannot be set back before its start
	for shift in 86400 -$(awk '{ print int($1 / 2) }' /proc/uptime); do
		unshare -T --monotonic $shift "$SKEP" sched --format json -o a.json -- sleep 0.3
		ends a.json
		jq -e 'select(.comm == "sleep") | .sleep_ns > 2.5e8' a.json
		unshare -T --monotonic $shift "$SKEP" sched timehist -- sleep 0.3 >lines
		cat lines
		awk '/sleep\[/ && ($1 < 0 || $1 > 100) { bad = 1 } END { exit bad || !NR }' lines
		unshare -T --monotonic $shift "$SKEP" flame --off-cpu --no-kernel --format folded -- sleep 0.3 >a.folded
		awk '/^sleep/ { n += $NF } END { print n; exit !(n > 2.5e8) }' a.folded
		busy sh -c 'for i in $(seq 2000); do "$1" 0.01 >/dev/null; done' sh "$WORK/shares"
		unshare -T --monotonic $shift "$SKEP" record -a -o a.data --duration 1
		stop $BG
		"$SKEP" report -i a.data -s comm,dso,sym --format csv >rows
		head -5 rows
		grep -q '"shares","shares","hot"' rows
	done
}

@test "in a PID namespace: -I counts every call of a task that lives on" {
	unshare -pf --mount-proc "$SKEP" stat --by pid,comm -I 100 -e syscalls:sys_enter_read -j -o rows.json -- \
		dd if=/dev/zero of=/dev/null bs=1 count=$((300000 / ${SKEP_SLOW:-1})) 2>said
	ends rows.json
	cat said
	[ "$(jq -s 'map(select(.comm == "dd") | .calls // .hits) | add' rows.json)" -ge $((300000 / ${SKEP_SLOW:-1})) ]
}
