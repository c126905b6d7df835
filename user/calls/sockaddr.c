/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses of sockets, by their family. They come from the caller as any bytes. */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "calls/decode.h"

/* n bytes of it were read, the others are 0. */
union any_addr {
	uint16_t family;
	struct sockaddr_un un;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_nl nl;
	struct sockaddr_ll ll;
	char bytes[TRACE_NAME_MAX + 1];
	uint32_t words[TRACE_NAME_MAX / 4];
	uint16_t halves[TRACE_NAME_MAX / 2];
};

/* What it means stands beside the bytes (-X verbose), or only the bytes do (-X raw). */
void put_inet(struct decode *d, int family, const void *addr, const char *member)
{
	char text[INET6_ADDRSTRLEN];
	enum names_style style = d->style->names;

	inet_ntop(family, addr, text, sizeof(text));
	if (family == AF_INET6 && member && style != NAMES_ABBREV)
		out_form(d->o, "%s=", member);
	if (style != NAMES_ABBREV)
		put_bytes(d, addr, family == AF_INET ? 4 : 16, 2);
	if (style == NAMES_RAW)
		return;
	out_text(d->o, style == NAMES_VERBOSE ? " /* " : "");
	if (family == AF_INET)
		out_form(d->o, "inet_addr(\"%s\")", text);
	else if (style == NAMES_ABBREV && member)
		out_form(d->o, "inet_pton(AF_INET6, \"%s\", &%s)", text, member);
	else
		out_form(d->o, "inet_pton(AF_INET6, \"%s\")", text);
	out_text(d->o, style == NAMES_VERBOSE ? " */" : "");
}

/* Its name in skep's network namespace. */
void put_interface(struct decode *d, uint32_t index)
{
	char name[IF_NAMESIZE + 1] = "";

	if (d->style->names == NAMES_RAW || d->style->is_elsewhere || !if_indextoname(index, name)) {
		out_decimal(d->o, index);
		return;
	}
	if (d->style->names == NAMES_VERBOSE)
		out_form(d->o, "%u /* ", index);
	out_text(d->o, "if_nametoindex(");
	put_quoted(d, name, sizeof(name));
	out_char(d->o, ')');
	out_text(d->o, d->style->names == NAMES_VERBOSE ? " */" : "");
}

static void put_port(struct decode *d, const char *name, uint16_t port)
{
	out_text(d->o, name);
	if (d->style->names != NAMES_ABBREV)
		put_bytes(d, (const char *)&port, 2, 2);
	if (d->style->names == NAMES_RAW)
		return;
	out_form(d->o, d->style->names == NAMES_VERBOSE ? " /* htons(%u) */" : "htons(%u)", ntohs(port));
}

static void put_hex_array(struct decode *d, const unsigned char *bytes, unsigned n, unsigned has)
{
	out_char(d->o, '[');
	for (unsigned i = 0; i < n; i++) {
		out_text(d->o, i ? ", " : "");
		if (i >= has) {
			out_text(d->o, "...");
			break;
		}
		out_form(d->o, "0x%02x", bytes[i]);
	}
	out_char(d->o, ']');
}

static void put_unix(struct decode *d, const union any_addr *a, size_t n)
{
	size_t len = (n < sizeof(a->un) ? n : sizeof(a->un)) - offsetof(struct sockaddr_un, sun_path);

	out_text(d->o, "sun_path=");
	if (a->un.sun_path[0]) {
		put_quoted(d, a->un.sun_path, len);
		return;
	}
	out_char(d->o, '@');
	put_bytes(d, a->un.sun_path + 1, len - 1, d->style->hex);
}

static void put_in(struct decode *d, const union any_addr *a, size_t n)
{
	(void)n;
	put_port(d, "sin_port=", a->in.sin_port);
	out_text(d->o, ", sin_addr=");
	put_inet(d, AF_INET, &a->in.sin_addr, NULL);
}

