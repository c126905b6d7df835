/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples by who made them, where and when. The words are perf's; times are in user/cmd/picktime.c. */
#include "cmd/pick.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/picktime.h"
#include "cmd/script_trace.h"
#include "model/samplekey.h"
#include "sample.h"
#include "sym/relay.h"
#include "util/file.h"
#include "util/num.h"
#include "util/vec.h"

#define CPUS_MAX 65536u
#define PARALLELISM_MAX 4096u /* perf's MAX_NR_CPUS */
#define LIST_BYTES_MAX (16u << 20)

/* perf script has another -d, perf diff -C for comms. */
#define PICK_ROWS(comms_key, dsos_key, cpu_key) \
	{ comms_key, "comms", "COMM,...", OPT_TEXT, offsetof(struct pick_options, comms), "only threads of these names" }, \
	{ 0, "pid", "PID,...", OPT_TEXT, offsetof(struct pick_options, pids), "only these processes" }, \
	{ 0, "tid", "TID,...", OPT_TEXT, offsetof(struct pick_options, tids), "only these threads" }, \
	{ dsos_key, "dsos", "OBJECT,...", OPT_TEXT, offsetof(struct pick_options, dsos), "only samples in these programs, libraries, modules" }, \
	{ 'S', "symbols", "SYMBOL,...", OPT_TEXT, offsetof(struct pick_options, symbols), "only samples in these functions; 0xADDRESS: that begins there, or at that address" }, \
	{ cpu_key, "cpu", "CPUS", OPT_TEXT, offsetof(struct pick_options, cpus), "only samples of these CPUs: 0-3,8" }, \
	{ 0, "time", "START,STOP", OPT_TEXT, offsetof(struct pick_options, time), \
	  "only this time, in seconds as in the file; or parts of it: 10%-20%, 10%/2" },

const struct opt pick_opts[] = { PICK_ROWS('c', 'd', 'C') { 0 } };
const struct opt pick_diff_opts[] = { PICK_ROWS('C', 'd', 0) { 0 } };
const struct opt pick_script_opts[] = { PICK_ROWS('c', 0, 'C')
	{ 0, "addr-range", "BYTES", OPT_U64, offsetof(struct pick_options, addr_range), "with -S 0xADDRESS: the BYTES bytes that begin there" },
	{ 0 } };

/* The words of a list, and the memory that they are in. */
struct words {
	VEC(const char *) at;
	VEC(char *) texts;
};

typedef VEC(uint64_t) id_list;

struct pick {
	struct relay relay; /* first */
	const struct pick_options *o;
	struct words comms, dsos, symbols;
	id_list pids, tids, addrs; /* addrs: those among the symbols */
	uint8_t *cpus; /* a bit each; NULL: all */
	uint8_t *levels; /* of parallelism, likewise */
	struct picktime time;
	struct pick_counts out;
	uint64_t out_all;
	bool with_onoff;
	const struct data_reader *reader; /* borrowed */
	struct names *names;		  /* likewise */
	struct script_traces *traces;	  /* NULL until one is needed */
	bool failed; /* no memory to count what was left out */
};

/* Takes text apart, which it owns from now on. 0 or -ENOMEM. */
static int words_add(struct words *w, char *text, const char *separators)
{
	if (!text || vec_reserve(&w->texts)) {
		free(text);
		return -ENOMEM;
	}
	w->texts.data[w->texts.n++] = text;
	for (char *rest = text, *word; (word = strsep(&rest, separators));) {
		if (!*word)
			continue;
		if (vec_reserve(&w->at))
			return -ENOMEM;
		w->at.data[w->at.n++] = word;
	}
	return 0;
}

