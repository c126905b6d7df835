/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of sockets: by their level and name, which are the arguments 1 and 2. */
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "calls/decode.h"

#define SOL_AF_VSOCK 40 /* VMware's level is its address family */
#define OPTION_MAX 256	/* bytes of one that are read */

/* Options whose value is an int: these bits of SO_*. */
#define BIT(n) (1ull << (n))
static const uint64_t int_options[2] = {
	BIT(1) | BIT(2) | BIT(5) | BIT(6) | BIT(7) | BIT(8) | BIT(9) | BIT(10) | BIT(11) | BIT(12) | BIT(14) | BIT(15) | BIT(16) | BIT(18) |
		BIT(19) | BIT(27) | BIT(29) | BIT(30) | BIT(32) | BIT(33) | BIT(34) | BIT(35) | BIT(36) | BIT(37) | BIT(40) | BIT(41) | BIT(42) |
		BIT(43) | BIT(44) | BIT(45) | BIT(46) | BIT(49) | BIT(53) | BIT(56) | BIT(60) | BIT(63),
	BIT(64 - 64) | BIT(65 - 64) | BIT(68 - 64) | BIT(69 - 64) | BIT(70 - 64) | BIT(73 - 64) | BIT(75 - 64),
};

static bool is_int_option(uint32_t option)
{
	return option < 128 && int_options[option / 64] >> (option % 64) & 1;
}

static const struct names *options_of(uint32_t level)
{
	switch (level) {
	case SOL_SOCKET: return &names_socket_options;
	case IPPROTO_TCP: return &names_tcp_options;
	case IPPROTO_UDP: return &names_udp_options;
	case IPPROTO_IP: return &names_ip_options;
	case IPPROTO_IPV6: return &names_ipv6_options;
	case SOL_AF_VSOCK: return &names_vsock_options;
	case SOL_RAW: return &names_raw_options;
	case 263: return &names_packet_options;
	case 270: return &names_netlink_options;
	case 279: return &names_alg_options;
	case 282: return &names_tls_options;
	case 283: return &names_xdp_options;
	}
	return NULL;
}

/* more: names that only one direction has */
static void put_option_name(struct decode *d, unsigned i, const struct names *of_sockets, const struct names *of_ip)
{
	uint32_t level = d->e->args[i - 1], option = d->e->args[i];
	const struct names *options = options_of(level), *more = level == SOL_SOCKET ? of_sockets : level == IPPROTO_IP ? of_ip : NULL;

	if (!options)
		out_decimal(d->o, option);
	else
		put_one(d, more && names_find(more, option) ? more : options, option);
}

void print_option(struct decode *d, unsigned i)
{
	put_option_name(d, i, &names_socket_set_options, &names_ip_set_options);
}

void print_option_got(struct decode *d, unsigned i)
{
	put_option_name(d, i, &names_socket_get_options, &names_ip_get_options);
}

static void put_int(struct decode *d, uint64_t addr)
{
	int32_t v;

	if (memory_get(d, addr, &v, 4))
		out_form(d->o, "[%d]", v);
	else
		put_addr(d, addr);
}

/* Bytes in hexadecimal: of a value that is too short. */
static void put_short(struct decode *d, uint64_t addr, size_t n)
{
	char bytes[OPTION_MAX];

	if (n <= sizeof(bytes) && memory_get(d, addr, bytes, n))
		put_bytes(d, bytes, n, 2);
	else
		put_addr(d, addr);
}

enum word_type { WORD_INT, WORD_UINT, WORD_ID };

