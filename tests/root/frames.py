# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Commands for gdb. frames: "frames TID ADDRESS..." of each thread, without those that gdb makes up for calls that are not on the stack.
# moments N STEPS FILE: a core file FILE.1 ... FILE.N each so many instructions, and FILE.1.gdb ... with what frames says there.
import gdb

for setting in ("past-main on", "past-entry on", "limit unlimited"):
    gdb.execute("set backtrace " + setting)


def lines():
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        frame, line = gdb.newest_frame(), [str(thread.ptid[1])]
        while frame:
            if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                line.append("%x" % frame.pc())
            frame = frame.older()
        yield "frames " + " ".join(line)


class Frames(gdb.Command):
    def __init__(self):
        super().__init__("frames", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        print("\n".join(lines()))


class Moments(gdb.Command):
    def __init__(self):
        super().__init__("moments", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        n, steps, path = argument.split()
        for i in range(1, int(n) + 1):
            gdb.execute("stepi " + steps, to_string=True)
            gdb.execute("gcore %s.%d" % (path, i), to_string=True)
            with open("%s.%d.gdb" % (path, i), "w") as out:
                print("\n".join(lines()), file=out)


Frames()
Moments()
