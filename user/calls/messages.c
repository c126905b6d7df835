/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages of sockets: struct msghdr, struct mmsghdr and control messages. Their members are words of the caller's. */
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "calls/decode.h"

/* A control message's data, of which `n` bytes are there. */
struct data {
	const char *bytes;
	size_t n;
};

static bool is_cut(const struct decode *d, uint64_t n)
{
	return !d->style->is_whole && n >= d->style->text;
}

enum number { NUMBER_FD, NUMBER_UINT, NUMBER_HEX8 };

static void put_numbers(struct decode *d, const struct data *data, enum number as)
{
	size_t unit = as == NUMBER_HEX8 ? 1 : 4;
	uint32_t v;

	out_char(d->o, '[');
	for (size_t i = 0; i < data->n / unit; i++) {
		if (i)
			out_text(d->o, ", ");
		if (is_cut(d, i)) {
			out_text(d->o, "...");
			break;
		}
		if (as == NUMBER_HEX8) {
			out_hex(d->o, (uint8_t)data->bytes[i]);
			continue;
		}
		memcpy(&v, data->bytes + i * 4, 4);
		if (as == NUMBER_FD)
			put_fd(d, v);
		else
			out_decimal(d->o, v);
	}
	out_char(d->o, ']');
}

static void put_credentials(struct decode *d, const struct data *data)
{
	int32_t v[3];

	memcpy(v, data->bytes, sizeof(v));
	out_form(d->o, "{pid=%d, uid=", v[0]);
	put_id(d, v[1]);
	out_text(d->o, ", gid=");
	put_id(d, v[2]);
	out_char(d->o, '}');
}

/* `count` times; word: bytes of a member */
static void put_stamps(struct decode *d, const struct data *data, const char *part, unsigned count, unsigned word)
{
	if (data->n < 2ull * word * count) {
		out_text(d->o, "???");
		return;
	}
	if (count > 1)
		out_char(d->o, '[');
	for (unsigned i = 0; i < count; i++) {
		const char *at = data->bytes + i * 2 * word;
		int64_t sec = 0, n = 0;

		memcpy(&sec, at, word);
		memcpy(&n, at + word, word);
		if (word == 4)
			sec = (int32_t)sec;
		out_form(d->o, "%s{tv_sec=%lld, %s=%llu}", i ? ", " : "", (long long)sec, part, (unsigned long long)n);
	}
	if (count > 1)
		out_char(d->o, ']');
}

static void put_socket_control(struct decode *d, uint32_t type, const struct data *data)
{
	unsigned word = word_bytes(d);
	size_t least = type == SCM_CREDENTIALS ? 12 : type == SCM_RIGHTS ? 4 : 1;

	put_one(d, &names_control_types, type);
	if (data->n < least)
		return;
	switch (type) {
	case SCM_RIGHTS: case SCM_CREDENTIALS: case 3: /* SCM_SECURITY */
	case 29: case 35: case 37: case 63: case 64: case 65:
		out_text(d->o, ", cmsg_data=");
	}
	switch (type) {
	case SCM_RIGHTS:
		put_numbers(d, data, NUMBER_FD);
		break;
	case SCM_CREDENTIALS:
		put_credentials(d, data);
		break;
	case 3:
		put_bytes(d, data->bytes, data->n, d->style->hex);
		break;
	case 29: case 63: /* SO_TIMESTAMP_OLD, _NEW */
		put_stamps(d, data, "tv_usec", 1, type == 29 ? word : 8);
		break;
	case 35: case 64: /* SO_TIMESTAMPNS */
		put_stamps(d, data, "tv_nsec", 1, type == 35 ? word : 8);
		break;
	case 37: case 65: /* SO_TIMESTAMPING */
		put_stamps(d, data, "tv_nsec", 3, type == 37 ? word : 8);
		break;
	}
}

static void put_packet_info(struct decode *d, const struct data *data)
{
	struct in_pktinfo info;

	memcpy(&info, data->bytes, sizeof(info));
	out_text(d->o, "{ipi_ifindex=");
	put_interface(d, info.ipi_ifindex);
	out_text(d->o, ", ipi_spec_dst=");
	put_inet(d, AF_INET, &info.ipi_spec_dst, NULL);
	out_text(d->o, ", ipi_addr=");
	put_inet(d, AF_INET, &info.ipi_addr, NULL);
	out_char(d->o, '}');
}