/* A struct of words, of which the caller may have asked for less. */
static void put_words(struct decode *d, uint64_t addr, uint32_t n, const char *const *names, const uint8_t *members, unsigned count)
{
	char bytes[16];
	int32_t v;

	if (n > count * 4)
		n = count * 4;
	if (n > sizeof(bytes) || !memory_get(d, addr, bytes, n)) {
		put_addr(d, addr);
		return;
	}
	for (unsigned k = 0; k < count && n > k * 4; k++) {
		out_form(d->o, "%s%s=", k ? ", " : "{", names[k]);
		if (n < k * 4 + 4) {
			put_bytes(d, bytes + k * 4, n - k * 4, 2);
			break;
		}
		memcpy(&v, bytes + k * 4, 4);
		if (members[k] == WORD_INT)
			out_signed(d->o, v);
		else if (members[k] == WORD_ID)
			put_id(d, v);
		else
			out_decimal(d->o, (uint32_t)v);
	}
	out_char(d->o, '}');
}

static void put_linger(struct decode *d, uint64_t addr, uint32_t n)
{
	static const char *const names[] = { "l_onoff", "l_linger" };

	put_words(d, addr, n, names, (const uint8_t[]){ WORD_INT, WORD_INT }, 2);
}

static void put_peer(struct decode *d, uint64_t addr, uint32_t n)
{
	static const char *const names[] = { "pid", "uid", "gid" };

	put_words(d, addr, n, names, (const uint8_t[]){ WORD_INT, WORD_ID, WORD_ID }, 3);
}

static void put_packet_statistics(struct decode *d, uint64_t addr, uint32_t n)
{
	static const char *const names[] = { "tp_packets", "tp_drops", "tp_freeze_q_cnt" };

	put_words(d, addr, n, names, (const uint8_t[]){ WORD_UINT, WORD_UINT, WORD_UINT }, 3);
}

static void put_packet_ring(struct decode *d, uint64_t addr, int32_t n)
{
	static const char *const names[] = { "tp_block_size", "tp_block_nr", "tp_frame_size", "tp_frame_nr" };

	if (n == 16)
		put_words(d, addr, n, names, (const uint8_t[]){ WORD_UINT, WORD_UINT, WORD_UINT, WORD_UINT }, 4);
	else
		put_addr(d, addr);
}

/* SO_ERROR */
static void put_error_value(struct decode *d, uint64_t addr, uint32_t n)
{
	uint32_t error;

	if (n < 4) {
		put_short(d, addr, n);
	} else if (!memory_get(d, addr, &error, 4)) {
		put_addr(d, addr);
	} else {
		const char *name = error && error < 4096 ? call_error_name(error) : NULL;

		out_char(d->o, '[');
		if (name)
			out_text(d->o, name);
		else
			out_decimal(d->o, error);
		out_char(d->o, ']');
	}
}

/* SO_TXREHASH: decimal also where it has no name */
static void put_rehash(struct decode *d, uint64_t addr, int32_t n, bool is_get)
{
	int32_t v;

	if (n < 4) {
		if (is_get)
			put_short(d, addr, n);
		else
			put_addr(d, addr);
		return;
	}
	if (!memory_get(d, addr, &v, 4)) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	put_name_or_decimal(d, &names_rehash_values, v);
	out_char(d->o, ']');
}

/* The types that are not let through, or, if they are most, those that are */
static void put_icmp_filter(struct decode *d, uint64_t addr, int32_t n)
{
	uint32_t bits = UINT32_MAX;
	bool any = false;

	if (n <= 0 || !memory_get(d, addr, &bits, n < 4 ? n : 4)) {
		put_addr(d, addr);
		return;
	}
	if (__builtin_popcount(bits) > 16) {
		bits = ~bits;
		out_char(d->o, '~');
	}
	out_char(d->o, '[');
	for (int i = 0; i < 32; i++) {
		if (!(bits >> i & 1))
			continue;
		out_text(d->o, any ? " " : "");
		put_one(d, &names_icmp_types, i);
		any = true;
	}
	out_char(d->o, ']');
}

/* struct sock_fprog */
static void put_filter(struct decode *d, uint64_t addr, int32_t n)
{
	unsigned word = word_bytes(d);
	uint64_t program;
	uint16_t len;

	if ((unsigned)n != 2 * word || !memory_get(d, addr, &len, 2) || !memory_word(d, addr + word, &program)) {
		put_addr(d, addr);
		return;
	}
	out_form(d->o, "{len=%u, filter=", len);
	put_filter_program(d, program, len, false);
	out_char(d->o, '}');
}