/* "a,b" and "file://NAME", which has a word a line. */
static int words_parse(struct words *w, const char *list, const char *option, struct err *err)
{
	size_t n, words = 0;

	if (!list)
		return 0;
	if (words_add(w, strdup(list), ","))
		return err_set(err, -ENOMEM, "out of memory");
	words = w->at.n;
	for (size_t i = 0; i < words; i++) {
		const char *path = w->at.data[i];
		char *text;
		int ret;

		if (strncmp(path, PICK_FILE_WORD, strlen(PICK_FILE_WORD)) != 0)
			continue;
		path += strlen(PICK_FILE_WORD);
		ret = file_read(path, 4096, LIST_BYTES_MAX, &text, &n);
		if (ret)
			return err_exit(err, ret, EXIT_USAGE, "cannot read '%s' of '%s': %s", path, option, strerror(-ret));
		if (words_add(w, text, "\n"))
			return err_set(err, -ENOMEM, "out of memory");
	}
	if (!w->at.n)
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '%s': expected names, separated by commas", list, option);
	return 0;
}

static bool words_have(const struct words *w, const char *text)
{
	for (size_t i = 0; i < w->at.n; i++)
		if (!strcmp(w->at.data[i], text))
			return true;
	return false;
}

static void words_free(struct words *w)
{
	for (size_t i = 0; i < w->texts.n; i++)
		free(w->texts.data[i]);
	vec_free(&w->texts);
	vec_free(&w->at);
}

static int bad_list(const char *text, const char *option, const char *expected, int ret, struct err *err)
{
	if (ret == -ENOMEM)
		return err_set(err, ret, "out of memory");
	return err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '%s': %s", text, option, ret == -ERANGE ? "out of range" : expected);
}

static int add_id(void *arg, uint64_t id)
{
	id_list *ids = arg;

	if (vec_reserve(ids))
		return -ENOMEM;
	ids->data[ids->n++] = id;
	return 0;
}

static int ids_parse(id_list *ids, const char *text, const char *option, struct err *err)
{
	int ret = text ? num_list(text, INT_MAX, add_id, ids) : 0;

	return ret ? bad_list(text, option, "expected numbers, separated by commas", ret, err) : 0;
}

static bool ids_have(const id_list *ids, uint32_t id)
{
	for (size_t i = 0; i < ids->n; i++)
		if (ids->data[i] == id)
			return true;
	return false;
}

static int add_cpu(void *arg, uint64_t cpu)
{
	((uint8_t *)arg)[cpu / CHAR_BIT] |= 1u << cpu % CHAR_BIT;
	return 0;
}

static int cpus_parse(struct pick *p, const char *text, struct err *err)
{
	int ret;

	if (!text)
		return 0;
	p->cpus = calloc(1, CPUS_MAX / CHAR_BIT);
	ret = p->cpus ? num_list(text, CPUS_MAX - 1, add_cpu, p->cpus) : -ENOMEM;
	return ret ? bad_list(text, "--cpu", "expected CPUs such as 0-3,8", ret, err) : 0;
}

static int add_level(void *arg, uint64_t level)
{
	return level ? add_cpu(arg, level) : -ERANGE;
}

static int levels_parse(struct pick *p, const char *text, struct err *err)
{
	int ret;

	if (!text)
		return 0;
	p->levels = calloc(1, PARALLELISM_MAX / CHAR_BIT + 1);
	ret = p->levels ? num_list(text, PARALLELISM_MAX, add_level, p->levels) : -ENOMEM;
	return ret ? bad_list(text, "--parallelism", "expected numbers of threads such as 1-4,8", ret, err) : 0;
}

int pick_count(struct pick_counts *c, const struct sample *s)
{
	struct pick_out *out;

	while (c->by_event.n <= s->event) {
		if (vec_reserve(&c->by_event))
			return -ENOMEM;
		c->by_event.data[c->by_event.n++] = (struct pick_out){ 0 };
	}
	out = &c->by_event.data[s->event];
	out->weight += s->weight;
	out->count += s->count;
	out->latency += sample_latency(s);
	return 0;
}

struct pick_out pick_counted(const struct pick_counts *c, uint32_t event)
{
	return event < c->by_event.n ? c->by_event.data[event] : (struct pick_out){ 0 };
}

static int count_out(struct pick *p, const struct sample *s)
{
	p->out_all += s->count;
	return pick_count(&p->out, s);
}

static bool has_cpu(const struct pick *p, uint32_t cpu)
{
	return cpu < CPUS_MAX && p->cpus[cpu / CHAR_BIT] >> cpu % CHAR_BIT & 1;
}

