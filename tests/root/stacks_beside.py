# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""stacks_beside.py PERF_SCRIPT FOLDED: does skep have each user stack that perf has, with the same names, and at least as many frames?

In: what perf script -F comm,ip,sym prints of a recording, and what skep flame --no-kernel makes of it. Prints how many stacks are the same, how many
skep walked further, and those that perf has otherwise, with their numbers. Exit 1: there are some of these."""
import collections
import re
import sys


def name(text):
    """Without what perf and skep say in different ways: versions, offsets, files of what has no name."""
    text = re.sub(r"@+[\w.]*$", "", re.sub(r"\+0x[0-9a-f]+$", "", text)).replace(";", ":")
    # perf 6.1 names a stub of the PLT by the symbol before it, or only "@plt"
    return "[unknown]" if not text or text.startswith("[") or text == "_init" else text


def perf_stacks(path):
    """Counter of tuples, leaf first."""
    stacks, frames = collections.Counter(), []
    for line in list(open(path, errors="replace")) + ["end\n"]:
        if line[0] in " \t" and re.match(r"\s+[0-9a-f]+( |$)", line):
            parts = line.split(None, 1)
            if int(parts[0], 16) >> 63:
                continue  # the kernel's
            frames.append(name(parts[1].strip() if len(parts) > 1 else "[unknown]"))
        elif line[0] not in " \t\n":
            if frames:
                stacks[tuple(frames)] += 1
            frames = []
    return stacks


def skep_stacks(path):
    stacks = collections.Counter()
    for line in open(path, errors="replace"):
        text, n = line.rstrip("\n").rsplit(" ", 1)
        frames = [f for f in text.split(";")[1:] if not f.startswith("[truncated")]
        stacks[tuple(name(f) for f in reversed(frames))] += int(n)
    return stacks


def goes_on(short, long):
    """Is long the same walk as short, and as far? An address that one of both cannot name is any."""
    while short and short[-1] == "[unknown]":
        short = short[:-1]
    return len(short) <= len(long) and all(a == b or "[unknown]" in (a, b) for a, b in zip(short, long))


def loses_signal(short, long):
    """In __restore_rt itself perf goes on with a caller of what the signal interrupted."""
    rest = short[1:]
    return short[0] == long[0] == "__restore_rt" and len(rest) < len(long) and long[-len(rest):] == rest


perf, skep = perf_stacks(sys.argv[1]), skep_stacks(sys.argv[2])
same = sum((perf & skep).values())
perf, skep = perf - skep, skep - perf
further = 0
for stack in list(perf):
    for other in list(skep):
        if perf[stack] and (goes_on(stack, other) or loses_signal(stack, other)):
            n = min(perf[stack], skep[other])
            perf[stack] -= n
            skep[other] -= n
            further += n
perf, skep = +perf, +skep
print(f"same {same} further {further} other {sum(perf.values())}")
for title, stacks in ("perf", perf), ("skep", skep):
    for stack, n in stacks.most_common(5):
        print(f"{title} {n}: " + ";".join(reversed(stack))[:600])
sys.exit(1 if perf or same + further == 0 else 0)
