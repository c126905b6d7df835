/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "capture/source/faulthooks.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "capture/features.h"
#include "capture/refusal.h"

void faulthooks_choose(struct faulthooks *h, uint32_t kinds)
{
	h->kinds = kinds;
	if (kinds)
		bpf_program__set_autoload(feature_use(FEATURE_FIND_VMA) ? h->mapped : h->plain, true);
}

const struct bpf_program *faulthooks_program(const struct faulthooks *h)
{
	return bpf_program__autoload(h->mapped) ? h->mapped : bpf_program__autoload(h->plain) ? h->plain : NULL;
}

/* -ENODEV: the CPU is not there any more. */
static int attach_one(struct faulthooks *h, const struct event *event, uint32_t cpu, struct err *err)
{
	const struct bpf_program *program = faulthooks_program(h);
	struct bpf_link **link = vec_take(&h->links, 1);
	int fd = link ? kernel_event_open(event, cpu, -1) : -ENOMEM, ret;

	if (fd < 0) {
		h->links.n -= link != NULL;
		return fd == -ENODEV || fd == -ENOMEM ? fd : kernel_event_refused(event, fd, err);
	}
	*link = bpf_program__attach_perf_event(program, fd);
	if (*link)
		return 0;
	ret = -errno;
	h->links.n--;
	close(fd);
	return err_exit(err, ret, EXIT_CANNOT, "cannot attach to event '%s': %s", event->name, strerror(-ret));
}

int faulthooks_attach(struct faulthooks *h, const struct place *place, struct err *err)
{
	static const struct event events[] = {
		{ .name = "minor-faults", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .period_or_freq = 1 },
		{ .name = "major-faults", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS_MAJ, .period_or_freq = 1 },
	};

	for (int kind = 0; kind < 2; kind++)
		for (uint32_t i = 0; i < place->nr_cpus && h->kinds >> kind & 1; i++) {
			int ret = attach_one(h, &events[kind], place->cpus[i], err);

			if (ret && ret != -ENODEV)
				return ret;
		}
	return 0;
}

void faulthooks_close(struct faulthooks *h)
{
	for (size_t i = 0; i < h->links.n; i++)
		bpf_link__destroy(h->links.data[i]);
	vec_free(&h->links);
}
