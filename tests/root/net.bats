#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep net says of each process what it sent and received itself, and of each interface what that counted.
load ../lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
	BACKGROUND=()
	need_root
}

# same KIND...: packets of each process (where the workload knows them) and bytes, to the unit
same() {
	"$SKEP" net --format json -o rows.json -- "$WORK/sockets" "$@" >truth 2>said
	ends rows.json
	cat said
	jq -r '[.pid, .tx_packets, .tx_bytes, .rx_packets, .rx_bytes] | map(tostring) | join(" ")' rows.json |
		awk 'NR == FNR { line[$1] = $0; n++; next }
			{
				split(line[$1], t, " ")
				if (!($1 in line) || $3 != t[3] || $5 != t[5] || (t[2] + t[4] > 0 && ($2 != t[2] || $4 != t[4]))) {
					print "skep: " $0 "; truth: " line[$1]
					bad = 1
				}
				found++
			}
			END { print found " of " n " processes"; exit bad || found < n }' truth -
}

# inside COMMAND...: in a network namespace that has only loopback
inside() {
	unshare -n sh -c 'ip link set lo up && exec "$@"' sh "$@"
}

@test "UDP of both families: packets and bytes to the unit" {
	same udp4 500 100
	same udp6 300 1200
	same udp4 50 60000
}

@test "TCP of both families: bytes to the unit, 200 connections" {
	same tcp4 200 3000
	same tcp6 20 400000
}

@test "sockets inherited by children, passed to another process, used by two processes in turn" {
	same fork 20 5000
	same pass 40 70
	same turns 30 50
	[ "$(jq -s 'map(select(.shared)) | length' rows.json)" = 2 ]
}

# bats test_tags=newest
@test "a socket open in many processes has their number" {
	"$SKEP" net -a -I 100 --format json -o rows.json -- "$WORK/sockets" held 3 100 >truth
	ends rows.json
	cat truth rows.json
	pid=$(awk 'NR == 1 { print $1 }' truth)
	jq -se --argjson p "$pid" 'any(.pid == $p and .holders >= 4)' rows.json
}

@test "a connection from before the run: its process, and the bytes of the run" {
	mkfifo go
	background sh -c "exec '$WORK/sockets' late 5 2000 >truth <go"
	exec 4>go
	eventually test -s truth
	"$SKEP" net -p "$(awk '{ print $1; exit }' truth)" --format json -o rows.json -- sh -c "echo >&4; sleep $(times 0.5)"
	ends rows.json
	exec 4>&-
	cat truth rows.json
	jq -se '.[0].tx_bytes == 10000 and .[0].rx_bytes == 5000 and length == 1' rows.json
}

# bats test_tags=user-space
@test "rows of an interface add up to its own counters" {
	cat >run.sh <<-'E'
		sum() { awk -v w="$1" '$1 == "lo:" { print w == "p" ? $11 : $10 }' /proc/net/dev; }
		before=$(sum p) bytes=$(sum b)
		"$SKEP" net -a --by iface,netns --format json -o rows.json -- "$WORK/sockets" "$@" >truth
		echo $(($(sum p) - before)) $(($(sum b) - bytes)) $(stat -Lc %i /proc/self/ns/net) >dev
	E
	export SKEP WORK
	for what in "udp4 200 500" "tcp4 50 30000" "udp6 20 60000" "refused 7"; do
		# shellcheck disable=SC2086
		inside sh run.sh $what
		ends rows.json
		cat dev
		jq -c '[.of, .iface, .netns, .tx_packets, .rx_packets, .tx_ip_bytes, .rx_ip_bytes]' rows.json
		jq -se 'all(.of != "no_process")' rows.json
		jq -se --argjson d "[$(tr ' ' ',' <dev)]" 'map(select(.netns == $d[2] and .iface == "lo")) |
			[(map(.tx_packets) | add), (map(.rx_packets) | add), (map(.tx_ip_bytes) | add), (map(.rx_ip_bytes) | add)] ==
			[$d[0], $d[0], $d[1], $d[1]]' rows.json
	done
}

