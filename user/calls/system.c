/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls about the system, its log, and what a process may do of it. */
#include <linux/seccomp.h>

#include "calls/decode.h"

/* The action; the others only where it takes them. */
void print_syslog(struct decode *d, unsigned i)
{
	int32_t action = d->e->args[i], n = d->e->args[i + 2];
	uint64_t addr = d->e->args[i + 1];

	put_decimal_name(d, &names_syslog_actions, action);
	switch (action) {
	case 0: case 1: case 5: case 6: case 7: case 9: case 10: /* CLOSE, OPEN, CLEAR, CONSOLE_OFF, CONSOLE_ON, SIZE_... */
		return;
	}
	out_text(d->o, ", ");
	if (action >= 2 && action <= 4 && !d->is_failed) /* READ... */
		put_buffer(d, addr, d->e->ret);
	else
		put_addr(d, addr);
	out_text(d->o, ", ");
	if (action == 8) /* CONSOLE_LEVEL */
		put_decimal_name(d, &names_console_levels, n);
	else
		out_signed(d->o, n);
}

/* Of which operation they are decides whether they have names. */
void print_seccomp_flags(struct decode *d, unsigned i)
{
	if ((uint32_t)d->e->args[i - 1] == SECCOMP_SET_MODE_FILTER)
		put_flags(d, &names_seccomp_flags, (uint32_t)d->e->args[i]);
	else
		out_hex(d->o, (uint32_t)d->e->args[i]);
}

void print_seccomp_args(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], filter = 0;
	uint32_t action;
	uint16_t n[3];

	switch ((uint32_t)d->e->args[0]) {
	case SECCOMP_GET_ACTION_AVAIL:
		if (!memory_get(d, addr, &action, 4))
			break;
		out_char(d->o, '[');
		put_one(d, &names_seccomp_actions, action);
		out_char(d->o, ']');
		return;
	case SECCOMP_GET_NOTIF_SIZES:
		if (d->is_failed || !memory_get(d, addr, n, 6))
			break;
		out_form(d->o, "{seccomp_notif=%u, seccomp_notif_resp=%u, seccomp_data=%u}", n[0], n[1], n[2]);
		return;
	case SECCOMP_SET_MODE_FILTER: /* struct sock_fprog */
		if (!memory_get(d, addr, n, 2) || !memory_word(d, addr + word_bytes(d), &filter))
			break;
		out_form(d->o, "{len=%u, filter=", n[0]);
		put_filter_program(d, filter, n[0], true);
		out_char(d->o, '}');
		return;
	}
	put_addr(d, addr);
}

/* And the CPU, if they say that there is one. */
void print_membarrier_flags(struct decode *d, unsigned i)
{
	put_flags(d, &names_membarrier_flags, (uint32_t)d->e->args[i]);
	if (d->e->args[i] & 1)
		out_form(d->o, ", %d", (int)d->e->args[i + 1]);
}

/* struct __sysctl_args: include/uapi/linux/sysctl.h */
void print_sysctl(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], a[6];
	unsigned word = word_bytes(d);

	for (unsigned k = 0; k < 6; k++)
		if (!memory_word(d, addr + k * word, &a[k])) {
			put_addr(d, addr);
			return;
		}
	out_text(d->o, "{name=");
	put_addr(d, a[0]);
	out_form(d->o, ", nlen=%d, oldval=", (int)a[1]);
	put_addr(d, a[2]);
	out_text(d->o, ", oldlenp=");
	put_addr(d, a[3]);
	out_text(d->o, ", newval=");
	put_addr(d, a[4]);
	out_form(d->o, ", newlen=%llu}", (unsigned long long)a[5]);
}

/* A system that is imitated, and in what else */
void put_personality(struct decode *d, uint32_t personality)
{
	put_one(d, &names_personalities, personality & 0xff);
	if (personality & ~0xffu) {
		out_char(d->o, '|');
		put_flags(d, &names_personality_flags, personality & ~0xffu);
	}
}

void print_personality(struct decode *d, unsigned i)
{
	uint32_t personality = d->e->args[i];

	if (personality == UINT32_MAX) /* it is only asked for */
		out_hex(d->o, personality);
	else
		put_personality(d, personality);
}

/* What is done, and the text of a restart that takes one */
void print_reboot(struct decode *d, unsigned i)
{
	put_one(d, &names_reboot_commands, (uint32_t)d->e->args[i]);
	if ((uint32_t)d->e->args[i] == 0xa1b2c3d4) { /* LINUX_REBOOT_CMD_RESTART2 */
		out_text(d->o, ", ");
		put_text(d, d->e->args[i + 1], false);
	}
}

#define SEGMENTS_MAX 16 /* KEXEC_SEGMENT_MAX */

static void put_segment(struct decode *d, uint64_t addr)
{
	uint64_t w[4];
	unsigned word = word_bytes(d);

	for (unsigned k = 0; k < 4; k++)
		memory_word(d, addr + k * word, &w[k]);
	out_text(d->o, "{buf=");
	put_addr(d, w[0]);
	out_form(d->o, ", bufsz=%llu, mem=", (unsigned long long)w[1]);
	put_addr(d, w[2]);
	out_form(d->o, ", memsz=%llu}", (unsigned long long)w[3]);
}

/* kexec_load(): struct kexec_segment (include/uapi/linux/kexec.h), as many as the argument before says */
void print_kexec_segments(struct decode *d, unsigned i)
{
	if (d->e->args[i - 1] > SEGMENTS_MAX)
		put_addr(d, d->e->args[i]);
	else
		put_array(d, d->e->args[i], d->e->args[i - 1], 4 * word_bytes(d), put_segment, false);
}

/* The architecture of the image is in the upper half. */
void print_kexec_flags(struct decode *d, unsigned i)
{
	uint64_t flags = d->e->args[i], arch = flags & 0xffff0000, others = flags & ~0xffff0000ull;

	put_one(d, &names_kexec_arches, arch);
	if (!others)
		return;
	out_char(d->o, '|');
	put_flags(d, &names_kexec_flags, others);
}

/* kexec_file_load(): a command line of as many bytes as the argument before says */
void print_kexec_line(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], n = d->e->args[i - 1];

	put_buffer(d, addr, n);
}