static void put_in6(struct decode *d, const union any_addr *a, size_t n)
{
	const struct in6_addr *addr = &a->in6.sin6_addr;

	put_port(d, "sin6_port=", a->in6.sin6_port);
	out_text(d->o, ", sin6_flowinfo=");
	if (d->style->names != NAMES_ABBREV)
		put_bytes(d, (const char *)&a->in6.sin6_flowinfo, 4, 2);
	if (d->style->names != NAMES_RAW)
		out_form(d->o, d->style->names == NAMES_VERBOSE ? " /* htonl(%u) */" : "htonl(%u)", ntohl(a->in6.sin6_flowinfo));
	out_text(d->o, ", ");
	put_inet(d, AF_INET6, addr, "sin6_addr");
	if (n <= offsetof(struct sockaddr_in6, sin6_scope_id))
		return;
	out_text(d->o, ", sin6_scope_id=");
	if (IN6_IS_ADDR_LINKLOCAL(addr) || IN6_IS_ADDR_MC_LINKLOCAL(addr))
		put_interface(d, a->in6.sin6_scope_id);
	else
		out_decimal(d->o, a->in6.sin6_scope_id);
}

/* struct sockaddr_ipx: family, port, network, node[6], type, zero */
static void put_ipx(struct decode *d, const union any_addr *a, size_t n)
{
	const unsigned char *b = (const unsigned char *)a->bytes;

	(void)n;
	out_form(d->o, "sipx_port=htons(%u), sipx_network=htonl(", ntohs(a->halves[1]));
	out_hex(d->o, ntohl(a->words[1]));
	out_text(d->o, "), sipx_node=");
	put_hex_array(d, b + 8, 6, 6);
	out_form(d->o, ", sipx_type=0x%02x", b[14]);
	if (b[15])
		out_form(d->o, ", sipx_zero=%#x", b[15]);
}

#define AX25_BYTES 7 /* ax25_address: six characters, shifted by one bit, and a number */
#define AX25_DIGIS 8

enum { AX25_PLAIN, AX25_ODD, AX25_BYTES_ONLY };

/* Whether it is such that it can be written as radio amateurs do. */
static int ax25_look(const unsigned char *call)
{
	bool space = false, any = false;
	int look = AX25_PLAIN;

	for (int i = 0; i < AX25_BYTES - 1; i++) {
		unsigned char c = call[i] >> 1;
		bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');

		if (call[i] & 1 || !(is_plain || c == ' ') || (c != ' ' && space))
			look = AX25_ODD;
		space = space || c == ' ';
		any = any || c != ' ';
		if (c < ' ' || c > '~' || c == '*' || c == '/')
			return AX25_BYTES_ONLY;
	}
	if (call[AX25_BYTES - 1] & ~0x1e || (!any && call[AX25_BYTES - 1]))
		look = AX25_ODD;
	return look;
}

static void put_ax25_call(struct decode *d, const char *bytes)
{
	const unsigned char *call = (const unsigned char *)bytes;
	int look = ax25_look(call), len = AX25_BYTES - 1;
	unsigned number = call[AX25_BYTES - 1] >> 1 & 0xf;
	bool is_comment;

	if (look == AX25_PLAIN && d->style->names != NAMES_ABBREV)
		look = d->style->names == NAMES_RAW ? AX25_BYTES_ONLY : AX25_ODD;
	is_comment = look == AX25_ODD;
	if (look != AX25_PLAIN) {
		out_text(d->o, "{ax25_call=");
		put_bytes(d, bytes, AX25_BYTES, 2);
		out_char(d->o, '}');
	}
	if (look == AX25_BYTES_ONLY)
		return;
	while (len && call[len - 1] >> 1 == ' ')
		len--;
	out_text(d->o, is_comment ? " /* " : "");
	if (!len && !number)
		out_char(d->o, '*');
	else
		for (int i = 0; i < len; i++)
			out_char(d->o, call[i] >> 1);
	if (len || number)
		out_form(d->o, "-%u", number);
	out_text(d->o, is_comment ? " */" : "");
}

/* struct full_sockaddr_ax25: family, call, ndigis (an int at 12), digipeaters */
static void put_ax25(struct decode *d, const union any_addr *a, size_t n)
{
	const size_t head = 16;
	int32_t digis = a->words[3];
	size_t want = digis < 0 ? 0 : digis > AX25_DIGIS ? AX25_DIGIS : digis, has = (n - head) / AX25_BYTES;
	bool is_full = digis || n > head;

	if (has > AX25_DIGIS)
		has = AX25_DIGIS;
	out_text(d->o, is_full ? "fsa_ax25={sax25_call=" : "sax25_call=");
	put_ax25_call(d, a->bytes + 2);
	out_form(d->o, ", sax25_ndigis=%d", digis);
	if (!is_full)
		return;
	out_char(d->o, '}');
	if (want) {
		out_text(d->o, ", fsa_digipeater=[");
		for (size_t i = 0; i < want && i < has; i++) {
			out_text(d->o, i ? ", " : "");
			put_ax25_call(d, a->bytes + head + i * AX25_BYTES);
		}
		if (want > has)
			out_text(d->o, has ? ", ..." : "...");
		out_char(d->o, ']');
	}
	if (n > head + has * AX25_BYTES)
		out_text(d->o, ", ...");
}

