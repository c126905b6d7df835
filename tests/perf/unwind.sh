#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claims: stacks of programs that keep no frame pointers reach their roots, where perf's copies of 8 and 16 KB are cut or perf's frame
# pointers lead nowhere; in a fortieth of the bytes (both compressed: a third to a two hundredth), and a third of the CPU time to record
# and read them; and what a frame costs.
. "$(dirname "$0")/lib.sh"
RUNS=${UNWIND_RUNS:-3}

# Names that stacks begin with, and what stands for them in a file without symbols.
ROOTS='^(_start|_start_user|_dl_start.*|clone|clone3|__clone3?|start_thread|thread_start|__libc_start_main.*|__libc_start_call_main)$'

# rooted SCRIPT: per cent of the stacks of perf script whose outermost frame but one, at least, is a root
rooted() {
	awk -v roots="$ROOTS" '
		/^\t/ { name = $2; sub(/\+0x[0-9a-f]+$/, "", name); before = last; last = name; if ($NF !~ /kernel|^\[/) user = 1; next }
		/^$/ { if (user) { all++; ok += last ~ roots || before ~ roots } last = before = ""; user = 0 }
		END { printf "%.2f", all ? 100 * ok / all : 0 }' "$1"
}

# whole FOLDED: the same of skep, which marks what is cut
whole() {
	awk '{ all += $NF } /;\[truncated: / { cut += $NF } END { printf "%.2f", all ? 100 * (all - cut) / all : 0 }' "$1"
}

cpu() { # cpu FILE COMMAND...: adds user+sys of all of it
	local file=$1
	shift
	timed "$TMP/one" "$@" || exit 1
	awk 'END { print $2 }' "$TMP/one" >>"$file"
}

how() { # how NAME COMMAND...: a program, every way in turn
	local name=$1 mode ours theirs
	shift
	command -v "$1" >/dev/null || { echo "  $name: not here"; return; }
	rm -f "$TMP"/{bare,skep,one,p.}*
	for ((i = 0; i < RUNS; i++)); do
		cpu "$TMP/bare" "$@"
		cpu "$TMP/skep" "$SKEP" -q record --call-graph eh -F 999 -o "$TMP/s.data" -- "$@"
		cpu "$TMP/skepread" "$SKEP" -q flame -i "$TMP/s.data" -o "$TMP/s.folded"
		for mode in fp dwarf,8192 dwarf,16384; do
			cpu "$TMP/p.$mode" perf record -q --call-graph $mode -F 999 -e cpu-clock -o "$TMP/p.data.$mode" -- "$@"
			# Without inlined functions: with them, as it does by itself, it takes 25 s for clang's
			cpu "$TMP/p.read.$mode" sh -c "perf report --stdio --no-inline -i $TMP/p.data.$mode >/dev/null 2>&1"
			perf script --no-inline -F comm,ip,sym,dso -i "$TMP/p.data.$mode" 2>/dev/null >"$TMP/p.script.$mode"
		done
	done
	must "$SKEP" -q record -z --call-graph eh -F 999 -o "$TMP/z.data" -- "$@"
	must perf record -q -z --call-graph dwarf,8192 -F 999 -e cpu-clock -o "$TMP/pz.data" -- "$@"
	printf '  %-8s rooted: skep %s %%, perf -g %s %%, dwarf 8K %s %%, 16K %s %%\n' "$name" "$(whole "$TMP/s.folded")" \
		"$(rooted "$TMP/p.script.fp")" "$(rooted "$TMP/p.script.dwarf,8192")" "$(rooted "$TMP/p.script.dwarf,16384")"
	words "stacks that reach the root: $name, 999 Hz" "\`record\` $(whole "$TMP/s.folded") %" \
		"\`perf record --call-graph dwarf\` $(rooted "$TMP/p.script.dwarf,8192") %, \`-g\` $(rooted "$TMP/p.script.fp") %"
	added() { awk -v b="$(median "$TMP/bare")" -v r="$(median "$TMP/$1")" -v s="$(median "$TMP/$2")" 'BEGIN { t = r - b + s; print (t > 0.001 ? t : 0.001) }'; }
	ours=$(added skep skepread) theirs=$(added p.dwarf,8192 p.read.dwarf,8192)
	compare CPU s "record and flame" "$ours" "perf dwarf 8K, report" "$theirs"
	if awk -v s="$ours" 'BEGIN { exit s < 0.01 }'; then # less is no figure
		row "CPU time of recording and reading those" s '`record`, `flame -i`' "$ours" \
			'`perf record --call-graph dwarf`, `perf report --no-inline`' "$theirs"
	fi
	compare bytes B record "$(stat -c %s "$TMP/s.data")" "perf dwarf 8K" "$(stat -c %s "$TMP/p.data.dwarf,8192")"
	compare bytes B "record -z" "$(stat -c %s "$TMP/z.data")" "perf dwarf 8K" "$(stat -c %s "$TMP/p.data.dwarf,8192")"
	compare bytes B "record -z" "$(stat -c %s "$TMP/z.data")" "perf dwarf 8K -z" "$(stat -c %s "$TMP/pz.data")"
}

echo "programs of this system at 999 Hz"
how clang clang -O2 -w -I. -Iuser -Ibuild -D_GNU_SOURCE -c user/cmd/measure.c -o "$TMP/x.o"
how python3 /usr/bin/python3 -c 'import json, re
for i in range(60000): re.sub("[0-9]+", "n", json.dumps({"a": [i, i + 1, {"b": str(i)}]}))'
how sqlite3 sqlite3 :memory: 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x < 1500000) SELECT count(*), sum(length(x || x)) FROM c;'
how git git log -p --stat
how openssl openssl speed -seconds 1 rsa2048
how node node -e 'let o = {}; for (let i = 0; i < 6e5; i++) o["k" + i] = JSON.stringify({ i });'
# nginx answers 20,000 requests of ab, then ends
if command -v nginx >/dev/null && command -v ab >/dev/null; then
	mkdir "$TMP/www"
	head -c 20000 /dev/urandom >"$TMP/www/index.html"
	chmod -R a+rX "$TMP"
	cat >"$TMP/nginx.conf" <<-END
		daemon off; worker_processes 1; pid $TMP/nginx.pid; error_log stderr crit;
		events { }
		http { access_log off; client_body_temp_path $TMP/b; proxy_temp_path $TMP/p; fastcgi_temp_path $TMP/f; uwsgi_temp_path $TMP/u;
			scgi_temp_path $TMP/s; gzip on; gzip_types *; server { listen 127.0.0.1:18080; root $TMP/www; } }
	END
	cat >"$TMP/serve" <<-END
		nginx -c "$TMP/nginx.conf" -p "$TMP" & server=\$!
		for i in \$(seq 50); do [ -s "$TMP/nginx.pid" ] && break; sleep 0.02; done
		ab -q -n 20000 -c 8 -H 'Accept-Encoding: gzip' http://127.0.0.1:18080/index.html >/dev/null
		kill -QUIT \$server; wait \$server
	END
	how nginx sh "$TMP/serve"
else
	echo "  nginx: not here (nginx-light, apache2-utils)"
fi
echo "tables of a whole system: see ehframe"
echo "in the kernel"
build/work/unwind time | sed 's/^/  /'
