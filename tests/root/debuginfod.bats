#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Debug files from the servers of DEBUGINFOD_URLS: elfutils's own server, and ones that are of no use.
# bats file_tags=user-space
load ../lib.bash

PORT=28742

# A stripped program ./bare whose debug file is below ./files, and no cache of anybody's
stripped() {
	need objcopy strip debuginfod curl python3 readelf strace pgrep
	mkdir -p files home
	export HOME=$PWD/home
	unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH XDG_CACHE_HOME
	objcopy --only-keep-debug "$WORK/${1:-shares}" files/bare.debug
	strip -o bare "$WORK/${1:-shares}"
}

knows() { # knows METRIC: the server has read the file
	curl -s "http://127.0.0.1:$PORT/metrics" | grep -qE '^found_(executable|debuginfo)_total.* [1-9]'
}

server() {
	background debuginfod -F -p $PORT -d "$PWD/db" -t 0 files >server.log 2>&1
	eventually knows
	URL=http://127.0.0.1:$PORT
}

# silent: a server that takes connections and never answers
silent() {
	background python3 -c '
import socket
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", '$((PORT + 1))'))
s.listen(50)
open("listens", "w")
kept = []
while True: kept.append(s.accept())'
	eventually test -e listens
	URL=http://127.0.0.1:$((PORT + 1))
}