@test "a packet that comes to the listening socket and to its connection is one" {
	inside "$SKEP" net -a --by iface --format json -o rows.json -- "$WORK/handshake" 5000 >truth || status=$?
	[ "${status:-0}" != 77 ] || skip "no tun device in this kernel"
	cat truth
	jq -c '[.of, .iface, .rx_packets]' rows.json
	jq -se --slurpfile n truth 'map(.rx_packets // 0) | add == $n[0]' rows.json
}

@test "over veth, between two namespaces, forwarded by a third" {
	cat >run.sh <<-'E'
		set -e
		unshare -n sleep 60 & a=$!
		unshare -n sleep 60 & b=$!
		sleep 0.3
		ip link set lo up
		for x in a b; do
			pid=$a; [ $x = a ] || pid=$b
			ip link add to$x type veth peer name eth0 netns $pid
			ip link set to$x up
			[ $x = a ] && n=1 || n=2
			ip addr add 10.77.$n.1/24 dev to$x
			nsenter -t $pid -n sh -c "ip link set lo up; ip link set eth0 up; ip addr add 10.77.$n.2/24 dev eth0; ip route add default via 10.77.$n.1"
		done
		echo 1 >/proc/sys/net/ipv4/ip_forward
		nsenter -t $b -n ping -c 1 -W 2 10.77.1.2 >/dev/null 2>&1 || true
		"$SKEP" net -a --by comm,pid,proto,iface,netns --format json -o rows.json -- nsenter -t $a -n ping -q -c 20 -i 0.01 10.77.2.2
		stat -Lc %i /proc/self/ns/net /proc/$a/ns/net /proc/$b/ns/net >spaces
		kill $a $b
	E
	need ping
	unshare -n ip link add name to0 type veth peer name to1 || skip "no veth in this kernel"
	export SKEP
	unshare -n sh run.sh
	ends rows.json
	jq -c '[.of, .comm, .proto, .iface, .netns, .tx_packets, .rx_packets]' rows.json
	mapfile -t spaces <spaces
	# Who asks: 20 and 20; the kernel's answers have no process; who forwards has no socket
	jq -se --argjson ns "${spaces[1]}" 'map(select(.comm == "ping" and .netns == $ns)) | (map(.tx_packets) | add) == 20 and (map(.rx_packets) | add) == 20' rows.json
	jq -se --argjson ns "${spaces[2]}" 'map(select(.of == "kernel" and .proto == "icmp" and .netns == $ns)) | (map(.tx_packets) | add) == 20' rows.json
	for d in toa tob; do
		jq -se --argjson ns "${spaces[0]}" --arg d $d 'map(select(.of == "no_socket" and .netns == $ns and .iface == $d))[0] |
			.tx_packets >= 20 and .rx_packets >= 20 and .tx_packets < 60' rows.json
	done
}

@test "received packets belong to the receiver, not to the interrupted process" {
	busy "$WORK/shares" 60
	busy "$WORK/shares" 60
	"$SKEP" net -a --by comm --format json -o rows.json -- "$WORK/sockets" udp4 2000 100 >truth
	ends rows.json
	jq -c '[.comm, .rx_packets]' rows.json
	jq -se 'all(.comm != "shares") and (map(select(.comm == "sockets"))[0] | .rx_packets == 2000 and .tx_packets == 2000)' rows.json
}

@test "connections: who closed, who refused, bytes" {
	"$SKEP" net --conn --format json -o conn.json -- "$WORK/sockets" tcp4 30 1000 >truth 2>said
	ends conn.json
	counted 30 "$(jq -s 'map(select(.ending == "closed-here" and .tx_bytes == 1000 and .rx_bytes == 500)) | length' conn.json)"
	counted 30 "$(jq -s 'map(select(.ending == "closed-there" and .tx_bytes == 500 and .rx_bytes == 1000)) | length' conn.json)"
	"$SKEP" net --conn --format json -o conn.json -- "$WORK/sockets" refused 4
	ends conn.json
	[ "$(jq -s 'map(select(.ending == "refused" and .tx_bytes == 0)) | length' conn.json)" = 4 ]
	"$SKEP" net --conn -o conn.txt -- "$WORK/sockets" tcp6 1 100 >truth
	cat conn.txt
	grep -q 'tcp   \[::1\]:[0-9]* *\[::1\]:[0-9]* *closed *closed-here *100 *50 ' conn.txt
}