static bool has_level(const struct pick *p, uint32_t n)
{
	return !p->levels || (n <= PARALLELISM_MAX && p->levels[n / CHAR_BIT] >> n % CHAR_BIT & 1);
}

/* Before names are looked up. */
static bool pick_wants(struct named_sink *sink, const struct sample *s)
{
	struct pick *p = (struct pick *)sink;
	/* Events that are not shown switch, too. */
	bool hidden = !picktime_has(&p->time, s->time_ns) || (p->with_onoff && onoff_hides(p->o->onoff, s));

	if (!relay_wants(&p->relay, s))
		return false;
	if (hidden || (p->cpus && !has_cpu(p, s->cpu))) {
		p->out_all += s->count;
		return false;
	}
	if ((!p->pids.n || ids_have(&p->pids, s->pid)) && (!p->tids.n || ids_have(&p->tids, s->tid)) && has_level(p, s->parallelism))
		return true;
	p->failed |= count_out(p, s) != 0;
	return p->failed; /* then the next step ends the run */
}

/* As perf shows an object, or its whole path. */
static bool object_is(const struct words *dsos, const char *obj)
{
	const char *slash = strrchr(obj, '/');

	return *obj && (words_have(dsos, obj) || (slash && words_have(dsos, slash + 1)));
}

/* The symbols that are addresses: "0x401000". 0 or -ENOMEM. */
static int addrs_parse(struct pick *p)
{
	for (size_t i = 0; i < p->symbols.at.n; i++) {
		const char *word = p->symbols.at.data[i];
		char *end;
		uint64_t addr = strtoull(word, &end, 16), *slot;

		if (strncmp(word, "0x", 2) != 0 || !word[2] || *end)
			continue;
		slot = vec_take(&p->addrs, 1);
		if (!slot)
			return -ENOMEM;
		*slot = addr;
	}
	return 0;
}

/* Of an address or a range, as perf has them: a function that begins at it, or what was sampled there. */
static bool addr_is(const struct pick *p, const struct frame *leaf, bool has_name)
{
	for (size_t i = 0; leaf && i < p->addrs.n; i++) {
		uint64_t addr = p->addrs.data[i];

		if (leaf->addr == addr || (has_name && leaf->addr - leaf->off == addr) || (leaf->addr > addr && leaf->addr - addr < p->o->addr_range))
			return true;
	}
	return false;
}

static int pick_named(struct named_sink *sink, const struct named *n)
{
	struct pick *p = (struct pick *)sink;
	const struct stack *st = n->stack;
	const struct frame *leaf = NULL;
	bool has_name;

	if (p->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < st->n && !leaf; i++)
		leaf = st->frames[i].kind != FRAME_MARK ? &st->frames[i] : NULL;
	has_name = leaf && leaf->kind != FRAME_UNKNOWN;
	if (p->o->named_only && !has_name) {
		p->out_all += n->at->count;
		return 0;
	}
	if ((p->comms.at.n && !words_have(&p->comms, n->comm)) || (p->dsos.at.n && !(leaf && object_is(&p->dsos, leaf->obj))) ||
	    (p->symbols.at.n && !(has_name && words_have(&p->symbols, leaf->name)) && !addr_is(p, leaf, has_name)))
		return count_out(p, n->at);
	return relay_pass(&p->relay, n);
}

/* 0 or -ENOMEM. */
static int add_trace(struct pick *p, struct named *n)
{
	const char *text;

	if (!p->traces && !(p->traces = script_traces_new(p->reader, p->names->syms)))
		return -ENOMEM;
	text = script_traces_text(p->traces, n->at);
	n->trace = text ? strpool_add(p->names->pool, text) : NULL;
	return text && !n->trace ? -ENOMEM : 0;
}

static int pick_sample(struct named_sink *sink, const struct named *from)
{
	struct pick *p = (struct pick *)sink;
	struct sample cost = *from->at;
	struct named n = *from;

	if (!p->o->costs && !p->o->traces && !p->o->branches)
		return pick_named(sink, from);
	if (p->o->costs)
		cost.weight = sample_cost(&cost);
	if (p->o->branches)
		cost.weight = cost.count = cost.fields ? cost.fields->nr_branches : 0;
	n.at = &cost;
	if (p->o->traces && add_trace(p, &n))
		return -ENOMEM;
	return pick_named(sink, &n);
}

