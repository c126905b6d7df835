#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep agent --push to real servers of ClickHouse, two as shards, and --store clickhouse://: nothing is lost and nothing counts twice, whatever
# becomes of servers and answers. Pyroscope and OTLP are receivers made from their documents.
# bats file_tags=user-space
load ../lib.bash

cleanup() {
	remove_cgroups
}

HTTP=28123 TCP=29000 # and the next: of the second server
NET=10.213	     # of machines, beside loopback

# server N: of the cluster "fleet"; its pid in BG
server() {
	local n=$1 dir=server$1
	mkdir -p "$dir/data" "$dir/tmp"
	cat >"$dir/users.xml" <<-X
		<yandex><profiles><default><max_memory_usage>1000000000</max_memory_usage></default></profiles>
		<users><default><password></password><networks><ip>127.0.0.1</ip><ip>$NET.0.0/16</ip></networks><profile>default</profile><quota>default</quota></default></users>
		<quotas><default></default></quotas></yandex>
	X
	cat >"$dir/config.xml" <<-X
		<yandex><logger><level>warning</level><log>$PWD/$dir/log</log><errorlog>$PWD/$dir/errors</errorlog></logger>
		<http_port>$((HTTP + n))</http_port><tcp_port>$((TCP + n))</tcp_port><listen_host>127.0.0.1</listen_host>$LISTEN<timezone>UTC</timezone>
		<path>$PWD/$dir/data/</path><tmp_path>$PWD/$dir/tmp/</tmp_path><users_config>users.xml</users_config>
		<default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>10000000</mark_cache_size>
		<remote_servers><fleet>
		<shard><replica><host>127.0.0.1</host><port>$TCP</port></replica></shard>
		<shard><replica><host>127.0.0.1</host><port>$((TCP + 1))</port></replica></shard>
		</fleet></remote_servers></yandex>
	X
	background clickhouse-server --config-file="$PWD/$dir/config.xml" >"$dir/out" 2>&1
	for ((i = 0; i < 20; i++)); do
		eventually answers "$n" && return
	done
}

answers() {
	curl -s "http://127.0.0.1:$((HTTP + $1))/" | grep -q Ok
}

