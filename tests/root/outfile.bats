#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What is written where others may write, too: no link is followed, no stranger's file is written or given what is written.
# bats file_tags=user-space
load ../lib.bash

NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# A directory that anybody may write, and a file that only root may
setup_file() {
	printf 'root only' >"$BATS_FILE_TMPDIR/secret"
	chmod 600 "$BATS_FILE_TMPDIR/secret"
	chmod 755 "$BATS_FILE_TMPDIR"
	"$BATS_TEST_DIRNAME/../../build/skep" -q record -F 4999 -o "$BATS_FILE_TMPDIR/a.data" -- "$BATS_TEST_DIRNAME/../../build/work/shares" 0.2
}

secret_ok() {
	[ "$(cat "$BATS_FILE_TMPDIR/secret")" = "root only" ]
}

@test "a FIFO that becomes a link to root's file while it is opened: the file is not written" {
	mkdir open
	mkfifo open/x
	ln -s "$BATS_FILE_TMPDIR/secret" open/link
	chown -R -h 65534:65534 open
	chmod 777 open "$BATS_TEST_TMPDIR"
	background "${NOBODY[@]}" "$WORK/swap" open/x open/link 300
	SECONDS=0
	for ((i = 0; i < 60 && SECONDS < 20; i++)); do
		timeout 2 "$SKEP" -q report -i "$BATS_FILE_TMPDIR/a.data" -o open/x 2>/dev/null || true
		secret_ok
	done
	[ $i -ge 10 ]
	kill -0 "$BG"
}

@test "a hard link to root's file is not written in place" {
	need_root
	ln "$BATS_FILE_TMPDIR/secret" hard || skip "hard links are refused here"
	for c in "stat --append -o hard" "stat -I 100 -o hard" "sched timehist -o hard" "sched map -o hard" \
		"probe t:sched:sched_switch -o hard" "net --conn -o hard"; do
		# shellcheck disable=SC2086
		run "$SKEP" $c -- sleep 0.1
		echo "$c: $status $output"
		[ "$status" = 1 ]
		[[ "$output" == *"cannot write 'hard': the file has other names too (hard links)"* ]]
		secret_ok
	done
	# a whole file takes the name's place
	"$SKEP" -q report -i "$BATS_FILE_TMPDIR/a.data" -o hard
	secret_ok
	grep -q hot hard
}

@test "another user's file is not written in place; what replaces it belongs to root" {
	touch planted
	chown 65534:65534 planted
	chmod 666 planted
	run "$SKEP" stat --append -o planted -- true
	[ "$status" = 1 ]
	[[ "$output" == *"cannot write 'planted': the file belongs to another user"*"hint: "* ]]
	[ ! -s planted ]
	"$SKEP" -q report -i "$BATS_FILE_TMPDIR/a.data" -o planted
	[ "$(stat -c '%u %g %a' planted)" = "0 0 644" ]
	# the invoking user's own is theirs
	touch own
	chown 65534:65534 own
	SUDO_UID=65534 SUDO_GID=65534 "$SKEP" stat --append -o own -- true
	[ -s own ]
}

@test "a set-user-ID copy refuses to run" {
	cp "$SKEP" suid
	chmod 4755 suid
	chmod 755 . "$BATS_TEST_TMPDIR"
	run "${NOBODY[@]}" ./suid stat -- id -u
	[ "$status" = 3 ]
	[[ "$output" == *"does not run set-user-ID"*"hint: "* ]]
	chmod 755 suid
	run "${NOBODY[@]}" ./suid --version
	[ "$status" = 0 ]
}

@test "--as: COMMAND runs as root, or as another user, under sudo too" {
	export SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody
	[ "$("$SKEP" -q stat -o /dev/null -- id -u)" = 65534 ]
	[ "$("$SKEP" -q stat -o /dev/null --as root -- sh -c 'id -u; echo $HOME' | xargs)" = "0 $(awk -F: '$1 == "root" { print $6 }' /etc/passwd)" ]
	[ "$("$SKEP" -q stat -o /dev/null --as daemon -- id -un)" = daemon ]
	run "$SKEP" stat --as no-such-user -- true
	[ "$status" = 1 ]
	[[ "$output" == *"no such user 'no-such-user'"* ]]
	run "$SKEP" stat --as root -a --duration 10ms
	[ "$status" = 2 ]
	run "${NOBODY[@]}" "$SKEP" stat --as root -- true
	[ "$status" = 3 ]
	[[ "$output" == *"--as needs root"* ]]
}

@test "a file deleted or moved while it is written: an error that says so" {
	run "$SKEP" record -F 4999 -o gone.data -- sh -c "'$WORK/shares' 0.3; while [ ! -e gone.data ]; do sleep 0.1; done; rm gone.data; '$WORK/shares' 0.1"
	[ "$status" = 1 ]
	[[ "$output" == *"'gone.data' was deleted while it was written"* ]]
	[[ "$output" != *wrote* ]]
	run "$SKEP" record -F 4999 -o a.data -- sh -c "'$WORK/shares' 0.3; while [ ! -e a.data ]; do sleep 0.1; done; mv a.data b.data"
	[ "$status" = 1 ]
	[[ "$output" == *"'a.data' was moved or replaced"* ]]
	"$SKEP" -q report -i b.data | grep -q hot
	run "$SKEP" stat -I 100 -o live -- sh -c 'sleep 0.2; rm live; sleep 0.2'
	[ "$status" = 1 ]
	[[ "$output" == *"'live' was deleted"* ]]
}

@test "flame: the former picture is kept as .old" {
	"$SKEP" -q flame -i "$BATS_FILE_TMPDIR/a.data" -o a.html
	first=$(stat -c %i a.html)
	[ ! -e a.html.old ]
	"$SKEP" -q flame -i "$BATS_FILE_TMPDIR/a.data" -o a.html
	[ "$(stat -c %i a.html.old)" = "$first" ]
	[ "$(stat -c %i a.html)" != "$first" ]
	# one that fails leaves all as it was
	run "$SKEP" flame -i /dev/null -o a.html
	[ "$status" != 0 ]
	[ "$(stat -c %i a.html.old)" = "$first" ]
}
