#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep agent --listen: figures that are those of the workload, as a client and as Prometheus read them, and clients that behave badly.
# bats file_tags=user-space
load ../lib.bash

cleanup() {
	remove_cgroups
}

# serve OPTION...: an agent in the background; URL is where its figures are, AGENT its process
serve() {
	need curl
	background "$SKEP" agent --store store --every "${EVERY:-1}" --listen "${LISTEN:-0}" "$@" 2>said
	AGENT=$BG
	eventually grep -q 'figures are at' said || { cat said; false; }
	URL=$(sed -n 's|^note: figures are at \(http.*\)/metrics$|\1|p' said)
}

figures() {
	curl -sS -f "$URL/metrics" >figures
}

# of NAME{LABELS}: its value in ./figures
of() {
	NAME=$1 awk '{ v = $NF; sub(/ [^ ]*$/, "") } $0 == ENVIRON["NAME"] { print v }' figures
}

# has NAME{LABELS} EXPRESSION: of its value, v
has() {
	figures && [ -n "$(of "$1")" ] && awk -v v="$(of "$1")" "BEGIN { exit !($2) }"
}

@test "figures are those of the workload: CPU by unit, system calls by error, run-queue delay, packets, time off the CPUs" {
	two_cgroups
	serve -F 99 --calls --sched --net --off-cpu
	(echo $BASHPID >cg/$a/cgroup.procs && exec "$WORK/shares" 2 >/dev/null) 3>&-
	"$WORK/calls" 1000 >truth
	(echo $BASHPID >cg/$b/cgroup.procs && exec "$WORK/sockets" udp4 40 100 >sent) 3>&-
	(echo $BASHPID >cg/$a/cgroup.procs && exec sleep 1) 3>&-
	eventually has 'skep_syscalls_total{syscall="getsid",error=""}' 'v == 1001' || { cat truth figures; false; }
	grep -c . figures
	# getresuid(2) with a bad address
	n=$(awk '$1 == "call" && $2 == "getresuid" { print $3 }' truth)
	has 'skep_syscalls_total{syscall="getresuid",error="EFAULT"}' "v == $n"
	has 'skep_syscall_duration_seconds_count{syscall="getresuid"}' "v == $n"
	has "skep_cpu_seconds_total{unit=\"/$a\"}" 'v > 1.2 && v < 2.2'
	has "skep_task_run_seconds_total{unit=\"/$a\"}" 'v > 1.2 && v < 2.2'
	eventually has "skep_offcpu_seconds_total{unit=\"/$a\"}" 'v > 0.95 && v < 2'
	has "skep_runqueue_delay_seconds_bucket{unit=\"/$a\",le=\"+Inf\"}" "v >= 2"
	has "skep_runqueue_delay_seconds_count{unit=\"/$a\"}" "v == $(of "skep_runqueue_delay_seconds_bucket{unit=\"/$a\",le=\"+Inf\"}")"
	cat sent
	eventually has "skep_network_packets_total{unit=\"/$b\",direction=\"out\"}" "v == $(awk '{ n += $2 } END { print n }' sent)"
	has "skep_network_bytes_total{unit=\"/$b\",direction=\"in\"}" "v == $(awk '{ n += $5 } END { print n }' sent)"
	has skep_agent_cpu_seconds_total 'v > 0 && v < 5'
	has skep_agent_bpf_seconds_total 'v > 0'
	has skep_agent_map_bytes 'v > 1000000'
	for table in sums unwinding_bytes unwinding_maps; do
		has "skep_agent_table_used{table=\"$table\"}" 'v > 0'
		has "skep_agent_table_room{table=\"$table\"}" 'v > 1000'
	done
	# each family by itself, nothing after the end
	[ "$(tail -n 1 figures)" = "# EOF" ]
	awk '/^# TYPE/ { if ($3 in seen) exit 1; seen[$3] = 1; f = $3 } !/^#/ { if (index($0, f) != 1) { print; exit 1 } }' figures
	before=$(of 'skep_syscalls_total{syscall="read",error=""}')
	sleep 1.5
	has 'skep_syscalls_total{syscall="read",error=""}' "v > $before"
}

