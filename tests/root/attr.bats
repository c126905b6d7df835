#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What an event's name means: the struct perf_event_attr that skep passes is the one that perf passes, as strace sees both.
# A PMU that this machine does not have is described by a sysfs of our own, mounted over the real one for both.
# bats file_tags=user-space
load ../lib.bash

# A description of PMUs in ./devices: cpu as x86 has it, with bits of a term in two places, and one that counts for all CPUs
describe() {
	mkdir -p devices/{cpu,power,software,msr}/{format,events}
	echo 4 >devices/cpu/type
	echo 'config:0-7,32-35' >devices/cpu/format/event
	echo 'config:8-15' >devices/cpu/format/umask
	echo 'config:18' >devices/cpu/format/edge
	echo 'config:24-31' >devices/cpu/format/cmask
	echo 'config1:0-15' >devices/cpu/format/ldlat
	echo 'event=0x64,umask=0x09' >devices/cpu/events/cache-misses
	echo 'event=0xcd,umask=0x1,ldlat=3' >devices/cpu/events/mem-loads
	echo 20 >devices/power/type
	echo 0 >devices/power/cpumask
	echo 'config:0-7' >devices/power/format/event
	echo 'event=0x02' >devices/power/events/energy-pkg
	echo 2.3283064365386962890625e-10 >devices/power/events/energy-pkg.scale
	echo Joules >devices/power/events/energy-pkg.unit
	echo 1 >devices/software/type
	echo 9 >devices/msr/type
	echo 'config:0-63' >devices/msr/format/event
	echo 'event=0x00' >devices/msr/events/tsc
}

# Without G or H skep counts the host alone; perf 6.1 counts guests too for some modifiers (k, I, D), perf 6.13 for all.
FIELDS='type config config1 config2 disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv exclude_idle
	enable_on_exec precise_ip exclude_host'

# attrs NR COMMAND...: of its first NR perf_event_open() calls that are no probe, the fields that make an event, and whether it
# has a leader
attrs() {
	local nr=$1
	shift
	unshare -m sh -c 'mount --bind devices /sys/bus/event_source/devices && exec timeout 20 "$@"' sh \
		strace -f -v -e trace=perf_event_open -o strace.txt "$@" >/dev/null 2>&1 || true
	# exclude_guest counts only where G or H was asked for
	grep 'perf_event_open({' strace.txt | grep -v 'SW_DUMMY' | head -"$nr" | awk -v fields="$FIELDS $(grep -q '[:/][a-z]*[GH]' <<<"$*" && echo exclude_guest)" '
		{
			n = split(fields, name, " ")
			for (i = 1; i <= n; i++)
				if (match($0, "[{ ]" name[i] "=[^,}]*")) { f = substr($0, RSTART + 1, RLENGTH - 1); sub(/ .*/, "", f); printf "%s ", f }
			sub(/.*\}, /, ""); split($0, arg, /, /)
			print arg[3] ~ /^-1/ ? "alone" : "member"
		}'
}

same() {
	local nr=$1
	shift
	attrs "$nr" perf stat "$@" -- true >perf.txt
	attrs "$nr" "$SKEP" stat "$@" -- true >skep.txt
	[ "$(wc -l <perf.txt)" = "$nr" ]
	diff perf.txt skep.txt || { echo "differs: $*"; false; }
}

@test "events by name, number and term: the attributes that perf passes" {
	need perf
	need strace
	describe
	for e in page-faults:u page-faults:k page-faults:uk task-clock cs cycles instructions:u cycles:p cycles:ukpp cycles:h cycles:I \
		cycles:G cycles:H cycles:GH page-faults:D cycles:e branch-misses L1-dcache-load-misses LLC-stores dTLB-prefetches \
		r1a8 r1a8:u msr/tsc/ msr/event=0x5/ cpu/event=0x3c/ cpu/event=0x13c,umask=0x1/u cpu/cache-misses/k cpu/mem-loads/ \
		cpu/config=0x1234,config1=0x5/ cpu/event=0xc0,edge,cmask=1/ cpu/cache-misses,name=misses/u; do
		same 1 -e "$e"
	done
}

@test "a term after an event's name overrides the name's own" {
	need strace
	describe
	attrs 1 "$SKEP" stat -e cpu/mem-loads,ldlat=30/ -- true >skep.txt
	grep -q 'config=0x1cd config1=0x1e ' skep.txt # perf 6.1 passes 3 | 30
	# an event of a PMU by its name alone, and a colon behind the terms
	attrs 1 "$SKEP" stat -e cpu/mem-loads/u -- true >want.txt
	attrs 1 "$SKEP" stat -e cpu/mem-loads/:u -- true | diff want.txt -
	attrs 1 "$SKEP" stat -e mem-loads:u -- true | diff want.txt -
}

@test "groups: leaders and members as perf passes them" {
	need perf
	need strace
	describe
	same 3 -e '{page-faults,task-clock},cs'
	same 3 -e '{page-faults:u,task-clock,minor-faults}'
	same 2 -e '{page-faults,faults:k}:u'
	same 2 -e '{page-faults,task-clock}:D'
}

# bats test_tags=measuring
@test "an event with a scale and a unit; a PMU that counts on one CPU for all" {
	need strace
	describe
	attrs 2 "$SKEP" stat -a -e power/energy-pkg/ -- true >skep.txt
	[ "$(wc -l <skep.txt)" = 1 ]
	grep -q 'type=0x14 config=0x2 ' skep.txt
	# a group of such a one is opened where it counts, with its members
	attrs 9 "$SKEP" stat -a -e '{power/energy-pkg/,page-faults},cs' -- true >skep.txt
	[ "$(grep -c 'type=0x14 ' skep.txt)" = 1 ]
	run "$SKEP" stat -e '{page-faults,msr/tsc/' -- true
	[ "$status" = 2 ]
	[ "$(cat /sys/bus/event_source/devices/msr/type 2>/dev/null)" = 9 ] || skip "no msr PMU here, and the rest counts with it"
	# msr/tsc/ described as if it were one, so that there is something to read
	cp devices/power/cpumask devices/msr/
	echo 0.001 >devices/msr/events/tsc.scale
	echo kilo >devices/msr/events/tsc.unit
	unshare -m sh -c "mount --bind devices /sys/bus/event_source/devices && '$SKEP' stat -a -x, -e '{msr/tsc/,page-faults},msr/tsc/u' -o g.csv -- ls >/dev/null"
	cat g.csv
	awk -F, '$3 == "page-faults" && $1 ~ /^[0-9]+$/ { a = 1 } $3 == "msr/tsc/" && $1 > 0 { b = 1 } END { exit !(a && b) }' g.csv
	unshare -m sh -c "mount --bind devices /sys/bus/event_source/devices && '$SKEP' stat -C 1 -x, -e msr/tsc/,page-faults -o n.csv -- sleep 0.1" 2>said
	cat n.csv said
	grep -q '^<not supported>,kilo,msr/tsc/' n.csv
	grep -q 'count on other CPUs' said
	unshare -m sh -c "mount --bind devices /sys/bus/event_source/devices && '$SKEP' stat -a -x, -e msr/tsc/,msr/event=0/ -o a.csv -- sleep 0.1"
	cat a.csv
	awk -F, '$3 == "msr/tsc/" && $2 == "kilo" { a = $1 } $3 == "msr/event=0/" && $2 == "" { b = $1 } END { d = a * 1000 / b; exit !(a > 0 && d > 0.98 && d < 1.02) }' a.csv
}
