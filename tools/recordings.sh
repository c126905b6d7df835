#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Recordings of others beside perf: the same events, samples, weights and heaviest ten of comm,dso? The same text of every sample?
# usage: tools/recordings.sh DIR...     every perf.data below DIR, also those that a pipe was written to, or packed with gzip, zlib or zstd
# A line for each file: "same", or what differs, as perf has it and as skep has it. Exit 1 with any difference, 2 when nothing was found.
# SKEP and PERF name other programs than build/skep and perf. Files are read here, never copied into the tree.
set -u
skep=${SKEP:-$(dirname "$0")/../build/skep}
perf=${PERF:-perf}
[ $# -gt 0 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
for tool in "$skep" "$perf" gzip zstd; do
	command -v "$tool" >/dev/null || { echo "recordings.sh: no $tool here" >&2; exit 2; }
done
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C HOME=$tmp # no ~/.debug of ours: names by what the files say

is_recording() {
	case $(head -c 8 "$1" | tr -d '\0') in PERFILE2 | PERFFILE | 2ELIFREP) return 0 ;; esac
	return 1
}

# gunzip_zlib FILE SKIP: a zlib stream after SKIP bytes, by gzip, which does not get to see a checksum
gunzip_zlib() {
	{
		printf '\037\213\010\0\0\0\0\0\0\377'
		tail -c +$(($2 + 3)) "$1"
	} | gzip -dc 2>/dev/null
}

# unpacked FILE: the recording's bytes in $tmp/data. False: it is none.
unpacked() {
	is_recording "$1" && { cp "$1" "$tmp/data"; return; }
	case $(head -c 4 "$1" | od -An -tx1 | tr -d ' \n') in
	1f8b*) gzip -dc "$1" >"$tmp/data" 2>/dev/null ;;
	28b52ffd) zstd -qdc "$1" >"$tmp/data" ;;
	7801* | 785e* | 789c* | 78da*) gunzip_zlib "$1" 0 >"$tmp/data" ;;
	*) # Qt's qCompress(): the length, then the stream
		case $(head -c 6 "$1" | tail -c 2 | od -An -tx1 | tr -d ' \n') in
		7801 | 785e | 789c | 78da) gunzip_zlib "$1" 4 >"$tmp/data" ;;
		*) return 1 ;;
		esac
		;;
	esac
	is_recording "$tmp/data"
}

# Rows "EVENT <tab> PERIOD <tab> SAMPLES <tab> COMM <tab> DSO", with what a program prints of an event
rows_perf() {
	"$perf" report -f -i "$tmp/data" --stdio --no-children --no-group --no-branch-stack -F overhead,sample,period,comm,dso -w 0,0,0,99,999 -t '|' \
		-g none --percent-limit 0 2>"$tmp/err" |
		awk -F'|' -v OFS='\t' '
			function bare(s) { gsub(/^ +| +$/, "", s); return s }
			/^# Samples: / { event = $0; sub(/^[^\047]*\047/, "", event); sub(/\047[^\047]*$/, "", event); next }
			/^#/ || NF < 5 { next }
			# skep has one name for the kernel, and one for all BPF programs
			{ dso = bare($5); sub(/^\[kernel\.vmlinux\]$/, "[kernel.kallsyms]", dso); sub(/^bpf_prog_.*/, "[bpf]", dso) }
			{ print event, bare($3), bare($2), bare($4), dso }'
}

