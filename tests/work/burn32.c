/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* 32-bit code, without a C library: burns CPU for two seconds, some calls below its begin. */
#define NOINLINE __attribute__((noinline, noclone, noipa))
#define EXIT 1 /* of 32-bit kernels: arch/x86/entry/syscalls/syscall_32.tbl */
#define TIME 13

void _start(void);

static volatile int sink_of_work;

static int call_kernel(int nr, int arg)
{
	__asm__ volatile("int $0x80" : "+a"(nr) : "b"(arg) : "memory");
	return nr;
}

NOINLINE static void burn(int seconds)
{
	int end = call_kernel(TIME, 0) + seconds;

	do
		for (int i = 0; i < 100000; i++)
			sink_of_work++;
	while (call_kernel(TIME, 0) < end);
}

NOINLINE static void inner(void)
{
	burn(2);
	sink_of_work++;
}

void _start(void)
{
	inner();
	call_kernel(EXIT, 0);
}
