/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Signals: numbers, sets, actions, and those that arrive. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "calls/decode.h"
#include "event/syscalls.h"

#define SIGNALS 64
#define FIRST_RT 32

static void signal_text(struct out *o, int sig, bool is_short)
{
	const char *name = sig > 0 && sig < FIRST_RT ? names_find(&names_signals, sig) : NULL;

	if (name)
		out_text(o, name + (is_short ? 3 : 0));
	else if (sig >= FIRST_RT && sig <= SIGNALS)
		out_form(o, is_short ? (sig == FIRST_RT ? "RTMIN" : "RT_%d") : sig == FIRST_RT ? "SIGRTMIN" : "SIGRT_%d", sig - FIRST_RT);
	else
		out_signed(o, sig);
}

void put_signal(struct decode *d, int sig)
{
	if (d->style->names == NAMES_RAW || sig <= 0 || sig > SIGNALS) {
		out_signed(d->o, sig);
		return;
	}
	if (d->style->names == NAMES_VERBOSE)
		out_form(d->o, "%d /* ", sig);
	signal_text(d->o, sig, false);
	if (d->style->names == NAMES_VERBOSE)
		out_text(d->o, " */");
}

void put_signal_name(struct out *o, int sig)
{
	signal_text(o, sig, false);
}

void print_signal(struct decode *d, unsigned i)
{
	put_signal(d, d->e->args[i]);
}

void put_sigset(struct decode *d, uint64_t bits)
{
	bool is_inverse = __builtin_popcountll(bits) >= SIGNALS * 2 / 3, any = false;

	if (is_inverse) {
		bits = ~bits;
		out_char(d->o, '~');
	}
	out_char(d->o, '[');
	for (int sig = 1; sig <= SIGNALS; sig++) {
		if (!(bits >> (sig - 1) & 1))
			continue;
		if (any)
			out_char(d->o, ' ');
		any = true;
		if (d->style->names != NAMES_ABBREV)
			out_signed(d->o, sig);
		if (d->style->names == NAMES_RAW)
			continue;
		out_text(d->o, d->style->names == NAMES_VERBOSE ? " /* " : "");
		signal_text(d->o, sig, true);
		out_text(d->o, d->style->names == NAMES_VERBOSE ? " */" : "");
	}
	out_char(d->o, ']');
}

void put_sigset_at(struct decode *d, uint64_t addr, uint64_t bytes)
{
	uint64_t bits = 0;

	if (bytes && bytes <= sizeof(bits) && memory_get(d, addr, &bits, bytes))
		put_sigset(d, bits);
	else
		put_addr(d, addr);
}

/* The kernel takes sets of one size only, which another argument has to say. */
static void put_sized_set(struct decode *d, uint64_t addr, uint64_t bytes)
{
	put_sigset_at(d, addr, bytes == 8 ? bytes : 0);
}

void print_sigset(struct decode *d, unsigned i)
{
	put_sized_set(d, d->e->args[i], d->e->args[i + 1]);
}

/* rt_sigprocmask(), rt_sigtimedwait(): the fourth argument has it. */
void print_sigset_fourth(struct decode *d, unsigned i)
{
	put_sized_set(d, d->e->args[i], d->e->args[3]);
}

void print_sigset_out(struct decode *d, unsigned i)
{
	if (d->is_failed)
		put_addr(d, d->e->args[i]);
	else
		put_sigset_at(d, d->e->args[i], d->e->args[i + 1]);
}

