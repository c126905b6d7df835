/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arguments whose meaning another one decides. */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "calls/decode.h"

/* The mode of an open(): in CALL() its argument is left out where the flags do not ask for it (call.c). */
void print_open_mode(struct decode *d, unsigned i)
{
	print_umode(d, i);
}

void print_map_flags(struct decode *d, unsigned i)
{
	uint32_t flags = d->e->args[i];

	if (d->style->names == NAMES_RAW) {
		out_hex(d->o, flags);
		return;
	}
	if (d->style->names == NAMES_VERBOSE) {
		out_hex(d->o, flags);
		out_text(d->o, " /* ");
	}
	names_one(d->o, &names_map_type, flags & 0xf, NAMES_ABBREV);
	flags &= ~0xfu;
	names_more_flags(d->o, &names_map_flags, flags & ~(0x3fu << 26), true);
	if (flags & MAP_HUGETLB && flags >> 26)
		out_form(d->o, "|%u<<MAP_HUGE_SHIFT", flags >> 26 & 0x3f);
	else if (flags >> 26)
		out_form(d->o, "|%#x", flags & 0x3fu << 26);
	out_text(d->o, d->style->names == NAMES_VERBOSE ? " */" : "");
}

static void put_termios(struct decode *d, uint64_t addr)
{
	uint32_t f[4];

	if (!memory_get(d, addr, f, sizeof(f))) {
		put_addr(d, addr);
		return;
	}
	out_form(d->o, "{c_iflag=%#x, c_oflag=%#x, c_cflag=%#x, c_lflag=%#x, ...}", f[0], f[1], f[2], f[3]);
}

