# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A terminal for the tests of screens: tmux, of which each test has its own.

setup() {
	need_root
	need tmux
	cd "$BATS_TEST_TMPDIR"
	BACKGROUND=()
	export LC_ALL=C.UTF-8
	SCREEN_TERM=screen-256color
}

cleanup() {
	in_tmux kill-server 2>/dev/null || true
}

in_tmux() {
	tmux -f /dev/null -S "$BATS_TEST_TMPDIR/tmux" "$@" 3>&-
}

# terminal COLUMNS ROWS: a shell on one
terminal() {
	in_tmux new-session -d -x "$1" -y "$2" "env TERM=$SCREEN_TERM PS1='@ ' bash --norc --noprofile"
	in_tmux set-option -g status off
	shows '^@'
}

type_line() {
	in_tmux send-keys -l "$*"
	in_tmux send-keys Enter
}

keys() {
	in_tmux send-keys "$@"
}

# on_screen PATTERN...: each is there; what was there is in ./now
on_screen() {
	local pattern
	in_tmux capture-pane -p >now
	for pattern; do
		grep -qE -- "$pattern" now || return 1
	done
}

shows() {
	eventually on_screen "$@" || { cat now; return 1; }
}

gone() { # gone PATTERN
	! on_screen "$1"
}

# share FUNCTION COLUMN: a percentage of its row, in ./now
share() {
	awk -v f="$1" -v c="$2" '$NF == f { for (i = 1; i <= NF; i++) if ($i ~ /%$/ && ++k == c) { print $i + 0; exit } }' now
}

# left: q was typed, and all is as before: the shell's screen, the terminal's modes, no program of skep's
left() {
	shows '^status 0$'
	rm -f modes
	type_line 'stty -a | grep -oE " -?(icanon|echo|icrnl)( |$)" | xargs >modes'
	eventually test -s modes
	[ "$(cat modes)" = "icrnl icanon echo" ]
	gone 'skep top '
}
