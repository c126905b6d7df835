/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words for what sockets are and where they are. */
#ifndef SKEP_CAPTURE_SOURCE_NETNAME_H
#define SKEP_CAPTURE_SOURCE_NETNAME_H

#include <stddef.h>
#include <stdint.h>

#define NET_ENDPOINT_BYTES 64

/* "tcp", or NULL for one without a name here. */
const char *net_protocol_name(uint8_t protocol);

/* The same, or its number in buf. */
const char *net_protocol_text(char *buf, size_t size, uint8_t protocol);

/* Copies a name of NET_COMM_LEN bytes, which may lack its NUL; the last byte becomes one. */
void net_comm_text(char *to, const char *comm);

/* "established": of include/net/tcp_states.h; "?" for none. */
const char *net_state_name(uint8_t state);

/* "closed-here": enum net_end; "-" while it is open. */
const char *net_end_name(uint8_t end);

/* "10.0.0.1", "::1"; "-" for no address of IP. */
void net_address_text(char *buf, size_t size, uint16_t family, const uint32_t addr[4]);

/* "10.0.0.1:80", "[::1]:80" */
void net_endpoint_text(char *buf, size_t size, uint16_t family, const uint32_t addr[4], uint16_t port);

#endif
