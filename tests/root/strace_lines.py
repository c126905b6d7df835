#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# strace_lines.py [OPTION...] STRACE SKEP: how many lines of `strace -f -o` are also skep trace's, after what two runs cannot have in common
# is taken out and the halves of calls are joined. Prints "SAME of ALL", then each line that only one of them has, with the reason from
# DEVIATIONS. Exit 1 below 99 in a hundred, if there is 1 in a hundred more or less of lines, or if a line has no reason there.
# --of: the program, whose DEVIATIONS count. --pipes: what is read at a time from pipes and sockets differs. --race: of lines whose number depends on which thread, or which program,
# runs first, each form counts once. --expect N REGEX: both must have N of these lines.
import argparse
import collections
import re
import sys

# What differs between two runs of one program, with the reason.
DIFFERENT = [
    (r"0x[0-9a-f]{6,}", "ADDR"),  # addresses are random
    (r"(si_pid|pid)=\d+", r"\1=PID"),  # other processes
    (r"((?:get[pt]p?id|set_tid_address|v?fork|clone3?|wait4)\(.*\)) = \d+", r"\1 = PID"),
    (r"(wait4|kill|tgkill|prlimit64|sched_getaffinity)\(([1-9]\d*, )+", r"\1(PID, "),
    (r"(parent_tid)=\[\d+\]", r"\1=[PID]"),
    (r"(\"/proc/)\d+", r"\1PID"),
    (r"(FUTEX_WAIT_BITSET\|FUTEX_CLOCK_REALTIME), \d{3,}, NULL", r"\1, PID, NULL"),  # pthread_join: the futex is the thread's number
    (r"rt_sigreturn\((.*)\) = \d+", r"rt_sigreturn(\1) = REGISTER"),  # what was in the register: often a PID
    (r"si_utime=\d+( /\*.*?\*/)?, si_stime=\d+( /\*.*?\*/)?", "TIMES"),  # how much was used of the CPU
    (r"tv_sec=\d+, tv_[nu]sec=\d+", "TIME"),
    (r"(\btime\(.*\)) = \d+", r"\1 = TIME"),
    (r"getrandom\(.*?, (\d+)", r"getrandom(BYTES, \1"),  # random bytes
    (r"(htons)\((?:3[2-9]|[456]\d)\d{3}\)", r"\1(PORT)"),  # the kernel's choice
    (r"(/cc|/\.git/t|tmp_obj_|tmp_pack_|tmp_idx_|/info/refs_|/info/packs_|/sed)\w{6}\b", r"\1NAME"),  # names of temporary files are random
    (r"\.tmp-\d+-pack?\"(\.\.\.)?", '.tmp-PID-pack"'),  # 32 bytes with a PID of four digits, one more is cut
    (r"\.tmp-\d+-", ".tmp-PID-"),
    (r"\"[0-9a-f]{8,}-[0-9a-f]{8,} .*\"\.\.\.", "MAPS"),  # from /proc/self/maps, which has addresses
    (r"(pwrite64\(\d+), \".*\"(\.\.\.)?, (4|512),", r"\1, BYTES, \3,"),  # sqlite's journal: sums that begin with a random number
    (r"write\(\d+, \"DIRC.*", "INDEX"),  # git's index has the times of files
    (r"\d\d [A-Z][a-z][a-z] \d{4} \d\d:[0-9:.]*|\[\d+/[A-Z][a-z][a-z]/\d{4}:[0-9:]*|\d{4}/\d\d/\d\d \d\d:[0-9:]*", "DATE"),
    (r"\"\d+(:[CM] DATE| \(\S+\) R )", r'"PID\1'),  # redis: its log, and what it reads of /proc/self/stat
]
# The state of the machine, which each of both changes: how much memory and how many processes there are, how full the disk is.
STATE = re.compile(r"(sysinfo|f?statfs|times|getrusage)\(")
# Reading from a pipe or a socket returns what is there already.
PIPES = [(r"((?:read|recvfrom|recvmsg)\(\d+, )\".*\"(?:\.\.\.)?, (\d+)(.*\)) = \d+", r"\1BYTES, \2\3 = N")]
# With --race: which connection or file gets which descriptor depends on who is first.
RACING = [
    (r"\b(read|readv|pread64|write|writev|close|recvfrom|recvmsg|sendto|sendmsg|sendfile|newfstatat|fstat|lseek|getsockname|shutdown|setsockopt|ioctl|fcntl)\(\d+", r"\1(FD"),
    (r"(sendfile\(FD), \d+", r"\1, FD"),
    (r"((?:accept4?|openat|socket)\(.*) = \d+", r"\1 = FD"),
    (r"(epoll_ctl)\(\d+, (EPOLL_CTL_\w+), \d+, \{events=(.*), data=.*\}", r"\1(FD, \2, FD, {events=\3, data=DATA}"),
    (r"epoll_ctl\(\d+, EPOLL_CTL_DEL, \d+", "epoll_ctl(FD, EPOLL_CTL_DEL, FD"),
]
# And how often these are made. Each form counts once; its numbers, which are times, descriptors, sizes and results, are left out.
RACE = [
    (r"futex|sched_yield", "who has to wait for a lock, and who wakes whom"),
    (r"epoll_wait|epoll_pwait|poll|ppoll|select|pselect6|gettimeofday|clock_gettime", "how much has arrived when the program looks"),
    (r"accept4?\(.* = -1 EAGAIN|(read|recvfrom)\(.* = -1 EAGAIN|restart_syscall", "a look too early"),
    (r"rt_sigaction\(SIGPIPE", "curl ignores it for the time of each look"),
    (r"mmap|munmap|mprotect|madvise|brk", "how many threads need memory at the same time: each gets an arena"),
    (r"(openat|read)\(.*(/proc/(self|PID)/stat\"|\"PID \()", "redis looks at itself 10 times a second"),
]
# Lines that only one of both has, of which program ("" for all), with the reason: none of them is how a call is written, but "?" below.
DEVIATIONS = [
    ("", r".* = \?( ERESTART\w+ \(.*\))?$", "a thread that ends in a call: strace has no result of it, skep the kernel's own"),
    ("", r"read\((\d+|FD), MAPS", "how many threads have begun, and have mappings, when it reads /proc/self/maps"),
    ("", r"(read|recvfrom|recvmsg)\((\d+|FD), BYTES", "a pipe or a socket has more or less in it"),
    ("", r"(read)\((\d+|FD), \".*\"(\.\.\.)?, \d+\) = (4|16|44|4096)$", "random bytes of /dev/urandom"),
    ("", r"write\((\d+|FD), \"\d+(\\n)?\", \d+\) = \d+$", "a PID, or the time"),
    ("", r"wait4\(-1, .*, (WNOHANG|0), NULL\)", "whether a child has ended already when a shell looks"),
    ("", r"getrandom\(BYTES, 8, GRND_NONBLOCK", "mkstemp() of the C library tries again when the number would make some names likelier"),
    ("dd", r"write\(2, \"\d+ bytes", "the time that it took"),
    ("sh", r"poll\(.*\[\{fd", "xargs' child: which file descriptors are open"),
    ("git", r"(write|pread64)\(\d+, \".*\", 20(, \d+)?\) = 20$", "the sum of an index, which has times in it"),
    ("git", r"openat\(.*O_RDONLY|newfstatat\(AT_FDCWD|close\(", "it reads a file again that is as young as its index"),
    ("node", r"write\(FD, .*, 16\) = 16$", "an address in a message to a thread"),
    ("node", r"epoll_ctl\(FD, EPOLL_CTL_DEL", "whether its child or its pipe has ended first"),
    ("redis-server", r"close\(FD\)", "it looks at /proc/self/stat 10 times a second"),
    ("nginx", r"pwrite64\(8, \"\d+\\n|fcntl\(FD, F_SETOWN|write\(FD, \"DATE", "a PID"),
    ("nginx", r"(send|recv)msg\(FD, .*iov_len=32", "messages to the workers, with their PIDs: to those that have not ended"),
    ("nginx", r"epoll_ctl\(|accept4\(", "which worker has how many connections"),
    ("nginx", r"--- SIG(IO|ALRM) |setitimer\(|rt_sigsuspend\(|wait4\(|close\(FD\)", "how long the master waits for its workers"),
]
# Lines that are of neither, with the reason.
LEFT_OUT = (
    "strace: Process ",  # strace says to whom it attaches
    "+++ superseded",  # a thread that an exec ends: skep's man page has it
    "--- SIGCHLD",  # children that end together make one of it, or two
    "rt_sigreturn",  # as many as there are SIGCHLD
)