/* _IOC(dir, type, nr, size) of one without a name */
static void put_ioctl(struct decode *d, uint32_t request)
{
	static const char *const dirs[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE" };
	const char *name = names_find(&names_ioctls, request);

	if (d->style->names != NAMES_ABBREV)
		out_hex(d->o, request);
	if (d->style->names == NAMES_RAW)
		return;
	out_text(d->o, d->style->names == NAMES_VERBOSE ? " /* " : "");
	if (name)
		out_text(d->o, name);
	else
		out_form(d->o, "_IOC(%s, %#x, %#x, %#x)", dirs[request >> 30], request >> 8 & 0xff, request & 0xff, request >> 16 & 0x3fff);
	out_text(d->o, d->style->names == NAMES_VERBOSE ? " */" : "");
}

/* The request and what it takes. */
void print_ioctl(struct decode *d, unsigned i)
{
	uint32_t request = d->e->args[i];
	uint64_t v = d->e->args[i + 1];
	uint16_t size[4];
	int32_t n;

	put_ioctl(d, request);
	switch (request) {
	case 0x5401: case 0x5402: case 0x5403: case 0x5404: /* TCGETS, TCSETS... */
		out_text(d->o, ", ");
		if (d->is_failed && request == 0x5401)
			put_addr(d, v);
		else
			put_termios(d, v);
		return;
	case 0x5413: case 0x5414: /* TIOCGWINSZ, TIOCSWINSZ */
		out_text(d->o, ", ");
		if ((d->is_failed && request == 0x5413) || !memory_get(d, v, size, 8))
			put_addr(d, v);
		else
			out_form(d->o, "{ws_row=%u, ws_col=%u, ws_xpixel=%u, ws_ypixel=%u}", size[0], size[1], size[2], size[3]);
		return;
	case 0x540f: case 0x541b: case 0x5411: case 0x5429: case 0x80045430: /* TIOCGPGRP, FIONREAD, TIOCOUTQ, TIOCGSID, TIOCGPTN */
	case 0x5410: case 0x5421: case 0x5452: case 0x40045431:		     /* TIOCSPGRP, FIONBIO, FIOASYNC, TIOCSPTLCK */
		out_text(d->o, ", ");
		if ((d->is_failed && request != 0x5410 && request != 0x5421 && request != 0x5452 && request != 0x40045431) || !memory_get(d, v, &n, 4))
			put_addr(d, v);
		else
			out_form(d->o, "[%d]", n);
		return;
	case 0x5451: case 0x5450: case 0x540c: case 0x540d: case 0x5422: /* FIOCLEX, FIONCLEX, TIOCEXCL, TIOCNXCL, TIOCNOTTY */
		return;
	case 0x540b: case 0x5409: case 0x540a: case 0x540e: case 0x40049409: /* TCFLSH, TCSBRK, TCXONC, TIOCSCTTY, FICLONE */
		out_text(d->o, ", ");
		out_signed(d->o, (int32_t)v);
		return;
	}
	out_text(d->o, ", ");
	out_hex(d->o, v);
}

#define COMM_BYTES 16 /* TASK_COMM_LEN, with the NUL */

/* A thread's name in memory of size bytes: the kernel takes no more of it. strace has "..." unless it ends there. */
static void put_comm(struct decode *d, uint64_t addr, size_t size)
{
	size_t n = 0, len, shown;
	const char *text = addr ? memory_some(d, addr, size, &n) : NULL;

	len = text ? strnlen(text, n) : 0;
	if (!text || (len == n && n < size)) {
		put_addr(d, addr);
		return;
	}
	shown = len < d->style->text ? len : d->style->text;
	put_bytes(d, text, shown, d->style->hex);
	if (len > shown || len == size)
		out_text(d->o, "...");
}

void print_prctl(struct decode *d, unsigned i)
{
	uint64_t v = d->e->args[i + 1];
	uint32_t option = d->e->args[i];

	put_one(d, &names_prctl_options, option);
	switch (option) {
	case PR_GET_DUMPABLE: case PR_GET_KEEPCAPS: case PR_GET_SECCOMP: case PR_GET_TIMERSLACK: case PR_GET_SECUREBITS:
	case PR_TASK_PERF_EVENTS_DISABLE: case PR_TASK_PERF_EVENTS_ENABLE: case PR_GET_TIMING:
		return;
	}
	out_text(d->o, ", ");
	switch (option) {
	case PR_SET_NAME:
		put_comm(d, v, COMM_BYTES - 1);
		return;
	case PR_GET_NAME:
		if (d->is_failed)
			put_addr(d, v);
		else
			put_comm(d, v, COMM_BYTES);
		return;
	case PR_SET_PDEATHSIG:
		put_signal(d, v);
		return;
	case PR_CAPBSET_READ: case PR_CAPBSET_DROP:
		put_one(d, &names_capabilities, v);
		return;
	case PR_SET_DUMPABLE:
		out_text(d->o, v == 0 ? "SUID_DUMP_DISABLE" : v == 1 ? "SUID_DUMP_USER" : "SUID_DUMP_ROOT");
		return;
	case PR_SET_NO_NEW_PRIVS: case PR_GET_NO_NEW_PRIVS: case PR_SET_THP_DISABLE: case PR_GET_THP_DISABLE:
		if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_THP_DISABLE) {
			out_decimal(d->o, v);
			out_text(d->o, ", ");
		}
		for (int k = option == PR_SET_NO_NEW_PRIVS || option == PR_SET_THP_DISABLE ? 2 : 1; k < 5; k++) {
			out_hex(d->o, d->e->args[k]);
			out_text(d->o, k < 4 ? ", " : "");
		}
		return;
	case PR_SET_KEEPCAPS: case PR_SET_TIMERSLACK: case PR_SET_CHILD_SUBREAPER:
		out_decimal(d->o, v);
		return;
	case PR_GET_PDEATHSIG: case PR_GET_CHILD_SUBREAPER:
		put_addr(d, v);
		return;
	}
	out_hex(d->o, v);
	for (int k = 2; k < 5; k++) {
		out_text(d->o, ", ");
		out_hex(d->o, d->e->args[k]);
	}
}

void print_arch_prctl(struct decode *d, unsigned i)
{
	uint64_t v = d->e->args[i + 1], word;

	put_one(d, &names_arch_prctl_codes, (uint32_t)d->e->args[i]);
	out_text(d->o, ", ");
	if ((d->e->args[i] == 0x1003 || d->e->args[i] == 0x1004) && !d->is_failed && memory_get(d, v, &word, 8)) {
		out_char(d->o, '[');
		out_hex(d->o, word);
		out_char(d->o, ']');
	} else {
		out_hex(d->o, v);
	}
}

