#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep trace beside strace: more than 30 real programs, line by line. What two runs of a program cannot have in common is in strace_lines.py.
# bats file_tags=user-space
load ../lib.bash

# compare OPTION...: 99 of 100 of strace's lines are skep's; each program's share is in the test's output
compare() {
	[ "$(wc -l <strace.txt)" -ge 20 ]
	grep '^samples: ' said
	run ! grep '^lost: ' said
	"$BATS_TEST_DIRNAME/strace_lines.py" "$@" strace.txt skep.txt
}

# beside [--of NAME] [--pipes] [--race] COMMAND...: of a program that ends
beside() {
	local how=() of=
	while [[ $1 == --* ]]; do
		if [ "$1" = --of ]; then of=$2; shift 2; else how+=("$1"); shift; fi
	done
	of=${of:-$(basename "$1")}
	echo "== $*"
	rm -rf made
	strace -f -o strace.txt "$@" 2>&1 >/dev/null </dev/null | cat >said
	rm -rf made
	"$SKEP" trace -o skep.txt -- "$@" 2>&1 >/dev/null </dev/null | cat >said
	compare --of "$of" "${how[@]}"
}

# serving LOAD COMMAND...: of a server that writes made/pid when it is ready. LOAD makes requests, then it gets SIGTERM.
serving() {
	local load=$1 tracer
	shift
	echo "== $*"
	for tracer in strace skep; do
		rm -rf made
		mkdir made
		if [ $tracer = strace ]; then background strace -f -o strace.txt "$@"; else background "$SKEP" trace -o skep.txt -- "$@"; fi >said 2>&1 </dev/null
		if ! eventually test -s made/pid || ! $load; then
			echo "the server, or what it was asked for:"
			cat said
			pkill -P "$BG" # strace ends when the server does, and at no signal
			return 1
		fi
		kill "$(cat made/pid)"
		wait "$BG" || true
	done
}

# port: one that nobody listens on
port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# The interpreter itself: what is called python3 may be a script that looks for it
python() {
	python3 -c 'import sys; print(sys.executable)'
}

@test "files: ls, find, grep, tar, cp, du, sort, stat, ln, chmod, dd, touch, gzip, sha256sum, sed, cmp, df" {
	need strace
	need python3
	mkdir -p d/e
	for i in $(seq 50); do echo "line $i" >"d/e/file$i"; done
	chmod 640 d/e/file1
	beside ls -la /etc
	beside find /etc -name 'a*'
	beside grep -r line d
	beside tar cf made d
	beside --pipes tar czf made d
	beside cp -a d made
	beside du -s /etc
	beside sort -n d/e/file1 d/e/file2
	beside stat /dev/null d/e/file1
	beside ln -s nowhere made
	beside chmod 640 d/e/file1
	beside dd if=/dev/zero of=made bs=4k count=20
	beside touch -d 2020-01-01 d/e/file1
	beside gzip -c d/e/file1
	beside sha256sum d/e/file1 d/e/file2
	beside sed -i s/row/line/ d/e/file1
	beside cmp d/e/file1 d/e/file2
	beside df /
}

@test "shells, pipes, signals: sh, bash, env, a script with pipes, xargs" {
	need strace
	need python3
	beside --pipes sh -c 'echo hi | cat | wc -c; true; (exit 3)'
	beside bash -c 'trap "echo got" USR1; kill -USR1 $$; for i in 1 2 3; do /bin/true; done'
	beside env -i A=1 printenv A
	cat >script <<-'END'
		set -eu
		mkdir made
		cut -d: -f7 /etc/passwd | sort | uniq -c | sort -rn | while read -r n shell; do echo "$shell $n"; done >made/shells
		tee made/copy <made/shells | tr a-z A-Z | head -n 2 >made/two
		words=$(wc -w <made/copy)
		seq "$words" | xargs -n 4 echo >made/words
		trap 'rm -f made/two' EXIT
	END
	beside --pipes sh script
}

@test "languages and tools: awk, perl, python3, make, gcc, jq, git log" {
	need strace
	need python3
	beside awk 'BEGIN { for (i = 0; i < 10; i++) s += i; print s }'
	! has perl || beside env PERL_HASH_SEED=0 perl -e 'open(F, "<", "/etc/passwd"); print scalar(<F>)'
	beside "$(python)" -S -c 'import json, socket; a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1))'
	printf 'made: d.c\n\tgcc -c -o made d.c\n' >Makefile
	echo 'int main(void) { return 0; }' >d.c
	unset MAKEFLAGS MFLAGS MAKELEVEL # of a make that runs the tests: it has a pipe for both
	beside --pipes make
	! has jq || beside jq -n '[range(10)] | add'
	! has git || beside git -C "$ROOT" --no-optional-locks log --oneline -3
}

