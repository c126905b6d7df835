/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mounts, swap, handles of files, and what watches or guards files: fanotify, landlock. */
#include <errno.h>
#include <sys/mount.h>

#include "calls/decode.h"

#define MAGIC 0xc0ed0000u /* MS_MGC_VAL: kernels before 2.4 wanted it */
#define MAGIC_MASK 0xffff0000u
#define NO_FD -1

static uint64_t mount_flags(const struct decode *d)
{
	uint64_t flags = d->e->args[3];

	return (flags & MAGIC_MASK) == MAGIC ? flags & ~(uint64_t)MAGIC_MASK : flags;
}

/* Whether the mount is changed, where the kernel looks at neither the type nor the data. */
static bool is_change(uint64_t flags)
{
	return !(flags & MS_REMOUNT) && flags & (MS_BIND | MS_MOVE | MS_SHARED | MS_PRIVATE | MS_SLAVE | MS_UNBINDABLE);
}

void print_mount_type(struct decode *d, unsigned i)
{
	uint64_t flags = mount_flags(d);

	if (flags & MS_REMOUNT || is_change(flags))
		put_addr(d, d->e->args[i]);
	else
		put_text(d, d->e->args[i], false);
}

void print_mount_flags(struct decode *d, unsigned i)
{
	uint64_t flags = mount_flags(d);
	bool has_magic = flags != d->e->args[i];

	if (has_magic) {
		if (d->style->names != NAMES_ABBREV)
			out_hex(d->o, MAGIC);
		if (d->style->names != NAMES_RAW)
			out_text(d->o, d->style->names == NAMES_VERBOSE ? " /* MS_MGC_VAL */" : "MS_MGC_VAL");
		out_text(d->o, flags ? "|" : "");
	}
	if (flags || !has_magic)
		put_flags(d, &names_mount_flags, flags);
}

void print_mount_data(struct decode *d, unsigned i)
{
	if (is_change(mount_flags(d)))
		put_addr(d, d->e->args[i]);
	else
		put_text(d, d->e->args[i], false);
}

enum { SET_FLAG, SET_STRING, SET_BINARY, SET_PATH, SET_PATH_EMPTY, SET_FD };

#define BINARY_MAX (1 << 20) /* of a value that the kernel takes */

static void put_fsconfig_value(struct decode *d, uint32_t command, uint64_t value, int32_t aux)
{
	struct call_style style = *d->style;
	struct decode hex = *d;

	if (command == SET_STRING) {
		put_text(d, value, false);
	} else if (command == SET_PATH || command == SET_PATH_EMPTY) {
		put_text(d, value, true);
	} else if (command == SET_BINARY && aux >= 0 && aux <= BINARY_MAX) {
		style.hex = 2;
		hex.style = &style;
		put_buffer(&hex, value, aux);
	} else {
		put_addr(d, value);
	}
}

/* The command, and what it sets. */
void print_fsconfig(struct decode *d, unsigned i)
{
	const uint64_t *a = d->e->args;
	uint32_t command = a[i];
	int32_t aux = a[i + 3];

	put_one(d, &names_fsconfig_commands, command);
	out_text(d->o, ", ");
	if (command <= SET_FD)
		put_text(d, a[i + 1], false);
	else
		put_addr(d, a[i + 1]);
	out_text(d->o, ", ");
	put_fsconfig_value(d, command, a[i + 2], aux);
	out_text(d->o, ", ");
	if (command == SET_PATH || command == SET_PATH_EMPTY)
		put_dirfd(d, aux);
	else if (command == SET_FD)
		put_fd(d, aux);
	else
		out_signed(d->o, aux);
}

#define MOUNT_ATTR_IDMAP_BIT 0x100000 /* MOUNT_ATTR_IDMAP: to the user namespace of a descriptor */