/* struct sigaction of the kernel: handler, flags, restorer, mask (arch/x86/include/uapi/asm/signal.h) */
static void put_sigaction(struct decode *d, uint64_t addr)
{
	uint64_t handler, flags, restorer = 0, mask;
	unsigned word = word_bytes(d);
	bool has_restorer;

	if (!memory_word(d, addr, &handler) || !memory_word(d, addr + word, &flags)) {
		put_addr(d, addr);
		return;
	}
	has_restorer = flags & 0x04000000;
#ifdef __x86_64__
	if (!memory_word(d, addr + 2 * word, &restorer) || !memory_get(d, addr + 3 * word, &mask, 8)) {
#else
	has_restorer = d->is_compat;
	if ((d->is_compat && !memory_word(d, addr + 2 * word, &restorer)) || !memory_get(d, addr + (d->is_compat ? 3 : 2) * word, &mask, 8)) {
#endif
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{sa_handler=");
	put_one(d, &names_signal_handlers, handler);
	out_text(d->o, ", sa_mask=");
	put_sigset(d, mask);
	out_text(d->o, ", sa_flags=");
	put_flags(d, &names_signal_flags, flags);
	if (has_restorer) {
		out_text(d->o, ", sa_restorer=");
		put_addr(d, restorer);
	}
	out_char(d->o, '}');
}

void print_sigaction(struct decode *d, unsigned i)
{
	put_sigaction(d, d->e->args[i]);
}

/* stack_t */
static void put_stack(struct decode *d, uint64_t addr)
{
	unsigned word = word_bytes(d);
	uint64_t sp, size;
	uint32_t flags;

	if (!memory_word(d, addr, &sp) || !memory_get(d, addr + word, &flags, 4) || !memory_word(d, addr + 2 * word, &size)) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{ss_sp=");
	put_addr(d, sp);
	out_text(d->o, ", ss_flags=");
	put_flags(d, &names_stack_flags, flags);
	out_text(d->o, ", ss_size=");
	out_decimal(d->o, size);
	out_char(d->o, '}');
}

void print_stack(struct decode *d, unsigned i)
{
	put_stack(d, d->e->args[i]);
}

static const struct names *codes_of(int sig, int code)
{
	if (names_find(&names_si_codes, (uint32_t)code))
		return &names_si_codes;
	switch (sig) {
	case SIGCHLD: return &names_cld_codes;
	case SIGSEGV: return &names_segv_codes;
	case SIGBUS: return &names_bus_codes;
	case SIGFPE: return &names_fpe_codes;
	case SIGILL: return &names_ill_codes;
	case SIGTRAP: return &names_trap_codes;
	case SIGIO: return &names_poll_codes;
	case SIGSYS: return &names_sys_codes;
	}
	return &names_si_codes;
}

static void put_source(struct decode *d, const siginfo_t *s)
{
	out_form(d->o, ", si_pid=%d, si_uid=", s->si_pid);
	put_id(d, s->si_uid);
}

static void put_value(struct decode *d, const siginfo_t *s)
{
	out_form(d->o, ", si_int=%d, si_ptr=", s->si_int);
	put_addr(d, (uint64_t)(uintptr_t)s->si_ptr);
}

/* From a process, or made up by one. */
static void put_sent(struct decode *d, const siginfo_t *s)
{
	switch (s->si_code) {
	case SI_USER: case SI_TKILL:
		put_source(d, s);
		break;
	case SI_TIMER:
		out_text(d->o, ", si_timerid=");
		out_hex(d->o, (uint32_t)s->si_timerid);
		out_form(d->o, ", si_overrun=%d", s->si_overrun);
		put_value(d, s);
		break;
	case SI_SIGIO:
		out_form(d->o, ", si_band=%ld, si_fd=%d", (long)s->si_band, s->si_fd);
		break;
	default:
		put_source(d, s);
		if (s->si_ptr)
			put_value(d, s);
	}
}

void put_call_number(struct decode *d, uint64_t nr, uint32_t arch)
{
	/* AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64 */
	bool is_compat = arch == 0x40000003 || arch == 0x40000028, is_native = arch == 0xc000003e || arch == 0xc00000b7;
	const char *name = nr < SYSCALL_NR_MAX && (is_compat || is_native) ? syscall_call_name(is_compat ? SYSCALL_COMPAT : SYSCALL_NATIVE, nr) : NULL;

	if (!name || d->style->names != NAMES_ABBREV)
		out_decimal(d->o, nr);
	if (name && d->style->names != NAMES_RAW)
		out_form(d->o, d->style->names == NAMES_VERBOSE ? " /* __NR_%s */" : "__NR_%s", name);
}

static void put_forbidden(struct decode *d, const siginfo_t *s)
{
	out_text(d->o, ", si_call_addr=");
	put_addr(d, (uint64_t)(uintptr_t)s->si_call_addr);
	out_text(d->o, ", si_syscall=");
	put_call_number(d, (uint32_t)s->si_syscall, s->si_arch);
	out_text(d->o, ", si_arch=");
	put_one(d, &names_audit_arches, s->si_arch);
}

static void put_perf(struct decode *d, const siginfo_t *s)
{
	struct {
		uint64_t data;
		uint32_t type, flags;
	} perf;

	memcpy(&perf, (const char *)s + 24, sizeof(perf));
	out_text(d->o, ", si_perf_data=");
	out_hex(d->o, perf.data);
	out_text(d->o, ", si_perf_type=");
	put_one(d, &names_perf_types, perf.type);
	out_text(d->o, ", si_perf_flags=");
	put_flags(d, &names_perf_signal_flags, perf.flags);
}

static void put_fault(struct decode *d, const siginfo_t *s)
{
	out_text(d->o, ", si_addr=");
	put_addr(d, (uint64_t)(uintptr_t)s->si_addr);
	if (s->si_signo == SIGBUS && (s->si_code == 4 || s->si_code == 5)) { /* BUS_MCEERR_AR, BUS_MCEERR_AO */
		out_text(d->o, ", si_addr_lsb=");
		out_hex(d->o, (uint16_t)s->si_addr_lsb);
	} else if (s->si_signo == SIGSEGV && s->si_code == SEGV_BNDERR) {
		out_text(d->o, ", si_lower=");
		put_addr(d, (uint64_t)(uintptr_t)s->si_lower);
		out_text(d->o, ", si_upper=");
		put_addr(d, (uint64_t)(uintptr_t)s->si_upper);
	} else if (s->si_signo == SIGSEGV && s->si_code == SEGV_PKUERR) {
		out_form(d->o, ", si_pkey=%u", s->si_pkey);
	} else if (s->si_signo == SIGTRAP && s->si_code == 6) { /* TRAP_PERF */
		put_perf(d, s);
	}
}

/* By the kernel: which signal it is says what is known of it. */
static void put_raised(struct decode *d, const siginfo_t *s)
{
	switch (s->si_signo) {
	case SIGCHLD:
		put_source(d, s);
		out_text(d->o, ", si_status=");
		if (s->si_code == CLD_EXITED)
			out_signed(d->o, s->si_status);
		else
			put_signal(d, s->si_status);
		out_text(d->o, ", si_utime=");
		put_ticks(d, s->si_utime);
		out_text(d->o, ", si_stime=");
		put_ticks(d, s->si_stime);
		break;
	case SIGILL: case SIGFPE: case SIGBUS: case SIGSEGV: case SIGTRAP:
		put_fault(d, s);
		break;
	case SIGIO:
		if (s->si_code >= POLL_IN && s->si_code <= POLL_HUP)
			out_form(d->o, ", si_band=%ld, si_fd=%d", (long)s->si_band, s->si_fd);
		break;
	case SIGSYS:
		put_forbidden(d, s);
		break;
	default:
		if (s->si_pid || s->si_uid)
			put_source(d, s);
		if (s->si_ptr)
			put_value(d, s);
	}
}

/* A siginfo_t (include/uapi/asm-generic/siginfo.h). */
static void put_siginfo(struct decode *d, const siginfo_t *s)
{
	const struct names *codes = codes_of(s->si_signo, s->si_code);

	if (!s->si_signo) {
		out_text(d->o, "{}");
		return;
	}
	out_text(d->o, "{si_signo=");
	put_signal(d, s->si_signo);
	out_text(d->o, ", si_code=");
	if (names_find(codes, (uint32_t)s->si_code))
		put_one(d, codes, (uint32_t)s->si_code);
	else
		out_hex(d->o, (uint32_t)s->si_code);
	if (s->si_errno) {
		out_text(d->o, ", si_errno=");
		put_errno(d, (uint32_t)s->si_errno);
	}
	if (s->si_code <= 0)
		put_sent(d, s);
	else
		put_raised(d, s);
	out_char(d->o, '}');
}

void call_signal(struct out *o, const struct call_event *e, const struct call_style *style)
{
	struct decode d = { .o = o, .e = e, .style = style };
	siginfo_t s;

	memset(&s, 0, sizeof(s));
	memcpy(&s, e->siginfo, CALL_SIGINFO_BYTES);
	put_signal_name(o, e->nr);
	out_char(o, ' ');
	put_siginfo(&d, &s);
}

void put_siginfo_at(struct decode *d, uint64_t addr)
{
	siginfo_t s;

	if (!d->is_compat && memory_get(d, addr, &s, sizeof(s)))
		put_siginfo(d, &s);
	else
		put_addr(d, addr);
}

void print_siginfo_in(struct decode *d, unsigned i)
{
	put_siginfo_at(d, d->e->args[i]);
}

void call_stop(struct out *o, const struct call_event *e)
{
	out_text(o, "stopped by ");
	signal_text(o, e->nr, false);
}

void call_end(struct out *o, const struct call_event *e)
{
	int status = e->ret;

	if (WIFEXITED(status)) {
		out_form(o, "exited with %d", WEXITSTATUS(status));
		return;
	}
	out_text(o, "killed by ");
	signal_text(o, WTERMSIG(status), false);
	if (WCOREDUMP(status))
		out_text(o, " (core dumped)");
}

void put_status(struct decode *d, int status)
{
	if (WIFSTOPPED(status)) {
		out_text(d->o, "{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		put_signal(d, WSTOPSIG(status));
		out_char(d->o, '}');
	} else if (WIFSIGNALED(status)) {
		out_text(d->o, "{WIFSIGNALED(s) && WTERMSIG(s) == ");
		put_signal(d, WTERMSIG(status));
		out_text(d->o, WCOREDUMP(status) ? " && WCOREDUMP(s)}" : "}");
	} else if (WIFEXITED(status)) {
		out_form(d->o, "{WIFEXITED(s) && WEXITSTATUS(s) == %d}", WEXITSTATUS(status));
	} else if (WIFCONTINUED(status)) {
		out_text(d->o, "{WIFCONTINUED(s)}");
	} else {
		out_form(d->o, "%#x", status);
	}
}

/* wait4(): "[{WIFEXITED(s) && WEXITSTATUS(s) == 0}]" */
void print_status(struct decode *d, unsigned i)
{
	int status;

	if (!d->e->ret || !memory_get(d, d->e->args[i], &status, 4)) {
		put_addr(d, d->e->args[i]);
		return;
	}
	out_char(d->o, '[');
	put_status(d, status);
	out_char(d->o, ']');
}

/* rt_sigreturn(): what it takes from the stack */
void print_sigmask(struct decode *d, unsigned i)
{
	uint64_t bits;

	if (!memory_get(d, d->e->args[i], &bits, sizeof(bits)))
		return;
	out_text(d->o, "{mask=");
	put_sigset(d, bits);
	out_char(d->o, '}');
}