/* struct sockaddr_x25: family, a text of 16 bytes */
static void put_x25(struct decode *d, const union any_addr *a, size_t n)
{
	size_t len = strnlen(a->bytes + 2, 16);

	(void)n;
	out_text(d->o, "sx25_addr={x25_addr=");
	put_bytes(d, a->bytes + 2, len < 16 ? len : 15, d->style->hex);
	out_text(d->o, len < 16 ? "}" : "...}");
}

static void put_netlink(struct decode *d, const union any_addr *a, size_t n)
{
	(void)n;
	if (a->nl.nl_pad)
		out_form(d->o, "nl_pad=%#x, ", a->nl.nl_pad);
	out_form(d->o, "nl_pid=%d, nl_groups=", (int)a->nl.nl_pid);
	put_wide_hex(d, a->nl.nl_groups, 8);
}

static void put_packet(struct decode *d, const union any_addr *a, size_t n)
{
	out_text(d->o, "sll_protocol=");
	if (d->style->names != NAMES_ABBREV)
		put_bytes(d, (const char *)&a->ll.sll_protocol, 2, 2);
	if (d->style->names != NAMES_RAW) {
		out_text(d->o, d->style->names == NAMES_VERBOSE ? " /* htons(" : "htons(");
		names_one(d->o, &names_ethernet_protocols, ntohs(a->ll.sll_protocol), NAMES_ABBREV);
		out_text(d->o, d->style->names == NAMES_VERBOSE ? ") */" : ")");
	}
	out_text(d->o, ", sll_ifindex=");
	put_interface(d, a->ll.sll_ifindex);
	out_text(d->o, ", sll_hatype=");
	put_one(d, &names_arp_types, a->ll.sll_hatype);
	out_text(d->o, ", sll_pkttype=");
	put_one(d, &names_packet_types, a->ll.sll_pkttype);
	out_form(d->o, ", sll_halen=%u", a->ll.sll_halen);
	if (a->ll.sll_halen) {
		out_text(d->o, ", sll_addr=");
		put_hex_array(d, a->ll.sll_addr, a->ll.sll_halen, n - offsetof(struct sockaddr_ll, sll_addr));
	}
}

/* A text that ends with NUL within n bytes; of another its last byte is not shown. */
static void put_cut(struct decode *d, const char *bytes, size_t n)
{
	bool is_whole = strnlen(bytes, n) < n;

	put_quoted(d, bytes, is_whole ? n : n - 1);
	out_text(d->o, is_whole ? "" : "...");
}

/* struct sockaddr_alg: family, type[14], features, mask, name */
static void put_alg(struct decode *d, const union any_addr *a, size_t n)
{
	enum names_style style = d->style->names == NAMES_RAW ? NAMES_RAW : NAMES_VERBOSE;

	out_text(d->o, "salg_type=");
	put_cut(d, a->bytes + 2, 14);
	out_text(d->o, ", salg_feat=");
	names_flags(d->o, &names_crypto_flags, a->words[4], style);
	out_text(d->o, ", salg_mask=");
	names_flags(d->o, &names_crypto_flags, a->words[5], style);
	out_text(d->o, ", salg_name=");
	put_cut(d, a->bytes + 24, n - 24);
}

/* struct sockaddr_vm: family, 0, port, cid, flags */
static void put_vsock(struct decode *d, const union any_addr *a, size_t n)
{
	(void)n;
	if (a->halves[1])
		out_form(d->o, "svm_reserved1=%#x, ", a->halves[1]);
	out_text(d->o, "svm_cid=");
	put_one(d, &names_vsock_cids, a->words[2]);
	out_text(d->o, ", svm_port=");
	put_one(d, &names_vsock_ports, a->words[1]);
	out_text(d->o, ", svm_flags=");
	put_flags(d, &names_vsock_flags, (uint8_t)a->bytes[12]);
	if (a->words[3] >> 8) {
		out_text(d->o, ", svm_zero=");
		put_bytes(d, a->bytes + 13, 3, 2);
	}
}

