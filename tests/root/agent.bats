#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep agent: profiles of spans that add up to what ran, and what becomes of a store that is shared, full, damaged or removed.
# bats file_tags=user-space
load ../lib.bash

cleanup() {
	remove_cgroups
	! mountpoint -q small || umount small
}

# The profiles of a store, by time
profiles() {
	(cd "$1" && ls ./*.pb.gz 2>/dev/null)
}

# agent DIR SECONDS OPTION...: an agent for so long
agent() {
	local dir=$1 seconds=$2
	shift 2
	"$SKEP" -v agent --store "$dir" --duration "$(times "$seconds")" "$@"
}

@test "spans of a store add up to all of it, and to what the workload says; by unit and container" {
	background "$WORK/shares" "$(times 7)" >truth
	work=$BG
	agent store 5 --every 2s -F 99 2>said
	wait $work
	cat said truth
	profiles store
	[ "$(profiles store | wc -l)" -ge 2 ]
	kept=$(sed -n 's/^samples: .* seen, \([0-9]*\) kept$/\1/p' said)
	"$SKEP" report --store store -s comm,sym --comms shares --format csv | tr -d '"' >rows
	cat rows
	[ "$("$SKEP" report --store store -s comm --json | jq '[.rows[].self_samples // .rows[].samples] | add')" = "$kept" ]
	awk -F, '/,hot$/ { h = $3 } /,cold$/ { c = $3 } END { print h / (h + c); exit !(h / (h + c) > 0.6 && h / (h + c) < 0.8) }' rows
	# each profile by itself: together they have what the store has
	for file in $(profiles store); do "$SKEP" -q flame -i "store/$file" --format folded; done | awk '{ n += $NF } END { print n }' >sum
	[ "$(cat sum)" = "$kept" ]
	run -1 "$SKEP" flame --store store --since "2001-01-01 00:00" --until "2001-01-02 00:00" -o x.html
	[[ "$output" == *"the store 'store' has nothing of that time"* ]]
}

@test "labels: comm, and of the control group its path, unit and container; no process" {
	type -P go >/dev/null || skip "no go"
	two_cgroups
	inner=cg/$a/docker-$(printf '%064d' 7).scope
	mkdir "$inner"
	background "$WORK/shares" "$(times 3)" >/dev/null # in no container
	(echo $BASHPID >"$inner/cgroup.procs" && exec "$WORK/shares" 3 >truth) 3>&- &
	work=$!
	agent store 2 -F 99
	wait $work
	env PPROF_TMPDIR=. HOME="$PWD" go tool pprof -tags "store/$(profiles store | head -n 1)" >tags
	cat tags
	rmdir "$inner"
	grep -qE ": docker-0{63}7\.scope\$" tags
	grep -qE ": /$a/docker-0{63}7\.scope\$" tags
	grep -qE ': 0{12}$' tags
	grep -qE ': shares$' tags
	run ! grep -q 'pid: Total' tags
	"$SKEP" report --store store --no-children -s comm --label "container=0*" --format csv | tr -d '"' >rows
	cat rows
	[ "$(sed 1d rows | awk -F, '{ print $NF }')" = shares ]
	"$SKEP" report --store store --no-children -s comm --label "comm=shares,comm=nobody,unit=docker-*" --format csv | tr -d '"' | diff rows -
	# What does not have a label, and what has none of the kind
	sum() { "$SKEP" report --store store --no-children -s comm --format csv "$@" | tr -d '"' | awk -F, 'NR > 1 { n += $3 } END { printf "%.0f\n", n }'; }
	[ $(($(sum --label "unit=docker-*") + $(sum --label "unit!=docker-*"))) = "$(sum)" ]
	[ "$(sum --label "container!=0*")" -gt 0 ]
	[ $(($(sum --label "container=0*") + $(sum --label "container!=0*"))) = "$(sum)" ]
	run -1 "$SKEP" report --store store --label "comm=shares,unit=docker-*,comm!=sha*"
	# rows and stacks by labels: the sums of one are those that it picks
	n=$(awk -F, 'NR == 2 { print $3 }' rows)
	"$SKEP" report --store store --no-children -s unit,container,comm --format csv | tr -d '"' >by
	cat by
	awk -F, -v n="$n" '$NF == "shares" && $(NF - 1) ~ /^0+$/ && $(NF - 2) ~ /^docker-0+7\.scope$/ { got += $3 } END { exit got != n }' by
	grep -q ',/,\[none\],' by
	"$SKEP" -q flame --store store --by container,unit,comm --format folded >folded
	awk -v n="$n" '/^docker-0+7\.scope;0+;shares;/ { got += $NF } END { print got; exit got == 0 }' folded
	"$SKEP" report --store store --no-children -s exe --format csv | tr -d '"' | grep -q ",$(readlink -f "$WORK/shares")\$"
	run -2 "$SKEP" flame --by unit -- true
	[[ "$output" == *"labels of a store"* ]]
	"$SKEP" -q record -o x.data -- true
	run -2 "$SKEP" report -i x.data -s unit
	[[ "$output" == *"the samples in 'x.data' have no labels"* ]]
	run -1 "$SKEP" report --store store --label unit=nobody.service
	[[ "$output" == *"no stack of that time has these labels ("*" have others)"* ]]
	run -2 "$SKEP" report --store store --label unit
	[[ "$output" == *"expected KEY=PATTERN"* ]]
}

# bats test_tags=measuring
@test "labels: the program of processes that have ended, and of one that ran another before" {
	# one that runs already, and has its libraries at lower addresses than itself
	cp "$WORK/shares" legacy
	background setarch -L ./legacy "$(times 12)" >truth.legacy
	background "$SKEP" agent --store store -F 499 --duration "$(times 9)" 2>said
	agent=$BG
	eventually test -e store/skep-store
	sleep "$(times 1)"
	cp "$WORK/shares" first
	cp "$WORK/shares" second
	cp "$(type -P bash)" shell
	for i in 1 2 3 4 5; do ./first 0.2 >truth; done
	./shell -c 'end=$((SECONDS + 2)); while [ $SECONDS -lt $end ]; do :; done; exec ./second 1' >truth
	wait "$agent"
	"$SKEP" report --store store --no-children -s comm,exe,build_id --comms first,second,shell,legacy --format csv | tr -d '"' | awk -F, 'NR > 1 { print $3 / 1e9, $6, $7, $8 }' | tee rows
	id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
	awk -v dir="$PWD" -v a="$(id first)" -v b="$(id shell)" '
		{ sum[$2] += $1; if ($3 == dir "/" $2 && $4 == ($2 == "shell" ? b : a)) right[$2] += $1 }
		END { for (c in sum) if (right[c] < 0.97 * sum[c]) bad = 1; exit bad || !sum["first"] || !sum["second"] || !sum["shell"] || !sum["legacy"] }' rows
}

# bats test_tags=measuring
@test "events of the grammar beside the clock: each has a view of its own, with all that happened" {
	background "$SKEP" agent --store store -e cpu-clock,sched:sched_process_exec --faults --duration "$(times 4)" 2>said
	agent=$BG
	eventually test -e store/skep-store
	sleep "$(times 1)"
	cp "$(type -P true)" execd
	for i in $(seq 20); do ./execd; done
	wait "$agent"
	cat said
	[ "$("$SKEP" report --store store --view sched_sched_process_exec --no-children -s comm --comms execd --json | jq '.rows[0].samples')" = 20 ]
	[ "$(profiles store | grep -c cpu-clock)" -ge 1 ]
	[ "$(profiles store | grep -c page-faults)" -ge 1 ]
}

@test "labels: the process where it is asked for" {
	busy "$WORK/shares" "$(times 8)"
	work=$BG
	agent store 2 --pids -F 99
	pids() { "$SKEP" report --store store --no-children -s pid,comm --format csv "$@" | tr -d '"' | awk -F, 'NR > 1 { print $5, $6, $7 }'; }
	pids >all
	cat all
	[ "$(grep -cE " $work shares\$" all)" = 1 ]
	pids --label "pid=$work" | diff <(grep " $work " all) -
	# rows that nobody could name are refused
	run -1 "$SKEP" report --store store -s tid
	[[ "$output" == *"do not say their thread"* ]]
	"$SKEP" -q flame --store store --by pid --format folded | awk -v pid="$work" '$0 ~ "^shares \\(" pid "\\);" { n += $NF } END { exit !n }'
	agent other 1 -F 99
	for rows in "report -s pid" "flame --by pid -o x.html"; do
		run -1 "$SKEP" ${rows%% *} --store other ${rows#* }
		[[ "$output" == *"do not say their process"* ]]
	done
	run -2 "$SKEP" report --store other -s cgroup
	[[ "$output" == *"there are no rows by cgroup"* ]]
	pids --label "pid!=$work" | diff <(grep -v " $work " all) -
	kill "$work"
}

@test "diff: a span of the store and the same one earlier" {
	background "$SKEP" agent --store store --every 1s -F 199 2>said
	run_pid=$BG
	eventually test -s store/skep-store
	timeout 4 "$WORK/shares" 100 || true # of wall time, however busy the machine is
	timeout 4 "$WORK/stacks_O2" 100 >/dev/null || true
	interrupt $run_pid
	"$SKEP" diff --store store --since 4 --against 4 -s comm --json >rows
	cat rows
	jq -se 'map(select(.comm == "shares"))[0] | .delta_points < -5 and .significant' rows
	jq -se 'map(select(.comm == "stacks_O2"))[0] | .delta_points > 5 and .significant' rows
	run -2 "$SKEP" diff --store store --since 4
	[[ "$output" == *"--against"* ]]
	run -2 "$SKEP" diff --against 4 a b
	[[ "$output" == *"--store"* ]]
	run -1 "$SKEP" diff --store store --since 4 --against 24h
	[[ "$output" == *"before: the store 'store' has nothing of that time"* ]]
	run -1 "$SKEP" diff --store store --since 4 --against 4 --label comm=nobody
	[[ "$output" == *"before: no stack of that time has these labels"* ]]
	run -1 "$SKEP" diff --store store --label comm=nobody --against-label comm=shares
	[[ "$output" == *"after: no stack of that time has these labels"* ]]
	run -2 "$SKEP" diff --store store --against 4
	[[ "$output" == *"--against needs --since"* ]]
	# Of all that there is; profiles that are of both spans, each of a second
	"$SKEP" diff --store store --label comm=shares --against-label comm=stacks_O2 -s comm --json >rows 2>said
	jq -se 'map(select(.comm)) | length == 2 and all(.before_pct == 100 or .after_pct == 100)' rows
	run ! grep 'on both sides' said
	"$SKEP" diff --store store --since 1h --against 1 -s comm --json >rows 2>said
	n=$(sed -n 's/^note: \([0-9]*\) profiles of the store are on both sides, .*/\1/p' said)
	files=(store/*.cpu-clock.pb.gz)
	echo "$n of ${#files[@]}"
	[ "$n" -ge $((${#files[@]} - 2)) ] && [ "$n" -le ${#files[@]} ]
}

@test "two agents, another version, no store, a span that is none" {
	background "$SKEP" agent --store store --every 1s --duration "$(times 10)" 2>said
	first=$BG
	eventually compgen -G 'store/*.pb.gz' # it has begun
	run -1 "$SKEP" agent --store store --duration 1
	[[ "$output" == *"another skep agent writes to 'store'"* ]]
	interrupt $first
	echo 99 >store/skep-store
	run -1 "$SKEP" flame --store store -o x.html
	[[ "$output" == *"the store 'store' is of another version of skep"* ]]
	run -1 "$SKEP" flame --store . -o x.html
	[[ "$output" == *"'.' is no store of skep agent"* ]]
	for bad in 25:00 yesterday 12:60 -- "2026-11-31x"; do
		run -2 "$SKEP" report --store store --since "$bad"
		[[ "$output" == *"bad value '$bad' of '--since'"* ]]
	done
	run -2 "$SKEP" report --since 5m
	[[ "$output" == *"--store"* ]]
	run -2 "$SKEP" agent sleep 1
	[[ "$output" == *"measures the whole machine"* ]]
}

@test "a damaged profile is left out and said; files of others are not read and not deleted" {
	background "$WORK/shares" 60 >/dev/null
	agent store 3 --every 1s -F 99
	[ "$(profiles store | wc -l)" -ge 2 ]
	first=$(profiles store | head -n 1)
	head -c $(($(stat -c %s "store/$first") / 2)) "store/$first" >half && cat half >"store/$first"
	echo other >store/other.pb.gz
	"$SKEP" report --store store -s comm >rows 2>&1
	cat rows
	grep -q "'${first#./}' cannot be read, and is left out, or what follows its damage" rows
	agent store 1 --keep 1K
	[ -e store/other.pb.gz ]
	[ "$(cat store/2*.pb.gz 2>/dev/null | wc -c)" -le 1024 ] # one of a moment may stay
	: >store/20261127T140300Z-20261127T140400Z.x.pb.gz
	: >store/20261127T140400Z-20261127T140500Z.x.pb.gz
	run -1 "$SKEP" flame --store store --view x -o x.html
	[[ "$output" == *"no profile in pprof's format"* ]]
}

@test "a full disk and a removed directory: what could not be written is in the next profile" {
	mkdir small
	mount -t tmpfs -o size=64k none small || skip "no tmpfs"
	head -c 60k /dev/zero >small/ballast
	background "$SKEP" -v agent --store small/store --every 1s -F 99 --duration "$(times 8)" 2>said
	run_pid=$BG
	eventually grep -q 'stays in memory' said
	rm small/ballast
	eventually grep -q 'has what could not be written before' said
	rm -r small/store
	eventually test -s small/store/skep-store
	interrupt $run_pid
	cat said
	umount small
	grep -q 'No space left on device' said
}

# bats test_tags=slow,measuring
@test "a store that is removed, and taken by a second agent: the first says so, and nothing counts twice" {
	background "$SKEP" agent --store store --every 2 -F 99 --duration "$(times 9)" 2>first
	one=$BG
	sleep "$(times 3)"
	rm -rf store
	background "$SKEP" agent --store store --every 2 -F 99 --duration "$(times 6)" 2>second
	two=$BG
	eventually [ -e store/skep-store ]
	"$WORK/shares" "$(times 2)" >truth
	wait $one || true
	wait $two || true
	cat first second
	grep -q 'another skep agent writes to it now: this one ends' first
	"$SKEP" report --store store -s comm --comms shares --json | jq '[.rows[].self] | add // 0' |
		awk -v t="$(times 2)" '{ print $1 / 1e9, t; exit !($1 / 1e9 < t * 1.3) }'
}

# bats test_tags=user-space
@test "values that cannot be meant are refused, and what is missing is named" {
	background "$WORK/shares" 30 >truth
	agent store 2 --every 2 -F 99 2>said
	for bad in "--since 1795917811" "--since 2026-02-30T10:00" "--view nope"; do
		run "$SKEP" report --store store $bad
		[ "$status" = 1 ] || [ "$status" = 2 ]
		echo "$output"
	done
	[[ "$output" == *"has nothing of 'nope' of that time, but of cpu-clock"* ]]
	run -1 "$SKEP" flame --store store --by pid -o x.html
	"$SKEP" -q report --store store --since 7d >all
	for bad in "-F max" "-F 10001" "--every 1.5" "--push clickhouse://127.0.0.1:99999/d" "--schema=" "--schema --push clickhouse://127.0.0.1/d" "--push otlp+http://a:b"; do
		run -2 "$SKEP" agent --store other $bad --duration 1
	done
	run -2 "$SKEP" agent --store other --push otlp+http://127.0.0.1:1 --host '' --duration 1
	run -2 "$SKEP" report --store store --label 'Unit!=x'
	[[ "$output" == *"no label 'Unit': there are comm, "* ]]
	# two that would be one view
	run -2 "$SKEP" agent --store other -e cpu-clock,cpu-clock --duration 1
	# cycles are cpu-clock where there are none
	perf stat -e cycles true 2>&1 | grep -q 'not supported' && run -2 "$SKEP" agent --store third -e cycles,cpu-clock --duration 1
	run -2 "$SKEP" agent --store other -e 'k:vfs_read if comm == "a"' -e 'k:vfs_read if comm != "a"' -c 1 --duration 1
	[[ "$output" == *"have the same name in the store, 'k_vfs_read_if_comm_____a_'"* ]]
	[ ! -e other ]
	printf 'calls = yes\n' >conf
	run -2 "$SKEP" agent --config conf
	[[ "$output" == *"options are also those of 'conf'"* ]]
}

@test "--off-cpu: the time that threads sleep, in profiles of its own" {
	background "$SKEP" -v agent --store store --every 2s --off-cpu 2>said
	run_pid=$BG
	eventually compgen -G 'store/*.pb.gz' # it has begun
	cp "$(type -P sleep)" slept # by a name that nobody else has
	./slept 2
	sleep 0.1
	interrupt $run_pid
	cat said
	[ "$(profiles store | grep -c offcpu-time)" = "$(profiles store | grep -c -- '-clock\|cycles')" ]
	"$SKEP" report --store store --view offcpu-time --no-children -s comm --comms slept --format csv >rows
	cat rows
	awk -F, 'NR == 2 { exit !($3 >= 1.99e9 && $3 < 2.6e9) }' rows
	# Which is read when nothing is asked for does not depend on what comes first in the span, nor on a clock that was set back
	cp "store/$(profiles store | grep offcpu-time | head -n 1)" store/20200101T000000Z-20200101T000100Z.offcpu-time.pb.gz
	cp "store/$(profiles store | grep -v offcpu-time | head -n 1)" store/20200101T000000Z-20190101T000000Z.cpu-clock.pb.gz
	"$SKEP" report --store store -s comm --json >all.json
	jq -e '.event == "cpu-clock" and .duration_ns < 60e9' all.json
	kept=$(sed -n 's/^samples: .* seen, \([0-9]*\) kept$/\1/p' said)
	[ "$(sed -n 's/^wrote .*: \([0-9]*\) samples, .*/\1/p' said | awk '{ n += $1 } END { print n }')" = "$kept" ]
}

@test "the service: installed, with what systemd reads; its capabilities are enough, and its user can read what it wrote" {
	make -s -C "$BATS_TEST_DIRNAME/../.." install DESTDIR="$PWD/inst" PREFIX=/usr
	unit=inst/usr/lib/systemd/system/skep-agent.service
	grep -q '^ExecStart=/usr/bin/skep agent ' $unit
	run ! grep -q @ $unit
	grep -q '^u skep ' inst/usr/lib/sysusers.d/skep.conf
	if type -P systemd-analyze >/dev/null; then
		systemd-analyze verify $unit 2>&1 | grep -v -e 'skep is not executable' -e "Command 'man " >verified || true
		cat verified
		run ! grep -q 'skep-agent.service' verified
	fi
	caps=$(sed -n 's/^AmbientCapabilities=//p' $unit | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
	[ "$caps" = "$(sed -n 's/^CapabilityBoundingSet=//p' $unit | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')" ]
	mkdir store
	chown nobody . store
	as_service() {
		setpriv --reuid nobody --regid nogroup --clear-groups --no-new-privs --inh-caps=-all,"$caps" --ambient-caps=-all,"$caps" --bounding-set=-all,"$caps" "$@"
	}
	background "$WORK/shares" 4 >/dev/null
	as_service "$SKEP" agent --store store --duration 3 -F 99 --off-cpu --listen 0 --calls --sched --net 2>said
	cat said
	setpriv --reuid nobody --regid nogroup --clear-groups "$SKEP" report --store store -s comm,sym --comms shares --format csv | tr -d '"' >rows
	cat rows
	grep -q ',hot$' rows
	"$SKEP" report --store store -s sym --view offcpu-time | grep -q '\[k\]'
}

# bats test_tags=slow,measuring
@test "--config: options from a file; SIGHUP reads it again in the same process, and nothing is lost" {
	printf '# an agent\n\nevery 1s\n-F 99\n  --keep = 10M  \nstore store\n' >agent.conf
	background "$SKEP" -v agent --config agent.conf 2>said
	skep=$BG
	eventually grep -q '^wrote' said
	printf 'host b\npush clickhouse://127.0.0.1:1/x\n' >>agent.conf
	kill -HUP "$skep"
	kill -HUP "$skep"
	again() { [ "$(grep -c "^note: profiles go to" said)" -ge 2 ]; }
	eventually again
	wrote() { [ "$(sed '1,/options are read again/d' said | grep -c '^wrote')" -ge 1 ]; }
	eventually wrote
	[ "$(cat "/proc/$skep/comm")" = skep ]
	ls -d store/push-*
	kill -TERM "$skep"
	wait "$skep"
	cat said
	grep -q '^note: SIGHUP: the options are read again' said
	[ "$(awk '/seen/ { n += $4 } END { print n }' said)" = "$("$SKEP" report --store store -s comm --json | jq '[.rows[].self_samples // .rows[].samples] | add')" ]
	for text in 'evry 3' 'every' 'every 0' 'config agent.conf' 'host' 'listen ='; do
		printf '%s\ncalls\n' "$text" >bad.conf
		run -2 "$SKEP" agent --config bad.conf --store bad --duration 1
		echo "$output"
	done
	[[ "$output" == *"'bad.conf': option 'listen' needs a value"* ]]
	printf 'store a b\n' >good.conf
	"$SKEP" agent --config good.conf --duration 1
	[ -d 'a b' ]
	[ ! -e bad ]
	run -2 "$SKEP" agent --config none.conf
	[[ "$output" == *"cannot read 'none.conf'"* ]]
}

@test "SIGHUP: the receipt is of the part that ends; a server that is not given any more is named, with what it lacks" {
	printf 'every 1s\nstore store\nreceipt\nduration %s\npush otlp+http://127.0.0.1:1\n-F 99\n' "$(times 9)" >agent.conf
	background "$SKEP" agent --config agent.conf 2>said
	agent=$BG
	eventually compgen -G 'store/push-*/*.gz'
	sed -i /^push/d agent.conf
	kill -HUP "$agent"
	sleep "$(times 3)"
	kill -HUP "$agent"
	wait "$agent"
	cat said
	grep -qE "store/push-[0-9a-f]+' has what a server lacks that is not given any more" said
	[ "$(grep -c '^cost: skep' said)" = 3 ]
	# of each part its own time: their sum is what the process has, which ends with the last
	awk '/^cost: skep/ { n++; cpu[n] = $3 } END { exit !(cpu[3] < cpu[1] + cpu[2]) }' said
}

@test "make deb: a package whose files are those of make install, and that says what it needs" {
	need dpkg-deb dpkg-shlibdeps
	cp -r "$ROOT"/{Makefile,tools,man,LICENSE} .
	mkdir -p build
	ln -s "$SKEP" build/skep
	make -s deb >/dev/null
	deb=$(ls build/skep_*.deb)
	dpkg-deb -f "$deb" Depends >depends
	cat depends
	grep -q 'libbpf1' depends
	grep -q 'libelf1' depends
	make -s install DESTDIR="$PWD/inst" PREFIX=/usr
	(cd inst && find . -type f -o -type l) | LC_ALL=C sort >wanted
	dpkg-deb --fsys-tarfile "$deb" | tar t | grep -v '/$' | sed 's/\.1\.gz$/.1/' | grep -v -e /etc/ -e /doc/ | LC_ALL=C sort | diff wanted -
	dpkg-deb --fsys-tarfile "$deb" | tar x ./usr/bin/skep
	[ "$(usr/bin/skep --version)" = "$("$SKEP" --version)" ]
	dpkg-deb --ctrl-tarfile "$deb" | tar x
	grep -q /etc/skep/agent.conf conffiles
	# with all of it switched on, the configuration that comes with it is one
	dpkg-deb --fsys-tarfile "$deb" | tar x ./etc/skep/agent.conf
	sed -i 's/^#\([a-z]\)/\1/; s/9099/0/; s/db.example:8123/127.0.0.1:1/' etc/skep/agent.conf
	"$SKEP" agent --config etc/skep/agent.conf --store store --duration 1 2>said
	grep -q 'figures are at' said
}

# bats test_tags=slow,measuring
@test "--budget: the rate follows what the run takes, and weights follow the rate" {
	background "$WORK/shares" "$(times 40)" >truth
	work=$BG
	"$SKEP" -v flame -C 0-1 -F 25000 -e cpu-clock --budget 0.5% --duration "$(times 8)" --format folded -o folded 2>said
	cat said
	grep -qE 'note: the rate of samples was lowered to keep to --budget: it is [0-9.]+ % of what was asked for' said
	lowest=$(sed -n 's/.*and was \([0-9.]*\) % at the lowest.*/\1/p' said)
	awk -v l="$lowest" 'BEGIN { exit !(l > 0 && l < 60) }'
	used() { awk '{ print $14 + $15 }' "/proc/$work/stat"; } # in hundredths of a second
	before=$(used)
	agent store 6 --every 2s -F 5000 --budget 0.2% --pids 2>said
	after=$(used)
	cat said
	# CPU time of the workload, whatever the rate was: sums of weights. The agent takes a part of a second to begin and to end.
	for file in $(profiles store); do
		"$SKEP" report -i "store/$file" -s pid --json | jq --argjson pid "$work" '[.rows[] | select(.pid == $pid) | .self] | add // 0'
	done | awk -v t=$((after - before)) '{ n += $1 } END { print n / 1e9, t / 100; exit !(n / 1e7 > t * 0.6 && n / 1e7 < t * 1.15) }'
	zcat store/*.pb.gz | grep -aq 'of the rate that was asked for, at the least, to keep to --budget'
	zcat "store/$(profiles store | tail -n 1)" | grep -aq 'sampled at' # also where it was low from the first sample on
	"$SKEP" report --store store -s comm --json | jq -e 'any(.notes[]; test("profiles have fewer samples than were asked for"))'
	run -2 "$SKEP" flame -a --budget 1% -c 1000 --duration 1 -o x.html
	[[ "$output" == *"--budget"*"-c"* ]]
	for bad in 0 -1 101 x 1%% ''; do run -2 "$SKEP" flame -a --budget "$bad" --duration 1 -o x.html; done
}

@test "containers have the name and the image that their runtime keeps: podman" {
	command -v podman >/dev/null && command -v busybox >/dev/null || skip "no podman and busybox"
	two_cgroups
	podman=(podman --storage-driver vfs --cgroup-manager cgroupfs)
	mkdir -p image/bin && cp "$(command -v busybox)" image/bin/ && tar -C image -cf image.tar .
	"${podman[@]}" import image.tar localhost/skep-test:1.2 2>said || { cat said; skip "podman cannot import"; }
	"${podman[@]}" create --name "skep-test-$$" --network none localhost/skep-test:1.2 /bin/busybox true >id || { "${podman[@]}" rmi localhost/skep-test:1.2; false; }
	# where a runtime puts it; this machine's own control groups may be of version 1
	inner=cg/$a/libpod-$(cat id).scope
	mkdir "$inner"
	(echo $BASHPID >"$inner/cgroup.procs" && exec "$WORK/shares" 3 >truth) 3>&- &
	work=$!
	agent store 2 -F 99 2>said || true
	wait $work
	rmdir "$inner"
	"${podman[@]}" rm "skep-test-$$" >/dev/null && "${podman[@]}" rmi localhost/skep-test:1.2 >/dev/null
	cat said
	"$SKEP" -q report --store store -s container,container_name,image,comm --format csv >rows
	cat rows
	grep -q "$(cut -c1-12 id)\W*skep-test-$$\W*localhost/skep-test:1.2\W*shares" rows
	"$SKEP" -q flame --store store --label "container_name=skep-test-*" --by image,comm --format folded | grep -q '^localhost/skep-test:1.2;'
}

@test "top --store: what the agent keeps, as it grows, up to all of it; a time without a profile is not the end" {
	background "$WORK/shares" "$(times 9)" >truth
	"$SKEP" -q agent --store store --every 1s -F 99 --duration "$(times 7)" 3>&- &
	agent=$!
	has_one() { [ "$(profiles store | wc -l)" -gt 0 ]; }
	eventually has_one
	"$SKEP" top --store store --since 5m -d 1s -n 4 --json 2>said | jq -c 'select(.sym) | [.time_ns, .samples]' >rows
	cat said
	sums=$(jq -s -c 'group_by(.[0]) | map(map(.[1]) | add)' rows)
	echo "$sums"
	[ "$(jq 'length' <<<"$sums")" = 4 ]
	jq -e '. == sort and .[3] > .[0]' <<<"$sums"
	"$SKEP" top --store store --since "$(times 3)s" -d 1s -n "$(times 12)" --stdio >tables 2>said &
	reader=$!
	wait $agent
	wait $reader || true
	cat said
	grep -q "note: the store 'store' has nothing of that time" said
	grep -q ' hot$' tables
	all=$("$SKEP" -q report --store store -s comm --json | jq '[.rows[].samples] | add')
	[ "$("$SKEP" -q top --store store -n 1 --json -s unit,comm | jq -s 'map(.samples // 0) | add')" = "$all" ]
	run -2 "$SKEP" top --store store -p 1
	[[ "$output" == *"--store and -p exclude each other"* ]]
	run -1 "$SKEP" top --store store --since 1s -n 2
	[[ "$output" == *"has nothing of that time"* ]]
}
