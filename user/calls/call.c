/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A call from the table: what is read of it, its arguments and its result. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "calls/decode.h"
#include "event/syscalls.h"

#define FD_SET_BYTES 1024
#define HANDLE_BYTES 136 /* struct file_handle, of which 128 bytes are the file system's */

#define ARGS_MAX 7
#define KIND_STEPS 12

enum kind_id {
	KIND_none,
#define KIND(name, ...) KIND_##name,
#include "calls/kinds.def"
#undef KIND
	KINDS
};

struct kind {
	call_printer *print;
	const struct names *names;
	struct trace_step steps[KIND_STEPS];
};

#define IN(bytes) { TRACE_BYTES, TRACE_AT_EXIT, .unit = bytes, .max = bytes }
#define OUT(bytes) { TRACE_BYTES, TRACE_AT_EXIT | TRACE_IF_DONE, .unit = bytes, .max = bytes }
#define ENTRY(bytes) { TRACE_BYTES, TRACE_AT_ENTRY, .unit = bytes, .max = bytes }
#define BOTH(bytes) { TRACE_BYTES, TRACE_AT_ENTRY | TRACE_AT_EXIT | TRACE_IF_DONE, .unit = bytes, .max = bytes }
#define FILE_AT_EXIT { TRACE_FILE, TRACE_AT_EXIT }
#define FILE_AT(at) { TRACE_FILES_SHOWN, TRACE_AT_EXIT, .arg = at, .from = 1, .unit = 4, .max = 1 } /* a descriptor in what the kind's first step reads */
#define FILE_AT_ENTRY { TRACE_FILE, TRACE_AT_ENTRY } /* which the call changes, or closes */
#define BEFORE(n) (uint8_t)-(n)
/* Of a step: only with -v. Not in the plan that the kernel has, and of a kind's last steps. */
#define IF_WHOLE 128
/* The program of a struct sock_fprog: its length, of which the upper half is not used, counts instructions */
#define FILTER \
	{ TRACE_BYTES, TRACE_AT_EXIT | IF_WHOLE, .arg = 8, .from = 1, .length = LENGTH_HALF, .unit = 8, .max = TRACE_PIECE_MAX }
#define IOCB(at) { TRACE_BYTES, TRACE_AT_EXIT, .arg = at, .from = 1, .unit = 64, .max = 64 }
/* struct msghdr, the name, the bytes, the control messages; offsets are those of a 64-bit caller */
#define MESSAGE(at) \
	{ TRACE_BYTES, at, .unit = 56, .max = 56 }, \
	{ TRACE_BYTES, at, .arg = 0, .from = 1, .length = LENGTH_HALF, .length_at = 8, .unit = 1, .max = 128 }, \
	{ TRACE_IOVEC, at, .arg = 16, .from = 1, .length = LENGTH_WORD, .length_at = 24 }, \
	{ TRACE_BYTES, at, .arg = 32, .from = 1, .length = LENGTH_WORD, .length_at = 40, .unit = 1, .max = TRACE_CONTROL_MAX }, \
	{ TRACE_FILES_SHOWN, (at) & ~TRACE_AS_DONE, .arg = 12, .from = 4, .unit = 4, .max = TRACE_FILES_MAX } /* of SCM_RIGHTS: struct cmsghdr has 12 or 16 bytes */

static const struct kind kinds[KINDS] = {
#define KIND(name, printer, list, ...) [KIND_##name] = { print_##printer, list, { __VA_ARGS__ } },
#include "calls/kinds.def"
#undef KIND
};

enum result {
	RESULT_INT, RESULT_HEX, RESULT_FD, RESULT_NONE, RESULT_OCTAL, RESULT_POLL, RESULT_PPOLL, RESULT_SELECT, RESULT_PSELECT, RESULT_FCNTL, RESULT_BPF, RESULT_SCHEDULER,
	RESULT_TIME, RESULT_MESSAGES, RESULT_SIGNAL, RESULT_CLOCK_STATE, RESULT_IOPRIO, RESULT_MEMBARRIER, RESULT_LDT, RESULT_PERSONALITY
};