/* struct mount_attr, which may grow: its size is the next argument. */
void print_mount_attrs(struct decode *d, unsigned i)
{
	uint64_t attr[4], addr = d->e->args[i], size = d->e->args[i + 1];

	if (size < sizeof(attr) || !memory_get(d, addr, attr, sizeof(attr))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{attr_set=");
	put_flags(d, &names_mount_attributes, attr[0]);
	out_text(d->o, ", attr_clr=");
	put_flags(d, &names_mount_attributes, attr[1]);
	out_text(d->o, ", propagation=");
	put_one(d, &names_mount_propagations, attr[2]);
	out_text(d->o, ", userns_fd=");
	if (attr[0] & MOUNT_ATTR_IDMAP_BIT && attr[3] <= INT32_MAX)
		put_fd(d, (int32_t)attr[3]);
	else
		out_decimal(d->o, attr[3]);
	if (size > sizeof(attr))
		put_rest(d, addr, sizeof(attr), size);
	out_char(d->o, '}');
}

/* struct file_handle: how many bytes the file system's part has, its type, and that part */
struct handle {
	uint32_t bytes;
	int32_t type;
};

#define HANDLE_MAX 128

static void put_handle(struct decode *d, uint64_t addr, const struct handle *h)
{
	uint32_t n = h->bytes < HANDLE_MAX ? h->bytes : HANDLE_MAX;
	char bytes[HANDLE_MAX];

	out_form(d->o, ", handle_type=%d, f_handle=", h->type);
	if (!memory_get(d, addr + sizeof(*h), bytes, n)) {
		out_text(d->o, "???");
		return;
	}
	put_bytes(d, bytes, n, 2);
	out_text(d->o, h->bytes > n ? "..." : "");
}

void print_handle(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i];
	struct handle h;

	if (!memory_get(d, addr, &h, sizeof(h))) {
		put_addr(d, addr);
		return;
	}
	out_form(d->o, "{handle_bytes=%u", h.bytes);
	put_handle(d, addr, &h);
	out_char(d->o, '}');
}

/* A handle that the call writes. Its size is written even if the buffer is too small. */
void print_handle_out(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i];
	struct handle was, is;

	if (!memory_before(d, addr, &was, sizeof(was))) {
		put_addr(d, addr);
		return;
	}
	out_form(d->o, "{handle_bytes=%u", was.bytes);
	if ((!d->is_failed || call_error(d->e) == EOVERFLOW) && memory_get(d, addr, &is, sizeof(is))) {
		if (is.bytes != was.bytes)
			out_form(d->o, " => %u", is.bytes);
		if (!d->is_failed)
			put_handle(d, addr, &is);
	}
	out_char(d->o, '}');
}

/* swapon(): the lower bits are a priority. */
void print_swap_flags(struct decode *d, unsigned i)
{
	uint32_t flags = d->e->args[i];

	if (flags & ~0x7fffu) {
		put_flags(d, &names_swap_flags, flags & ~0x7fffu);
		out_char(d->o, '|');
	}
	out_decimal(d->o, flags & 0x7fff);
}

#define CLASS_BITS 0xcu /* of fanotify_init() */

void print_fan_init(struct decode *d, unsigned i)
{
	uint32_t flags = d->e->args[i];

	put_one(d, &names_fan_classes, flags & CLASS_BITS);
	if (flags & ~CLASS_BITS) {
		out_char(d->o, '|');
		put_flags(d, &names_fan_init_flags, flags & ~CLASS_BITS);
	}
}

/* The mask, which is two arguments of 32-bit callers, the directory and the path. */
void print_fan_mark(struct decode *d, unsigned i)
{
	const uint64_t *a = d->e->args;
	uint64_t mask = d->is_compat ? (uint32_t)a[i] | a[i + 1] << 32 : a[i];
	int32_t fd;

	if (d->is_compat)
		i++;
	put_flags(d, &names_fan_events, mask);
	out_text(d->o, ", ");
	fd = a[i + 1];
	if (fd != NO_FD || d->style->names == NAMES_RAW)
		put_dirfd(d, fd);
	else
		out_text(d->o, d->style->names == NAMES_VERBOSE ? "-1 /* FAN_NOFD */" : "FAN_NOFD");
	out_text(d->o, ", ");
	put_text(d, a[i + 2], true);
}

/* struct landlock_ruleset_attr; the size is the next argument. */
void print_landlock_ruleset(struct decode *d, unsigned i)
{
	uint64_t rights, addr = d->e->args[i], size = d->e->args[i + 1];

	if (size < sizeof(rights) || !memory_get(d, addr, &rights, sizeof(rights))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{handled_access_fs=");
	put_flags(d, &names_landlock_rights, rights);
	out_text(d->o, size > sizeof(rights) ? ", ...}" : "}");
}

/* struct landlock_path_beneath_attr; the type of the rule is the argument before. */
void print_landlock_rule(struct decode *d, unsigned i)
{
	uint64_t rights, addr = d->e->args[i];
	int32_t fd;

	if ((uint32_t)d->e->args[i - 1] != 1 || !memory_get(d, addr, &rights, 8) || !memory_get(d, addr + 8, &fd, 4)) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{allowed_access=");
	put_flags(d, &names_landlock_rights, rights);
	out_text(d->o, ", parent_fd=");
	put_fd(d, fd);
	out_char(d->o, '}');
}