static void put_membership(struct decode *d, uint64_t addr, int32_t n)
{
	uint32_t v[2];

	if (n < (int32_t)sizeof(v) || !memory_get(d, addr, v, sizeof(v))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{imr_multiaddr=");
	put_inet(d, AF_INET, &v[0], NULL);
	out_text(d->o, ", imr_interface=");
	put_inet(d, AF_INET, &v[1], NULL);
	out_char(d->o, '}');
}

static void put_membership6(struct decode *d, uint64_t addr, int32_t n)
{
	struct ipv6_mreq mreq;

	if (n < (int32_t)sizeof(mreq) || !memory_get(d, addr, &mreq, sizeof(mreq))) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '{');
	put_inet(d, AF_INET6, &mreq.ipv6mr_multiaddr, "ipv6mr_multiaddr");
	out_text(d->o, ", ipv6mr_interface=");
	put_interface(d, mreq.ipv6mr_interface);
	out_char(d->o, '}');
}

/* struct group_req: an interface, and an address at the next word */
static void put_group(struct decode *d, uint64_t addr, int32_t n)
{
	unsigned word = word_bytes(d);
	char group[128];
	uint32_t interface;

	if (n < (int32_t)(word + sizeof(group)) || !memory_get(d, addr, &interface, 4) ||
	    !memory_get(d, addr + word, group, sizeof(group))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{gr_interface=");
	put_interface(d, interface);
	out_text(d->o, ", gr_group=");
	put_sockaddr_bytes(d, group, sizeof(group));
	out_char(d->o, '}');
}

static void put_mac(struct decode *d, const uint8_t *address, unsigned n)
{
	if (d->style->names != NAMES_ABBREV)
		put_bytes(d, (const char *)address, n, 2);
	if (d->style->names == NAMES_RAW)
		return;
	out_text(d->o, d->style->names == NAMES_VERBOSE ? " /* " : "");
	for (unsigned i = 0; i < n; i++)
		out_form(d->o, "%s%02x", i ? ":" : "", address[i]);
	out_text(d->o, d->style->names == NAMES_VERBOSE ? " */" : "");
}

/* struct packet_mreq */
static void put_packet_membership(struct decode *d, uint64_t addr, int32_t n)
{
	struct {
		uint32_t index;
		uint16_t type, len;
		uint8_t address[8];
	} m;

	if (n != sizeof(m) || !memory_get(d, addr, &m, sizeof(m))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{mr_ifindex=");
	put_interface(d, m.index);
	out_text(d->o, ", mr_type=");
	put_one(d, &names_packet_memberships, m.type);
	out_form(d->o, ", mr_alen=%u, mr_address=", m.len);
	put_mac(d, m.address, m.len < sizeof(m.address) ? m.len : sizeof(m.address));
	out_char(d->o, '}');
}

/* A value of an option that is not known: four bytes are taken for a number. */
static void put_any(struct decode *d, uint64_t addr, int32_t n)
{
	if (n == 4)
		put_int(d, addr);
	else
		put_buffer(d, addr, (int64_t)n);
}

static void put_socket_option_in(struct decode *d, uint64_t addr, uint32_t option, int32_t n)
{
	if (option == SO_LINGER) {
		if (n < 8)
			put_addr(d, addr);
		else
			put_linger(d, addr, n);
	} else if (option == SO_ATTACH_FILTER || option == SO_ATTACH_REUSEPORT_CBPF) {
		put_filter(d, addr, n);
	} else if (option == 74) { /* SO_TXREHASH */
		put_rehash(d, addr, n, false);
	} else if (is_int_option(option)) {
		if (n < 4)
			put_addr(d, addr);
		else
			put_int(d, addr);
	} else {
		put_any(d, addr, n);
	}
}

void print_option_in(struct decode *d, unsigned i)
{
	uint32_t level = d->e->args[1], option = d->e->args[2];
	uint64_t addr = d->e->args[i];
	int32_t n = d->e->args[i + 1];

	if (!addr)
		put_addr(d, addr);
	else if (level == SOL_SOCKET)
		put_socket_option_in(d, addr, option, n);
	else if (level == IPPROTO_IP && (option == IP_ADD_MEMBERSHIP || option == IP_DROP_MEMBERSHIP))
		put_membership(d, addr, n);
	else if ((level == IPPROTO_IP || level == IPPROTO_IPV6) && (option == MCAST_JOIN_GROUP || option == MCAST_LEAVE_GROUP))
		put_group(d, addr, n);
	else if (level == IPPROTO_IPV6 && (option == 20 || option == 21 || option == IPV6_JOIN_ANYCAST || option == IPV6_LEAVE_ANYCAST))
		put_membership6(d, addr, n);
	else if (level == 263 && (option == 5 || option == 13)) /* PACKET_RX_RING, PACKET_TX_RING */
		put_packet_ring(d, addr, n);
	else if (level == 263 && (option == 1 || option == 2)) /* PACKET_ADD_MEMBERSHIP, PACKET_DROP_MEMBERSHIP */
		put_packet_membership(d, addr, n);
	else if (level == SOL_RAW && option == 1)
		put_icmp_filter(d, addr, n);
	else if (level == 270 && n < 4) /* SOL_NETLINK */
		put_addr(d, addr);
	else if (level == 270)
		put_int(d, addr);
	else
		put_any(d, addr, n);
}

static void put_socket_option_out(struct decode *d, uint64_t addr, uint32_t option, int32_t n)
{
	if (option == SO_LINGER)
		put_linger(d, addr, n);
	else if (option == SO_PEERCRED)
		put_peer(d, addr, n);
	else if (option == SO_ATTACH_FILTER) /* SO_GET_FILTER: its length is that of instructions */
		put_filter_program(d, addr, n, false);
	else if (option == SO_ERROR)
		put_error_value(d, addr, n);
	else if (option == 74) /* SO_TXREHASH */
		put_rehash(d, addr, n, true);
	else if (is_int_option(option) && n >= 4)
		put_int(d, addr);
	else if (is_int_option(option))
		put_short(d, addr, n);
	else
		put_any(d, addr, n);
}

/* NETLINK_LIST_MEMBERSHIPS: bits of groups, of which the kernel says how many it has, however few there was room for */
static void put_memberships(struct decode *d, uint64_t addr, uint32_t n)
{
	uint32_t v;

	if (n >= 4 && !memory_get(d, addr, &v, 4)) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	for (uint32_t i = 0; i < n / 4; i++) {
		out_text(d->o, i ? ", " : "");
		if (!d->style->is_whole && i >= d->style->text) {
			out_text(d->o, "...");
			break;
		}
		if (!memory_get(d, addr + i * 4, &v, 4)) {
			put_unread(d, addr + i * 4);
			break;
		}
		out_decimal(d->o, v);
	}
	out_char(d->o, ']');
}

void print_option_out(struct decode *d, unsigned i)
{
	uint32_t level = d->e->args[1], option = d->e->args[2];
	uint64_t addr = d->e->args[i];
	int32_t is, was;

	if (d->is_failed || !addr || !memory_get(d, d->e->args[i + 1], &is, 4) || !memory_before(d, d->e->args[i + 1], &was, 4) || is <= 0 ||
	    was <= 0)
		put_addr(d, addr);
	else if (level == SOL_SOCKET)
		put_socket_option_out(d, addr, option, is);
	else if (level == 263 && option == 6) /* PACKET_STATISTICS */
		put_packet_statistics(d, addr, is);
	else if (level == SOL_RAW && option == 1)
		put_icmp_filter(d, addr, is);
	else if (level == 270 && option == 9) /* NETLINK_LIST_MEMBERSHIPS */
		put_memberships(d, addr, is < was ? is : was);
	else if (level == 270)
		put_int(d, addr);
	else
		put_any(d, addr, is);
}
