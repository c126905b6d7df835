/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What io_uring_register() is given: include/uapi/linux/io_uring.h. */
#include "calls/decode.h"

/* enum io_uring_register_op */
enum register_op {
	BUFFERS = 0, FILES = 2, EVENTFD = 4, FILES_UPDATE = 6, EVENTFD_ASYNC = 7, PROBE = 8, RESTRICTIONS = 11, FILES2 = 13, FILES_UPDATE2 = 14,
	BUFFERS2 = 15, BUFFERS_UPDATE = 16, IOWQ_AFF = 17, IOWQ_MAX_WORKERS = 19, RING_FDS = 20, NO_RING_FDS = 21, PBUF_RING = 22, NO_PBUF_RING = 23
};

#define SKIP (-2) /* IORING_REGISTER_FILES_SKIP */
#define PROBE_OPS_MAX 256
#define WORKER_KINDS_MAX 256 /* the kernel knows two */

static void put_hex_member(struct decode *d, const char *name, uint64_t value)
{
	if (!value)
		return;
	out_form(d->o, ", %s=", name);
	out_hex(d->o, value);
}

static void put_descriptor(struct decode *d, uint64_t addr)
{
	int32_t fd = -1;

	memory_get(d, addr, &fd, sizeof(fd));
	put_fd(d, fd);
}

/* A file of an update: there -2 leaves the one that is registered. */
static void put_updated(struct decode *d, uint64_t addr)
{
	int32_t fd = -1;

	memory_get(d, addr, &fd, sizeof(fd));
	if (fd == SKIP && d->style->names != NAMES_RAW)
		out_form(d->o, d->style->names == NAMES_VERBOSE ? "%d /* IORING_REGISTER_FILES_SKIP */" : "IORING_REGISTER_FILES_SKIP", fd);
	else
		put_fd(d, fd);
}

/* struct io_uring_files_update */
static void put_files_update(struct decode *d, uint64_t addr, uint32_t n)
{
	struct {
		uint32_t offset, resv;
		uint64_t fds;
	} u;

	if (!memory_get(d, addr, &u, sizeof(u))) {
		put_addr(d, addr);
		return;
	}
	out_form(d->o, "{offset=%u", u.offset);
	put_hex_member(d, "resv", u.resv);
	out_text(d->o, ", fds=");
	put_array(d, u.fds, n, 4, put_updated, false);
	out_char(d->o, '}');
}

/* struct io_uring_probe_op */
static void put_probe_op(struct decode *d, uint64_t addr)
{
	struct {
		uint8_t op, resv;
		uint16_t flags;
		uint32_t resv2;
	} op = { 0 };

	memory_get(d, addr, &op, sizeof(op));
	out_text(d->o, "{op=");
	put_name_or_decimal(d, &names_uring_operations, op.op);
	put_hex_member(d, "resv", op.resv);
	out_text(d->o, ", flags=");
	put_flags(d, &names_uring_op_flags, op.flags);
	put_hex_member(d, "resv2", op.resv2);
	out_char(d->o, '}');
}

/* struct io_uring_probe */
static void put_probe(struct decode *d, uint64_t addr, uint32_t n)
{
	struct {
		uint8_t last_op, ops_len;
		uint16_t resv;
		uint32_t resv2[3];
	} p;
	size_t bytes = sizeof(p) + (size_t)n * 8, has = 0;
	const char *all = n > PROBE_OPS_MAX ? NULL : memory_some(d, addr, bytes, &has);

	/* The call fills it, and refuses one that is not empty: that is shown. */
	if (!all || has < bytes || (d->is_failed && !all[0] && !memcmp(all, all + 1, bytes - 1))) {
		put_addr(d, addr);
		return;
	}
	memcpy(&p, all, sizeof(p));
	out_text(d->o, "{last_op=");
	put_name_or_decimal(d, &names_uring_operations, p.last_op);
	out_form(d->o, ", ops_len=%u", p.ops_len);
	put_hex_member(d, "resv", p.resv);
	put_reserved(d, "resv2", p.resv2, 4, 3);
	out_text(d->o, ", ops=");
	put_array(d, addr + sizeof(p), n, 8, put_probe_op, false);
	out_char(d->o, '}');
}

