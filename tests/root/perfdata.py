# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Writes recordings that this machine cannot make, as perf writes them to a pipe (perf.data-file-format.txt, uapi/linux/perf_event.h).
# usage: perfdata.py maps FILE MAPS FORKS: a process with so many mappings, and so many children of it
#        perfdata.py memory FILE plain|struct [noaddr]: samples with weights, sources and addresses of data, transactions, sizes of pages
#        perfdata.py branches FILE ELF ADDRESS...: branch stacks between functions of a program
#        perfdata.py cgroups FILE: samples of control groups
#        perfdata.py switches FILE thread|cpu|lost: four samples of one, two and three threads that run, of a machine with three CPUs
import platform
import random
import struct
import sys


class Recording:
    def __init__(self, path):
        self.out = open(path, "wb")
        self.out.write(b"PERFILE2" + struct.pack("<Q", 16))

    def record(self, kind, misc, body):
        self.out.write(struct.pack("<IHH", kind, misc, 8 + len(body)) + body)

    # one hardware event, cycles
    def attr(self, sample_type, branch_type=0, flags=0):
        attr = bytearray(128)
        struct.pack_into("<IIQQQ", attr, 0, 0, 128, 0, 1000, sample_type)
        struct.pack_into("<Q", attr, 40, flags)
        struct.pack_into("<Q", attr, 72, branch_type)
        self.record(64, 0, bytes(attr) + struct.pack("<Q", 1))

    # HOSTNAME, OSRELEASE and ARCH: files are those of this machine
    def this_machine(self):
        for feature, text in [(3, platform.node()), (4, platform.release()), (6, platform.machine())]:
            name = text.encode() + b"\0"
            name += b"\0" * (-(len(name) + 4) % 8)
            self.record(80, 0, struct.pack("<QI", feature, len(name)) + name)

    def comm(self, pid, name):
        self.record(3, 0, struct.pack("<II", pid, pid) + name + b"\0" * (8 - len(name) % 8))

    def mmap(self, pid, addr, length, path):
        name = path.encode() + b"\0"
        self.record(1, 2, struct.pack("<IIQQQ", pid, pid, addr, length, 0) + name + b"\0" * (-len(name) % 8))

    def fork(self, pid, parent):
        self.record(7, 0, struct.pack("<IIIIQ", pid, parent, pid, parent, 0))


def maps(path, nr_maps, nr_forks):
    r = Recording(path)
    r.attr(1 | 2 | 4)  # IP TID TIME
    for i in range(int(nr_maps)):
        r.mmap(1, (int(nr_maps) - i) * 4096, 4096, "/a")
    for i in range(int(nr_forks)):
        r.fork(2 + i, 1)


IP, TID, TIME, ADDR, PERIOD = 1, 2, 4, 8, 1 << 8
BRANCH_STACK = 1 << 11
WEIGHT, DATA_SRC, TRANSACTION, PHYS_ADDR, CGROUP = 1 << 14, 1 << 15, 1 << 17, 1 << 19, 1 << 21
DATA_PAGE_SIZE, CODE_PAGE_SIZE, WEIGHT_STRUCT = 1 << 22, 1 << 23, 1 << 24


# union perf_mem_data_src; levels, snoops and translations of one kind each: perf 6.1 overruns its buffer where all bits are set
def data_source():
    choose = random.choice
    level = choose([1, 0, 0, 2, 4]) | 1 << random.randrange(3, 14) if random.randrange(4) else choose([0, 1, 4])
    tlb = choose([0, 2, 4, 6]) | choose([0, 1, 8, 16, 32, 64])
    of_level = random.Random(level).choice  # perf 6.1 sums by the level alone
    number, remote = of_level([0, 0, 1, 2, 3, 4, 11, 12, 13, 14, 15]), of_level([0, 0, 1])
    snoop = random.choice([1, 2, 4, 8, 16])
    fields = [(choose([1, 2, 4]), 0), (level, 5), (snoop, 19), (choose([0, 1, 2]), 24), (tlb, 26),
              (number, 33), (remote, 37), (snoop >> 2 & 3, 38), (choose([0, 1, 2, 4, 6]), 40), (of_level([0, 0, 0, 1, 2, 3, 4]), 43)]
    return sum(value << at for value, at in fields)