# listens PORT: without a request
listens() {
	(exec 4<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# sql N QUERY: of server N
sql() {
	curl -sS "http://127.0.0.1:$((HTTP + $1))/" --data-binary "$2"
}

has_tools() {
	need clickhouse-server curl node
	[ -d /sys/kernel/tracing/events ] || skip "no tracefs"
}

# agent NAME SIZE: AGENT is the command of a machine called NAME, which counts the writes of SIZE bytes to descriptor 1
agent() {
	AGENT=("$SKEP" -v agent --store "store.$1" --every 1s -e syscalls:sys_enter_write -c 1 --filter "fd == 1 && count == $2")
}

# machine NAME N: a host name and a network of its own, whose other end is $NET.N.1 here; its pid in BG
machine() {
	background unshare -n -u sh -c "hostname '$1' && exec sleep 600"
	eventually machine_is "$1" "$BG"
	ip link add "skep-test$2" type veth peer name eth0 netns "$BG"
	ip addr add "$NET.$2.1/30" dev "skep-test$2"
	ip link set "skep-test$2" up
	nsenter -t "$BG" -n sh -c "ip addr add $NET.$2.2/30 dev eth0 && ip link set eth0 up"
	LISTEN+="<listen_host>$NET.$2.1</listen_host>"
}

machine_is() {
	[ "$(nsenter -t "$2" -u hostname)" = "$1" ]
}

# writes SIZE COUNT: of the program dd
writes() {
	dd if=/dev/zero of=/dev/null bs="$1" count="$2" 2>&1
}

# runs FILE: until an agent says there that it has written a profile: it samples
runs() {
	for ((i = 0; i < 4; i++)); do eventually grep -q '^wrote ' "$1" && return; done
}

# bats test_tags=slow,measuring
@test "two shards, three machines, one server is killed in the middle: sums by host, service and function are what the workloads wrote" {
	has_tools
	machines=()
	for m in a:1 b:2 c:3; do
		machine "${m%:*}" "${m#*:}"
		machines+=("$BG")
	done
	server 0
	server 1
	second=$BG
	for n in 0 1; do
		"$SKEP" agent --schema=fleet | while IFS= read -r line; do sql $n "${line%;}"; done
	done
	two_cgroups
	pids=()
	for m in a:1:1013:0 b:2:1019:1 c:3:1021:0; do
		IFS=: read -r name n size at <<<"$m"
		agent "$name" "$size"
		background nsenter -t "${machines[$((n - 1))]}" -n -u "${AGENT[@]}" --push "clickhouse://$NET.$n.1:$((HTTP + at))/skep" 2>"said.$name"
		pids+=("$BG")
	done
	for m in a b c; do runs said.$m; done
	(echo $BASHPID >cg/"$a"/cgroup.procs && writes 1013 3000)
	(echo $BASHPID >cg/"$b"/cgroup.procs && writes 1019 5000)
	sleep 2
	kill -KILL "$second"
	wait "$second" || true
	(echo $BASHPID >cg/"$a"/cgroup.procs && writes 1021 7000)
	(echo $BASHPID >cg/"$b"/cgroup.procs && writes 1019 600)
	sleep 3
	server 1
	(echo $BASHPID >cg/"$a"/cgroup.procs && writes 1013 40)
	empty() { [ "$(ls store.*/push-*/*.gz 2>/dev/null | wc -l)" = 0 ]; }
	sleep 2
	for ((i = 0; i < 6; i++)); do eventually empty && break; done
	for pid in "${pids[@]}"; do kill -TERM "$pid"; done
	wait "${pids[@]}" || true
	cat said.*
	grep -q 'tries without success: [1-9]' said.a said.b said.c
	[ "$(cat said.? | grep -c '^sent: [0-9]* profiles, .*waiting: 0, dropped: 0')" = 3 ]
	for n in 0 1; do
		sql $n "SELECT host, service, sum(count), sum(value) FROM skep.skep_samples GROUP BY host, service ORDER BY host, service" >sums
		cat sums
		printf '%s\t/%s\t%s\t%s\n' a "$a" 3040 3040 b "$b" 5600 5600 c "$a" 7000 7000 | diff - sums
	done
	# both shards have their part, and no row is twice where it counts
	[ "$(sql 0 'SELECT count() > 0 FROM skep.skep_samples_local')" = 1 ]
	[ "$(sql 1 'SELECT count() > 0 FROM skep.skep_samples_local')" = 1 ]
	url=clickhouse://127.0.0.1:$HTTP/skep
	for size in 1013:3040:/$a 1019:5600:/$b 1021:7000:/$a; do
		IFS=: read -r size count unit <<<"$size"
		view=t_syscalls_sys_enter_write_if_fd____1____count____$size
		"$SKEP" -q report --store "$url" --view "$view" -s comm,sym --format csv | tr -d '"' >rows
		[ "$(awk -F, '$6 == "dd" { n += $5 } END { print n }' rows)" = "$count" ]
		[ "$(awk -F, '$7 ~ /^(__GI_)?_*(libc_)?write$/ { n += $4 } END { print n }' rows)" = "$count" ]
		"$SKEP" -q flame --store "$url" --view "$view" --label "host=[a-c],unit=$unit" --format folded >folded
		[ "$(awk '{ n += $NF } END { print n }' folded)" = "$count" ]
		"$SKEP" -q flame --store "$url" --view "$view" --label "host!=[!a-c],unit=$unit,unit!=nobody" --format folded | cmp folded
		run ! "$SKEP" -q flame --store "$url" --view "$view" --label "host=[!a-c]" --format folded
		run ! "$SKEP" -q flame --store "$url" --view "$view" --label "host!=[a-c]" --format folded
	done
	for size in 1013:3040:a:/$a 1019:5600:b:/$b 1021:7000:c:/$a; do
		IFS=: read -r size count host unit <<<"$size"
		"$SKEP" -q report --store "$url" --view "t_syscalls_sys_enter_write_if_fd____1____count____$size" --no-children -s host,unit --format csv |
			tr -d '"' >rows
		cat rows
		[ "$(awk -F, 'NR > 1 { print $3, $6, $7 }' rows)" = "$count $host $unit" ]
	done
	# by what the server does not have: nothing
	run -1 "$SKEP" report --store "$url" --since "2001-01-01 00:00" --until "2001-01-02 00:00"
	[[ "$output" == *"nothing of that time"* ]]
}

# bats test_tags=slow,measuring
@test "an answer that is lost does not count twice; a server that refuses, answers garbage, or 200 with an error, gets all in the end" {
	has_tools
	server 0
	for mode in lose refuse garbage error; do
		sql 0 "DROP DATABASE IF EXISTS skep"
		rm -rf store.a
		background node "$BATS_TEST_DIRNAME/proxy.js" $((HTTP + 5)) $HTTP $mode 2 "INSERT INTO skep.skep_samples"
		proxy=$BG
		eventually listens $((HTTP + 5))
		agent a 1013
		background "${AGENT[@]}" --push "clickhouse://127.0.0.1:$((HTTP + 5))/skep" 2>said
		skep=$BG
		runs said
		writes 1013 3000
		sleep 2
		writes 1013 500
		empty() { [ "$(ls store.a/push-*/*.gz 2>/dev/null | wc -l)" = 0 ] && [ "$(sql 0 'SELECT sum(count) FROM skep.skep_samples')" = 3500 ]; }
		for ((i = 0; i < 6; i++)); do eventually empty && break; done
		kill -TERM "$skep"
		wait "$skep" || true
		stop "$proxy"
		echo "$mode"
		cat said
		grep -q 'dropped: 0, tries without success: [2-9]' said
		[ "$(sql 0 'SELECT sum(count), sum(value), uniqExact(time, seconds) = count() FROM skep.skep_samples FORMAT CSV')" = 3500,3500,1 ]
		grep -q "^note: 'clickhouse://127.0.0.1:$((HTTP + 5))/skep': .*profiles wait in the spool, and are sent again" said
		grep -q "answers again" said
	done
}

# bats test_tags=slow,measuring
@test "a server that is away: what it lacks is kept up to --spool, is sent by the next run, and what is dropped is counted" {
	has_tools
	agent a 1013
	background "${AGENT[@]}" --push clickhouse://127.0.0.1:$HTTP/skep --duration "$(times 4)" 2>said
	skep=$BG
	runs said
	writes 1013 2000
	wait $skep
	cat said
	grep -q "^sent: 0 profiles, 0.0 KB; waiting: [2-9], dropped: 0" said
	server 0
	"${AGENT[@]}" --push clickhouse://127.0.0.1:$HTTP/skep --duration "$(times 3)" 2>said
	cat said
	sql 0 'SELECT time, seconds, event, count, value FROM skep.skep_samples'
	[ "$(sql 0 'SELECT sum(count) FROM skep.skep_samples')" = 2000 ]
	[ "$(sql 0 'SELECT sum(samples) FROM skep.skep_batches')" = 2000 ]
	stop "$BG"
	agent b 1013
	"${AGENT[@]}" --push clickhouse://127.0.0.1:$HTTP/skep --duration "$(times 8)" --spool 1 2>said
	cat said
	grep -qE "^sent: 0 profiles.*dropped: [1-9]" said
	grep -q "dropped: the spool is full" said
	[ "$(du -b --apparent-size store.b/push-*/*.gz | awk '{ n += $1 } END { print n + 0 }')" -le 1024 ]
}

# bats test_tags=slow,measuring
@test "two versions of a program: diff by build id" {
	has_tools
	need gcc
	server 0
	cat >v.c <<-'C'
		#include <stdio.h>
		#include <time.h>
		static volatile long n;
		static double used[2];
		__attribute__((noinline)) void one(void) { for (long i = 0; i < N; i++) n++; }
		__attribute__((noinline)) void two(void) { for (long i = 0; i < 200000; i++) n++; }
		static void timed(void (*f)(void), double *sum)
		{
			struct timespec a, b;
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
			f();
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
			*sum += (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9;
		}
		int main(void)
		{
			for (int i = 0; i < M; i++) {
				timed(one, &used[0]);
				timed(two, &used[1]);
			}
			printf("%f\n", 100 * used[0] / (used[0] + used[1]));
			return 0;
		}
	C
	mkdir old new
	gcc -O1 -g0 -DN=200000 -DM="$(times 6000)" -Wl,--build-id=0x1111 -o old/service v.c
	gcc -O1 -g0 -DN=600000 -DM="$(times 3000)" -Wl,--build-id=0x2222 -o new/service v.c
	background "$SKEP" -q agent --store store --every 1s -F 199 --push clickhouse://127.0.0.1:$HTTP 2>said
	skep=$BG
	sleep 1
	before=$(old/service)
	after=$(new/service)
	sleep 2
	kill -TERM $skep
	wait $skep || true
	"$SKEP" -q diff --store clickhouse://127.0.0.1:$HTTP --since 10m --label build_id=2222 --against-label build_id=1111 -s sym --stdio --format csv | tr -d '"' >rows
	cat rows
	# the share of one(), as the programs say
	awk -F, -v b="$before" -v a="$after" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } $c["sym"] == "one" { x = $c["before_pct"]; y = $c["after_pct"] }
		END { print b, x, a, y; exit !(x > b - 7 && x < b + 7 && y > a - 7 && y < a + 7 && y > x + 5) }' rows
	"$SKEP" -q report --store clickhouse://127.0.0.1:$HTTP --label build_id=1111 -s sym --format csv | tr -d '"' >old.csv
	"$SKEP" -q report --store store --label build_id=1111 -s sym --format csv | tr -d '"' >local.csv
	diff old.csv local.csv
	for store in clickhouse://127.0.0.1:$HTTP store; do
		"$SKEP" -q report --store "$store" --label 'build_id!=1111,comm!=cat' -s comm --format csv | sort >"not.${store%%:*}"
	done
	grep . not.store
	diff not.clickhouse not.store
	for store in clickhouse://127.0.0.1:$HTTP store; do
		"$SKEP" -q report --store "$store" --no-children -s build_id,exe,comm,sym --format csv | sort
	done | tee rows | sort | uniq -c | awk '$1 != 2 { print; bad = 1 } END { exit bad }'
	grep -q ',one$' old.csv
}

# bats test_tags=slow,measuring
@test "a rate that --budget lowered is reported of a server as of a directory" {
	has_tools
	server 0
	for i in 1 2; do busy "$WORK/shares" 8 >/dev/null; done
	"$SKEP" -q agent --store store --every 1s -F 9973 --budget 0.2% --duration 4 --push clickhouse://127.0.0.1:$HTTP 2>said || { cat said; false; }
	for store in clickhouse://127.0.0.1:$HTTP store; do
		"$SKEP" report --store "$store" -s comm --json >"${store%%:*}.json" 2>"${store%%:*}.said"
		cat "${store%%:*}.said"
	done
	jq -es 'all(any(.notes[]; test("^[1-9][0-9]* profiles have fewer samples than were asked for, and these weigh more: .sampled at ")))' store.json clickhouse.json
}

# bats test_tags=slow
@test "Pyroscope: a form with the profile, as its documents have it" {
	need node go
	background node "$BATS_TEST_DIRNAME/proxy.js" $((HTTP + 6)) 0 refuse 1 >got
	eventually listens $((HTTP + 6))
	background "$WORK/shares" "$(times 3)" >truth
	"$SKEP" -v agent --store store --every 1s --host 'm{1},x' --push pyroscope+http://127.0.0.1:$((HTTP + 6)) --duration "$(times 4)" 2>said
	cat said got
	grep -q 'waiting: 0, dropped: 0, tries without success: 1' said
	grep -qE '^POST /ingest\?format=pprof&spyName=skep&from=[0-9]+&until=[0-9]+&name=skep%7Bhost%3Dm_1__x%2Cevent%3D[a-z-]+%7D multipart/form-data; boundary=skep[0-9a-f]{32} [0-9]+$' got
	# what is in the form is the profile of the store
	boundary=$(grep -o 'boundary=skep[0-9a-f]*' got | tail -n 1 | cut -d= -f2)
	last=$(ls body.* | sort -t. -k2n | tail -n 1)
	node -e 'const b = require("fs").readFileSync(process.argv[1]), mark = Buffer.from("\r\n\r\n"), at = b.indexOf(mark) + 4;
		require("fs").writeFileSync("part.pb.gz", b.subarray(at, b.indexOf(Buffer.from("\r\n--" + process.argv[2] + "--\r\n"))))' "$last" "$boundary"
	cmp part.pb.gz "$(ls store/*.pb.gz | tail -n 1)"
	env PPROF_TMPDIR=. HOME="$PWD" go tool pprof -top part.pb.gz
}

@test "URLs that are none, and passwords" {
	for url in http://x clickhouse:/x ftp://x clickhouse://h/a-b clickhouse://h/1a "clickhouse://h?x" clickhouse:// pyroscope+http:// pyroscope+ftp://x; do
		run -2 "$SKEP" agent --store store --push "$url" --duration 1
		echo "$output"
		[ "$(wc -l <<<"$output")" -le 3 ]
	done
	run -2 "$SKEP" agent --store store --host x --duration 1
	[[ "$output" == *"--host needs --push"* ]]
	run -0 "$SKEP" agent --store store --push clickhouse://me:secret@127.0.0.1:1/x --every 1 --duration 2
	[[ "$output" == *"'clickhouse://me@127.0.0.1:1/x'"* ]]
	[[ "$output" != *secret* ]]
}

# bats test_tags=slow,measuring
@test "OTLP: a request whose tables give what skep report has; what the server refuses for good is not sent again" {
	need node
	background node "$BATS_TEST_DIRNAME/proxy.js" $((HTTP + 7)) 0 refuse 1 >got
	eventually listens $((HTTP + 7))
	background "$WORK/shares" "$(times 4)" >truth
	work=$BG
	"$SKEP" -v agent --pids --store store --every 2s -F 99 --host 'm"1' --push otlp+http://127.0.0.1:$((HTTP + 7))/prefix --duration "$(times 3)" 2>said
	cat said got
	grep -q 'waiting: 0, dropped: 0, tries without success: 1' said
	grep -q '^POST /prefix/v1development/profiles application/x-protobuf' got
	# The last is that of the last profile
	node "$BATS_TEST_DIRNAME/otlp.js" "$(ls body.* | sort -t. -k2n | tail -n 1)" >rows
	cat rows
	grep -qx 'host.name m"1' rows
	file=$(ls store/*.pb.gz | tail -n 1)
	"$SKEP" -q report -i "$file" --no-children -s comm,sym --json | jq -r '.rows[] | select(.self > 0) | "\(.comm),\(.sym),\(.samples)"' | LC_ALL=C sort >wanted
	sed -n 's/^samples\/count,//p' rows | LC_ALL=C sort | diff wanted -
	"$SKEP" -q report -i "$file" --no-children -s pid --json | jq -r '.rows[] | "\(.pid),\(.samples)"' | LC_ALL=C sort >wanted
	grep -q "^$work," wanted
	sed -n 's/^pid,samples,//p' rows | LC_ALL=C sort | diff wanted -
	[ "$(sed -n 's/^cpu\/nanoseconds,.*,//p' rows | awk '{ n += $1 } END { printf "%.0f\n", n }')" = "$("$SKEP" -q report -i "$file" -s comm --json | jq '[.rows[].self] | add')" ]
	background node "$BATS_TEST_DIRNAME/proxy.js" $((HTTP + 4)) 0 bad 1 >got
	eventually listens $((HTTP + 4))
	"$SKEP" -v agent --store store --every 1s --push otlp+http://127.0.0.1:$((HTTP + 4)) --duration "$(times 3)" 2>said
	cat said
	grep -q 'dropped: 1, tries without success: 0' said
	grep -q "is not sent to .*: it says: status 400, 'not so'" said
}