# late: a server before that of server(), which answers after 0.7 s
late() {
	background python3 -c '
import http.server, time, urllib.request
class Late(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(0.7)
        with urllib.request.urlopen("http://127.0.0.1:'$PORT'" + self.path) as answer: body = answer.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", '$((PORT + 3))'), Late)
open("late", "w")
server.serve_forever()'
	eventually test -e late
	URL=http://127.0.0.1:$((PORT + 3))
}

# fetcher: the pid of this run's, which has the home of the test, while there is one
fetcher() {
	local pid
	for pid in $(pgrep -f '^skep-debuginfod'); do
		! tr '\0' '\n' <"/proc/$pid/environ" | grep -qxF "HOME=$HOME" || echo "$pid"
	done 2>/dev/null
}

nobody_fetches() {
	[ -z "$(fetcher)" ]
}

@test "names from a server: a live run, a recording, and the cache without a server" {
	stripped
	"$SKEP" record -F "$(hz 997)" -o a.data -- ./bare 0.5
	"$SKEP" flame -F "$(hz 997)" -o a.folded -- ./bare 0.5
	run ! grep -q ';hot ' a.folded
	server
	DEBUGINFOD_URLS=$URL "$SKEP" flame -F "$(hz 1999)" -o a.folded -- ./bare 1.2 >truth 2>said
	cat said
	SKEP_SAMPLES=500 shares_ok truth a.folded 4
	# But for a stack that went through the ring buffer before the file came
	grep -q 'went through the ring buffer' said || run ! grep -E 'DEBUGINFOD|bare\+0x' said a.folded
	run ! grep 'on the way' said
	rm -rf home/.cache
	DEBUGINFOD_URLS=$URL "$SKEP" report -i a.data -s sym --no-children --json | jq -e '[.rows[].sym] | (index("hot") and index("cold"))'
	eventually nobody_fetches
	stop "$BG"
	"$SKEP" report -i a.data -s sym --no-children --json | jq -e '[.rows[].sym] | (index("hot") and index("cold"))'
	rm -rf home/.cache
	"$SKEP" report -i a.data -s sym --no-children --json | jq -e '[.rows[].sym] | (index("hot") or index("cold")) | not'
}

@test "lines and inlined functions from a server" {
	stripped inlined
	server
	DEBUGINFOD_URLS=$URL "$SKEP" flame -F "$(hz 4999)" --inline -o a.folded -- ./bare
	DEBUGINFOD_URLS=$URL "$SKEP" flame -F "$(hz 4999)" --inline -o a.json -- ./bare
	grep -q ';outer;inner ' a.folded
	grep -q '"file": *"[^"]*inlined.c"' a.json
	rm -rf home/.cache
	"$SKEP" record -F "$(hz 4999)" -o a.data -- ./bare
	DEBUGINFOD_URLS=$URL "$SKEP" annotate -i a.data --stdio outer -l | grep -qE 'inlined.c:[0-9]+'
}

@test "skep top goes on without them, and has their names once they came" {
	stripped
	server
	DEBUGINFOD_URLS=$URL "$SKEP" top --stdio -n 6 -d 0.5 -F "$(hz 499)" -s sym -- ./bare 4 >seen
	tail -n 25 seen
	tac seen | awk '/Symbol/ { exit } { print }' | grep -q '\] hot'
}

@test "a server that hangs: the run ends, and says so" {
	stripped
	silent
	local start=$SECONDS
	DEBUGINFOD_URLS=$URL "$SKEP" flame -F "$(hz 499)" -o a.folded -- ./bare 0.5 2>said
	cat said
	[ $((SECONDS - start)) -le 16 ]
	grep -q 'waiting for debug files from the servers' said
	grep -q '1 debug file is still on the way from the servers of DEBUGINFOD_URLS' said
	grep -qE 'bare\+0x' a.folded
	eventually nobody_fetches
	[ "$(find home -name 'debuginfo*' -type f | wc -l)" = 0 ] # that nothing came is no answer to keep
	# Live views never wait
	start=$SECONDS
	DEBUGINFOD_URLS=$URL "$SKEP" top --stdio -n 2 -d 0.3 -F "$(hz 499)" -- ./bare 3 >said 2>&1
	[ $((SECONDS - start)) -le 5 ]
	cat said
	grep -q '1 debug file is still on the way' said
}

@test "a server that hangs: Ctrl-C goes on without it; the child has no capabilities" {
	stripped
	silent
	DEBUGINFOD_URLS=$URL background "$SKEP" flame -F "$(hz 499)" -o a.folded -- ./bare 0.3 2>said
	eventually grep -q waiting said
	grep -qE '^CapEff:\s*0+$' "/proc/$(fetcher)/status"
	grep -qE '^NoNewPrivs:\s*1$' "/proc/$(fetcher)/status"
	local start=$SECONDS
	kill -INT "$BG"
	wait "$BG"
	[ $((SECONDS - start)) -le 2 ]
	cat said
	grep -qE 'bare\+0x' a.folded
	grep -q '1 debug file is still on the way' said
	eventually nobody_fetches
}

@test "stacks that are named while the run goes on: the file is waited for at its end all the same" {
	stripped
	silent
	DEBUGINFOD_URLS=$URL "$SKEP" flame --max-stacks 16 -F "$(hz 1999)" -o a.folded -- ./bare 0.5 2>said
	cat said
	grep -q 'went through the ring buffer' said
	grep -q 'waiting for debug files from the servers' said
	grep -q '1 debug file is still on the way' said
	stop "$BG"
	server
	rm -rf home/.cache
	DEBUGINFOD_URLS=$URL "$SKEP" flame --max-stacks 16 -F "$(hz 1999)" -o a.folded -- ./bare 0.5 2>said
	cat said
	grep -q ';hot ' a.folded
	# What was named before it came is reported
	late
	rm -rf home/.cache
	DEBUGINFOD_URLS=$URL "$SKEP" flame --max-stacks 16 -F "$(hz 1999)" -o a.folded -- ./bare 1.2 2>said
	cat said
	grep -q ';hot ' a.folded
	grep -q 'bare+0x' a.folded
	grep -qE 'names are missing: [1-9][0-9]* addresses were looked up before the debug file of their object came' said
}

@test "no server, one that refuses, one that sends another file" {
	stripped
	# Nobody is asked, and nothing is started for it
	strace -f -qq -e trace=execve -o calls "$SKEP" record -F "$(hz 499)" -o a.data -- ./bare 0.3
	strace -f -qq -e trace=execve -o calls "$SKEP" report -i a.data
	run ! grep debuginfod calls
	DEBUGINFOD_URLS=http://127.0.0.1:$((PORT + 2)) "$SKEP" report -i a.data >said 2>&1
	grep -q '1 debug file is not available from the servers of DEBUGINFOD_URLS: Connection refused' said
	[ "$(find home -name debuginfo | wc -l)" = 0 ]
	local dir=www/buildid/$(readelf -n bare | awk '/Build ID:/ { print $3; exit }')
	mkdir -p "$dir"
	objcopy --only-keep-debug "$WORK/inlined" "$dir/debuginfo"
	background python3 -m http.server -b 127.0.0.1 -d www $((PORT + 3)) >server.log 2>&1
	eventually curl -s "http://127.0.0.1:$((PORT + 3))/" >server.root
	DEBUGINFOD_URLS=http://127.0.0.1:$((PORT + 3)) "$SKEP" report -i a.data -s sym --no-children --json >a.json
	[ "$(find home -name debuginfo | wc -l)" = 1 ] # it came
	jq -e '[.rows[].sym] | (index("hot") or index("outer")) | not' a.json
	jq -e 'any(.notes[]; test("is no debug file of that build id"))' a.json
}

@test "a cache by a relative path" {
	stripped
	server
	"$SKEP" record -F "$(hz 499)" -o a.data -- ./bare 0.3
	DEBUGINFOD_CACHE_PATH=here DEBUGINFOD_URLS=$URL "$SKEP" report -i a.data -s sym --no-children --json >a.json
	jq -e '[.rows[].sym] | index("hot")' a.json
	[ -e here ]
}