@test "what is no page, other methods, clients that do not read; many scrapes; SIGTERM writes what there is" {
	EVERY=1h
	serve -F 19
	run curl -sS -o /dev/null -w '%{http_code} %{content_type}' "$URL/metrics"
	[ "$output" = "200 application/openmetrics-text; version=1.0.0; charset=utf-8" ]
	[ "$(curl -sS "$URL/healthz")" = ok ]
	[ "$(curl -sS -o /dev/null -w '%{http_code}' "$URL/../../etc/passwd")" = 404 ]
	[ "$(curl -sS -o /dev/null -w '%{http_code}' -X POST -d x=y "$URL/metrics")" = 405 ]
	curl -sS -I "$URL/metrics" | grep -q '^HTTP/1.1 200'
	port=${URL##*:}
	exec 8<>"/dev/tcp/127.0.0.1/$port" 9<>"/dev/tcp/127.0.0.1/$port" # one asks nothing, one does not read
	(printf 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n%.0s' $(seq 200) >&9) || true # when all buffers are full it is given up
	curl -sS -f -o /dev/null "$URL/metrics?[1-500]"
	figures
	[ "$(tail -n 1 figures)" = "# EOF" ]
	kill -TERM "$AGENT"
	wait "$AGENT"
	exec 8>&- 9>&-
	cat said
	[ "$(ls store/*.pb.gz | wc -l)" = 1 ] # the hour has not ended: what there is was written at the signal
	grep -q '^samples: [0-9]* seen' said
}

@test "--max-series: the rest is 'other', and counted" {
	serve -F 19 --calls --max-series 25
	"$WORK/calls" 1000 >truth
	eventually has skep_agent_series_beyond_total 'v > 0'
	eventually all_calls # of the round after the workload's end
	[ "$(grep -c 'syscall="other",error="other"} ' figures)" = 1 ]
	# 25 lines, those of "other", a histogram's are 16, and those of the agent itself
	[ "$(grep -E '^skep_[a-z_]*\{' figures | grep -vcE 'other|^skep_agent_')" -le 25 ]
}

all_calls() {
	figures && awk '/^skep_syscalls_total/ { n += $NF } END { print n; exit !(n >= 10000) }' figures
}

@test "a unit with quotes in its name is one label" {
	two_cgroups
	odd=cg/$a/'a"b\c d.service'
	mkdir "$odd"
	serve -F 99
	(echo $BASHPID >"$odd/cgroup.procs" && exec "$WORK/shares" 2 >/dev/null) 3>&-
	rmdir "$odd"
	eventually has 'skep_cpu_seconds_total{unit="a\"b\\c d.service"}' 'v > 1' || { cat figures; false; }
}

@test "Prometheus scrapes it, and its sums are those of the workload" {
	need prometheus
	serve -F 49 --calls
	cat >prometheus.yml <<-END
		scrape_configs:
		  - job_name: skep
		    scrape_interval: 1s
		    static_configs:
		      - targets: ['${URL#http://}']
	END
	port=$((20000 + RANDOM % 20000))
	background prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb --web.listen-address=127.0.0.1:$port 2>prometheus.log
	answer() { # answer QUERY
		curl -sS -G --data-urlencode "query=$1" "http://127.0.0.1:$port/api/v1/query" | jq -r '.data.result[0].value[1]'
	}
	is() { # is QUERY VALUE
		[ "$(answer "$1" 2>/dev/null)" = "$2" ]
	}
	eventually is 'up{job="skep"}' 1 || { tail -5 prometheus.log; false; }
	"$WORK/calls" 1000 >truth
	eventually is 'sum(skep_syscalls_total{syscall="getsid"})' 1001 || { tail -5 prometheus.log; answer 'skep_syscalls_total{syscall="getsid"}'; false; }
	n=$(awk '$1 == "call" && $2 == "getresuid" { print $3 }' truth)
	eventually is 'skep_syscall_duration_seconds_bucket{syscall="getresuid",le="+Inf"}' "$n"
}

@test "what cannot be is refused" {
	run -2 "$SKEP" agent --store store --calls
	[[ "$output" == *"--calls needs --listen"* ]]
	for where in "" x 70000 1.2.3:1 '[::1' '::1:9099' 'localhost:1'; do
		run -2 "$SKEP" agent --store store --duration 1 --listen "$where"
		[[ "$output" == *"bad address '$where'"* ]]
	done
	LISTEN='[::1]:0'
	serve
	run -3 "$SKEP" agent --store other --duration 1 --listen "${URL#http://}"
	[[ "$output" == *"cannot listen at '[::1]:"*"Address already in use"* ]]
	figures
}

# bats test_tags=slow,measuring
@test "page faults by unit; /debug/pprof/profile waits, and has what was sampled meanwhile; clients that leave, too many, and the end of the agent" {
	two_cgroups
	serve -F 99 --faults
	eventually has skep_agent_map_bytes 'v > 0' # it samples
	(echo $BASHPID >cg/$a/cgroup.procs && exec "$WORK/faults" 60000 >truth) 3>&-
	(echo $BASHPID >cg/$a/cgroup.procs && exec "$WORK/faults" 60000 >truth) 3>&-
	eventually has "skep_page_faults_total{unit=\"/$a\"}" 'v > 114000 && v < 126000' || { cat figures; false; }
	background "$WORK/shares" "$(times 8)" >truth
	curl -sS -f -m 30 "$URL/debug/pprof/profile?seconds=2&view=cpu-clock" -o got.pb.gz
	"$SKEP" -q report -i got.pb.gz -s comm,sym --comms shares --format csv | tr -d '"' >rows
	cat rows
	awk -F, '/,hot$/ { h = $3 } /,cold$/ { c = $3 } END { print h, c; exit !(h + c > 1.5e9 && h + c < 8.2e9 && h > c) }' rows
	[ "$(curl -sS -m 10 -o none -w '%{http_code}' "$URL/debug/pprof/profile?view=nothing")" = 404 ]
	# one that leaves is no more; eight wait, and the others are told
	for i in 1 2 3; do curl -sS -m 0.2 -o left "$URL/debug/pprof/profile?seconds=3000" || true; done
	sleep 1.5
	for i in 1 2 3 4 5 6 7 8; do background curl -sS -m 40 -o "wait.$i" "$URL/debug/pprof/profile?seconds=3000"; done
	sleep 0.5
	for i in 1 2 3; do curl -sS -m 5 -o "more.$i" -w '%{http_code}\n' "$URL/debug/pprof/profile?seconds=1"; done >codes || true
	[ "$(curl -sS -m 10 -o none -w '%{http_code}' "$URL/debug/pprof/profile?seconds=-1")" = 400 ]
	cat codes
	[ "$(grep -c 503 codes)" = 3 ]
	figures
	start=$(date +%s%N)
	kill -TERM "$AGENT"
	wait "$AGENT"
	[ $((($(date +%s%N) - start) / 1000000)) -lt 3000 ]
	if command -v go >/dev/null; then env PPROF_TMPDIR=. HOME="$PWD" go tool pprof -top got.pb.gz | grep -q hot; fi
}
