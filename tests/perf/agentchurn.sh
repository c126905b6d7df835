#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: skep agent with all its figures stays as large as it is beside processes, programs and control groups that come and go, reports every
# loss, and leaves whole files: CHURN_MINUTES (default 2), figures each minute. 200 short processes a second, programs of many kinds, two new
# control groups a second, a scrape a second, and one workload that says how much CPU time it had.
. "$(dirname "$0")/lib.sh"
MINUTES=${CHURN_MINUTES:-2}
HZ=200 PORT=27125
[ "$(uname -m)" = x86_64 ] || { echo "agentchurn: only on x86-64"; exit 0; }
command -v curl >/dev/null || { echo "agentchurn: no curl here"; exit 0; }
make_end
groups=$(cgroups)

# Programs that differ: their files, libraries, names and depths
programs() {
	local i=0 group
	while :; do
		i=$((i + 1))
		group=$groups/skep-churn-$$-$i.service
		[ -n "$groups" ] && mkdir "$group" 2>/dev/null || group=
		(
			[ -z "$group" ] || echo $BASHPID >"$group/cgroup.procs"
			case $((i % 8)) in
			0) ls -lR /usr/share/doc 2>/dev/null | sort | gzip | md5sum ;;
			1) awk 'BEGIN { for (i = 0; i < 200000; i++) n += i * i % 7; print n }' ;;
			2) perl -e 'my %h; $h{$_ % 977} .= $_ for 1 .. 50000; print scalar keys %h' ;;
			3) find /usr/lib -name '*.so*' -newer /etc/passwd ;;
			4) seq 1 40000 | sed 's/7/x/g' | sort -u | wc -l ;;
			5) head -c 3000000 /dev/urandom | sha256sum ;;
			6) tar cf - /usr/share/man 2>/dev/null | head -c 4000000 | xz -0 | wc -c ;;
			7) git -C / --version; cp /bin/true "$TMP/true$i" && "$TMP/true$i" && rm "$TMP/true$i" ;;
			esac
		) >/dev/null 2>&1
		sleep 0.4
		[ -z "$group" ] || rmdir "$group" 2>/dev/null
	done
}

# figure NAME: its sum over all series of the last scrape; stacks that are cut and names that are missing are not lost
figure() {
	awk -v n="$1" '$1 ~ "^" n "(_total)?({|$)" && !/reason="(cut_|unnamed)/ { s += $2 } END { printf "%.0f", s }' "$TMP/figures"
}

fill() { # the fullest of the agent's tables, in percent
	awk '/^skep_agent_table_used/ { u[$1] = $2 } /^skep_agent_table_room/ { n = $1; sub("room", "used", n); if ($2 > 0) r[n] = $2 }
		END { for (n in r) if (u[n] / r[n] > m) { m = u[n] / r[n]; w = n }; sub(".*table=\"", "", w); sub("\".*", "", w); printf "%.0f %% of %s", 100 * m, w }' "$TMP/figures"
}

"$SKEP" agent --store "$TMP/store" -F 19 --off-cpu --calls --sched --net --listen 127.0.0.1:$PORT --budget 20% 2>"$TMP/log" &
agent=$!
sleep 2
begin=$(date +%s)
nice -n 19 "$WORK/shares" $((MINUTES * 600)) >/dev/null &
work=$!
made=$(awk '/^processes/ { print $2 }' /proc/stat)
build/perf/rate $HZ $((HZ * 60 * MINUTES)) "$TMP/end" &
programs &
programs=$!
while :; do curl -s -o "$TMP/scraped" http://127.0.0.1:$PORT/metrics && mv "$TMP/scraped" "$TMP/figures"; sleep 1; done &
scraper=$!
echo "agentchurn: $MINUTES minutes, MB resident, of kernel maps, and the fullest table; samples; files"
echo "  minute  processes  resident    maps   fullest table                   samples      lost  profiles"
for ((m = 1; m <= MINUTES; m++)); do
	while [ $(($(date +%s) - begin)) -lt $((60 * m)) ]; do sleep 0.5; done
	kill -0 $agent || { tail -5 "$TMP/log"; fail "the agent ended"; }
	rss=$(awk '/^VmRSS/ { print $2 }' /proc/$agent/status)
	printf '  %6d %10d %9.1f %7.1f   %-28s %10d %9d %9d\n' $m $(($(awk '/^processes/ { print $2 }' /proc/stat) - made)) "$(awk -v k="$rss" 'BEGIN { print k / 1024 }')" \
		"$(awk -v b="$(figure skep_agent_map_bytes)" 'BEGIN { print b / 1e6 }')" "$(fill)" "$(figure skep_agent_samples_seen)" "$(figure skep_agent_lost)" \
		"$(ls "$TMP/store" | grep -c 'pb.gz$')"
done
kill $scraper $programs
cpu=$(awk '{ print $1 / 1e9 }' "/proc/$work/schedstat")
kill -INT $agent
kill $work
wait $agent || { tail -5 "$TMP/log"; fail "skep agent"; }
grep -E '^(samples|lost|note)' "$TMP/log" | cut -c1-160
echo "  the log has $(grep -c 'starts again' "$TMP/log") starts for want of room"
for f in "$TMP/store/"*.pb.gz; do gzip -t "$f" || fail "$f is damaged"; done
[ "$(ls -A "$TMP/store" | grep -c tmp)" = 0 ] || fail "a file that is not complete was left"
"$SKEP" -q report --store "$TMP/store" --view cpu-clock -s comm --json >"$TMP/json" || fail "report"
jq -e '.losses.file_damaged == 0 and .losses.file_cut == 0' "$TMP/json" >/dev/null || fail "a damaged profile"
had=$(jq '[.rows[] | select(.comm == "shares") | .self] | add / 1e9' "$TMP/json")
echo "  $(ls "$TMP/store/" | grep -c 'pb.gz$') profiles, all whole; the workload had $cpu s of CPU, the store says $had s"
