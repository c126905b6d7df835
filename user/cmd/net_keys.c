/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words of --by and --sort to their numbers. */
#include "cmd/net_keys.h"

#include <errno.h>
#include <string.h>

static const struct word {
	const char *name;
	uint32_t value;
} keys[] = { { "comm", NET_BY_COMM },	  { "pid", NET_BY_PID },     { "user", NET_BY_USER },	{ "cgroup", NET_BY_CGROUP },
	     { "proto", NET_BY_PROTO },	  { "lport", NET_BY_LPORT }, { "remote", NET_BY_REMOTE }, { "rport", NET_BY_RPORT },
	     { "iface", NET_BY_IFACE },	  { "netns", NET_BY_NETNS } },
  sorts[] = { { "bytes", NET_BY_BYTES },     { "sent", NET_BY_SENT },	      { "received", NET_BY_RECEIVED },
	      { "packets", NET_BY_PACKETS }, { "retransmits", NET_BY_RETRANSMITS }, { "drops", NET_BY_DROPS } };

static const struct word *find_word(const struct word *words, size_t n, const char *text, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i].name) == len && !memcmp(words[i].name, text, len))
			return &words[i];
	return NULL;
}

int net_keys_parse(const char *text, uint32_t *ret_by, struct err *err)
{
	uint32_t by = 0;

	for (const char *at = text;; at++) {
		size_t len = strcspn(at, ",");
		const struct word *w = find_word(keys, sizeof(keys) / sizeof(*keys), at, len);

		if (!w) {
			err_exit(err, -EINVAL, EXIT_USAGE, "bad key '%.*s' (expected comm, pid, user, cgroup, proto, lport, remote, rport, iface, netns)",
				 (int)len, at);
			err_caret(err, text, at - text);
			return -EINVAL;
		}
		by |= w->value;
		at += len;
		if (!*at)
			break;
	}
	*ret_by = by;
	return 0;
}

int net_sort_parse(const char *text, enum net_sort *ret_sort, struct err *err)
{
	const struct word *w = find_word(sorts, sizeof(sorts) / sizeof(*sorts), text, strlen(text));

	if (!w)
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad order '%s' (expected bytes, sent, received, packets, retransmits, drops)", text);
	*ret_sort = w->value;
	return 0;
}
