/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asynchronous I/O: include/uapi/linux/aio_abi.h */
#include <linux/aio_abi.h>

#include "calls/decode.h"

/* What all operations have. */
static void put_iocb_begin(struct decode *d, const struct iocb *c)
{
	out_text(d->o, "{aio_data=");
	out_hex(d->o, c->aio_data);
	if (c->aio_key)
		out_form(d->o, ", aio_key=%u", c->aio_key);
	if (c->aio_rw_flags) {
		out_text(d->o, ", aio_rw_flags=");
		put_flags(d, &names_rwf_flags, (uint32_t)c->aio_rw_flags);
	}
	out_text(d->o, ", aio_lio_opcode=");
	put_name_or_decimal(d, &names_aio_operations, c->aio_lio_opcode);
	if (c->aio_flags & 2) { /* IOCB_FLAG_IOPRIO */
		out_text(d->o, ", aio_reqprio=");
		put_ioprio(d, (uint16_t)c->aio_reqprio);
	} else if (c->aio_reqprio) {
		out_form(d->o, ", aio_reqprio=%d", c->aio_reqprio);
	}
	out_text(d->o, ", aio_fildes=");
	put_fd(d, c->aio_fildes);
}

static void put_iocb_flags(struct decode *d, const struct iocb *c)
{
	if (c->aio_flags) {
		out_text(d->o, ", aio_flags=");
		put_flags(d, &names_aio_flags, c->aio_flags);
	}
	if (c->aio_flags & IOCB_FLAG_RESFD)
		out_form(d->o, ", aio_resfd=%d", (int)c->aio_resfd);
	else if (c->aio_resfd)
		out_form(d->o, ", aio_resfd=%#x", c->aio_resfd);
}

static void put_iocb(struct decode *d, const struct iocb *c)
{
	bool is_valid = (int64_t)c->aio_nbytes >= 0;

	put_iocb_begin(d, c);
	switch (c->aio_lio_opcode) {
	case IOCB_CMD_PREAD: case IOCB_CMD_PWRITE:
		out_text(d->o, ", aio_buf=");
		if (c->aio_lio_opcode == IOCB_CMD_PWRITE && is_valid)
			put_buffer(d, c->aio_buf, c->aio_nbytes);
		else
			out_hex(d->o, c->aio_buf);
		out_form(d->o, ", aio_nbytes=%llu, aio_offset=%lld", (unsigned long long)c->aio_nbytes, (long long)c->aio_offset);
		put_iocb_flags(d, c);
		break;
	case IOCB_CMD_PREADV: case IOCB_CMD_PWRITEV:
		out_text(d->o, ", aio_buf=");
		if (is_valid) {
			put_iovec(d, c->aio_buf, c->aio_nbytes, UINT64_MAX, c->aio_lio_opcode == IOCB_CMD_PWRITEV);
		} else {
			out_hex(d->o, c->aio_buf);
			out_form(d->o, ", aio_nbytes=%llu", (unsigned long long)c->aio_nbytes);
		}
		out_form(d->o, ", aio_offset=%lld", (long long)c->aio_offset);
		put_iocb_flags(d, c);
		break;
	case 5: /* IOCB_CMD_POLL */
		out_text(d->o, ", aio_buf=");
		put_flags(d, &names_poll_flags, c->aio_buf);
		put_iocb_flags(d, c);
		break;
	}
	out_char(d->o, '}');
}

static void put_iocb_at(struct decode *d, uint64_t addr)
{
	struct iocb c;
	uint64_t at = 0;

	memory_word(d, addr, &at);
	if (memory_get(d, at, &c, sizeof(c)))
		put_iocb(d, &c);
	else
		put_addr(d, at);
}

/* io_submit(): pointers to them */
void print_iocbs(struct decode *d, unsigned i)
{
	int64_t n = d->is_compat ? (int32_t)d->e->args[i - 1] : (int64_t)d->e->args[i - 1];

	if (n < 0)
		put_addr(d, d->e->args[i]);
	else
		put_array(d, d->e->args[i], n, word_bytes(d), put_iocb_at, false);
}

/* io_cancel(): only which it is */
void print_iocb(struct decode *d, unsigned i)
{
	struct iocb c;

	if (!memory_get(d, d->e->args[i], &c, sizeof(c))) {
		put_addr(d, d->e->args[i]);
		return;
	}
	put_iocb_begin(d, &c);
	out_char(d->o, '}');
}

static void put_event(struct decode *d, uint64_t addr)
{
	struct io_event e = { 0 };

	memory_get(d, addr, &e, sizeof(e));
	out_text(d->o, "{data=");
	out_hex(d->o, e.data);
	out_text(d->o, ", obj=");
	out_hex(d->o, e.obj);
	out_form(d->o, ", res=%lld, res2=%lld}", (long long)e.res, (long long)e.res2);
}

void print_io_event(struct decode *d, unsigned i)
{
	struct io_event e;

	if (!memory_get(d, d->e->args[i], &e, sizeof(e)))
		put_addr(d, d->e->args[i]);
	else
		put_event(d, d->e->args[i]);
}

void print_io_events(struct decode *d, unsigned i)
{
	put_array(d, d->e->args[i], d->e->ret, sizeof(struct io_event), put_event, false);
}
