/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* '*' marks the CPU of a row; '.' is idle, '-' a task that is no target; a name is explained when a task gets it. */
#include "render/events/schedmap.h"

#include <errno.h>
#include <string.h>

#include "model/schedlog.h"
#include "util/text.h"

#define CELL_WIDTH 4
#define TIME_WIDTH 13
#define LEGEND_WIDTH 30 /* " A0 => name:123456", most often */

uint32_t schedmap_room(int columns)
{
	int room = (columns - TIME_WIDTH - LEGEND_WIDTH) / CELL_WIDTH;

	return !columns ? UINT32_MAX : room > 1 ? (uint32_t)room : 1;
}

int schedmap_begin(struct schedmap *m)
{
	for (uint32_t i = 0; i < m->nr_shown; i++)
		fprintf(m->out, " %-*u", CELL_WIDTH - 1, m->cells[i].cpu % 1000);
	fprintf(m->out, "%*s\n", TIME_WIDTH, "time");
	return ferror(m->out) ? -EIO : 0;
}

/* Who is on the CPU from now on. Returns whether its name is to be introduced. */
static bool put_on(struct schedmap *m, struct schedmap_cell *cell, const struct sched_event *e)
{
	bool is_new = false;

	if (cell->name < SHORTNAMES_MAX)
		m->names.all[cell->name].is_held = false;
	cell->name = SHORTNAMES_MAX;
	if (!(e->flags & SCHEDLOG_OTHER)) {
		/* The idle task has no number; nor has, in a container, a task of outside */
		snprintf(cell->text, sizeof(cell->text), "%s", e->other.tid || strncmp(e->other.comm, "swapper", strlen("swapper")) ? "-" : ".");
		return false;
	}
	cell->name = shortname_of(&m->names, e->other.tid, e->other.comm, &is_new);
	m->names.all[cell->name].is_held = true;
	shortname_text(cell->name, cell->text);
	return is_new;
}

int schedmap_event(struct schedmap *m, const struct sample *s)
{
	const struct sched_event *e = s->sched;
	struct schedmap_cell *cell = NULL;
	char buf[40], *end = buf + sizeof(buf), *p;
	bool is_new;

	if (e->kind != SCHEDLOG_SWITCH)
		return 0;
	for (uint32_t i = 0; i < m->nr_shown && !cell; i++)
		if (m->cells[i].cpu == s->cpu)
			cell = &m->cells[i];
	if (!cell)
		return 0;
	is_new = put_on(m, cell, e);
	for (uint32_t i = 0; i < m->nr_shown; i++)
		fprintf(m->out, "%c%-*s", &m->cells[i] == cell ? '*' : ' ', CELL_WIDTH - 1, m->cells[i].text);
	p = text_fraction(end, s->time_ns > m->start_ns ? s->time_ns - m->start_ns : 0, 1000000000, 6);
	text_right(m->out, p, end, TIME_WIDTH);
	if (is_new) {
		fprintf(m->out, " %s => ", cell->text);
		text_print(m->out, e->other.comm);
		fprintf(m->out, ":%u", e->other.tid);
	}
	putc('\n', m->out);
	if (sched_letter(e->state) == 'X' && s->tid)
		shortname_end(&m->names, s->tid);
	return ferror(m->out) ? -EIO : 0;
}