rows_skep() {
	"$skep" -q report -i "$tmp/data" --no-children --format csv -s event,comm,dso 2>"$tmp/err" |
		awk -F, -v OFS='\t' 'NR > 1 {
			rest = $0; sub(/^[^"]*"/, "", rest); sub(/"$/, "", rest)
			split(rest, key, /","/)
			print key[1], $3, $5, key[2], key[3]
		}'
}

# What differs between $tmp/perf and $tmp/skep: lines "WHAT <tab> PERF <tab> SKEP", with the first line "EVENTS SAMPLES" of perf
compare() {
	sort -t "$(printf '\t')" -k1,1 -k2,2nr "$tmp/perf" | awk -F'\t' -v OFS='\t' -v CONVFMT=%.0f -v OFMT=%.0f '
		FILENAME == "-" {
			if (!($1 in theirs)) { names[++nr] = $1; rank = 0 }
			theirs[$1] += $2; their_samples[$1] += $3; all += $3
			if (rank++ < 10) { key = $1 SUBSEP $4 SUBSEP $5; top[++nr_top] = key; weight[key] = $2; samples[key] = $3 }
			next
		}
		{
			ours[$1] += $2; our_samples[$1] += $3
			key = $1 SUBSEP $4 SUBSEP $5; our_weight[key] += $2; our_count[key] += $3
		}
		function differ(what, a, b) { if (a != b) print what, a, b }
		END {
			print nr + 0, all + 0
			for (i = 1; i <= nr; i++) {
				e = names[i]
				if (!(e in ours)) { print "event", e, "-"; continue }
				differ("samples of " e, their_samples[e], our_samples[e])
				differ("weight of " e, theirs[e], ours[e])
			}
			for (e in ours) if (!(e in theirs)) print "event", "-", e
			for (i = 1; i <= nr_top; i++) {
				split(top[i], k, SUBSEP)
				if (!(k[1] in ours)) continue
				if (!(top[i] in our_weight)) print "row of " k[1], k[2] "," k[3] " " weight[top[i]], "-"
				else differ("row of " k[1], k[2] "," k[3] " " weight[top[i]], k[2] "," k[3] " " our_weight[top[i]])
			}
		}' - "$tmp/skep"
}

# Samples as text without names of functions: perf takes those of this machine for other kernels, too. 127 frames are all that perf shows.
text_of() {
	"$@" 2>/dev/null | sed -E 's/^(.*[0-9a-f]{3,16}) .* \((\[?[^ ]*)\)$/\1 (\2)/'
}

# How many lines of the text differ, of how many; nothing where perf prints none
differing_lines() {
	text_of "$perf" script -f -i "$tmp/data" >"$tmp/perf.txt"
	[ -s "$tmp/perf.txt" ] || return 0
	text_of "$skep" -q script --max-stack 127 -i "$tmp/data" >"$tmp/skep.txt"
	diff "$tmp/perf.txt" "$tmp/skep.txt" >"$tmp/text.differ" && return 0
	printf '%d of %d lines of script differ:\n' "$(grep -c '^<' "$tmp/text.differ")" "$(wc -l <"$tmp/perf.txt")"
	grep -m 2 '^[<>]' "$tmp/text.differ" | sed 's/^/\t/'
}

n=0 bad=0 bad_text=0
while IFS= read -r -d '' file; do
	unpacked "$file" 2>/dev/null || continue
	n=$((n + 1))
	rows_perf >"$tmp/perf"
	their_err=$(tail -n 1 "$tmp/err")
	rows_skep >"$tmp/skep"
	our_err=$(head -n 1 "$tmp/err")
	compare >"$tmp/differ"
	text=$(differing_lines)
	if [ -n "$text" ]; then
		bad_text=$((bad_text + 1))
		echo "$file: $text"
	fi
	read -r events samples <<<"$(head -n 1 "$tmp/differ")"
	if [ ! -s "$tmp/perf" ] && [ ! -s "$tmp/skep" ]; then
		printf '%s: neither reads it\n\tperf: %s\n\tskep: %s\n' "$file" "$their_err" "$our_err"
	elif [ ! -s "$tmp/perf" ]; then
		printf '%s: perf does not read it, skep finds %s samples\n\tperf: %s\n' "$file" "$(awk -F'\t' '{ n += $3 } END { print n }' "$tmp/skep")" "$their_err"
	elif [ "$(wc -l <"$tmp/differ")" = 1 ]; then
		echo "$file: same, $events events, $samples samples"
	else
		bad=$((bad + 1))
		printf '%s: differs, %s events, %s samples%s\n' "$file" "$events" "$samples" "${our_err:+ ($our_err)}"
		tail -n +2 "$tmp/differ" | awk -F'\t' '{ printf "\t%s: perf %s, skep %s\n", $1, $2, $3 }'
	fi
done < <(find "$@" -type f -print0 | sort -z)
echo "$n recordings, $bad tables differ, $bad_text texts"
[ "$n" -gt 0 ] || exit 2
[ "$bad" = 0 ] && [ "$bad_text" = 0 ]