/* struct sock_extended_err, and who it came from */
static void put_socket_error(struct decode *d, const struct data *data)
{
	const unsigned char *b = (const unsigned char *)data->bytes;
	uint32_t w[4];

	memcpy(w, b, sizeof(w));
	out_form(d->o, "{ee_errno=%u, ee_origin=%u, ee_type=%u, ee_code=%u, ee_info=%u, ee_data=%u, offender=", w[0], b[4], b[5],
		 b[6], w[2], w[3]);
	put_sockaddr_bytes(d, data->bytes + 16, sizeof(struct sockaddr_in));
	out_char(d->o, '}');
}

static void put_ip_control(struct decode *d, uint32_t type, const struct data *data)
{
	size_t least = 1;

	put_one(d, &names_ip_control_types, type);
	switch (type) {
	case IP_PKTINFO:
		least = sizeof(struct in_pktinfo);
		break;
	case IP_TTL: case IP_CHECKSUM:
		least = 4;
		break;
	case IP_RECVERR:
		least = 32;
		break;
	case IP_ORIGDSTADDR:
		least = sizeof(struct sockaddr_in);
		break;
	case IP_TOS: case IP_RECVOPTS: case IP_RETOPTS: case 3: /* SCM_SECURITY */
		break;
	default:
		return;
	}
	if (data->n < least)
		return;
	out_text(d->o, ", cmsg_data=");
	switch (type) {
	case IP_PKTINFO:
		put_packet_info(d, data);
		break;
	case IP_TTL: case IP_CHECKSUM:
		put_numbers(d, data, NUMBER_UINT);
		break;
	case IP_RECVERR:
		put_socket_error(d, data);
		break;
	case IP_ORIGDSTADDR:
		put_sockaddr_bytes(d, data->bytes, data->n);
		break;
	case 3:
		put_bytes(d, data->bytes, data->n, d->style->hex);
		break;
	default:
		put_numbers(d, data, NUMBER_HEX8);
	}
}

/* One, of which at most `left` bytes are there. Returns its length. */
static uint64_t put_control_message(struct decode *d, const char *bytes, uint64_t left)
{
	unsigned word = word_bytes(d), head = word + 8;
	struct data data = { bytes + head, 0 };
	uint64_t len = 0, has;
	uint32_t what[2];

	memcpy(&len, bytes, word); /* little-endian */
	memcpy(what, bytes + word, sizeof(what));
	has = len < left ? len : left;
	if (has > head)
		data.n = has - head;
	out_text(d->o, "{cmsg_len=");
	out_decimal(d->o, len);
	out_text(d->o, ", cmsg_level=");
	put_one(d, &names_socket_levels, what[0]);
	out_text(d->o, ", cmsg_type=");
	if (what[0] == SOL_SOCKET)
		put_socket_control(d, what[1], &data);
	else if (what[0] == IPPROTO_IP)
		put_ip_control(d, what[1], &data);
	else
		out_hex(d->o, what[1]);
	out_char(d->o, '}');
	return len;
}

static void put_control(struct decode *d, uint64_t addr, uint64_t n)
{
	unsigned word = word_bytes(d), head = word + 8;
	uint64_t max = n < TRACE_CONTROL_MAX ? n : TRACE_CONTROL_MAX, at = 0;
	size_t has = 0;
	const char *bytes = addr && n >= head ? memory_some(d, addr, max, &has) : NULL;

	if (!bytes || has < max) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	while (max - at >= head) {
		uint64_t left = max - at, len;

		if (at)
			out_text(d->o, ", ");
		len = put_control_message(d, bytes + at, left);
		if (len < head) {
			at += head;
			break;
		}
		len = len > left ? left : (len + word - 1) & ~(uint64_t)(word - 1);
		if (len >= left) {
			at = max;
			break;
		}
		at += len;
	}
	if (at < max) {
		out_text(d->o, ", ");
		put_unread(d, addr + at);
	} else if (max < n) {
		out_text(d->o, ", ...");
	}
	out_char(d->o, ']');
}

struct message {
	uint64_t name, vector, count, control, control_bytes;
	int32_t name_bytes;
	uint32_t flags;
};