@test "git: a commit, a branch, a merge and a packed repository" {
	need strace
	need python3
	need git
	export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2026-01-01 00:00:00 +0000' GIT_COMMITTER_DATE='2026-01-01 00:00:00 +0000'
	git config --global user.name skep
	git config --global user.email skep@example.org
	git config --global pack.threads 1
	git config --global core.trustctime false # all files are older than the index: whether git reads one again does not depend on the second
	git config --global core.checkStat minimal
	cat >work.sh <<-'END'
		set -e
		git init -q -b main made
		cd made
		for i in 1 2 3; do
			seq "$i" 200 >"file$i"
			touch -d 2020-01-01 "file$i"
			git add .
			git commit -q -m "number $i"
		done
		git checkout -q -b side HEAD^
		echo side >side
		touch -d 2020-01-01 side
		git add side
		git commit -q -m side
		git merge -q -m merge main
		touch -d 2020-01-01 file* side
		git diff --stat HEAD^ | cat
		git repack -q -a -d
		git fsck
		git clone -q . ../made/copy
	END
	beside --of git --pipes sh work.sh
	git -C made rev-parse HEAD^2 >/dev/null # it did all of that
	[ -e made/copy/side ]
}

@test "sqlite3: a file, an index, a transaction, a journal" {
	need strace
	need python3
	need sqlite3
	beside sqlite3 made "create table t(a, b); begin; insert into t select value, hex(value) from generate_series(1, 2000); commit;
		create index i on t(b); update t set a = a + 1 where a < 100; delete from t where a > 1500; vacuum; select count(*) from t"
	[ "$(sqlite3 made 'select count(*) from t')" -gt 1000 ]
}

@test "node: files and a child, with its threads" {
	need strace
	need python3
	need node
	cat >d.js <<-'END'
		const fs = require('fs'), { execFileSync } = require('child_process');
		fs.mkdirSync('made');
		for (let i = 0; i < 300; i++) fs.writeFileSync(`made/${i}`, 'x'.repeat(i));
		for (let i = 0; i < 300; i++) fs.readFileSync(`made/${i}`);
		console.log(execFileSync('/bin/echo', ['child']).length, fs.readdirSync('made').length);
	END
	beside --race --pipes "$(node -p process.execPath)" --single-threaded-gc d.js
	[ "$(ls made | wc -l)" = 300 ]
}

@test "curl on loopback, and a threaded server that it asks" {
	need strace
	need python3
	need curl
	cat >server.py <<-'END'
		import http.server, os, signal, threading
		class Handler(http.server.BaseHTTPRequestHandler):
		    def do_GET(self):
		        body = open('/etc/passwd', 'rb').read()
		        self.send_response(200)
		        self.send_header('Content-Length', str(len(body)))
		        self.end_headers()
		        self.wfile.write(body)
		    def log_message(self, *args):
		        pass
		server = http.server.ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler)
		signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
		open('made/pid', 'w').write(str(os.getpid()))
		server.serve_forever()
	END
	mkdir -p made
	export PORT=$(port)
	background "$(python)" -S server.py
	eventually test -s made/pid
	beside --race --pipes curl -s "http://127.0.0.1:$PORT/"
	stop "$BG"
	export PORT=$(port)
	requests() {
		local i
		for i in $(seq 50); do
			curl -s "http://127.0.0.1:$PORT/[1-4]" -Z --parallel-immediate | grep -q root || return
		done
	}
	serving requests "$(python)" -S server.py
	compare --of python --race --pipes --expect 200 'sendto\(FD, "root:' --expect 200 'accept4\(.* = FD'
}

@test "redis under the load of redis-benchmark" {
	need strace
	need python3
	need redis-server
	need redis-benchmark
	requests() {
		redis-benchmark -s made/socket -n 2000 -c 4 -t set,get -q >bench.txt
	}
	serving requests redis-server --port 0 --unixsocket made/socket --pidfile made/pid --dir "$PWD" --save '' --daemonize no
	compare --of redis-server --race --expect 2000 'read\(FD, "\*3\\r\\n\$3\\r\\nSET' --expect 2000 'write\(FD, "\+OK\\r\\n", 5\) = 5' \
		--expect 2000 'read\(FD, "\*2\\r\\n\$3\\r\\nGET'
}

@test "nginx with two workers, under load" {
	need strace
	need python3
	need nginx
	need curl
	port=$(port)
	seq 1000 >page
	cat >nginx.conf <<-END
		user root; daemon off; master_process on; worker_processes 2; pid made/pid; error_log made/error.log;
		events { worker_connections 64; }
		http { access_log made/access.log; client_body_temp_path made/body; proxy_temp_path made/proxy; fastcgi_temp_path made/fastcgi;
			uwsgi_temp_path made/uwsgi; scgi_temp_path made/scgi; server { listen 127.0.0.1:$port; root .; } }
	END
	requests() {
		local i
		eventually curl -s -o first "http://127.0.0.1:$port/none" || return
		for i in $(seq 50); do
			curl -s -Z --parallel-immediate --parallel-max 4 "http://127.0.0.1:$port/page?[1-16]" | tail -n 1 | grep -qx 1000 || return
		done
	}
	serving requests nginx -e made/error.log -p "$PWD" -c nginx.conf
	compare --of nginx --race --expect 800 'recvfrom\(FD, "GET /page' --expect 800 'writev\(FD, .*HTTP/1.1 200'
}
