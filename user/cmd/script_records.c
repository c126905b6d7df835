/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records beside the samples: --show-...-events, and -D, which shows the bytes of all. */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "cmd/script.h"
#include "data/format.h"

static bool is_shown(const struct script_shown *shown, uint16_t type)
{
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return shown->tasks;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return shown->mmaps;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return shown->switches;
	case PERF_RECORD_NAMESPACES:
		return shown->namespaces;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return shown->lost;
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
		return shown->bpf;
	case PERF_RECORD_CGROUP:
		return shown->cgroups;
	case RECORD_TEXT_POKE:
		return shown->text_pokes;
	case RECORD_FINISHED_ROUND:
		return shown->rounds;
	}
	return false;
}

bool script_shows_records(const struct script_options *o)
{
	const struct script_shown *s = &o->shown;

	return o->dump || s->tasks || s->mmaps || s->switches || s->namespaces || s->lost || s->bpf || s->cgroups || s->text_pokes || s->rounds;
}

/* Whom a record is about: the thread that it names, else that of its trailer. */
static void whose(const struct data_record *rec, uint32_t *ret_pid, uint32_t *ret_tid)
{
	uint32_t ids[2] = { rec->pid, rec->tid };
	bool is_task = rec->type == PERF_RECORD_FORK || rec->type == PERF_RECORD_EXIT;

	if (rec->body >= 24 && is_task) {
		memcpy(&ids[0], rec->bytes + 8, sizeof(ids[0]));
		memcpy(&ids[1], rec->bytes + 16, sizeof(ids[1]));
	} else if (rec->body >= 16 && (rec->type == PERF_RECORD_COMM || rec->type == PERF_RECORD_MMAP || rec->type == PERF_RECORD_MMAP2 ||
				       rec->type == PERF_RECORD_NAMESPACES)) {
		memcpy(ids, rec->bytes + 8, sizeof(ids));
	}
	*ret_pid = ids[0];
	*ret_tid = ids[1];
}

/* The first processes are forked by the kernel's own, which no record names. */
static bool is_kernels_child(const struct data_record *rec)
{
	uint32_t parent = UINT32_MAX;

	if (rec->type == PERF_RECORD_FORK && rec->body >= 24)
		memcpy(&parent, rec->bytes + 20, sizeof(parent));
	return !parent;
}

static int show(struct script *s, const struct data_record *rec)
{
	struct script_start start = { .cpu = rec->cpu, .type = rec->type, .misc = rec->misc, .time_ns = rec->time_ns, .shown_ns = rec->time_ns };
	struct sample at = { 0 };
	bool is_made_up = false;

	if (rec->type != RECORD_FINISHED_ROUND) {
		whose(rec, &at.pid, &at.tid);
		start.comm = at.pid == UINT32_MAX ? "swapper" : comms_of(&s->names.comms, &at, &is_made_up);
		if (is_made_up && is_kernels_child(rec))
			start.comm = "swapper";
		start.pid = rec->pid;
		start.tid = rec->tid;
		start.has_chain = s->has_chains && data_reader_attr(s->file.reader, rec->event)->sample_type & PERF_SAMPLE_CALLCHAIN &&
				  s->fields[rec->event] & SCRIPT_BIT(IP);
		script_start(&s->text, &start, s->fields[rec->event], &s->view);
	}
	script_record(&s->text, record_name(rec->type), rec->type, rec->misc, rec->bytes, rec->body);
	return ferror(s->out) ? -EIO : 0;
}

/* The bytes of a record, then what it is. */
static int dump(struct script *s, const struct data_record *rec)
{
	const struct perf_event_attr *attr = data_reader_attr(s->file.reader, rec->event);

	textbuf_printf(&s->text, "\n%#" PRIx64 "@", rec->at);
	textbuf_foreign(&s->text, rec->file);
	textbuf_printf(&s->text, " [%#zx]: event: %u\n.\n. ... raw event: size %zu bytes\n", rec->size, rec->type, rec->size);
	script_hex(&s->text, rec->bytes, rec->size);
	textbuf_char(&s->text, '\n');
	if (rec->type < RECORD_USER_FIRST && attr->sample_type & PERF_SAMPLE_CPU)
		textbuf_printf(&s->text, "%u ", rec->cpu);
	if (rec->type < RECORD_USER_FIRST && attr->sample_type & PERF_SAMPLE_TIME)
		textbuf_printf(&s->text, "%" PRIu64 " ", rec->time_ns);
	textbuf_printf(&s->text, "%#" PRIx64 " [%#zx]: ", rec->at, rec->size);
	script_record(&s->text, record_name(rec->type), rec->type, rec->misc, rec->bytes, rec->body);
	return ferror(s->out) ? -EIO : 0;
}

int script_watch(void *arg, const struct data_record *rec)
{
	struct script *s = arg;
	int ret = s->options->dump ? dump(s, rec) : 0;

	return !ret && is_shown(&s->options->shown, rec->type) ? show(s, rec) : ret;
}