def normal(text, different):
    text = re.sub(r"\) += ", ") = ", text)
    for pattern, instead in different:
        text = re.sub(pattern, instead, text)
    if STATE.match(text):
        text = re.sub(r"\b\d+\b", "N", text)
    return text


def joined(path, pid_of, different):
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
            # skep begins a line with the thread's number as soon as there are two of them
            text = (begun.pop(pid, "") or begun.pop("", "")) + m.group(1)
        if not text.startswith(LEFT_OUT):
            yield normal(text, different)


def once(lines):
    """Lines of RACE once for each form."""
    race = re.compile("|".join(f"(?:{calls})" for calls, _ in RACE))
    forms = collections.Counter()
    for line, n in lines.items():
        if race.match(line):
            # of an array of events one
            forms[re.sub(r"(\{[^{}]*\})(?:, \1)+", r"\1", re.sub(r"\bADDR\b|\b\d+\b", "N", line))] = 1
        else:
            forms[line] += n
    return forms


args = argparse.ArgumentParser()
args.add_argument("--of", default="", metavar="PROGRAM")
args.add_argument("--pipes", action="store_true")
args.add_argument("--race", action="store_true")
args.add_argument("--expect", nargs=2, action="append", default=[])
args.add_argument("strace")
args.add_argument("skep")
args = args.parse_args()
different = DIFFERENT + (PIPES if args.pipes else []) + (RACING if args.race else [])
want = collections.Counter(joined(args.strace, r"(\d+) +(.*)", different))
have = collections.Counter(joined(args.skep, r"\[pid +(\d+)\] (.*)", different))
bad = False
for n, pattern in args.expect:
    for sign, lines in (("strace", want), ("skep", have)):
        found = sum(count for line, count in lines.items() if re.match(pattern, line))
        print(f"  {sign}: {found} of {pattern}, {n} expected")
        bad |= found != int(n)
if args.race:
    want, have = once(want), once(have)
same, total = sum((want & have).values()), sum(want.values())
print(f"{100 * same / total:.2f}%: {same} of {total}, skep has {sum(have.values())}")
bad |= same * 100 < total * 99 or abs(sum(have.values()) - total) * 100 > total
known = [(pattern, why) for of, pattern, why in DEVIATIONS if of in ("", args.of)] + (RACE if args.race else [])
for sign, lines in (("strace", want - have), ("skep", have - want)):
    for line, n in lines.most_common():
        why = next((reason for pattern, reason in known if re.match(pattern, line)), None)
        print(f"  only {sign}, {n}: {line[:200]}  ({why or 'NO REASON KNOWN'})")
        bad |= not why
sys.exit(bad)
