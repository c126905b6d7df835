#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claims: counting a packet's bytes for the process that sends or receives it adds at most a third of what bpftrace's sums by process
# add, which know neither the owner of received packets nor what came from where. The loads: datagrams and pieces of a stream that a
# process sends to itself, in its CPU time; iperf3 where it is installed.
. "$(dirname "$0")/lib.sh"
N=${N:-200000}
# What bpftrace can tell here without kprobes: bytes and calls of each process that sends or receives
SUMS='tracepoint:sock:sock_send_length { @tx[comm, pid] = sum(args->ret); @txn[comm, pid] = count(); }
	tracepoint:sock:sock_recv_length { @rx[comm, pid] = sum(args->ret); @rxn[comm, pid] = count(); }'
# and what perf top's method does: packets by whoever runs
PACKETS='tracepoint:net:net_dev_xmit { @tx[comm, pid] = sum(args->len); } tracepoint:net:netif_receive_skb { @rx[comm, pid] = sum(args->len); }'

# rate NAME COMMAND...: ns of one turn, appended to NAME's file
rate() {
	local name=$1
	shift
	"$@" 2>/dev/null | awk '/^[0-9.]+$/ { print; ok = 1 } END { exit !ok }' >>"$TMP/rate.$name" || fail "$name: no rate"
}

for load in "flood $N 64" "stream $N 1400"; do
	LOAD=("$WORK/sockets" $load)
	echo "$load: ns of each, sent and received, in turn"
	rm -f "$TMP"/rate.*
	for ((i = 0; i < RUNS; i++)); do
		rate bare "${LOAD[@]}"
		rate floor build/perf/floor -n "${LOAD[@]}"
		rate skep "$SKEP" net -o "$TMP/o" -- "${LOAD[@]}"
		rate skep-a "$SKEP" net -a -o "$TMP/o" -- "${LOAD[@]}"
		rate skep-iface "$SKEP" net -a --by comm,pid,iface,remote -o "$TMP/o" -- "${LOAD[@]}"
		if command -v bpftrace >/dev/null; then
			rate sums bpftrace -q -e "$SUMS" -c "${LOAD[*]}"
			rate packets bpftrace -q -e "$PACKETS" -c "${LOAD[*]}"
		fi
	done
	tell floor skep skep-a skep-iface sums packets
	[ ! -s "$TMP/rate.sums" ] || compare added ns "skep -a" "$(added skep-a)" "bpftrace, calls" "$(added sums)"
	[ ! -s "$TMP/rate.sums" ] || row "${load%% *}: a packet sent and received, counted for its owner at both ends (four empty programs: $(shown "$(added floor)" ns))" ns \
		'`net -a`' "$(added skep-a)" "bpftrace's sums of the calls' bytes" "$(added sums)"
	[ ! -s "$TMP/rate.packets" ] || compare added ns "skep -a" "$(added skep-a)" "bpftrace, packets" "$(added packets)"
done
if command -v iperf3 >/dev/null; then
	echo "iperf3 by loopback: Gbit/s, in turn"
	iperf3 -s -p 5299 >/dev/null 2>&1 & sleep 0.5
	IPERF=("$(command -v iperf3)" -c 127.0.0.1 -p 5299 -t 2 -J)
	gbits() { "$@" 2>/dev/null | sed -n '/^{/,/^}/p' | jq -s '.[0].end.sum_received.bits_per_second / 1e9' ; }
	for ((i = 0; i < RUNS; i++)); do
		gbits "${IPERF[@]}" >>"$TMP/gbits.bare"
		gbits "$SKEP" net -a -o "$TMP/o" -- "${IPERF[@]}" >>"$TMP/gbits.skep"
		command -v bpftrace >/dev/null && gbits bpftrace -q -e "$PACKETS" -c "${IPERF[*]}" >>"$TMP/gbits.bpftrace"
	done
	for name in bare skep bpftrace; do
		[ ! -s "$TMP/gbits.$name" ] || printf '  %-10s %8.2f Gbit/s\n' $name "$(median "$TMP/gbits.$name")"
	done
fi
echo "bytes written"
printf '  skep %d\n' "$(stat -c %s "$TMP/o")"
