/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a file to printed samples: a sink that takes what NAMES delivers. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/replay.h"
#include "cmd/report_file.h"
#include "cmd/script.h"
#include "util/clock.h"

struct script *script_new(void)
{
	struct script *s = calloc(1, sizeof(*s));

	if (s && names_init(&s->names, NULL, &s->sink)) {
		script_free(s);
		return NULL;
	}
	return s;
}

void script_free(struct script *s)
{
	if (!s)
		return;
	script_dumps_free(s); /* the events are the file's */
	viewer_out_free(&s->viewer);
	script_traces_free(s->traces);
	pick_free(s->pick);
	names_free(&s->names);
	ksym_close(s->ksym);
	recording_close(&s->file);
	free(s->view.chains);
	free(s->fields);
	free(s->is_folded);
	free(s->stop_text);
	free(s);
}

#define STACK_COPY (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/* Page faults name what they are of (sample_addr_correlates_sym(), tools/perf/util/event.c). */
static bool addr_has_symbol(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_PAGE_FAULTS || attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static uint64_t shown_time(struct script *s, uint64_t time_ns)
{
	uint64_t before = s->last_ns;

	if (!s->first_ns)
		s->first_ns = time_ns;
	s->last_ns = time_ns;
	if (s->options->reltime)
		return time_ns - s->first_ns;
	if (s->options->deltatime)
		return before ? time_ns - before : 0;
	return time_ns;
}

static bool put_args(void *arg, const struct sample *s, struct json *json)
{
	return script_traces_json(arg, s, json);
}

/* Can the periods of this event be added to those of the events before it? */
static bool joins_fold(struct script *s, int event)
{
	for (int i = 0; i < s->meta->nr_events; i++)
		if (s->is_folded[i] && i != event && !replay_adds_up(&s->meta->events[i], &s->meta->events[event])) {
			s->fold_odd[0] = s->meta->events[i].name;
			s->fold_odd[1] = s->meta->events[event].name;
			return false;
		}
	s->is_folded[event] = true;
	return true;
}

static int odd_fold(const struct script *s, struct err *err)
{
	err_exit(err, -EINVAL, EXIT_USAGE, "folded stacks are of one event, and '%s' has samples of '%s' and '%s'", s->options->input, s->fold_odd[0], s->fold_odd[1]);
	err_hint(err, "skep flame -i %s --event-index N --format folded", s->options->input);
	return -EINVAL;
}

static int take_sample(struct named_sink *sink, const struct named *named)
{
	struct script *s = (struct script *)sink;
	const struct sample *at = named->at;
	const struct perf_event_attr *attr = data_reader_attr(s->file.reader, at->event);
	struct script_line line = {
		.named = named, .event = s->meta->events[at->event].name, .fields = s->fields[at->event],
		.has_chain = s->has_chains && at->fields && at->fields->has & PERF_SAMPLE_CALLCHAIN,
		.is_bpf_output = attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT,
		.is_walked = at->fields && (at->fields->has & STACK_COPY) == STACK_COPY,
		.has_addr_sym = addr_has_symbol(attr),
	};
	struct script_args args = { put_args, s->traces };
	struct textbuf *text;

	if (onoff_hides(&s->options->on, at))
		return 0;
	s->profile.kept++;
	stack_losses(named->stack, 1, s->profile.losses);
	if (!line.fields)
		return 0;
	line.shown_ns = shown_time(s, at->fields && at->fields->has & PERF_SAMPLE_TIME ? at->fields->time_ns : 0);
	if (line.fields & SCRIPT_BIT(TRACE) || (s->options->format != SCRIPT_TEXT && s->options->format != SCRIPT_VIEWER))
		line.trace = script_traces_text(s->traces, at);
	switch (s->options->format) {
	case SCRIPT_TEXT:
		text = s->dumps ? script_dumps_text(s, at->event) : &s->text;
		if (!text)
			return -EIO;
		script_text(text, &line, &s->view);
		break;
	case SCRIPT_JSON:
		script_json(s->out, &line, &s->view, &args);
		break;
	case SCRIPT_CSV:
		script_csv(s->out, &line, &s->view, ",");
		break;
	case SCRIPT_FOLDED:
		if (!joins_fold(s, at->event))
			return -EINVAL;
		script_folded(&s->text, &line, &s->view);
		break;
	case SCRIPT_VIEWER: /* which has the records of its own */
		return viewer_out_sample(&s->viewer, named, script_frames(named->stack, &s->view));
	}
	return ferror_unlocked(s->out) ? -EIO : 0; /* of one thread: 4 % of the run are the lock */
}

static int take_lost(struct named_sink *sink, uint64_t n)
{
	uint64_t *lost = &((struct script *)sink)->profile.losses[LOSS_FILE];

	if (__builtin_add_overflow(*lost, n, lost)) /* a damaged file's */
		*lost = UINT64_MAX;
	return 0;
}

static bool find_place(void *arg, const struct sample *at, uint64_t addr, struct frame *ret_frame)
{
	struct script *s = arg;

	return syms_resolve(s->names.syms, at->pid, at->time_ns, addr, addr >> 63, false, ret_frame, 1) == 1;
}

static int split_stops(struct script *s, const char *list, struct err *err)
{
	size_t n = 0;

	if (!list)
		return 0;
	s->stop_text = strdup(list);
	if (!s->stop_text)
		return err_set(err, -ENOMEM, "out of memory");
	for (char *save = NULL, *word = strtok_r(s->stop_text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (n == SCRIPT_STOPS_MAX)
			return err_exit(err, -E2BIG, EXIT_USAGE, "--stop-bt: more than %d functions", SCRIPT_STOPS_MAX);
		s->stops[n++] = word;
	}
	s->view.stop_at = s->stops;
	return 0;
}

/* All that depends on the events of the file. */
static int prepare(struct script *s, struct err *err)
{
	const struct script_options *o = s->options;
	struct script_fields chosen = o->fields;
	int ret;

	s->meta = data_reader_meta(s->file.reader);
	s->has_chains = s->meta->callchain && !o->no_chains;
	s->view = (struct script_view){
		.ns = o->ns,
		.max_stack = (uint32_t)(o->max_stack < UINT32_MAX ? o->max_stack : UINT32_MAX),
		.inlined = o->symbols.inlines,
		.long_files = o->long_files,
		.wall_ns = s->meta->wall_ns,
		.has_wall = s->meta->has_wall,
		.place = { find_place, s },
		.data_src_width = &s->data_src_width,
	};
	ret = script_fields_check(&chosen, s->file.reader, s->has_chains, err);
	if (!ret)
		ret = onoff_open(&s->options->on, s->meta, err);
	if (!ret)
		ret = split_stops(s, o->stop_at, err);
	if (ret)
		return ret;
	s->view.chains = calloc(SCRIPT_CHAINS, sizeof(*s->view.chains)); /* without memory: slower */
	s->fields = calloc(s->meta->nr_events, sizeof(*s->fields));
	s->traces = script_traces_new(s->file.reader, s->names.syms);
	s->is_folded = calloc(s->meta->nr_events, sizeof(*s->is_folded));
	if (!s->fields || !s->traces || !s->is_folded)
		return err_set(err, -ENOMEM, "out of memory");
	if (o->per_event && script_dumps_begin(s))
		return err_set(err, -ENOMEM, "out of memory");
	for (int i = 0; i < s->meta->nr_events; i++) {
		int width = (int)strlen(s->meta->events[i].name);

		s->fields[i] = chosen.types[script_type_of(&s->meta->events[i])].fields;
		s->view.event_width = width > s->view.event_width ? width : s->view.event_width;
	}
	return 0;
}

static int read_all(struct script *s, struct err *err)
{
	struct script_options *o = s->options;
	struct syms_cfg cfg = { .exited_max = 0 };
	int ret = symbol_options_apply(&o->symbols, &cfg, err);

	if (ret)
		return ret;
	for (int i = 0; i < SCRIPT_TYPE_MAX; i++)
		cfg.data |= o->fields.types[i].is_set && o->fields.types[i].fields & SCRIPT_BIT(ADDR);
	cfg.lines |= syms_have_lines() && o->format == SCRIPT_JSON;
	for (int i = 0; i < SCRIPT_TYPE_MAX; i++)
		cfg.lines |= !!(o->fields.types[i].fields & SCRIPT_BIT(SRCLINE));
	cfg.inlines |= cfg.lines; /* the line of an address is that of the innermost function */
	s->names.plain = cfg.perf_objects = o->format <= SCRIPT_CSV; /* pictures have the names of skep flame */
	cfg.build_ids = o->format == SCRIPT_VIEWER;
	ret = recording_open(&s->file, o->input, &s->names, &s->ksym, &cfg, err);
	if (!ret)
		ret = recording_needs_samples(&s->file, o->input, err);
	if (!ret)
		ret = prepare(s, err);
	if (!ret)
		ret = pick_new(&o->pick, &s->pick, err);
	if (!ret && s->pick)
		ret = pick_open(s->pick, s->file.reader, err);
	if (ret)
		return ret;
	if (s->pick)
		pick_insert(s->pick, &s->names);
	s->names.leaf_only = !s->has_chains;
	if (o->header)
		ret = report_header(s->file.reader, o->whole_header, s->out, err);
	if (ret)
		return ret;
	if (s->meta->is_stat && o->format != SCRIPT_TEXT) {
		err_exit(err, -EINVAL, EXIT_USAGE, "'%s' has counts, which are shown as text here", o->input);
		err_hint(err, "skep stat report -j, or -x,");
		return -EINVAL;
	}
	if (s->meta->is_stat && !script_shows_records(o))
		return script_stat(s->file.reader, s->out, &s->profile, err);
	if (script_shows_records(o))
		data_reader_watch(s->file.reader, script_watch, s);
	if (o->format == SCRIPT_CSV)
		script_csv_head(s->out, ",");
	if (o->format == SCRIPT_VIEWER) {
		s->viewer = (struct viewer_out){ .format = o->viewer, .to = s->out, .events = s->meta->events, .nr_events = s->meta->nr_events,
						 .reader = s->file.reader, .syms = s->names.syms };
	}
	return data_reader_run(s->file.reader, &s->names.sink, err);
}

static int end_viewer(struct script *s, struct err *err)
{
	int ret = s->profile.kept ? viewer_out_end(&s->viewer, &s->profile) : 0;

	if (ret && !ferror(s->out)) {
		err_set(err, ret, "cannot write: %s", strerror(-ret));
		viewer_out_why(&s->viewer, err);
		return ret;
	}
	return 0;
}

int script_read(struct script *s, struct script_options *o, FILE *out, struct err *err)
{
	struct profile *p = &s->profile;
	uint64_t start_ns = now_ns();
	int ret;

	s->sink = (struct named_sink){ .sample = take_sample, .lost = take_lost };
	s->options = o;
	s->out = out;
	textbuf_init(&s->text, out);
	ret = read_all(s, err);
	if (s->dumps_err.text[0]) {
		*err = s->dumps_err;
		return ret;
	}
	if (s->fold_odd[0])
		return odd_fold(s, err);
	if (ret)
		viewer_out_why(&s->viewer, err);
	textbuf_flush(&s->text);
	if (ret == -EBADMSG && p->kept) {
		recording_damaged(p, err);
		ret = 0;
	}
	if (ret)
		return ferror(out) ? 0 : ret; /* outfile_commit() has the cause */
	recording_end(&s->file, start_ns, p);
	names_note(s->names.syms, p);
	p->event = s->meta->events[0].name;
	p->unit = replay_unit_of(&s->meta->events[0]);
	p->title = recording_title(o->input, s->meta, s->title, sizeof(s->title));
	p->seen = p->kept + profile_lost(p);
	return o->format == SCRIPT_VIEWER ? end_viewer(s, err) : 0;
}
