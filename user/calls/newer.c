/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Structures of system calls that came after Linux 6.5: include/uapi/linux/mount.h, xattr.h, fs.h, futex.h, lsm.h. */
#include "calls/decode.h"

static void put_number_of(struct decode *d, uint64_t addr)
{
	uint64_t id = 0;

	memory_get(d, addr, &id, sizeof(id));
	if (d->names)
		put_one(d, d->names, id);
	else
		out_hex(d->o, id);
}

/* As many as the call returned. */
void print_ids_out(struct decode *d, unsigned i)
{
	put_array(d, d->e->args[i], d->is_failed ? 0 : d->e->ret, sizeof(uint64_t), put_number_of, false);
}

/* struct mnt_id_req */
void print_mount_request(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], ids[2];
	uint32_t head[2];

	if (!memory_get(d, addr, head, sizeof(head)) || !memory_get(d, addr + sizeof(head), ids, sizeof(ids))) {
		put_addr(d, addr);
		return;
	}
	out_form(d->o, "{size=%u, ", head[0]);
	if (head[1])
		out_form(d->o, "mnt_ns_fd=%u, ", head[1]);
	out_text(d->o, "mnt_id=");
	out_hex(d->o, ids[0]);
	out_text(d->o, ", param=");
	if (d->names)
		put_flags(d, d->names, ids[1]);
	else
		out_hex(d->o, ids[1]);
	out_text(d->o, head[0] > sizeof(head) + sizeof(ids) ? ", ...}" : "}");
}

/* struct xattr_args */
void print_xattr_args(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], value;
	uint32_t rest[2];

	if (!memory_get(d, addr, &value, sizeof(value)) || !memory_get(d, addr + sizeof(value), rest, sizeof(rest))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{value=");
	put_addr(d, value);
	out_form(d->o, ", size=%u, flags=", rest[0]);
	put_flags(d, &names_xattr_flags, rest[1]);
	out_char(d->o, '}');
}

/* struct file_attr; the size is the next argument. */
void print_file_attr(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], flags;
	uint32_t rest[4];

	if (!memory_get(d, addr, &flags, sizeof(flags)) || !memory_get(d, addr + sizeof(flags), rest, sizeof(rest))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{fa_xflags=");
	put_flags(d, &names_file_xflags, flags);
	out_form(d->o, ", fa_extsize=%u, fa_nextents=%u, fa_projid=%u, fa_cowextsize=%u", rest[0], rest[1], rest[2], rest[3]);
	out_text(d->o, d->e->args[i + 1] > sizeof(flags) + sizeof(rest) ? ", ...}" : "}");
}