void print_clock(struct decode *d, unsigned i)
{
	int32_t clock = d->e->args[i];

	if (clock >= 0 || d->style->names == NAMES_RAW) {
		put_one(d, &names_clocks, (uint32_t)clock);
		return;
	}
	if ((clock & 7) == 3)
		out_form(d->o, "FD_TO_CLOCKID(%d)", ~(clock >> 3));
	else
		out_form(d->o, "MAKE_%s_CPUCLOCK(%d, CPUCLOCK_%s)", clock & 4 ? "THREAD" : "PROCESS", ~(clock >> 3),
			 (clock & 3) == 0 ? "PROF" : (clock & 3) == 1 ? "VIRT" : "SCHED");
}

/* struct user_cap_header_struct */
void print_cap_header(struct decode *d, unsigned i)
{
	uint32_t h[2];

	if (!memory_get(d, d->e->args[i], h, 8)) {
		put_addr(d, d->e->args[i]);
		return;
	}
	out_text(d->o, "{version=");
	put_one(d, &names_cap_versions, h[0]);
	out_form(d->o, ", pid=%d}", (int)h[1]);
}

static void put_caps(struct decode *d, uint64_t set)
{
	bool any = false;

	if (!set)
		out_char(d->o, '0');
	for (int bit = 0; bit < 64; bit++) {
		const char *name = names_find(&names_capabilities, bit);

		if (!(set >> bit & 1))
			continue;
		if (name)
			out_form(d->o, "%s1<<%s", any ? "|" : "", name);
		else
			out_form(d->o, "%s%#llx", any ? "|" : "", 1ull << bit);
		any = true;
	}
}

static void put_cap_data(struct decode *d, uint64_t addr)
{
	uint32_t header[2] = { 0 }, c[6] = { 0 };

	memory_get(d, d->e->args[0], header, 8);
	if (!memory_get(d, addr, c, header[0] == 0x19980330 ? 12 : 24)) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{effective=");
	put_caps(d, c[0] | (uint64_t)c[3] << 32);
	out_text(d->o, ", permitted=");
	put_caps(d, c[1] | (uint64_t)c[4] << 32);
	out_text(d->o, ", inheritable=");
	put_caps(d, c[2] | (uint64_t)c[5] << 32);
	out_char(d->o, '}');
}

void print_cap_data_in(struct decode *d, unsigned i)
{
	put_cap_data(d, d->e->args[i]);
}

#define SETUP_ATTACH_WQ 0x20 /* IORING_SETUP_ATTACH_WQ */

/* struct io_uring_params */
void print_uring_params(struct decode *d, unsigned i)
{
	uint32_t p[30];

	if (!memory_get(d, d->e->args[i], p, sizeof(p))) {
		put_addr(d, d->e->args[i]);
		return;
	}
	out_text(d->o, "{flags=");
	put_flags(d, &names_uring_setup_flags, p[2]);
	out_text(d->o, ", sq_thread_cpu=");
	out_hex(d->o, p[3]);
	out_form(d->o, ", sq_thread_idle=%u", p[4]);
	if (p[2] & SETUP_ATTACH_WQ) {
		out_text(d->o, ", wq_fd=");
		put_fd(d, (int32_t)p[6]);
	}
	put_reserved(d, "resv", p + 7, 4, 3);
	if (!d->is_failed) {
		out_form(d->o, ", sq_entries=%u, cq_entries=%u, features=", p[0], p[1]);
		put_flags(d, &names_uring_features, p[5]);
		out_form(d->o, ", sq_off={head=%u, tail=%u, ring_mask=%u, ring_entries=%u, flags=%u, dropped=%u, array=%u}", p[10], p[11], p[12], p[13],
			 p[14], p[15], p[16]);
		out_form(d->o, ", cq_off={head=%u, tail=%u, ring_mask=%u, ring_entries=%u, overflow=%u, cqes=%u, flags=%u}", p[20], p[21], p[22], p[23],
			 p[24], p[25], p[26]);
	}
	out_char(d->o, '}');
}