/* struct sockaddr_qrtr: family, node, port */
static void put_qipcrtr(struct decode *d, const union any_addr *a, size_t n)
{
	(void)n;
	out_text(d->o, "sq_node=");
	put_one(d, &names_qipcrtr_nodes, a->words[1]);
	out_text(d->o, ", sq_port=");
	put_one(d, &names_qipcrtr_ports, a->words[2]);
}

/* struct sockaddr_xdp: family, flags, interface, queue, descriptor of shared memory */
static void put_xdp(struct decode *d, const union any_addr *a, size_t n)
{
	(void)n;
	out_text(d->o, "sxdp_flags=");
	put_flags(d, &names_xdp_flags, a->halves[1]);
	out_text(d->o, ", sxdp_ifindex=");
	put_interface(d, a->words[1]);
	out_form(d->o, ", sxdp_queue_id=%u", a->words[2]);
	if (a->halves[1] & 1) {
		out_text(d->o, ", sxdp_shared_umem_fd=");
		put_fd(d, a->words[3]);
	} else if (a->words[3]) {
		out_form(d->o, ", sxdp_shared_umem_fd=%#x", a->words[3]);
	}
}

/* A number whose name is but a comment. */
static void put_noted(struct decode *d, const struct names *names, uint64_t value)
{
	names_one(d->o, names, value, d->style->names == NAMES_RAW ? NAMES_RAW : NAMES_VERBOSE);
}

#define RXRPC_HEAD 8 /* bytes before the address of the transport */

/* struct sockaddr_rxrpc: family, service, type of the transport, bytes of its address, which is a union */
static void put_rxrpc(struct decode *d, const union any_addr *a, size_t n)
{
	uint16_t len = a->halves[3];
	size_t has = len < n - RXRPC_HEAD ? len : n - RXRPC_HEAD;
	union any_addr to = { 0 };
	const char *outer = "";

	memcpy(&to, a->bytes + RXRPC_HEAD, n - RXRPC_HEAD);
	out_text(d->o, "srx_service=");
	put_noted(d, &names_rxrpc_services, a->halves[1]);
	out_text(d->o, ", transport_type=");
	put_one(d, &names_socket_types, a->halves[2]);
	out_form(d->o, ", transport_len=%u, transport={", len);
	if (to.family == AF_INET)
		outer = "sin";
	else if (to.family == AF_INET6)
		outer = "sin6";
	out_form(d->o, *outer ? "%s={%s_family=" : "%sfamily=", outer, outer);
	put_one(d, &names_families, to.family);
	if (has > sizeof(to.family)) {
		out_text(d->o, ", ");
		if (to.family == AF_INET && has >= sizeof(to.in))
			put_in(d, &to, has);
		else if (to.family == AF_INET6 && has >= offsetof(struct sockaddr_in6, sin6_scope_id))
			put_in6(d, &to, has);
		else
			put_bytes(d, to.bytes + sizeof(to.family), has - sizeof(to.family), d->style->hex);
	}
	out_text(d->o, *outer ? "}}" : "}");
}

#define IEEE802154_BYTES 8 /* of an address */

/* struct sockaddr_ieee802154: family, type of the address (at 4), number of the network (at 8), address */
static void put_ieee802154(struct decode *d, const union any_addr *a, size_t n)
{
	const unsigned char *hw = (const unsigned char *)a->bytes + 10;
	uint32_t type = a->words[1];

	(void)n;
	out_text(d->o, "addr={addr_type=");
	put_noted(d, &names_ieee802154_address_types, type);
	out_text(d->o, ", pan_id=");
	put_noted(d, &names_ieee802154_pan_ids, a->halves[4]);
	if (type == 2) { /* IEEE802154_ADDR_SHORT */
		out_text(d->o, ", short_addr=");
		put_noted(d, &names_ieee802154_short_addresses, a->halves[5]);
	} else if (type) {
		out_text(d->o, ", hwaddr=");
		if (d->style->names != NAMES_ABBREV)
			put_bytes(d, (const char *)hw, IEEE802154_BYTES, 2);
		out_text(d->o, d->style->names == NAMES_VERBOSE ? " /* " : "");
		for (int i = 0; i < IEEE802154_BYTES && d->style->names != NAMES_RAW; i++)
			out_form(d->o, i ? ":%02x" : "%02x", hw[i]);
		out_text(d->o, d->style->names == NAMES_VERBOSE ? " */" : "");
	}
	out_char(d->o, '}');
}

#define NFC_BYTES 16
#define LLCP_BYTES 96
#define LLCP_NAME 63