static bool get_message(const struct decode *d, uint64_t addr, struct message *ret)
{
	unsigned word = word_bytes(d);

	return memory_word(d, addr, &ret->name) && memory_get(d, addr + word, &ret->name_bytes, 4) &&
	       memory_word(d, addr + 2 * word, &ret->vector) && memory_word(d, addr + 3 * word, &ret->count) &&
	       memory_word(d, addr + 4 * word, &ret->control) && memory_word(d, addr + 5 * word, &ret->control_bytes) &&
	       memory_get(d, addr + 6 * word, &ret->flags, 4);
}

/* A struct msghdr. is_out: the call wrote it, also how long the name is. limit: of the bytes. false: it was not read. */
static bool put_message(struct decode *d, uint64_t addr, bool is_out, uint64_t limit)
{
	struct message m;
	int32_t was;

	if (!get_message(d, addr, &m))
		return false;
	if (!is_out || !memory_before(d, addr + word_bytes(d), &was, 4))
		was = m.name_bytes;
	out_text(d->o, "{msg_name=");
	put_sockaddr(d, m.name, m.name_bytes > was ? was : m.name_bytes);
	out_text(d->o, ", msg_namelen=");
	if (was != m.name_bytes)
		out_form(d->o, "%d => ", was);
	out_signed(d->o, m.name_bytes);
	out_text(d->o, ", msg_iov=");
	put_iovec(d, m.vector, m.count, limit, true);
	out_text(d->o, ", msg_iovlen=");
	out_decimal(d->o, m.count);
	if (m.control_bytes) {
		out_text(d->o, ", msg_control=");
		put_control(d, m.control, m.control_bytes);
	}
	out_text(d->o, ", msg_controllen=");
	out_decimal(d->o, m.control_bytes);
	out_text(d->o, ", msg_flags=");
	put_flags(d, &names_message_flags, m.flags);
	out_char(d->o, '}');
	return true;
}

void print_message_in(struct decode *d, unsigned i)
{
	if (!put_message(d, d->e->args[i], false, UINT64_MAX))
		put_addr(d, d->e->args[i]);
}

/* Of one that nothing was received into only what the caller said is known. */
void print_message_out(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i];
	int32_t was;

	if (d->is_failed && memory_before(d, addr + word_bytes(d), &was, 4))
		out_form(d->o, "{msg_namelen=%d}", was);
	else if (d->is_failed || !put_message(d, addr, true, d->e->ret))
		put_addr(d, addr);
}

/* An array of struct mmsghdr. done: how many of them have a length that the call has written. */
static void put_messages(struct decode *d, uint64_t addr, uint32_t n, bool is_out, uint64_t done)
{
	unsigned word = word_bytes(d), unit = 8 * word, len_at = 7 * word;
	struct message m;

	if (!addr || (n && !get_message(d, addr, &m))) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	for (uint32_t i = 0; i < n; i++, addr += unit) {
		uint32_t len = 0;

		if (i)
			out_text(d->o, ", ");
		if (is_cut(d, i) || i >= TRACE_MESSAGES_MAX) {
			out_text(d->o, "...");
			break;
		}
		if (!get_message(d, addr, &m) || !memory_get(d, addr + len_at, &len, 4)) {
			put_unread(d, addr);
			break;
		}
		out_text(d->o, "{msg_hdr=");
		put_message(d, addr, is_out, is_out ? len : UINT64_MAX);
		if (i < done)
			out_form(d->o, ", msg_len=%u", len);
		out_char(d->o, '}');
	}
	out_char(d->o, ']');
}

void print_messages_in(struct decode *d, unsigned i)
{
	put_messages(d, d->e->args[i], d->e->args[i + 1], false, d->is_failed ? 0 : d->e->ret);
}

void print_messages_out(struct decode *d, unsigned i)
{
	if (d->is_failed)
		put_addr(d, d->e->args[i]);
	else
		put_messages(d, d->e->args[i], d->e->ret, true, d->e->ret);
}

/* recvmmsg(): " (left {tv_sec=0, tv_nsec=5})" */
void put_messages_result(struct decode *d)
{
	if (!d->e->ret) {
		out_text(d->o, " (Timeout)");
	} else if (d->e->args[4]) {
		out_text(d->o, " (left ");
		put_timespec(d, d->e->args[4], time_bytes(d));
		out_char(d->o, ')');
	}
}