# bats test_tags=user-space
@test "--fields and --filter of connections and of their sums" {
	"$SKEP" net --conn --fields ending,tx_bytes,comm --filter 'ending == "closed-here" && rx_bytes < 1K' --format csv -o conn.csv -- "$WORK/sockets" tcp4 10 1000 >truth
	cat conn.csv
	[ "$(head -1 conn.csv)" = ending,tx_bytes,comm ]
	[ "$(grep -c '^closed-here,1000,sockets$' conn.csv)" = 10 ]
	[ "$(wc -l <conn.csv)" = 11 ]
	"$SKEP" net --by comm,proto --fields proto,tx_packets,rx_packets --filter 'proto == "udp"' --format json -o rows.json -- "$WORK/sockets" udp4 20 10 >truth
	ends rows.json
	jq -se 'length == 1 and .[0] == { proto: "udp", tx_packets: 20, rx_packets: 20 }' rows.json
}

# bats test_tags=measuring
@test "events: connect, accept, close, retransmit, drop" {
	"$SKEP" net --events --format json -o e.json -- "$WORK/sockets" tcp4 5 1000 >truth
	ends e.json
	cat e.json
	[ "$(jq -s 'map(select(.event == "connect" and .detail == "established")) | length' e.json)" = 5 ]
	[ "$(jq -s 'map(select(.event == "accept")) | length' e.json)" = 5 ]
	[ "$(jq -s 'map(select(.event == "close" and .detail == "closed-here" and .sent_bytes == 1000 and .received_bytes == 500)) | length' e.json)" = 5 ]
	[ "$(jq -s 'map(select(.event == "connect") | .pid) | unique | length' e.json)" = 1 ]
	"$SKEP" net --events -g --format json -o e.json -- "$WORK/sockets" refused 3 >truth
	ends e.json
	jq -se 'map(select(.event == "connect" and .detail == "refused" and (.stack | map(test("connect")) | any))) | length == 3' e.json
	"$SKEP" net -a --events -o e.txt -- "$WORK/sockets" deaf 400 10000 >truth
	# Two kernels of the matrix have no reasons: they tell the function
	[ "$(grep -cE ' drop .*(SOCKET_RCVBUFF|udp)' e.txt)" -ge "$(awk '{ print $2 - $4 }' truth)" ]
}

@test "retransmits are counted, their bytes once" {
	cat >run.sh <<-'E'
		ip link set lo up
		ip link set lo mtu 1500
		tc qdisc add dev lo root tbf rate 30mbit burst 5k limit 12k 2>/dev/null || exit 77
		"$SKEP" net --format json -o rows.json -- "$WORK/sockets" tcp4 2 600000 >truth
		awk '$1 == "Tcp:" && $13 ~ /^[0-9]/ { print $13 }' /proc/net/snmp >retrans
		"$SKEP" net --events --format json -o e.json -- "$WORK/sockets" tcp4 2 600000 >/dev/null
	E
	need tc
	export SKEP WORK
	run unshare -n sh run.sh
	[ "$status" != 77 ] || skip "no token bucket in this kernel"
	ends rows.json
	ends e.json
	cat retrans rows.json
	[ "$(cat retrans)" -gt 0 ]
	jq -se --argjson n "$(cat retrans)" '(map(.retransmits) | add) == $n and (map(.tx_bytes) | add) == 1800000 and (map(.rx_bytes) | add) == 1800000' rows.json
	[ "$(grep -c '"event":"retransmit"' e.json)" -gt 0 ]
}

