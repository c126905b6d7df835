/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "capture/source/netname.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "bpf/net.h"

#define WORDS(list) (sizeof(list) / sizeof(*(list)))

const char *net_protocol_name(uint8_t protocol)
{
	switch (protocol) {
	case IPPROTO_TCP:
		return "tcp";
	case IPPROTO_UDP:
		return "udp";
	case IPPROTO_UDPLITE:
		return "udplite";
	case IPPROTO_ICMP:
		return "icmp";
	case IPPROTO_ICMPV6:
		return "icmpv6";
	case IPPROTO_RAW:
		return "raw";
	default:
		return NULL;
	}
}

const char *net_protocol_text(char *buf, size_t size, uint8_t protocol)
{
	const char *name = net_protocol_name(protocol);

	if (!name)
		snprintf(buf, size, "%u", protocol);
	return name ? name : buf;
}

void net_comm_text(char *to, const char *comm)
{
	memcpy(to, comm, NET_COMM_LEN);
	to[NET_COMM_LEN - 1] = '\0';
}

const char *net_state_name(uint8_t state)
{
	static const char *const states[] = { "?",	    "established", "syn-sent", "syn-recv", "fin-wait-1", "fin-wait-2",	 "time-wait",
					      "closed",	    "close-wait",  "last-ack", "listen",   "closing",	 "new-syn-recv" };

	return state < WORDS(states) ? states[state] : "?";
}

const char *net_end_name(uint8_t end)
{
	static const char *const ends[] = { [NET_OPEN] = "-",	    [NET_CLOSED_HERE] = "closed-here", [NET_CLOSED_THERE] = "closed-there",
					    [NET_RESET] = "reset",  [NET_ABORTED] = "aborted",	       [NET_TIMED_OUT] = "timed-out",
					    [NET_REFUSED] = "refused" };

	return end < WORDS(ends) ? ends[end] : "?";
}

void net_address_text(char *buf, size_t size, uint16_t family, const uint32_t addr[4])
{
	if ((family != AF_INET && family != AF_INET6) || !inet_ntop(family, addr, buf, size))
		snprintf(buf, size, "-");
}

void net_endpoint_text(char *buf, size_t size, uint16_t family, const uint32_t addr[4], uint16_t port)
{
	char text[INET6_ADDRSTRLEN];

	net_address_text(text, sizeof(text), family, addr);
	snprintf(buf, size, family == AF_INET6 ? "[%s]:%u" : family == AF_INET ? "%s:%u" : "%s", text, port);
}