int pick_new(const struct pick_options *o, struct pick **ret_pick, struct err *err)
{
	bool with_onoff = o->onoff && (o->onoff->on || o->onoff->off);
	struct pick *p;
	int ret;

	*ret_pick = NULL;
	if (!o->comms && !o->pids && !o->tids && !o->dsos && !o->symbols && !o->cpus && !o->parallelism && !o->time && !o->named_only && !o->costs && !o->traces && !with_onoff)
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_set(err, -ENOMEM, "out of memory");
	p->o = o;
	p->with_onoff = with_onoff;
	p->relay.sink = (struct named_sink){ .wants = pick_wants, .sample = pick_sample };
	ret = words_parse(&p->comms, o->comms, "--comms", err);
	if (!ret)
		ret = words_parse(&p->dsos, o->dsos, "--dsos", err);
	if (!ret)
		ret = words_parse(&p->symbols, o->symbols, "--symbols", err);
	if (!ret)
		ret = addrs_parse(p) ? err_set(err, -ENOMEM, "out of memory") : 0;
	if (!ret)
		ret = ids_parse(&p->pids, o->pids, "--pid", err);
	if (!ret)
		ret = ids_parse(&p->tids, o->tids, "--tid", err);
	if (!ret)
		ret = cpus_parse(p, o->cpus, err);
	if (!ret)
		ret = levels_parse(p, o->parallelism, err);
	if (!ret && o->time)
		ret = picktime_parse(&p->time, o->time, err);
	if (ret)
		pick_free(p);
	else
		*ret_pick = p;
	return ret;
}

void pick_free(struct pick *p)
{
	if (!p)
		return;
	words_free(&p->comms);
	words_free(&p->dsos);
	words_free(&p->symbols);
	vec_free(&p->pids);
	vec_free(&p->addrs);
	vec_free(&p->tids);
	vec_free(&p->out.by_event);
	picktime_free(&p->time);
	script_traces_free(p->traces);
	free(p->cpus);
	free(p->levels);
	free(p);
}

/* Samples of all events have this, or option has no meaning. */
static int check_field(const struct data_reader *reader, const char *option, uint64_t field, const char *what, struct err *err)
{
	const struct data_meta *meta = data_reader_meta(reader);

	for (int i = 0; i < meta->nr_events; i++)
		if (!(data_reader_attr(reader, i)->sample_type & field))
			return err_exit(err, -EINVAL, EXIT_USAGE, "%s: samples of '%s' have no %s", option, meta->events[i].name, what);
	return 0;
}

int pick_open(struct pick *p, const struct data_reader *reader, struct err *err)
{
	const struct data_meta *meta = data_reader_meta(reader);
	int ret;

	p->reader = reader;
	ret = p->cpus ? pick_check_cpus(reader, err) : 0;
	if (!ret && p->o->time)
		ret = check_field(reader, "--time", PERF_SAMPLE_TIME, "times (TIME): record with -T", err);
	if (!ret && p->with_onoff)
		ret = onoff_open(p->o->onoff, meta, err);
	return ret ? ret : pick_begin(p, meta->first_ns, meta->last_ns, err);
}

int pick_check_cpus(const struct data_reader *reader, struct err *err)
{
	return check_field(reader, "--cpu", PERF_SAMPLE_CPU, "CPUs (CPU): record with -a or --sample-cpu", err);
}

int pick_begin(struct pick *p, uint64_t first_ns, uint64_t last_ns, struct err *err)
{
	return picktime_begin(&p->time, first_ns, last_ns, err);
}

void pick_insert(struct pick *p, struct names *names)
{
	p->names = names;
	if (p->o->traces)
		names->may_hold = false; /* what waits has no record any more */
	relay_insert(&p->relay, names);
}

struct pick_out pick_out(const struct pick *p, uint32_t event)
{
	return p ? pick_counted(&p->out, event) : (struct pick_out){ 0 };
}

uint64_t pick_out_all(const struct pick *p)
{
	return p ? p->out_all : 0;
}
