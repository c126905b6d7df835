# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Writes recordings that this machine cannot make, as perf writes them to a pipe (perf.data-file-format.txt, uapi/linux/perf_event.h).
# usage: perfdata.py maps FILE MAPS FORKS: a process with so many mappings, and so many children of it
import struct
import sys


class Recording:
    def __init__(self, path):
        self.out = open(path, "wb")
        self.out.write(b"PERFILE2" + struct.pack("<Q", 16))

    def record(self, kind, misc, body):
        self.out.write(struct.pack("<IHH", kind, misc, 8 + len(body)) + body)

    # one hardware event, cycles
    def attr(self, sample_type, branch_type=0):
        attr = bytearray(128)
        struct.pack_into("<IIQQQ", attr, 0, 0, 128, 0, 1000, sample_type)
        struct.pack_into("<Q", attr, 72, branch_type)
        self.record(64, 0, bytes(attr) + struct.pack("<Q", 1))

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


{"maps": maps}[sys.argv[1]](*sys.argv[2:])
