/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is behind a file descriptor: -y and -yy. */
#include <arpa/inet.h>
#include <string.h>
#include <sys/stat.h>

#include "calls/decode.h"

#define ANON_INODE_FILES 0x09041934 /* include/uapi/linux/magic.h */
#define PIPE_FILES 0x50495045
#define SOCKET_FILES 0x534f434b
#define PIDFD_FILES 0x50494446
#define DEVICE_MINOR_BITS 20 /* include/linux/kdev_t.h */

struct open_file {
	struct trace_file at;
	const char *text; /* not terminated */
	size_t n;
};

static bool find(const struct decode *d, int fd, bool before, struct open_file *ret)
{
	for (uint32_t i = d->e->nr_pieces; i-- > 0;) {
		const struct call_piece *p = &d->e->pieces[i];

		if (p->is_fault || p->addr != TRACE_FILE_AT(fd) || p->is_entry < before || p->size < sizeof(ret->at))
			continue;
		memcpy(&ret->at, p->bytes, sizeof(ret->at));
		ret->text = (const char *)p->bytes + sizeof(ret->at);
		ret->n = p->size - sizeof(ret->at);
		return true;
	}
	return false;
}

static size_t text_bytes(const struct open_file *f)
{
	return strnlen(f->text, f->n);
}

/* Without what would end it. */
static void put_inside(struct decode *d, const char *text, size_t n)
{
	while (n) {
		size_t plain = 0;

		while (plain < n && text[plain] != '<' && text[plain] != '>')
			plain++;
		out_escape(d->o, text, plain, d->style->hex);
		if (plain < n) {
			bool is_digit_next = plain + 1 < n && text[plain + 1] >= '0' && text[plain + 1] <= '7';

			out_text(d->o, is_digit_next ? "\\0" : "\\");
			out_text(d->o, text[plain++] == '<' ? "74" : "76");
		}
		text += plain;
		n -= plain;
	}
}

static void put_number(struct decode *d, const char *name, uint64_t n)
{
	out_text(d->o, name);
	out_text(d->o, ":[");
	out_decimal(d->o, n);
	out_char(d->o, ']');
}

/* A name that no directory has. */
static void put_unnamed(struct decode *d, const struct open_file *f)
{
	switch (f->at.file_system) {
	case PIPE_FILES:
		put_number(d, "pipe", f->at.inode);
		break;
	case SOCKET_FILES:
		put_number(d, "socket", f->at.inode);
		break;
	case PIDFD_FILES:
		out_text(d->o, "anon_inode:[pidfd]");
		break;
	case ANON_INODE_FILES:
		out_text(d->o, "anon_inode:");
		put_inside(d, f->text, text_bytes(f));
		break;
	default: /* of shared memory: simple_dname() of fs/d_path.c; others have a number in brackets behind it */
		if (S_ISREG(f->at.mode) && text_bytes(f)) {
			out_char(d->o, '/');
			put_inside(d, f->text, text_bytes(f));
		} else {
			put_inside(d, f->text, text_bytes(f));
			put_number(d, "", f->at.inode);
		}
	}
}

static void put_path(struct decode *d, const struct open_file *f)
{
	if (f->at.flags & TRACE_FILE_CUT)
		out_text(d->o, "...");
	put_inside(d, f->text, text_bytes(f));
	if (!text_bytes(f))
		out_char(d->o, '/');
}

static void put_internet(struct decode *d, const struct open_file *f)
{
	static const uint32_t nowhere[4];
	bool is_six = f->at.family == AF_INET6, has_peer = f->at.ports[1] || memcmp(f->at.addresses[1], nowhere, sizeof(nowhere));
	char text[INET6_ADDRSTRLEN];

	out_text(d->o, ":[");
	for (int i = 0; i <= has_peer; i++) {
		out_text(d->o, i ? "->" : "");
		out_text(d->o, is_six ? "[" : "");
		out_text(d->o, inet_ntop(f->at.family, f->at.addresses[i], text, sizeof(text)) ? text : "?");
		out_text(d->o, is_six ? "]:" : ":");
		out_decimal(d->o, f->at.ports[i]);
	}
	out_char(d->o, ']');
}

