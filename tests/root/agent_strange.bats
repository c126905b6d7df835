#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep agent where there is much of something, or something goes wrong: control groups, profiles, scrapes, servers, the clock.
load ../lib.bash

cleanup() {
	[ -z "${CLOCK_WAS:-}" ] || date -s @$((CLOCK_WAS + SECONDS)) >/dev/null
	[ ! -d cg ] || find cg -mindepth 2 -maxdepth 2 -path '*/skep-test-*' -type d -exec rmdir {} + 2>/dev/null || true
	remove_cgroups
}

# bats test_tags=user-space,slow
@test "ten thousand control groups: each has its name, also one that was made meanwhile; series have their limit" {
	need curl
	two_cgroups
	(cd "cg/$a" && seq -f 'unit%g.service' 10000 | xargs mkdir)
	background "$SKEP" agent --store store --every 1s -F 99 --listen 0 --sched --max-series 3 --duration "$(times 8)" 2>said
	agent=$BG
	eventually grep -q 'figures are at' said
	mkdir "cg/$a/late.service"
	for unit in unit1 unit5000 unit10000 late; do
		(echo $BASHPID >"cg/$a/$unit.service/cgroup.procs" && exec "$WORK/shares" 1 >/dev/null) 3>&- &
	done
	url=$(sed -n 's/^note: figures are at //p' said)
	beyond() { curl -sS -f "$url" >figures && [ "$(grep -c '^skep_cpu_seconds_total{unit="other"} ' figures)" = 1 ]; }
	eventually beyond
	wait "$agent"
	cat said
	"$SKEP" report --store store --no-children -s unit --label 'comm=shares' --format csv | tr -d '"' | sed -n 's/.*,\(\(unit\|late\)[0-9]*\.service\)$/\1/p' | sort | tee units
	[ "$(tr '\n' ' ' <units)" = "late.service unit1.service unit10000.service unit5000.service " ]
	[ "$(grep '^skep_cpu_seconds_total{' figures | grep -vc '"other"')" -le 3 ]
	run ! grep '^lost' said
}

# bats test_tags=user-space
@test "control groups that are gone before the round ends have their units" {
	two_cgroups
	awk '$1 == "perf_event" && $2 == 0' /proc/cgroups | grep -q . || skip "the kernel tells perf of control groups of version 1"
	background "$SKEP" agent --store store -F 499 --every 10s --duration "$(times 5)" 2>said
	agent=$BG
	eventually test -e store/skep-store
	sleep "$(times 1)"
	for i in 1 2 3; do
		mkdir "cg/$a/gone$i.service"
		(echo $BASHPID >"cg/$a/gone$i.service/cgroup.procs" && exec "$WORK/shares" 0.4 >/dev/null) 3>&-
		until rmdir "cg/$a/gone$i.service" 2>/dev/null; do :; done
	done
	wait "$agent"
	"$SKEP" report --store store --no-children -s unit,comm --comms shares --format csv | tr -d '"' | awk -F, 'NR > 1 { print $6, $3 / 1e9 }' | tee rows
	for i in 1 2 3; do awk -v u="gone$i.service" '$1 == u && $2 > 0.02 { found = 1 } END { exit !found }' rows; done
}

# bats test_tags=user-space
@test "a span of a year: its profiles are summed one after the other, and memory does not grow with them" {
	need python3
	"$SKEP" agent --store store --every 1s -F 199 --duration 1 2>/dev/null
	one=$(ls store/*.pb.gz | tail -n 1)
	n=$("$SKEP" report -i "$one" -s comm --json | jq '[.rows[].samples] | add')
	event=${one#*.}
	rm -rf year
	mkdir year
	cp store/skep-store year/
	now=$(date +%s)
	for i in $(seq 2000); do # every four hours and a bit
		end=$((now - i * 15000))
		cp --reflink=auto "$one" "year/$(date -u -d @$((end - 60)) +%Y%m%dT%H%M%SZ)-$(date -u -d @$end +%Y%m%dT%H%M%SZ).$event"
	done
	"$SKEP" report --store year --since 366d -s comm --json >rows
	[ "$(jq '[.rows[].samples] | add' rows)" = $((2000 * n)) ]
	"$SKEP" report --store year --since 30d -s comm --json | jq -e --argjson n $((172 * n)) '[.rows[].samples] | add == $n'
	memory() { # memory OPTION...: the most that it had, in KB
		python3 -c 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
			"$SKEP" report --store year -s comm --json "$@"
	}
	day=$(memory --since 1d) all=$(memory --since 366d)
	echo "$day $all"
	[ "$all" -lt $((day + 8192)) ]
}

# bats test_tags=user-space,slow
@test "a thousand scrapes, and as many at once as it takes: sampling and profiles go on" {
	need curl
	background "$SKEP" agent --store store --every 1s -F 99 --listen 0 --calls --sched --duration "$(times 6)" 2>said
	agent=$BG
	eventually grep -q 'figures are at' said
	url=$(sed -n 's/^note: figures are at //p' said)
	curl -sS -f -Z --parallel-max 20 -o /dev/null "$url?[1-2000]" 2>curl.log
	curl -sS -f "$url" | tail -n 1 | grep -qx '# EOF'
	wait "$agent"
	cat said curl.log
	[ "$(ls store/*.pb.gz | wc -l)" -ge 5 ]
	run ! grep '^lost' said
}

# bats test_tags=user-space,slow
@test "servers that answer after seconds, or never: profiles are written in time, and all is sent in the end" {
	need node
	port=$((20000 + RANDOM % 20000))
	background node "$BATS_TEST_DIRNAME/proxy.js" $port 0 slow 2 >got
	background node "$BATS_TEST_DIRNAME/proxy.js" $((port + 1)) 0 hang 1000 >never
	eventually bash -c "exec 5<>/dev/tcp/127.0.0.1/$port 6<>/dev/tcp/127.0.0.1/$((port + 1))"
	start=$SECONDS
	"$SKEP" -v agent --store store --every 1s -F 99 --duration "$(times 9)" --push pyroscope+http://127.0.0.1:$port --push otlp+http://127.0.0.1:$((port + 1)) 2>said
	[ $((SECONDS - start)) -le $(($(times 9) + 12)) ]
	cat said got
	# The one that never answers held up neither the profiles nor the other server
	files=$(ls store/*.pb.gz | wc -l)
	[ "$files" -ge 8 ]
	grep -q "^sent: $files profiles,.*waiting: $files, dropped: 0" said
	[ "$(ls store/push-*/*.gz | wc -l)" = "$files" ]
	[ "$(grep -c '^POST /ingest' got)" -ge "$files" ]
}