/* struct io_uring_restriction */
static void put_restriction(struct decode *d, uint64_t addr)
{
	struct {
		uint16_t opcode;
		uint8_t op, resv;
		uint32_t resv2[3];
	} r = { 0 };

	memory_get(d, addr, &r, sizeof(r));
	out_text(d->o, "{opcode=");
	put_one(d, &names_uring_restrictions, r.opcode);
	switch (r.opcode) {
	case 0:
		out_text(d->o, ", register_op=");
		put_one(d, &names_uring_register_ops, r.op);
		break;
	case 1:
		out_text(d->o, ", sqe_op=");
		put_one(d, &names_uring_operations, r.op);
		break;
	case 2: case 3:
		out_text(d->o, ", sqe_flags=");
		put_flags(d, &names_uring_sqe_flags, r.op);
		break;
	default:
		out_text(d->o, " /* op: ");
		out_hex(d->o, r.op);
		out_text(d->o, " */");
	}
	put_hex_member(d, "resv", r.resv);
	put_reserved(d, "resv2", r.resv2, 4, 3);
	out_char(d->o, '}');
}

/* A resource's data, of n buffers or files, and the tag of each */
static void put_data(struct decode *d, uint64_t data, uint64_t tags, uint32_t n, bool is_files, bool is_update)
{
	out_text(d->o, ", data=");
	if (is_files)
		put_array(d, data, n, 4, is_update ? put_updated : put_descriptor, false);
	else
		put_iovec(d, data, n, 0, false);
	out_text(d->o, ", tags=");
	put_array(d, tags, n, 8, put_hex_element, false);
}

static void put_resources(struct decode *d, uint64_t addr, uint32_t size, bool is_files)
{
	struct {
		uint32_t n, flags;
		uint64_t resv2, data, tags;
	} r;

	if (size < sizeof(r) || !memory_get(d, addr, &r, sizeof(r))) {
		put_addr(d, addr);
		return;
	}
	out_form(d->o, "{nr=%u, flags=", r.n);
	put_flags(d, &names_uring_resource_flags, r.flags);
	put_hex_member(d, "resv2", r.resv2);
	put_data(d, r.data, r.tags, r.n, is_files, false);
	if (size > sizeof(r))
		put_rest(d, addr, sizeof(r), size);
	out_char(d->o, '}');
}

static void put_resources_update(struct decode *d, uint64_t addr, uint32_t size, bool is_files)
{
	struct {
		uint32_t offset, resv;
		uint64_t data, tags;
		uint32_t n, resv2;
	} u;

	if (size < sizeof(u) || !memory_get(d, addr, &u, sizeof(u))) {
		put_addr(d, addr);
		return;
	}
	out_form(d->o, "{offset=%u", u.offset);
	put_hex_member(d, "resv", u.resv);
	put_data(d, u.data, u.tags, u.n, is_files, true);
	out_form(d->o, ", nr=%u", u.n);
	put_hex_member(d, "resv2", u.resv2);
	if (size > sizeof(u))
		put_rest(d, addr, sizeof(u), size);
	out_char(d->o, '}');
}

/* How many workers of a kind, by its place in the array, which begins at args[2] */
static void put_worker(struct decode *d, uint64_t addr, uint32_t n)
{
	out_char(d->o, '[');
	put_name_or_decimal(d, &names_uring_workers, (addr - d->e->args[2]) / 4);
	out_form(d->o, "]=%u", n);
}

static void put_workers(struct decode *d, uint64_t addr)
{
	uint32_t n = 0;

	if (!memory_before(d, addr, &n, sizeof(n)))
		memory_get(d, addr, &n, sizeof(n));
	put_worker(d, addr, n);
}

static void put_workers_was(struct decode *d, uint64_t addr)
{
	uint32_t n = 0;

	memory_get(d, addr, &n, sizeof(n));
	put_worker(d, addr, n);
}