# From a fixed seed
def memory(path, kind, *without):
    random.seed(int(kind == "struct"))
    r = Recording(path)
    weight = WEIGHT_STRUCT if kind == "struct" else WEIGHT
    r.attr(IP | TID | TIME | (0 if without else ADDR) | PERIOD | weight | DATA_SRC | TRANSACTION | PHYS_ADDR | DATA_PAGE_SIZE | CODE_PAGE_SIZE)
    r.mmap(1, 0x1000, 0x10000, "/nosuch")
    for i in range(300):
        source = data_source()
        cost = random.choice([0, 3, 70]) | (random.randrange(3) << 32 if kind == "struct" else 0)
        page = random.choice([0, 4096, 2 << 20, 1 << 30])
        transaction = random.choice([0, 0x11, 0x22 | 5 << 32, 0xff, 1])
        address = b"" if without else struct.pack("<Q", 0x5000 + i)
        r.record(9, 2, struct.pack("<QIIQ", 0x1000 + i % 5 * 64, 1, 1, 1000 + i) + address + struct.pack("<QQQQQQQ", 100 + i, cost, source, transaction, 0x1000 * (i % 3), page, 4096))


# From a fixed seed: a program, and branches between the beginnings of its functions
def branches(path, elf, *functions):
    random.seed(1)
    r = Recording(path)
    r.attr(IP | TID | TIME | PERIOD | BRANCH_STACK, 8)  # PERF_SAMPLE_BRANCH_ANY
    r.this_machine()
    r.comm(1, b"prog")
    r.mmap(1, 0x10000000, 0x10000, elf)
    places = [0x10000000 + int(f, 16) for f in functions]
    for i in range(200):
        n = random.choice([0, 1, 2, 16])
        entries = b""
        for _ in range(n):
            source, target = random.choice(places) + random.choice([0, 1]), random.choice(places)
            flags = random.choice([0, 1, 2, 6, 8, 10]) | random.choice([0, 0, 7, 300]) << 4
            entries += struct.pack("<QQQ", source, target, flags)
        r.record(9, 2, struct.pack("<QIIQQQ", random.choice(places), 1, 1, 1000 + i, 100 + i, n) + entries)


# Samples of cgroups with a name, with one that a terminal would obey, without one, and of none
def cgroups(path):
    r = Recording(path)
    r.attr(IP | TID | TIME | PERIOD | CGROUP)
    for number, name in [(7, b"/a"), (9, b"/b\x1b[31m"), (7, b"/later")]:
        r.record(19, 0, struct.pack("<Q", number) + name + b"\0" * (8 - len(name) % 8))
    for i, (number, period) in enumerate([(7, 50), (9, 20), (11, 18), (0, 12)]):
        r.record(9, 2, struct.pack("<QIIQQQ", 0x1000, 1, 1, 1000 + i, period, number))


SAMPLE_ID_ALL, CONTEXT_SWITCH = 1 << 18, 1 << 26


def switches(path, kind):
    r = Recording(path)
    r.attr(IP | TID | TIME | PERIOD, flags=SAMPLE_ID_ALL | CONTEXT_SWITCH)
    r.this_machine()
    r.record(80, 0, struct.pack("<QII", 7, 3, 3))  # NRCPUS

    def at(second, tid):
        return struct.pack("<IIQ", 7, tid, second * 10**9)

    def sample(second, tid, period):
        r.record(9, 2, struct.pack("<Q", 0x1000) + at(second, tid) + struct.pack("<Q", period))

    def switch(second, tid, is_out):
        misc = 1 << 13 if is_out else 0
        if kind == "cpu":
            r.record(15, misc, struct.pack("<II", 0, 0) + at(second, tid))
        else:
            r.record(14, misc, at(second, tid))

    for tid, name in [(7, b"one"), (8, b"two")]:
        r.record(3, 0, struct.pack("<II", 7, tid) + name + b"\0" * 5 + at(1, tid))
    sample(10, 7, 100)
    switch(11, 8, False)
    sample(12, 7, 100)
    sample(13, 8, 100)
    switch(14, 9, False)
    switch(15, 10, False)  # a fourth on three CPUs
    sample(16, 8, 240)
    switch(17, 9, True)
    if kind == "lost":
        r.record(2, 0, struct.pack("<QQ", 1, 5) + at(18, 7))


{"switches": switches, "maps": maps, "memory": memory, "branches": branches, "cgroups": cgroups}[sys.argv[1]](*sys.argv[2:])
