#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The picture is one file: nothing in it is fetched from anywhere.
# bats file_tags=user-space
load ../lib.bash

# loads FILE: what a browser would fetch. data: and #fragments stay in the file; a namespace is a name.
loads() {
	grep -oiE '<(script|img|iframe|object|embed|source|use|image)[^>]* (src|data|href|xlink:href) *= *["'"'"']?[^"'"'"'#d>][^"'"'"'>]*|<link[^>]*href[^>]*|@import[^;]*|[^a-z]url\( *["'"'"']?[^"'"'"'#d)][^)]*|(fetch|importScripts|XMLHttpRequest|WebSocket|EventSource) *\(' "$1" ||
		true
	grep -oE 'https?://[^"'"'"' <>)]*' "$1" | grep -vxE 'http://www\.w3\.org/(2000/svg|1999/xlink|1999/xhtml)' || true
}

@test "html and svg load nothing" {
	"$SKEP" record -F 4999 -o a.data -- "$WORK/shares_cxx" 0.3
	for f in html svg; do
		"$SKEP" flame -i a.data -o a.$f
		loads a.$f >loaded
		cat loaded
		[ ! -s loaded ]
	done
	# the check can fail
	for bad in '<script src="x.js">' '<link rel="stylesheet" href="x.css">' '@import "x.css";' 'background: url(x.png)' \
		'fetch("x")' '<a href="https://example.com/">'; do
		echo "$bad" >bad
		[ -n "$(loads bad)" ]
	done
}
