#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# strace_lines.py STRACE SKEP: how many lines of `strace -f -o` are also skep trace's, after what two runs cannot have in common is taken out
# and the halves of calls are joined. Prints "SAME of ALL", then each kind of line that only one of them has. Exit 1 below 99 in a hundred.
import collections
import re
import sys

# What differs between two runs of one program, with the reason.
DIFFERENT = [
    (r"0x[0-9a-f]{6,}", "ADDR"),  # addresses are random
    (r"(si_pid|pid)=\d+", r"\1=PID"),  # other processes
    (r"((?:get[pt]p?id|set_tid_address|v?fork|clone3?|wait4)\(.*\)) = \d+", r"\1 = PID"),
    (r"(wait4|kill|tgkill)\((\d+, )+", r"\1(PID, "),
    (r"parent_tid=\[\d+\]", "parent_tid=[PID]"),
    (r"rt_sigreturn\((.*)\) = \d+", r"rt_sigreturn(\1) = REGISTER"),  # what was in the register: often a PID
    (r"si_utime=\d+( /\*.*?\*/)?, si_stime=\d+( /\*.*?\*/)?", "TIMES"),  # how much was used of the CPU
    (r"tv_sec=\d+, tv_[nu]sec=\d+", "TIME"),
    (r"getrandom\(.*?, (\d+)", r"getrandom(BYTES, \1"),  # random bytes
    (r"(sysinfo|statfs|fstatfs|times|getrusage)\(.*", r"\1"),  # the state of the machine
    (r"(read\(\d+), \".*\"(\.\.\.)?, (\d+)\) = \d+", r"\1, BYTES, \3)"),  # pipes give more or less at a time
]


def joined(path, pid_of):
    """Lines with the two halves of a call put together again."""
    begun = {}
    for line in open(path, errors="replace"):
        m = re.match(pid_of, line)
        pid, text = (m.group(1), m.group(2)) if m else ("", line.rstrip("\n"))
        if text.endswith("<unfinished ...>"):
            begun[pid] = text[: -len("<unfinished ...>")].removesuffix(" ")
            continue
        m = re.match(r"<\.\.\. \w+ resumed>(.*)", text)
        if m:
            text = begun.pop(pid, "") + m.group(1)
        text = re.sub(r"\) += ", ") = ", text)
        for pattern, instead in DIFFERENT:
            text = re.sub(pattern, instead, text)
        # strace says when it attaches and of threads that an exec ends; children that end together make one SIGCHLD, or two.
        if not text.startswith(("strace: Process ", "+++ superseded", "--- SIGCHLD", "rt_sigreturn")):
            yield text


want = collections.Counter(joined(sys.argv[1], r"(\d+) +(.*)"))
have = collections.Counter(joined(sys.argv[2], r"\[pid +(\d+)\] (.*)"))
same, total = sum((want & have).values()), sum(want.values())
print(f"{same} of {total}, skep has {sum(have.values())}")
for sign, lines in (("strace", want - have), ("skep", have - want)):
    for line, n in lines.most_common(20):
        print(f"  only {sign}, {n}: {line[:200]}")
sys.exit(same * 100 < total * 99 or abs(sum(have.values()) - total) * 100 > total)
