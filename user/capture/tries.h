/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The attempts of features.h: how each feature is tried, and what a refusal of it means. */
#ifndef SKEP_CAPTURE_TRIES_H
#define SKEP_CAPTURE_TRIES_H

#include <stddef.h>

#include "capture/features.h"

struct attempt {
	/* Makes the smallest thing of its kind and takes it away again. 0 or -errno. */
	int (*make)(void);
	int cap; /* the capability that it needs, linux/capability.h; 0: none */
	const char *cap_name;
	const char *since; /* "Linux 5.18 with CONFIG_FPROBE=y": what brings it to a kernel that does not know it; may be NULL */
	void (*explain)(struct feature_state *s, int ret); /* in place of the general words, or NULL */
};

extern const struct attempt attempts[FEATURE_MAX];

/* First line of a small file without its newline; empty when it cannot be read. */
void probe_read_line(const char *path, char *buf, size_t size);

void probe_why(struct feature_state *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void probe_enable(struct feature_state *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
