#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Goal: beside skep agent redis and PostgreSQL answer at least 99 % of the requests of a machine without it. All CPUs are busy: what the agent takes,
# they lack. Turns of both, one after the other, each first in turn; what is told is the median of each turn's own ratio. Requests are those of a
# second of CPU time of the server, its clients and the agent, with the interrupts meanwhile, as the scheduler measures it for their control group:
# /proc/stat counts ticks, which are a percent or two off in such a turn.
. "$(dirname "$0")/lib.sh"
TURNS=${AGENT_TURNS:-15}
S=${AGENT_LOAD_SECONDS:-2}
FIGURES="--listen 0 --calls --sched --net"

groups=$(cgroups)
[ -n "$groups" ] || { echo "agentload: no cgroup v2 here"; exit 0; }
group=$groups/skep-load-$$
must mkdir "$group"
at_end() { echo $$ >"$groups/cgroup.procs"; rmdir "$group"; }
echo $$ >"$group/cgroup.procs"

# busy: CPU time of the group so far, in seconds
busy() { awk '/^usage_usec / { print $2 / 1e6 }' "$group/cpu.stat"; }

# beside NAME COMMAND...: requests that COMMAND prints, by the CPU time of the group, in NAME's file; the agent's options are in AGENT, "": none
beside() {
	local name=$1 agent= since
	shift
	if [ -n "$AGENT" ]; then
		# shellcheck disable=SC2086
		"$SKEP" agent --store "$TMP/store" --every 10 $AGENT 2>"$TMP/said" &
		agent=$!
	fi
	sleep 2 # what the agent does at its start is not of this
	[ -z "$agent" ] || kill -0 $agent 2>/dev/null || fail "skep agent: $(tail -n3 "$TMP/said")"
	since=$(busy)
	"$@" >"$TMP/requests" || fail "$name: no requests"
	awk -v a="$since" -v b="$(busy)" '{ print $1 / (b - a) }' "$TMP/requests" >>"$TMP/rate.$name"
	[ -z "$agent" ] || { kill -INT $agent && wait $agent || fail "skep agent: $(tail -n3 "$TMP/said")"; }
	rm -rf "$TMP/store"
}

# turns WHAT COMMAND...
turns() {
	local what=$1 run i
	shift
	rm -f "$TMP"/rate.*
	for ((i = 0; i < TURNS; i++)); do
		[ $((i % 2)) = 0 ] || AGENT='-F 19' beside agent "$@"
		AGENT='' beside bare "$@"
		[ $((i % 2)) = 1 ] || AGENT='-F 19' beside agent "$@"
		[ $((i % 3)) != 0 ] || AGENT="-F 19 $FIGURES" beside figures "$@"
	done
	for run in agent figures; do
		paste -d ' ' "$TMP/rate.bare" "$TMP/rate.$run" | awk 'NF == 2 { print 100 * $2 / $1 }' >"$TMP/left"
		[ $run = agent ] || awk 'NR % 3 == 1' "$TMP/rate.bare" | paste -d ' ' - "$TMP/rate.figures" | awk '{ print 100 * $2 / $1 }' >"$TMP/left"
		printf '  %-10s %8.0f requests a CPU second without, %8.0f beside agent -F 19 %s: %.1f %% left (half of the turns: %s)\n' "$what" "$(median "$TMP/rate.bare")" "$(median "$TMP/rate.$run")" \
			"$([ $run = agent ] || echo "$FIGURES")" "$(median "$TMP/left")" "$(sort -n "$TMP/left" | awk '{ v[NR] = $1 } END { printf "%.1f to %.1f", v[int((NR + 3) / 4)], v[int((3 * NR + 3) / 4)] }')"
		[ $run = figures ] || left=$(median "$TMP/left")
	done
	words "$what: requests of a CPU second that are left beside the agent, median of $TURNS turns" "\`agent -F 19\` $(printf '%.1f %%' "$left")" "without 100 %" ""
}

redis() {
	timeout $((S * 10)) redis-benchmark -s "$TMP/redis" -n $((S * 40000)) -c 8 -t get --csv |
		awk -F'","' -v n=$((S * 40000)) '/^"GET"/ { print n; seen++ } END { exit seen != 1 }'
}

echo "throughput beside skep agent, $TURNS turns"
if command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null; then
	redis-server --port 0 --unixsocket "$TMP/redis" --save '' --appendonly no --daemonize no >"$TMP/redis.log" 2>&1 &
	server=$!
	for ((i = 0; i < 50; i++)); do [ ! -S "$TMP/redis" ] || break; sleep 0.1; done
	turns redis redis
	kill $server
else
	echo "  no redis-server and redis-benchmark here: not measured"
fi

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
if [ -z "$bin" ] || ! command -v pgbench >/dev/null || ! id postgres >/dev/null 2>&1; then
	echo "  no PostgreSQL here: not measured"
	exit 0
fi
chmod 711 "$TMP"
mkdir "$TMP/pg" && chown postgres "$TMP/pg"
as() { (cd "$TMP/pg" && exec setpriv --reuid=postgres --regid=postgres --init-groups "$@"); }
must as "$bin/initdb" -D "$TMP/pg/data" -A trust
as "$bin/postgres" -D "$TMP/pg/data" -k "$TMP/pg" -c listen_addresses= -c fsync=off >"$TMP/pg.log" 2>&1 &
server=$!
for ((i = 0; i < 100; i++)); do as "$bin/pg_isready" -q -h "$TMP/pg" && break; sleep 0.1; done
must as pgbench -q -h "$TMP/pg" -i -s 5 postgres
pg() {
	as pgbench -h "$TMP/pg" -S -c 4 -j 2 -T "$S" postgres 2>/dev/null | awk '/^number of transactions actually processed/ { print $6 + 0; n++ } END { exit n != 1 }'
}
turns PostgreSQL pg
kill -INT "$(head -n 1 "$TMP/pg/data/postmaster.pid")" # not the shell around it, which ignores the signal
wait $server