# bats test_tags=user-space
@test "a store that is removed, and taken by a second agent: what the first had for a server it leaves to that one" {
	need node
	port=$((20000 + RANDOM % 20000))
	push="pyroscope+http://127.0.0.1:$port"
	background "$SKEP" agent --store store --every 1 -F 99 --duration "$(times 9)" --push "$push" 2>first
	one=$BG
	eventually compgen -G 'store/push-*/*.gz'
	rm -rf store
	background "$SKEP" agent --store store --every 1 -F 99 --duration "$(times 6)" --push "$push" 2>second
	two=$BG
	eventually [ -e store/skep-store ]
	background node "$BATS_TEST_DIRNAME/proxy.js" $port 0 none >got
	wait $one || true
	wait $two || true
	cat first second got
	grep -q 'another skep agent writes to it now: this one ends' first
	grep -qE '^sent: [1-9][0-9]* profiles,.*waiting: 0, dropped: 0' second
	# What came is what the second one wrote, each profile once
	[ "$(grep -c '^POST /ingest' got)" = "$(ls store/*.pb.gz | wc -l)" ]
}

@test "the clock is set back and forth: profiles go on, their spans are no longer than they were, and each sample is in one" {
	[ -n "${SKEP_OWN_MACHINE:-}" ] || skip "would set the clock of whoever else is on this machine"
	background "$SKEP" agent --store store --every 2s -e syscalls:sys_enter_getpgid -c 1 2>said
	agent=$BG
	eventually compgen -G 'store/*.pb.gz' # it has begun
	was=$(date +%s)
	CLOCK_WAS=$((was - SECONDS))
	"$WORK/calls" 30 >>truth
	sleep "$(times 2)"
	date -s @$((was - 3600)) >/dev/null
	"$WORK/calls" 30 >>truth
	sleep "$(times 2)"
	date -s @$((was + 86400)) >/dev/null # as after a suspend, too: it has slept a day
	"$WORK/calls" 30 >>truth
	sleep "$(times 2)"
	interrupt "$agent"
	cat said
	ls store
	got=$(for f in store/*.pb.gz; do "$SKEP" report -i "$f" -s comm --comms calls --json | jq '[.rows[].samples] | add // 0'; done | awk '{ n += $1 } END { print n }')
	lost=$(awk '/^lost: / { n += $2 } END { print n + 0 }' said)
	n=$(awk '$1 == "call" && $2 == "getpgid" { n += $3 } END { print n }' truth)
	[ $((got + lost)) -ge "$n" ]
	[ "$got" -le "$n" ]
	# spans, by their names, and what they say they lasted
	for f in store/*.pb.gz; do
		f=${f#store/}
		from=$(date -u -d "$(sed 's/^\(....\)\(..\)\(..\)T\(..\)\(..\)\(..\)Z.*/\1-\2-\3 \4:\5:\6/' <<<"$f")" +%s)
		to=$(date -u -d "$(sed 's/^[^-]*-\(....\)\(..\)\(..\)T\(..\)\(..\)\(..\)Z.*/\1-\2-\3 \4:\5:\6/' <<<"$f")" +%s)
		echo "$f $((to - from))"
		[ $((to - from)) -ge 0 ]
		[ $((to - from)) -le $(($(times 2) + 10)) ]
	done
	"$SKEP" report --store store --since "$(date -d @$((was + 86000)) '+%F %T')" -s comm --comms calls --json | jq -e '[.rows[].samples] | add > 0'
}