struct row_of_call {
	const char *name, *classes;
	enum result result;
	uint16_t kinds[ARGS_MAX]; /* KIND_none ends them */
};

#define KINDS_OF(...) KINDS_PICK(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0)(__VA_ARGS__)
#define KINDS_PICK(a, b, c, d, e, f, g, n, ...) KINDS_##n
#define KINDS_0(a)
#define KINDS_1(a) KIND_##a
#define KINDS_2(a, ...) KIND_##a, KINDS_1(__VA_ARGS__)
#define KINDS_3(a, ...) KIND_##a, KINDS_2(__VA_ARGS__)
#define KINDS_4(a, ...) KIND_##a, KINDS_3(__VA_ARGS__)
#define KINDS_5(a, ...) KIND_##a, KINDS_4(__VA_ARGS__)
#define KINDS_6(a, ...) KIND_##a, KINDS_5(__VA_ARGS__)
#define KINDS_7(a, ...) KIND_##a, KINDS_6(__VA_ARGS__)

static const struct row_of_call table[] = {
#define CALL(name, classes, result, ...) { #name, classes, RESULT_##result, { __VA_OPT__(KINDS_OF(__VA_ARGS__)) } },
#include "calls/table.def"
#undef CALL
};
#define TABLE_ROWS (sizeof(table) / sizeof(*table))

/* Of a number that has none: six words. */
static const struct row_of_call unknown = { "", "", RESULT_HEX, { KIND_hex, KIND_hex, KIND_hex, KIND_hex, KIND_hex, KIND_hex } };

static const struct row_of_call *by_number[2][SYSCALL_NR_MAX];

