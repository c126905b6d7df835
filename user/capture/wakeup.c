/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "capture/wakeup.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "capture/sideband.h"
#include "util/clock.h"

/*
 * Until the end of a pause new code where other code was is walked with the other's tables, so it is as long as two samples of a CPU,
 * within these bounds.
 */
#define PAUSE_MIN_NS 10000000
#define PAUSE_MAX_NS 25000000

static int watch_in(int epoll_fd, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static uint64_t pause_ns(uint64_t freq)
{
	uint64_t two_samples_ns = freq ? 2 * NS_PER_S / freq : 0;

	if (two_samples_ns < PAUSE_MIN_NS)
		return PAUSE_MIN_NS;
	return two_samples_ns < PAUSE_MAX_NS ? two_samples_ns : PAUSE_MAX_NS;
}

int wakeup_open(struct wakeup *w, const struct sideband *sb, int loop_fd, uint64_t freq)
{
	int ret = 0;

	*w = (struct wakeup){ .sideband = sb, .loop_fd = loop_fd, .fd = epoll_create1(EPOLL_CLOEXEC), .pause_ns = pause_ns(freq) };
	if (w->fd < 0)
		return -errno;
	for (uint32_t i = 0; !ret && sideband_fd(sb, i) >= 0; i++)
		ret = watch_in(w->fd, sideband_fd(sb, i));
	for (uint32_t i = 0; !ret && sideband_switch_fd(sb, i) >= 0; i++)
		ret = watch_in(loop_fd, sideband_switch_fd(sb, i));
	return ret ? ret : watch_in(loop_fd, w->fd);
}

uint64_t wakeup_next_ns(const struct wakeup *w)
{
	return w->paused_ns ? w->paused_ns : UINT64_MAX;
}

/* New mappings do not wake the loop until then. 0: they do again. */
static int pause_until(struct wakeup *w, uint64_t until_ns)
{
	struct epoll_event ev = { .events = until_ns ? 0 : EPOLLIN, .data.fd = w->fd };
	bool is_as_before = until_ns && w->paused_ns;

	w->paused_ns = until_ns;
	if (is_as_before)
		return 0;
	return epoll_ctl(w->loop_fd, EPOLL_CTL_MOD, w->fd, &ev) ? -errno : 0;
}

int wakeup_take(struct wakeup *w, bool has_maps, uint64_t now)
{
	if (!has_maps && now < wakeup_next_ns(w))
		return 0;
	return pause_until(w, has_maps || sideband_waits(w->sideband) ? now + w->pause_ns : 0);
}

void wakeup_close(struct wakeup *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}
