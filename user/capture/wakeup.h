/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The side band's part in a session's event loop: its buffers wake the loop, those of mappings at most once in a pause, as short
 * processes would cause a thousand wake-ups a second.
 */
#ifndef SKEP_CAPTURE_WAKEUP_H
#define SKEP_CAPTURE_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

struct sideband;

struct wakeup {
	const struct sideband *sideband;
	int loop_fd;	    /* the loop's epoll, borrowed */
	int fd;		    /* an epoll of its own over the buffers of mappings, which the loop waits for; -1: not open */
	uint64_t pause_ns;
	uint64_t paused_ns; /* when new mappings may wake the loop again; 0: they may now */
};

/* freq: samples a second and CPU; 0: not known. 0 or -errno; wakeup_close() in either case. */
int wakeup_open(struct wakeup *w, const struct sideband *sb, int loop_fd, uint64_t freq);

/* When the loop must look again, whatever wakes it; UINT64_MAX: never. */
uint64_t wakeup_next_ns(const struct wakeup *w);

/* After each wait of the loop. has_maps: w->fd was readable. 0 or -errno. */
int wakeup_take(struct wakeup *w, bool has_maps, uint64_t now);

void wakeup_close(struct wakeup *w);

#endif
