/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/terminal.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/text.h"

#define STEP_NS 500000000ull
#define BAR_WIDTH 20
#define LINE_BYTES 256

/* How much of --duration is over, where it is known. */
static size_t add_bar(char *line, size_t n, uint64_t now_ns, uint64_t end_ns)
{
	int full = now_ns < end_ns ? (int)(now_ns * BAR_WIDTH / end_ns) : BAR_WIDTH;

	n = text_append(line, LINE_BYTES, n, " [");
	for (int i = 0; i < BAR_WIDTH; i++)
		n = text_append(line, LINE_BYTES, n, "%s", i < full ? "#" : ".");
	return text_append(line, LINE_BYTES, n, "] of %.1f s", (double)end_ns / 1e9);
}

static void draw(void *arg, const struct session *s)
{
	struct progress *p = arg;
	struct profile at = { .receipt.is_not_wanted = true };
	char line[LINE_BYTES];
	struct stat st;
	size_t n;

	if (now_ns() < p->next_ns)
		return;
	p->next_ns = now_ns() + STEP_NS;
	session_profile(s, &at);
	n = text_append(line, sizeof(line), 0, "%.1f s", (double)at.duration_ns / 1e9);
	if (p->cfg->duration_ns)
		n = add_bar(line, n, at.duration_ns, p->cfg->duration_ns);
	if (at.seen) /* some sources count when all is over */
		n = text_append(line, sizeof(line), n, ", %llu events, %llu lost", (unsigned long long)at.seen, (unsigned long long)profile_lost(&at));
	if (p->cfg->output && !stat(p->cfg->output, &st) && S_ISREG(st.st_mode))
		text_append(line, sizeof(line), n, ", %.1f MB", (double)st.st_size / 1e6);
	terminal_line(stderr, line);
	p->is_drawn = true;
}

void progress_begin(struct progress *p, const struct session_cfg *cfg, struct session_cfg *ret_cfg)
{
	*p = (struct progress){ .cfg = cfg };
	*ret_cfg = *cfg;
	/* What COMMAND prints on the terminal is not to be mixed with it */
	if (!cfg->has_progress || log_level < 0 || !terminal_is_drawn(STDERR_FILENO) || (target_is_command(cfg->target) && isatty(STDOUT_FILENO)))
		return;
	p->next_ns = now_ns() + STEP_NS;
	ret_cfg->tick = draw;
	ret_cfg->tick_arg = p;
}

void progress_end(struct progress *p)
{
	if (p->is_drawn)
		terminal_line(stderr, "");
	p->is_drawn = false;
}
