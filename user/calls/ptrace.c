/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ptrace(): what each request takes (include/uapi/linux/ptrace.h, arch/x86/include/asm/user_64.h). */
#include <elf.h>
#include <string.h>

#include "calls/decode.h"

enum request {
	TRACEME = 0, PEEKTEXT = 1, PEEKDATA = 2, PEEKUSER = 3, CONT = 7, KILL = 8, SINGLESTEP = 9, GETREGS = 12, SETREGS = 13, GETFPREGS = 14,
	SETFPREGS = 15, ATTACH = 16, DETACH = 17, SYSCALL = 24, SYSEMU = 31, SYSEMU_SINGLESTEP = 32, SINGLEBLOCK = 33, SETOPTIONS = 0x4200,
	GETEVENTMSG = 0x4201, GETSIGINFO = 0x4202, SETSIGINFO = 0x4203, GETREGSET = 0x4204, SETREGSET = 0x4205, SEIZE = 0x4206,
	INTERRUPT = 0x4207, LISTEN = 0x4208, PEEKSIGINFO = 0x4209, GETSIGMASK = 0x420a, SETSIGMASK = 0x420b, SECCOMP_GET_FILTER = 0x420c,
	SECCOMP_GET_METADATA = 0x420d, GET_SYSCALL_INFO = 0x420e,
};

/* Of struct ptrace_syscall_info: PTRACE_SYSCALL_INFO_ENTRY and so on. */
enum info_op { INFO_ENTRY = 1, INFO_EXIT = 2, INFO_SECCOMP = 3 };

#define SIGINFO_BYTES 128

#ifdef __x86_64__
static const char *const registers[] = { "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi",
					 "rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base", "ds", "es", "fs", "gs" };
#define REGISTERS_BYTES sizeof(uint64_t[sizeof(registers) / sizeof(*registers)])

/* struct user_fpregs_struct: n numbers of `bytes` */
static const struct fp_member {
	const char *name;
	uint16_t at, bytes, n;
} fp_members[] = {
	{ "cwd", 0, 2, 1 }, { "swd", 2, 2, 1 }, { "ftw", 4, 2, 1 }, { "fop", 6, 2, 1 }, { "rip", 8, 8, 1 }, { "rdp", 16, 8, 1 },
	{ "mxcsr", 24, 4, 1 }, { "mxcr_mask", 28, 4, 1 }, { "st_space", 32, 4, 32 }, { "xmm_space", 160, 4, 64 }, { "padding", 416, 4, 24 },
};
#define FP_BYTES 512

static void put_register(struct decode *d, uint64_t addr)
{
	uint32_t value = 0;

	memory_get(d, addr, &value, sizeof(value));
	out_hex(d->o, value);
}

static void put_integer_registers(struct decode *d, uint64_t addr, uint64_t size)
{
	for (uint64_t i = 0; i < size / 8; i++) {
		uint64_t value = 0;

		memory_get(d, addr + i * 8, &value, sizeof(value));
		out_form(d->o, "%s%s=", i ? ", " : "", registers[i]);
		out_hex(d->o, value);
	}
}

static void put_fp_registers(struct decode *d, uint64_t addr, uint64_t size)
{
	for (size_t i = 0; i < sizeof(fp_members) / sizeof(*fp_members) && fp_members[i].at < size; i++) {
		const struct fp_member *m = &fp_members[i];
		uint64_t value = 0, n = (size - m->at) / m->bytes;

		out_form(d->o, "%s%s=", i ? ", " : "", m->name);
		if (m->n > 1) {
			put_array(d, addr + m->at, n < m->n ? n : m->n, m->bytes, put_register, false);
			continue;
		}
		memory_get(d, addr + m->at, &value, m->bytes);
		out_hex(d->o, value);
	}
}

/* Those of a set, NT_PRSTATUS or NT_FPREGSET, of which the caller's memory has `size` bytes; of others where they are. */
static void put_registers(struct decode *d, uint64_t addr, uint64_t size, uint64_t set)
{
	uint64_t known = set == NT_PRSTATUS ? REGISTERS_BYTES : FP_BYTES;
	size_t has = 0;

	if (known > size)
		known = size;
	if (d->is_compat || (set != NT_PRSTATUS && set != NT_FPREGSET) || !size || size % 8 || !memory_some(d, addr, known, &has) || has < known) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '{');
	if (set == NT_PRSTATUS)
		put_integer_registers(d, addr, known);
	else
		put_fp_registers(d, addr, known);
	out_text(d->o, size > known ? ", ...}" : "}");
}