static void put_unix(struct decode *d, const struct open_file *f)
{
	const char *path = f->text + TRACE_PROTOCOL_BYTES;
	size_t n = f->at.path_bytes;

	out_text(d->o, ":[");
	out_decimal(d->o, f->at.inode);
	if (f->at.peer) {
		out_text(d->o, "->");
		out_decimal(d->o, f->at.peer);
	}
	if (n && f->n > TRACE_PROTOCOL_BYTES && n <= f->n - TRACE_PROTOCOL_BYTES) {
		bool is_abstract = !path[0];

		out_text(d->o, is_abstract ? ",@\"" : ",\"");
		path += is_abstract;
		n -= is_abstract;
		out_escape(d->o, path, is_abstract ? n : strnlen(path, n), d->style->hex);
		out_char(d->o, '"');
	}
	out_char(d->o, ']');
}

static void put_netlink(struct decode *d, const struct open_file *f)
{
	const char *name = names_find(&names_netlink_protocols, f->at.protocol);

	out_text(d->o, ":[");
	if (!name) {
		out_decimal(d->o, f->at.protocol);
	} else {
		out_text(d->o, strncmp(name, "NETLINK_", 8) ? name : name + 8);
		out_char(d->o, ':');
		out_decimal(d->o, f->at.id);
	}
	out_char(d->o, ']');
}

static void put_socket(struct decode *d, const struct open_file *f)
{
	size_t n = f->n < TRACE_PROTOCOL_BYTES ? 0 : strnlen(f->text, TRACE_PROTOCOL_BYTES);

	if (!n) {
		put_unnamed(d, f);
		return;
	}
	put_inside(d, f->text, n);
	if ((f->at.family == AF_INET || f->at.family == AF_INET6) && f->at.ports[0])
		put_internet(d, f);
	else if (f->at.family == AF_UNIX)
		put_unix(d, f);
	else if (f->at.family == AF_NETLINK && f->at.id)
		put_netlink(d, f);
	else
		put_number(d, "", f->at.inode);
}

static void put_device(struct decode *d, const struct open_file *f)
{
	out_text(d->o, S_ISCHR(f->at.mode) ? "<char " : "<block ");
	out_decimal(d->o, f->at.device >> DEVICE_MINOR_BITS);
	out_char(d->o, ':');
	out_decimal(d->o, f->at.device & ((1u << DEVICE_MINOR_BITS) - 1));
	out_char(d->o, '>');
}

void put_file(struct decode *d, int fd, bool before)
{
	bool has_details = d->style->files == FILES_DETAILS, is_socket;
	struct open_file f;

	if (!d->style->files || !find(d, fd, before, &f))
		return;
	is_socket = f.at.file_system == SOCKET_FILES && !(f.at.flags & TRACE_FILE_LINK);
	out_char(d->o, '<');
	if (is_socket && has_details)
		put_socket(d, &f);
	else if (has_details && f.at.flags & TRACE_FILE_PIDFD && f.at.id)
		out_form(d->o, "pid:%u", f.at.id);
	else if (is_socket || f.at.flags & TRACE_FILE_UNNAMED)
		put_unnamed(d, &f);
	else
		put_path(d, &f);
	if (has_details && (S_ISCHR(f.at.mode) || S_ISBLK(f.at.mode)))
		put_device(d, &f);
	out_char(d->o, '>');
	if (f.at.flags & TRACE_FILE_DELETED || (f.at.flags & TRACE_FILE_UNNAMED && f.at.file_system != PIDFD_FILES && S_ISREG(f.at.mode)))
		out_text(d->o, "(deleted)");
}
