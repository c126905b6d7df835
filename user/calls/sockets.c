/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sockets: their addresses as arguments, types and protocols. */
#include <sys/socket.h>

#include "calls/decode.h"

/* bind(), connect(): the length is the next argument. */
void print_sockaddr(struct decode *d, unsigned i)
{
	put_sockaddr(d, d->e->args[i], d->e->args[i + 1]);
}

/* accept(): the next argument points to the length, which the call writes; it may be more than there was room for. */
void print_sockaddr_out(struct decode *d, unsigned i)
{
	int32_t is, was;

	if (d->is_failed || !memory_get(d, d->e->args[i + 1], &is, 4) || !memory_before(d, d->e->args[i + 1], &was, 4))
		put_addr(d, d->e->args[i]);
	else
		put_sockaddr(d, d->e->args[i], is < was ? is : was);
}

/* "[128 => 16]" */
void print_length_moved(struct decode *d, unsigned i)
{
	int32_t was, is;

	if (!memory_before(d, d->e->args[i], &was, 4)) {
		put_addr(d, d->e->args[i]);
		return;
	}
	out_form(d->o, "[%d", was);
	if (!d->is_failed && memory_get(d, d->e->args[i], &is, 4) && is != was)
		out_form(d->o, " => %d", is);
	out_char(d->o, ']');
}

void print_socket_type(struct decode *d, unsigned i)
{
	uint32_t type = d->e->args[i];

	put_one(d, &names_socket_types, type & 0xf);
	if (d->style->names != NAMES_RAW)
		names_more_flags(d->o, &names_socket_flags, type & ~0xfu, true);
}

/* By the family, which is the first argument. */
void print_protocol(struct decode *d, unsigned i)
{
	uint32_t family = d->e->args[0], protocol = d->e->args[i];

	if (family == AF_INET || family == AF_INET6)
		put_one(d, &names_ip_protocols, protocol);
	else if (family == AF_NETLINK)
		put_one(d, &names_netlink_protocols, protocol);
	else
		out_decimal(d->o, protocol);
}