static void put_all_registers(struct decode *d, uint64_t addr, uint64_t set)
{
	put_registers(d, addr, set == NT_PRSTATUS ? REGISTERS_BYTES : FP_BYTES, set);
}
#else
static void put_registers(struct decode *d, uint64_t addr, uint64_t size, uint64_t set)
{
	(void)size, (void)set;
	put_addr(d, addr);
}

static void put_all_registers(struct decode *d, uint64_t addr, uint64_t set)
{
	put_registers(d, addr, 0, set);
}
#endif

/* A struct iovec, whose length the kernel cuts to that of the set */
static void put_register_set(struct decode *d, uint64_t addr, uint64_t set, bool is_get)
{
	uint64_t was[2], is[2];

	if (d->is_compat || !memory_before(d, addr, was, sizeof(was))) {
		put_addr(d, addr);
		return;
	}
	if (d->is_failed || !memory_get(d, addr, is, sizeof(is)))
		memcpy(is, was, sizeof(is));
	out_text(d->o, "{iov_base=");
	if (is_get && d->is_failed)
		put_addr(d, was[0]);
	else
		put_registers(d, was[0], is_get ? is[1] : was[1], set);
	out_form(d->o, ", iov_len=%llu", (unsigned long long)was[1]);
	if (is[1] != was[1])
		out_form(d->o, " => %llu", (unsigned long long)is[1]);
	out_char(d->o, '}');
}

/* struct ptrace_peeksiginfo_args */
static void put_peek(struct decode *d, uint64_t addr)
{
	struct {
		uint64_t offset;
		uint32_t flags;
		int32_t n;
	} a;

	if (!memory_get(d, addr, &a, sizeof(a))) {
		put_addr(d, addr);
		return;
	}
	out_form(d->o, "{off=%llu, flags=", (unsigned long long)a.offset);
	put_flags(d, &names_ptrace_peek_flags, a.flags);
	out_form(d->o, ", nr=%d}", a.n);
}

/* struct seccomp_metadata, of which the call reads and writes `size` bytes */
static void put_metadata(struct decode *d, uint64_t addr, uint64_t size)
{
	uint64_t w[2];

	if (size < 8 || !memory_get(d, addr, w, size < 16 || d->is_failed ? 8 : 16)) {
		put_addr(d, addr);
		return;
	}
	out_form(d->o, "{filter_off=%llu", (unsigned long long)w[0]);
	if (!d->is_failed && size >= 16) {
		out_text(d->o, ", flags=");
		put_flags(d, &names_seccomp_flags, w[1]);
	}
	out_char(d->o, '}');
}