static const struct row_of_call *by_name(const char *name)
{
	for (size_t i = 0; i < TABLE_ROWS; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return &unknown;
}

static const struct row_of_call *row_of(enum syscall_abi abi, uint32_t nr)
{
	enum syscall_abi t = abi == SYSCALL_COMPAT ? SYSCALL_COMPAT : SYSCALL_NATIVE;
	const struct row_of_call **row;
	const char *name;

	if (nr >= SYSCALL_NR_MAX)
		return &unknown;
	row = &by_number[t == SYSCALL_COMPAT][nr];
	if (!*row) {
		name = syscall_call_name(t, nr);
		*row = name ? by_name(name) : &unknown;
	}
	return *row;
}

/* Are calls selected by the files that it reads? */
static bool is_selecting(const struct trace_step *s)
{
	return s->read == TRACE_FILE || s->read == TRACE_FILES || s->read == TRACE_FILE_BITS;
}

static bool is_of_files(const struct trace_step *s)
{
	return is_selecting(s) || s->read == TRACE_FILE_SHOWN || s->read == TRACE_FILES_SHOWN;
}

/* A kind's step as that of argument i, in a plan where the kind's own begin at `first`. */
static struct trace_step place_step(const struct trace_step *s, unsigned i, unsigned first, enum syscall_abi abi)
{
	struct trace_step to = *s;

	to.when &= ~IF_WHOLE;
	if (to.from)
		to.from += first;
	else
		to.arg += i;
	if (!to.from || is_of_files(s)) {
		to.length_at += i;
	} else if (abi == SYSCALL_COMPAT && !(to.when & TRACE_FIXED)) { /* members are words */
		to.arg /= 2;
		to.length_at /= 2;
	}
	return to;
}

/* Is nothing left of the thread when the call is done? */
static bool is_exit(const struct row_of_call *row)
{
	return !strcmp(row->name, "exit") || !strcmp(row->name, "exit_group");
}

static bool may_return_file(const struct row_of_call *row)
{
	return row->result == RESULT_FD || row->result == RESULT_FCNTL || row->result == RESULT_BPF;
}

void call_plan(enum syscall_abi abi, uint32_t nr, const struct call_style *style, struct trace_plan *ret_plan)
{
	static const struct trace_step result = { TRACE_FILE, TRACE_AT_EXIT | TRACE_IF_DONE, .length = LENGTH_RET };
	static const struct trace_step maybe = { TRACE_FILE_SHOWN, TRACE_AT_EXIT | TRACE_IF_DONE, .length = LENGTH_RET }; /* of some commands */
	const struct row_of_call *row = row_of(abi, nr);
	unsigned n = 0;

	memset(ret_plan, 0, sizeof(*ret_plan));
	for (unsigned i = 0; i < ARGS_MAX && row->kinds[i]; i++) {
		const struct kind *k = &kinds[row->kinds[i]];
		unsigned first = n;

		for (unsigned s = 0; s < KIND_STEPS && k->steps[s].read && n < TRACE_STEPS; s++)
			if ((style->files || !is_of_files(&k->steps[s])) && (style->is_whole || !(k->steps[s].when & IF_WHOLE)))
				ret_plan->steps[n++] = place_step(&k->steps[s], i, first, abi);
	}
	if (style->files && may_return_file(row) && n < TRACE_STEPS)
		ret_plan->steps[n++] = row->result == RESULT_FD ? result : maybe;
	if (style->has_stacks && is_exit(row))
		ret_plan->when = TRACE_AT_ENTRY | TRACE_STACK_AT_ENTRY;
	for (unsigned s = 0; s < n; s++) {
		struct trace_step *to = &ret_plan->steps[s];

		if (is_selecting(to))
			ret_plan->fds |= to->read == TRACE_FILE && to->length != LENGTH_RET ? 1u << to->arg : TRACE_OTHER_FDS;
		if (to->read == TRACE_COUNT && style->is_whole)
			to->read = TRACE_STRINGS;
		ret_plan->when |= (to->when & ~TRACE_IF_DONE) | (to->when & TRACE_AGAIN ? TRACE_AT_EXIT : 0);
	}
}

const char *call_name(enum syscall_abi abi, uint32_t nr, char buf[32])
{
	const char *name = nr < SYSCALL_NR_MAX ? syscall_call_name(abi == SYSCALL_X32 ? SYSCALL_NATIVE : abi, nr) : NULL;

	if (name)
		return name;
	snprintf(buf, 32, nr < TRACE_NO_NR ? "syscall_%#x" : "syscall_unknown", nr);
	return buf;
}

bool call_is_exec(const struct call_event *e)
{
	const struct row_of_call *row = row_of(e->abi, e->nr);

	return row->kinds[0] == KIND_path_first || row->kinds[1] == KIND_path_first;
}

static struct decode decode_of(struct out *o, const struct call_event *e, const struct call_style *style)
{
	const char *name = row_of(e->abi, e->nr)->name;
	size_t n = name ? strlen(name) : 0;

	return (struct decode){ .o = o, .e = e, .style = style, .is_compat = e->abi == SYSCALL_COMPAT, .has_time64 = n > 2 && !strcmp(name + n - 2, "64"),
				.is_failed = e->kind == CALL_GONE || call_error(e) };
}

/* Arguments that depend on one before them: a mode is of a file that is made, a new address of MREMAP_FIXED. */
static bool is_left_out(const struct decode *d, const uint16_t *kinds_of, unsigned i)
{
	if (kinds_of[i] == KIND_open_mode)
		return !has_open_mode(d, i);
	if (kinds_of[i] == KIND_mq_mode)
		return !(d->e->args[i - 1] & O_CREAT);
	if (kinds_of[i] == KIND_dev)
		return !has_device(d, i);
	return i && kinds_of[i - 1] == KIND_mremap_flags && !(d->e->args[i - 1] & 2);
}

/* Is it written by the call? */
static bool is_result(const struct kind *k)
{
	for (unsigned s = 0; s < KIND_STEPS && k->steps[s].read; s++)
		if (k->steps[s].when & TRACE_IF_DONE)
			return !(k->steps[0].when & TRACE_AT_ENTRY);
	return false;
}

/* Is it memory that the call alone writes? Of a call that failed there is only its address. */
static bool is_written(const struct kind *k)
{
	const struct trace_step *s = &k->steps[0];

	return s->when == (TRACE_AT_EXIT | TRACE_IF_DONE) && !s->arg && (s->length == LENGTH_FIXED || s->length == LENGTH_RET);
}

/* Arguments from `first` on, to the first that the call itself writes if only those before are known. Returns how many there are then. */
static unsigned put_args(struct out *o, const struct call_event *e, const struct call_style *style, unsigned first, bool is_begun)
{
	const struct row_of_call *row = row_of(e->abi, e->nr);
	struct decode d = decode_of(o, e, style);
	unsigned i, at = 0; /* a number of 64 bits is two arguments of a 32-bit caller */

	for (i = 0; i < ARGS_MAX && at < TRACE_ARGS && row->kinds[i]; i++, at += 1 + (d.is_compat && row->kinds[i - 1] == KIND_offset64)) {
		const struct kind *k = &kinds[row->kinds[i]];

		if (is_left_out(&d, row->kinds, i))
			break;
		if (i < first)
			continue;
		if (i && (i > first || is_begun))
			out_text(o, ", ");
		if (is_begun && is_result(k))
			break;
		d.names = k->names;
		if (d.is_failed && is_written(k))
			put_addr(&d, e->args[at]);
		else
			k->print(&d, at);
	}
	return i;
}

void call_args(struct out *o, const struct call_event *e, const struct call_style *style)
{
	put_args(o, e, style, 0, false);
}

unsigned call_args_begun(struct out *o, const struct call_event *e, const struct call_style *style)
{
	return put_args(o, e, style, 0, true);
}

void call_args_from(struct out *o, const struct call_event *e, const struct call_style *style, unsigned n)
{
	put_args(o, e, style, n, false);
}

const char *call_error_name(int error)
{
	switch (error) {
	case 512: return "ERESTARTSYS";
	case 513: return "ERESTARTNOINTR";
	case 514: return "ERESTARTNOHAND";
	case 516: return "ERESTART_RESTARTBLOCK";
	case 524: return "ENOTSUPP";
	}
	return strerrorname_np(error);
}

static void put_error(struct out *o, int error)
{
	const char *name = call_error_name(error);

	switch (error) {
	case 512:
		out_text(o, "? ERESTARTSYS (To be restarted if SA_RESTART is set)");
		return;
	case 513:
		out_text(o, "? ERESTARTNOINTR (To be restarted)");
		return;
	case 514:
		out_text(o, "? ERESTARTNOHAND (To be restarted if no handler)");
		return;
	case 516:
		out_text(o, "? ERESTART_RESTARTBLOCK (Interrupted by signal)");
		return;
	}
	out_text(o, "-1 ");
	if (name)
		out_text(o, name);
	else
		out_form(o, "(errno %d)", error);
	out_form(o, " (%s)", strerror(error));
}

/* In strace's words also with -X raw, as those of a signal. */
static void put_named_result(struct decode *d, const struct names *names)
{
	const char *name = names_find(names, d->e->ret);

	out_signed(d->o, d->e->ret);
	if (name)
		out_form(d->o, " (%s)", name);
}

static void put_special_result(struct decode *d, enum result result)
{
	int64_t ret = d->e->ret;

	if (result == RESULT_LDT) { /* the kernel cuts the result to 32 bits */
		out_signed(d->o, ret);
		if (ret >= 0xfffff001 && ret <= UINT32_MAX && call_error_name(-(int32_t)ret))
			out_form(d->o, " %s (%s)", call_error_name(-(int32_t)ret), strerror(-(int32_t)ret));
		return;
	}
	if (result == RESULT_PERSONALITY || (result == RESULT_MEMBARRIER && ret && !d->e->args[0]))
		out_hex(d->o, ret);
	else
		out_signed(d->o, ret);
	if ((result == RESULT_IOPRIO && d->style->names == NAMES_RAW) || (result == RESULT_MEMBARRIER && (!ret || d->e->args[0])))
		return;
	out_text(d->o, " (");
	if (result == RESULT_SIGNAL)
		put_signal_name(d->o, ret);
	else if (result == RESULT_IOPRIO)
		put_ioprio(d, ret);
	else if (result == RESULT_PERSONALITY)
		put_personality(d, ret);
	else
		put_flags(d, &names_membarrier_commands, ret);
	out_char(d->o, ')');
}

void call_result(struct out *o, const struct call_event *e, const struct call_style *style)
{
	const struct row_of_call *row = row_of(e->abi, e->nr);
	struct decode d = decode_of(o, e, style);

	if (e->kind == CALL_URING ? e->no_result : e->kind != CALL_DONE) {
		out_char(o, '?');
		return;
	}
	if (call_error(e)) {
		put_error(o, call_error(e));
		return;
	}
	if (e->kind == CALL_URING) {
		put_uring_result(&d);
		return;
	}
	switch (row->result) {
	case RESULT_HEX:
		out_hex(o, d.is_compat ? (uint32_t)e->ret : (uint64_t)e->ret);
		break;
	case RESULT_OCTAL:
		out_octal(o, e->ret, 2);
		break;
	case RESULT_FCNTL:
		put_fcntl_result(&d);
		break;
	case RESULT_BPF:
		put_bpf_result(&d);
		break;
	case RESULT_POLL: case RESULT_PPOLL:
		out_signed(o, e->ret);
		put_poll_result(&d, row->result == RESULT_PPOLL);
		break;
	case RESULT_SELECT: case RESULT_PSELECT:
		out_signed(o, e->ret);
		put_select_result(&d, row->result == RESULT_PSELECT);
		break;
	case RESULT_MESSAGES:
		out_signed(o, e->ret);
		put_messages_result(&d);
		break;
	case RESULT_TIME:
		out_signed(o, e->ret);
		put_time_result(&d);
		break;
	case RESULT_SCHEDULER:
		put_named_result(&d, &names_schedulers);
		break;
	case RESULT_CLOCK_STATE:
		put_named_result(&d, &names_clock_states);
		break;
	case RESULT_SIGNAL: case RESULT_IOPRIO: case RESULT_MEMBARRIER: case RESULT_LDT: case RESULT_PERSONALITY:
		put_special_result(&d, row->result);
		break;
	case RESULT_FD:
		put_fd(&d, e->ret);
		break;
	default:
		out_signed(o, e->ret);
	}
}

static bool has_kind(const struct row_of_call *row, enum kind_id a, enum kind_id b)
{
	for (unsigned i = 0; i < ARGS_MAX; i++)
		if (row->kinds[i] && (row->kinds[i] == a || row->kinds[i] == b))
			return true;
	return false;
}

/* Does it take a descriptor, or return one? */
static bool takes_file(const struct row_of_call *row)
{
	return has_kind(row, KIND_fd, KIND_dirfd) || has_kind(row, KIND_fd_before, KIND_fd_before) || row->result == RESULT_FD;
}

int call_is_of(const char *class, enum syscall_abi abi, uint32_t nr)
{
	static const struct {
		const char *name, *letters;
	} classes[] = { { "network", "n" }, { "net", "n" }, { "process", "p" }, { "memory", "m" }, { "signal", "s" }, { "ipc", "i" },
			{ "creds", "c" }, { "clock", "t" }, { "pure", "u" }, { "stat", "S" }, { "lstat", "L" }, { "fstat", "F" },
			{ "%stat", "SLF" }, { "statfs", "V" }, { "fstatfs", "W" }, { "%statfs", "VWU" } };
	const struct row_of_call *row = row_of(abi, nr);

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (!strcmp(class, classes[i].name))
			return strpbrk(row->classes, classes[i].letters) != NULL;
	if (!strcmp(class, "file"))
		return has_kind(row, KIND_path, KIND_path_first) || strchr(row->classes, 'f');
	if (!strcmp(class, "desc")) /* sockets are of %network */
		return strchr(row->classes, 'D') || (takes_file(row) && !strchr(row->classes, 'n'));
	return -1;
}
