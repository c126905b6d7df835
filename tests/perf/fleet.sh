#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A fleet that pushes to one ClickHouse: profiles of this machine, of FLEET_RECORD seconds, as those of FLEET_HOSTS machines for FLEET_MINUTES minutes.
# Bytes of a machine and day on the wire and on disk, profiles a second that the server takes, and a flame graph of all. FLEET_STORE: profiles
# that are there, instead. Machines that have the same profiles, in another order, take less on disk than a fleet of different ones.
. "$(dirname "$0")/lib.sh"
HOSTS=${FLEET_HOSTS:-200} MINUTES=${FLEET_MINUTES:-10} RECORD=${FLEET_RECORD:-24}
HTTP=27123 TCP=27000
command -v clickhouse-server >/dev/null && command -v curl >/dev/null || { echo "fleet: not here (clickhouse-server, curl)"; exit 0; }

store=${FLEET_STORE:-$TMP/store}
if [ -z "${FLEET_STORE:-}" ]; then
	for ((i = 0; i < $(nproc); i++)); do nice -n 19 "$WORK/shares" "$RECORD" >/dev/null & done
	"$SKEP" -q agent --store "$store" --every 2 -F 99 --duration "$RECORD" &
	agent=$!
	for ((i = 0; i < RECORD; i++)); do sh -c 'ls -lR /usr/share/doc >/dev/null; sort -R /etc/services >/dev/null'; sleep 0.3; done
	wait $agent
fi
mkdir -p "$TMP/ch/data" "$TMP/ch/tmp"
cat >"$TMP/ch/users.xml" <<X
<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
<quotas><default></default></quotas></yandex>
X
cat >"$TMP/ch/config.xml" <<X
<yandex><logger><level>warning</level><log>$TMP/ch/log</log><errorlog>$TMP/ch/errors</errorlog></logger>
<http_port>$HTTP</http_port><tcp_port>$TCP</tcp_port><listen_host>127.0.0.1</listen_host><timezone>UTC</timezone>
<path>$TMP/ch/data/</path><tmp_path>$TMP/ch/tmp/</tmp_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>50000000</mark_cache_size></yandex>
X
clickhouse-server --config-file="$TMP/ch/config.xml" >"$TMP/ch/out" 2>&1 &
server=$!
sql() { curl -sS "http://127.0.0.1:$HTTP/" --data-binary "$1"; }
for ((i = 0; i < 100; i++)); do sql 'SELECT 1' 2>/dev/null | grep -qx 1 && break; sleep 0.1; done

url=clickhouse://127.0.0.1:$HTTP/skep
wire() { cat /sys/class/net/lo/statistics/tx_bytes; }
before=$(wire)
build/perf/fleet "$store" "$url" "$HOSTS" "$MINUTES" >"$TMP/sent" || fail "fleet"
wire=$(($(wire) - before))
read -r profiles seconds bytes begin <"$TMP/sent"
rows=$(sql 'SELECT count() FROM skep.skep_samples')
[ "$(sql 'SELECT sum(samples) FROM skep.skep_batches')" = "$(sql 'SELECT sum(count) FROM skep.skep_samples')" ] || fail "samples that are not in the tables"
stacks=$(sql 'SELECT uniqExact(hash) FROM skep.skep_stacks')
for table in skep_samples skep_stacks skep_batches; do sql "OPTIMIZE TABLE skep.$table FINAL" >/dev/null; done
disk=$(sql "SELECT sum(bytes) FROM system.parts WHERE active AND database = 'skep' AND table != 'skep_stacks'")
echo "$HOSTS machines, $MINUTES minutes: $profiles profiles, $rows rows, $stacks stacks; sent in $seconds s"
awk -v p="$profiles" -v s="$seconds" -v r="$rows" -v b="$bytes" -v w="$wire" -v d="$disk" 'BEGIN {
	printf "  %.0f profiles a second, %.0f rows a second: one a minute of %.0f machines\n", p / s, r / s, 60 * p / s
	printf "  a machine and day, of a profile a minute: %.1f MB as files, %.1f MB on the wire, %.2f MB on disk (without stacks)\n", 1440 * b / p / 1e6, 1440 * w / p / 1e6, 1440 * d / p / 1e6
	printf "  10,000 machines: %.0f profiles a second (%.1f such servers), %.0f MB/s on the wire, %.0f GB a day on disk\n", 10000 / 60, 10000 / 60 / (p / s), 10000 / 60 * w / p / 1e6, 10000 * 1440 * d / p / 1e9 }'
since=$(date -d "@$begin" '+%Y-%m-%d %H:%M:%S') until=$(date -d "@$((begin + 60 * MINUTES))" '+%Y-%m-%d %H:%M:%S')
start=$(date +%s%N)
"$SKEP" -q flame --store "$url" --since "$since" --until "$until" --format folded -o "$TMP/all.folded" || fail "flame"
one=$(awk -v a="$start" -v b="$(date +%s%N)" 'BEGIN { printf "%.2f", (b - a) / 1e9 }')
[ "$(awk '{ n += $NF } END { print n }' "$TMP/all.folded")" = "$(sql 'SELECT sum(count) FROM skep.skep_samples')" ] || fail "the flame graph has not all"
echo "  a flame graph of $MINUTES minutes of $HOSTS machines: $one s, $(wc -l <"$TMP/all.folded") stacks"
kill $server
wait $server || true