/* struct ptrace_syscall_info, of which the caller has room for `size` bytes, and the call says how many there are */
static void put_syscall_info(struct decode *d, uint64_t addr, uint64_t size)
{
	struct {
		uint8_t op, pad[3];
		uint32_t arch;
		uint64_t ip, sp;
		uint64_t words[8]; /* of an entry: number and arguments; of an exit: result, is_error */
	} s = { 0 };
	uint64_t known = (uint64_t)d->e->ret < size ? (uint64_t)d->e->ret : size;

	if (known > sizeof(s))
		known = sizeof(s);
	if (d->is_failed || !known || !memory_get(d, addr, &s, known)) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{op=");
	put_one(d, &names_ptrace_info_ops, s.op);
	if (known >= 8) {
		out_text(d->o, ", arch=");
		put_one(d, &names_audit_arches, s.arch);
	}
	if (known >= 16) {
		out_text(d->o, ", instruction_pointer=");
		put_addr(d, s.ip);
	}
	if (known >= 24) {
		out_text(d->o, ", stack_pointer=");
		put_addr(d, s.sp);
	}
	if (known >= 32 && (s.op == INFO_ENTRY || s.op == INFO_SECCOMP)) {
		out_text(d->o, s.op == INFO_ENTRY ? ", entry={nr=" : ", seccomp={nr=");
		put_call_number(d, s.words[0], s.arch);
		for (uint64_t i = 1; i <= 6 && known >= 32 + i * 8; i++) {
			out_text(d->o, i == 1 ? ", args=[" : ", ");
			out_hex(d->o, s.words[i]);
		}
		out_text(d->o, known >= 40 ? "]" : "");
		if (s.op == INFO_SECCOMP && known >= 84)
			out_form(d->o, ", ret_data=%#x", (uint32_t)s.words[7]);
		out_char(d->o, '}');
	} else if (known >= 32 && s.op == INFO_EXIT) {
		bool is_error = known >= 33 && (uint8_t)s.words[1];

		out_text(d->o, ", exit={rval=");
		if (is_error)
			put_errno(d, (int64_t)s.words[0]);
		else
			out_signed(d->o, (int64_t)s.words[0]);
		if (known >= 33)
			out_form(d->o, ", is_error=%u", (uint8_t)s.words[1]);
		out_char(d->o, '}');
	}
	out_char(d->o, '}');
}

static void put_number_at(struct decode *d, uint64_t addr, bool is_hex)
{
	uint64_t word;

	if (d->is_failed || !memory_word(d, addr, &word)) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	if (is_hex)
		out_hex(d->o, word);
	else
		out_decimal(d->o, word);
	out_char(d->o, ']');
}

static void put_address(struct decode *d, uint64_t request, uint64_t addr)
{
	switch (request) {
	case GETREGSET: case SETREGSET:
		put_one(d, &names_register_sets, addr);
		break;
	case PEEKSIGINFO:
		put_peek(d, addr);
		break;
	case GETSIGMASK: case SETSIGMASK: case SECCOMP_GET_FILTER: case SECCOMP_GET_METADATA: case GET_SYSCALL_INFO:
		out_decimal(d->o, addr);
		break;
	default:
		put_addr(d, addr);
	}
}

static void put_data(struct decode *d, uint64_t request, uint64_t addr, uint64_t data)
{
	bool is_written = false;

	switch (request) {
	case PEEKTEXT: case PEEKDATA: case PEEKUSER:
		put_number_at(d, data, true);
		return;
	case GETEVENTMSG:
		put_number_at(d, data, false);
		return;
	case CONT: case DETACH: case SYSCALL: case SINGLESTEP: case SINGLEBLOCK: case SYSEMU: case SYSEMU_SINGLESTEP:
		put_signal(d, data);
		return;
	case SETOPTIONS: case SEIZE:
		put_flags(d, &names_ptrace_options, data);
		return;
	case GETSIGINFO: case GETREGS: case GETFPREGS: case GETSIGMASK: case PEEKSIGINFO:
		is_written = true;
	}
	if (is_written && d->is_failed) {
		put_addr(d, data);
		return;
	}
	switch (request) {
	case GETSIGINFO: case SETSIGINFO: put_siginfo_at(d, data); break;
	case PEEKSIGINFO: put_array(d, data, d->e->ret, SIGINFO_BYTES, put_siginfo_at, true); break;
	case GETREGS: case SETREGS: put_all_registers(d, data, NT_PRSTATUS); break;
	case GETFPREGS: case SETFPREGS: put_all_registers(d, data, NT_FPREGSET); break;
	case GETREGSET: case SETREGSET: put_register_set(d, data, addr, request == GETREGSET); break;
	case GETSIGMASK: case SETSIGMASK: put_sigset_at(d, data, addr); break;
	case SECCOMP_GET_METADATA: put_metadata(d, data, addr); break;
	case GET_SYSCALL_INFO: put_syscall_info(d, data, addr); break;
	default: put_addr(d, data);
	}
}

void print_ptrace(struct decode *d, unsigned i)
{
	const uint64_t *a = d->e->args;
	uint64_t request = d->is_compat ? (uint32_t)a[i] : a[i];

	put_one(d, &names_ptrace_requests, request);
	if (request == TRACEME)
		return;
	out_form(d->o, ", %d", (int32_t)a[i + 1]);
	if (request == ATTACH || request == INTERRUPT || request == KILL || request == LISTEN)
		return;
	out_text(d->o, ", ");
	if (request < GETREGS || request > SETFPREGS) {
		put_address(d, request, a[i + 2]);
		out_text(d->o, ", ");
	}
	put_data(d, request, a[i + 2], a[i + 3]);
}