# bats test_tags=user-space
@test "by peer, port, protocol; rows add up to those by process" {
	"$SKEP" net --by comm,proto,remote,rport --format json -o a.json -- "$WORK/sockets" udp4 100 10 >truth
	ends a.json
	cat a.json
	jq -se 'length == 2 and all(.proto == "udp" and .remote == "127.0.0.1") and (map(.tx_packets) | add) == 100 and (map(.rx_packets) | add) == 100' a.json
	"$SKEP" net --by lport --format csv -o b.csv -- "$WORK/sockets" tcp4 5 1000 >truth
	cat b.csv
	[ "$(head -1 b.csv | awk -F, '{ print $NF }')" = lport ]
	[ "$(awk -F, 'NR > 1 { tx += $2; rx += $5 } END { print tx, rx }' b.csv)" = "7500 7500" ]
}

# bats test_tags=user-space
@test "-I: the intervals add up to the whole" {
	"$SKEP" net -I 100 --by comm --format csv -o a.csv -- sh -c "for i in 1 2 3 4 5; do '$WORK/sockets' udp4 50 100; sleep 0.1; done" >truth
	cat a.csv
	[ "$(grep -c ^time a.csv)" = 1 ]
	[ "$(tail -n +2 a.csv | cut -d, -f1 | sort -u | wc -l)" -ge 4 ]
	[ "$(awk -F, '$NF == "sockets" { tx += $2; rx += $5; b += $3 } END { print tx, rx, b }' a.csv)" = "250 250 25000" ]
}

@test "dropped packets have the kernel's reason" {
	"$SKEP" net -a --by comm --format json -o rows.json -- "$WORK/sockets" deaf 400 10000 >truth
	ends rows.json
	cat truth rows.json
	# of 400 sent some were not received, each of which the kernel says that it dropped
	jq -se --argjson d "$(awk '{ rx += $4; tx += $2 } END { print tx - rx }' truth)" '$d > 0 and
		(map(select(.comm == "sockets") | .drops) | add) >= $d' rows.json
}

# bats test_tags=user-space
@test "sockets beyond --max-sockets are one row, and --strict fails" {
	"$SKEP" net -a --max-sockets 20 --by comm --format json -o a.json -- "$WORK/sockets" open 100 >truth 2>said
	ends a.json
	cat said a.json
	grep -q 'beyond --max-keys' said
	[ "$(jq -s 'map(select(.of == "other")) | length' a.json)" = 1 ]
	jq -se '(map(select(.of == "other" or .comm == "sockets").tx_packets) | add) >= 100' a.json
	run "$SKEP" net --strict -a --max-sockets 20 -o /dev/null -- "$WORK/sockets" open 100
	[ "$status" = 1 ]
}

# bats test_tags=user-space,slow
@test "thousands of short connections: each byte is counted" {
	n=$((4000 / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1}))
	"$SKEP" net --max-sockets 300 --format json -o rows.json -- "$WORK/sockets" many $n >truth 2>said
	ends rows.json
	cat said
	jq -se --argjson n $n '(map(.tx_bytes) | add) == $n and (map(.rx_bytes) | add) == $n' rows.json
}

# bats test_tags=user-space
@test "targets: a thread, a name, a user" {
	mkfifo go
	background sh -c "exec '$WORK/sockets' late 5 2000 >truth <go"
	exec 4>go
	eventually test -s truth
	pid=$(cat truth)
	"$SKEP" net -t "$pid" --format json -o rows.json -- sh -c "echo >&4; sleep $(times 0.5)"
	ends rows.json
	exec 4>&-
	jq -se --argjson p "$pid" 'length == 1 and .[0].pid == $p and .[0].tx_bytes == 10000' rows.json
	"$SKEP" net -a --comm sockets --by comm --format json -o rows.json -- "$WORK/sockets" udp4 20 10 >truth
	ends rows.json
	jq -se 'length == 1 and .[0].comm == "sockets" and .[0].tx_packets == 20 and .[0].rx_packets == 20' rows.json
	"$SKEP" net -a -u 65534 --by user --format json -o rows.json -- setpriv --reuid 65534 "$WORK/sockets" udp4 20 10 >truth
	ends rows.json
	cat rows.json
	jq -se 'length == 1 and .[0].tx_packets == 20' rows.json
}