/* The kernel writes there what the limits were. */
static void put_max_workers(struct decode *d, uint64_t addr, uint32_t n)
{
	size_t has = 0;

	put_array(d, addr, n, 4, put_workers, false);
	if (!n || n > WORKER_KINDS_MAX || !memory_some(d, addr, n * 4, &has) || has < n * 4)
		return;
	out_text(d->o, " => ");
	if (d->is_failed)
		put_addr(d, addr);
	else
		put_array(d, addr, n, 4, put_workers_was, false);
}

/* struct io_uring_rsrc_update: a place among the registered rings, -1 for any, and the ring's descriptor, or nothing */
struct ring_update {
	uint32_t offset, resv;
	uint64_t data;
};

/* Where the kernel writes the place that it took. */
static void put_ring(struct decode *d, uint64_t addr)
{
	struct ring_update u = { 0 };

	if (!memory_before(d, addr, &u, sizeof(u)))
		memory_get(d, addr, &u, sizeof(u));
	out_form(d->o, u.offset == UINT32_MAX ? "{offset=-1" : "{offset=%u", u.offset);
	put_hex_member(d, "resv", u.resv);
	out_text(d->o, ", data=");
	put_fd(d, (int32_t)u.data);
	out_char(d->o, '}');
}

static void put_no_ring(struct decode *d, uint64_t addr)
{
	struct ring_update u = { 0 };

	memory_get(d, addr, &u, sizeof(u));
	out_form(d->o, "{offset=%u", u.offset);
	put_hex_member(d, "resv", u.resv);
	put_hex_member(d, "data", u.data);
	out_char(d->o, '}');
}

/* struct io_uring_buf_reg */
static void put_buffer_ring(struct decode *d, uint64_t addr)
{
	struct {
		uint64_t addr;
		uint32_t entries;
		uint16_t group, pad;
		uint64_t resv[3];
	} r;

	if (!memory_get(d, addr, &r, sizeof(r))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{ring_addr=");
	put_addr(d, r.addr);
	out_form(d->o, ", ring_entries=%u, bgid=%u", r.entries, r.group);
	put_hex_member(d, "pad", r.pad);
	put_reserved(d, "resv", r.resv, 8, 3);
	out_char(d->o, '}');
}

/* With a flag: the first argument is then the index of a registered ring. */
#define USE_REGISTERED_RING 0x80000000u

void print_uring_register(struct decode *d, unsigned i)
{
	uint32_t op = (uint32_t)d->e->args[i];

	if (op & USE_REGISTERED_RING && d->style->names == NAMES_ABBREV) {
		out_text(d->o, "IORING_REGISTER_USE_REGISTERED_RING|");
		op &= ~USE_REGISTERED_RING;
	}
	put_one(d, &names_uring_register_ops, op);
}

void print_uring_registered(struct decode *d, unsigned i)
{
	uint32_t op = (uint32_t)d->e->args[i - 1] & ~USE_REGISTERED_RING, n = (uint32_t)d->e->args[i + 1];
	uint64_t addr = d->e->args[i];

	switch (op) {
	case BUFFERS: put_iovec(d, addr, n, 0, false); break;
	case FILES: case EVENTFD: case EVENTFD_ASYNC: put_array(d, addr, n, 4, put_descriptor, false); break;
	case FILES_UPDATE: put_files_update(d, addr, n); break;
	case PROBE: put_probe(d, addr, n); break;
	case RESTRICTIONS: put_array(d, addr, n, 16, put_restriction, false); break;
	case FILES2: case BUFFERS2: put_resources(d, addr, n, op == FILES2); break;
	case FILES_UPDATE2: case BUFFERS_UPDATE: put_resources_update(d, addr, n, op == FILES_UPDATE2); break;
	case IOWQ_AFF: put_cpus(d, addr, n); break;
	case IOWQ_MAX_WORKERS: put_max_workers(d, addr, n); break;
	case RING_FDS: put_array(d, addr, n, sizeof(struct ring_update), put_ring, false); break;
	case NO_RING_FDS: put_array(d, addr, n, sizeof(struct ring_update), put_no_ring, false); break;
	case PBUF_RING: case NO_PBUF_RING: put_buffer_ring(d, addr); break;
	default: put_addr(d, addr);
	}
}
