/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operations of io_uring. Members of the submission have the names of struct io_uring_sqe: what they mean depends on the operation. */
#include <stdio.h>

#include "bpf/uring.h"
#include "calls/decode.h"

#define BIT(opcode) (1ull << (opcode))
#define BUFFER_SHIFT 16 /* IORING_CQE_BUFFER_SHIFT */

/* NOP, POLL_REMOVE, TIMEOUT, TIMEOUT_REMOVE, ASYNC_CANCEL, LINK_TIMEOUT, FILES_UPDATE, MADVISE, PROVIDE_BUFFERS, REMOVE_BUFFERS, SETXATTR, GETXATTR,
 * SOCKET, WAITID, FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAITV, PIPE, NOP128 */
static const uint64_t without_fd = BIT(0) | BIT(7) | BIT(11) | BIT(12) | BIT(14) | BIT(15) | BIT(20) | BIT(25) | BIT(31) | BIT(32) | BIT(42) | BIT(44) |
				   BIT(45) | BIT(50) | BIT(51) | BIT(52) | BIT(53) | BIT(62) | BIT(63);

/* OPENAT, STATX, OPENAT2, RENAMEAT, UNLINKAT, MKDIRAT, SYMLINKAT, LINKAT */
static const uint64_t with_dirfd = BIT(18) | BIT(21) | BIT(28) | BIT(35) | BIT(36) | BIT(37) | BIT(38) | BIT(39);

static bool is_one_of(uint64_t opcodes, uint32_t opcode)
{
	return opcode < 64 && opcodes & BIT(opcode);
}

const char *call_uring_name(uint32_t opcode, char buf[32])
{
	const char *name = names_find(&names_uring_operations, opcode);

	if (name)
		return name;
	if (opcode == URING_OPCODE_UNKNOWN)
		return "IORING_OP_???";
	snprintf(buf, 32, "IORING_OP_%#x", opcode);
	return buf;
}

static void put_word(struct decode *d, const char *name, uint64_t value, bool is_hex)
{
	if (!value)
		return;
	out_text(d->o, name);
	if (is_hex)
		out_hex(d->o, value);
	else
		out_signed(d->o, value);
	out_text(d->o, ", ");
}

void call_uring_args(struct out *o, const struct call_event *e, const struct call_style *style)
{
	struct decode d = { .o = o, .e = e, .style = style };

	if (!e->no_args) {
		if (!is_one_of(without_fd, e->nr)) {
			out_text(o, "fd=");
			if (is_one_of(with_dirfd, e->nr))
				put_dirfd(&d, e->args[TRACE_URING_FD]);
			else
				put_fd(&d, e->args[TRACE_URING_FD]);
			out_text(o, ", ");
		}
		put_word(&d, "addr=", e->args[TRACE_URING_ADDR], true);
		put_word(&d, "len=", (uint32_t)e->args[TRACE_URING_LEN], false);
		put_word(&d, "off=", e->args[TRACE_URING_OFF], false);
		put_word(&d, "ioprio=", e->args[TRACE_URING_FLAGS] >> 16 & 0xffff, true);
		if (e->args[TRACE_URING_FLAGS] & 0xffff) {
			out_text(o, "flags=");
			put_flags(&d, &names_uring_sqe_flags, e->args[TRACE_URING_FLAGS] & 0xffff);
			out_text(o, ", ");
		}
		put_word(&d, "op_flags=", e->args[TRACE_URING_LEN] >> 32, true);
	}
	out_text(o, "user_data=");
	out_hex(o, e->args[TRACE_URING_USER_DATA]);
}

/* With the flags of its completion. */
void put_uring_result(struct decode *d)
{
	uint32_t flags = d->e->args[TRACE_URING_FLAGS] >> 32, named = flags & ((1u << BUFFER_SHIFT) - 1);

	out_signed(d->o, d->e->ret);
	if (!flags)
		return;
	out_text(d->o, " (");
	if (named)
		put_flags(d, &names_uring_cqe_flags, named);
	if (flags >> BUFFER_SHIFT)
		out_form(d->o, "%s%u<<IORING_CQE_BUFFER_SHIFT", named ? "|" : "", flags >> BUFFER_SHIFT);
	out_char(d->o, ')');
}