/* struct sockaddr_nfc: family, device, target, protocol; struct sockaddr_nfc_llcp: also access points and the name of a service */
static void put_nfc(struct decode *d, const union any_addr *a, size_t n)
{
	uint64_t len;

	out_text(d->o, "dev_idx=");
	put_interface(d, a->words[1]);
	out_text(d->o, ", target_idx=");
	out_hex(d->o, a->words[2]);
	out_text(d->o, ", nfc_protocol=");
	put_one(d, &names_nfc_protocols, a->words[3]);
	if (n != LLCP_BYTES) {
		out_text(d->o, n > NFC_BYTES ? ", ..." : "");
		return;
	}
	out_text(d->o, ", dsap=");
	put_noted(d, &names_llcp_saps, (uint8_t)a->bytes[16]);
	out_text(d->o, ", ssap=");
	put_noted(d, &names_llcp_saps, (uint8_t)a->bytes[17]);
	memcpy(&len, a->bytes + 88, sizeof(len));
	out_text(d->o, ", service_name=");
	put_bytes(d, a->bytes + 18, len < LLCP_NAME ? len : LLCP_NAME, d->style->hex);
	out_form(d->o, ", service_name_len=%llu", (unsigned long long)len);
}

/* struct sockaddr_mctp: family, 0, network, address, type, tag, 0 */
static void put_mctp(struct decode *d, const union any_addr *a, size_t n)
{
	const unsigned char *b = (const unsigned char *)a->bytes;

	(void)n;
	if (a->halves[1])
		out_form(d->o, "__smctp_pad0=%#x, ", a->halves[1]);
	out_text(d->o, "smctp_network=");
	put_one(d, &names_mctp_networks, a->words[1]);
	out_text(d->o, ", smctp_addr={s_addr=");
	put_one(d, &names_mctp_addresses, b[8]);
	out_form(d->o, "}, smctp_type=%#x, smctp_tag=%#x", b[9], b[10]);
	if (b[11])
		out_form(d->o, ", __smctp_pad1=%#x", b[11]);
}

static const struct {
	void (*put)(struct decode *d, const union any_addr *a, size_t n);
	uint8_t least; /* bytes */
} families[] = {
	[AF_UNIX] = { put_unix, 3 },
	[AF_INET] = { put_in, sizeof(struct sockaddr_in) },
	[AF_AX25] = { put_ax25, 16 },
	[AF_IPX] = { put_ipx, 16 },
	[AF_X25] = { put_x25, 18 },
	[AF_INET6] = { put_in6, offsetof(struct sockaddr_in6, sin6_scope_id) },
	[AF_NETLINK] = { put_netlink, sizeof(struct sockaddr_nl) },
	[AF_PACKET] = { put_packet, sizeof(struct sockaddr_ll) },
	[AF_RXRPC] = { put_rxrpc, 36 },
	[AF_IEEE802154] = { put_ieee802154, 20 },
	[AF_NFC] = { put_nfc, NFC_BYTES },
	[AF_MCTP] = { put_mctp, 12 },
	[AF_ALG] = { put_alg, 25 },
	[AF_VSOCK] = { put_vsock, 16 },
	[AF_QIPCRTR] = { put_qipcrtr, 12 },
	[AF_XDP] = { put_xdp, 16 },
};

void put_sockaddr_bytes(struct decode *d, const char *bytes, size_t n)
{
	union any_addr a = { 0 };

	if (n > TRACE_NAME_MAX)
		n = TRACE_NAME_MAX;
	memcpy(&a, bytes, n);
	out_text(d->o, "{sa_family=");
	put_one(d, &names_families, a.family);
	if (n > sizeof(a.family)) {
		out_text(d->o, ", ");
		if (a.family < sizeof(families) / sizeof(*families) && families[a.family].put && n >= families[a.family].least) {
			families[a.family].put(d, &a, n);
		} else {
			out_text(d->o, "sa_data=");
			put_bytes(d, a.bytes + sizeof(a.family), n - sizeof(a.family), d->style->hex);
		}
	}
	out_char(d->o, '}');
}

void put_sockaddr(struct decode *d, uint64_t addr, int32_t n)
{
	char bytes[TRACE_NAME_MAX];
	size_t has = n > TRACE_NAME_MAX ? TRACE_NAME_MAX : n;

	if (n < 2 || !memory_get(d, addr, bytes, has))
		put_addr(d, addr);
	else
		put_sockaddr_bytes(d, bytes, has);
}
