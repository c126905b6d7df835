#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: skep agent beside 500 processes, and beside 200 short ones a second, takes at most 0.3 % of the machine at 19 Hz, 1 % at 99 Hz, with the
# time of its BPF programs, and 64 MB. perf record of the same is the yardstick, without the time that the kernel takes for it. With figures of
# system calls it counts what perf does not. All agents run in the same AGENT_SECONDS (default 60): each one's cost is what it says of itself, and
# what they take from each other's caches is in it.
. "$(dirname "$0")/lib.sh"
T=${AGENT_SECONDS:-60}
PROCESSES=500 SHORT=200
AGENTS=("-F 19" "-F 99" "-F 19 --listen 0 --calls" "-F 99 --listen 0 --calls" "-F 19 --listen 0 --calls --sched --net")

# used PID: seconds of CPU time so far, and peak memory in KiB
used() {
	cat "/proc/$1/task"/*/schedstat | awk '{ ns += $1 } END { printf "%.3f ", ns / 1e9 }'
	awk '/^VmHWM/ { print $2 }' "/proc/$1/status"
}

# beside LOAD: all agents, and perf record at both rates
beside() {
	local agents=() records=() i hz what bpf maps cpu kib pcpu pkib all part
	for i in "${!AGENTS[@]}"; do
		# shellcheck disable=SC2086
		"$SKEP" agent --store "$TMP/store$i" --every 10 ${AGENTS[i]} --receipt 2>"$TMP/said$i" &
		agents+=($!)
	done
	for hz in 19 99; do
		perf record -q -a -g -F $hz -o "$TMP/perf.$hz" >/dev/null 2>&1 &
		records+=("$hz $!")
	done
	sleep "$T"
	for what in "${records[@]}"; do used "${what#* }" >"$TMP/perf${what% *}" || fail "perf record did not run"; done
	for i in "${!AGENTS[@]}"; do used "${agents[i]}" >"$TMP/agent$i" || fail "skep agent ${AGENTS[i]} did not run"; done
	kill -INT "${agents[@]}" "${records[@]#* }"
	for what in "${records[@]}"; do wait "${what#* }"; done
	for i in "${!AGENTS[@]}"; do
		wait "${agents[i]}" || { tail -5 "$TMP/said$i"; fail "skep agent ${AGENTS[i]}"; }
		bpf=$(sed -n 's/^cost: BPF \([0-9.]*\) ms .*/\1/p' "$TMP/said$i")
		maps=$(sed -n 's/^cost: BPF .* \([0-9.]*\) MB of kernel maps$/\1/p' "$TMP/said$i")
		read -r cpu kib <"$TMP/agent$i"
		hz=$(awk '{ print $2 }' <<<"${AGENTS[i]}")
		read -r pcpu pkib <"$TMP/perf$hz"
		all=$(awk -v c="$cpu" -v b="${bpf:-0}" 'BEGIN { printf "%.3f", c + b / 1000 }')
		part=$(awk -v c="$all" -v t="$T" -v n="$(nproc)" 'BEGIN { printf "%.2f", 100 * c / t / n }')
		kib=$(awk -v k="$kib" -v m="${maps:-0}" 'BEGIN { printf "%.0f", k + m * 1e6 / 1024 }')
		echo "  ${AGENTS[i]}: $part % of the machine: $cpu s of CPU, ${bpf:-no} ms of BPF; ${maps:-no} MB of maps; $(du -sk "$TMP/store$i" | cut -f1) KiB in $((T / 10)) profiles"
		compare "CPU" s "skep agent, with BPF" "$all" "perf record" "$pcpu"
		compare "memory" KiB "skep agent, with maps" "$kib" "perf record" "$pkib"
		row "CPU time of $T s beside $1, with that of BPF: $part % of the machine" s "\`agent ${AGENTS[i]}\`" "$all" "\`perf record -a -g -F $hz\`" "$pcpu"
		row "peak memory of that, with kernel maps" KiB "\`agent ${AGENTS[i]}\`" "$kib" "\`perf record -a -g -F $hz\`" "$pkib"
		rm -r "$TMP/store$i"
	done
}

make_end
for ((i = 0; i < $(nproc); i++)); do nice -n 19 "$WORK/shares" $((T * 4)) >/dev/null & done
idlers=()
for ((i = 0; i < PROCESSES; i++)); do sleep $((T + 60)) & idlers+=($!); done
echo "$PROCESSES processes, $(nproc) busy CPUs, $T s"
beside "$PROCESSES processes"
kill "${idlers[@]}"
build/perf/rate $SHORT $((SHORT * (T + 60))) "$TMP/end" >/dev/null &
echo "$SHORT short processes a second, $(nproc) busy CPUs, $T s"
beside "$SHORT short processes a second"