# bats test_tags=newest
@test "exec and a change of owner during the run: each program has its own packets" {
	cat >twice.sh <<-E
		exec 9<>/dev/udp/127.0.0.1/9
		echo one >&9
		exec -a other '$WORK/sockets' reuse 9 5 100
	E
	"$SKEP" net --by comm --format json -o rows.json -- bash twice.sh
	ends rows.json
	cat rows.json
	jq -se '(map(select(.comm == "bash"))[0].tx_packets == 1) and (map(select(.comm == "sockets"))[0].tx_packets == 5)' rows.json
	# Back again, in intervals: nothing is told twice
	"$SKEP" net -I 100 --format json -o rows.json -- "$WORK/sockets" turns 40 50 >truth
	ends rows.json
	[ "$(jq -s 'map(.tx_packets) | add' rows.json)" = 80 ]
	[ "$(jq -s 'map(.tx_bytes) | add' rows.json)" = 4000 ]
}

@test "reset connections, made again: bytes of all" {
	"$SKEP" net --format json -o rows.json -- "$WORK/sockets" reset 5 40000 >truth
	ends rows.json
	cat truth rows.json
	[ "$(jq -s 'map(.tx_bytes) | add' rows.json)" = 200000 ]
	[ "$(jq -s 'map(.rx_bytes) | add' rows.json)" = 200000 ]
}

# bats test_tags=user-space
@test "no packets: exit 0 and a message" {
	run "$SKEP" net -u nobody -a --duration 200ms
	[ "$status" = 0 ]
	[[ "$output" == *"no matching packet was"* ]]
	run "$SKEP" net -- true
	[[ "$output" == *"no matching packet was"* ]]
}

# bats test_tags=newest
@test "in a container: pids of the namespace" {
	unshare --pid --fork --kill-child --mount --mount-proc sh -c "'$SKEP' net --format json -o a.json -- '$WORK/sockets' udp4 20 10 >truth"
	ends a.json
	cat truth a.json
	awk '{ print $1 }' truth | while read -r pid; do jq -se --argjson p "$pid" 'any(.pid == $p)' a.json; done
}

@test "no mount of cgroup v2 is needed" {
	"$SKEP" doctor >/dev/null
	unshare -m sh -c "umount -l /sys/fs/cgroup 2>/dev/null; umount -l /sys/fs/cgroup/unified 2>/dev/null
		! grep -q ' - cgroup2 ' /proc/self/mountinfo || exit 3
		'$SKEP' net --format json -o a.json -- '$WORK/sockets' udp4 20 10 >truth" || { [ $? = 3 ] && skip "cannot be unmounted here"; }
		ends a.json
	[ "$(jq -s 'map(.tx_packets) | add' a.json)" = 20 ]
}

# bats test_tags=user-space
@test "options that exclude each other" {
	for o in "--by syscall" "--by comm,x" "-I 5" "-C 0" "--sort x" "--max-sockets 99999999" "--format xml" "--conn --by comm" "-G nosuch"; do
		# shellcheck disable=SC2086
		run "$SKEP" net $o -a -- true
		echo "$o: $status $output"
		[ "$status" = 2 ] || [ "$o" = "-G nosuch" ]
		[ "$status" != 0 ]
	done
}

# bats test_tags=newest
@test "nothing is left behind" {
	need bpftool
	before=$(bpftool -j cgroup tree 2>/dev/null | jq '[.[].programs[]?] | length')
	"$SKEP" net -a --duration 100ms -o /dev/null
	background "$SKEP" net -a -o /dev/null
	sleep "$(times 0.5)"
	kill -KILL "$BG"
	wait "$BG" || true
	[ "$(bpftool -j cgroup tree 2>/dev/null | jq '[.[].programs[]?] | length')" = "$before" ]
}

# measuring: while an emulated CPU comes back the kernel skips hits, and says so
# bats test_tags=newest,measuring
@test "a CPU goes off-line during the run and comes back" {
	[ -n "${SKEP_OWN_MACHINE:-}" ] || skip "would take a CPU from whoever else is on this machine"
	off=/sys/devices/system/cpu/cpu1/online
	[ -w $off ] || skip "CPU 1 stays"
	(sleep 0.2; echo 0 >$off; sleep 0.5; echo 1 >$off) 3>&- &
	same udp4 500 100
	same tcp4 50 3000
	wait
}
