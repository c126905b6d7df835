/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Perfetto's own format: packets, each written as its sample comes. A sample is a PerfSample, one of a tracepoint also an event of its
 * thread's track, and one of sched:sched_switch also what ftrace would have recorded, of which Perfetto makes tracks of CPUs. Each event is
 * a sequence, for that is what a counter's name belongs to; what its packets refer to is written to it before.
 */
#include "render/viewers/perfetto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/wire.h"
#include "render/viewers/stacktable.h"
#include "render/viewers/viewers.h"
#include "sample.h"
#include "util/hash.h"

#define FLUSH_BYTES (64u << 10)
#define TRACK_OF_PROCESS (1ull << 63) /* numbers of tracks: the rest of the bits are pid and tid */
#define CATEGORY "tracepoint"

struct seen {
	VEC(uint8_t) all; /* by number */
};

/* What was written to a sequence, by the numbers of the stack table. */
struct sequence {
	bool has_begun;
	struct seen frames, nodes, objects;
};

struct perfetto {
	struct viewer viewer; /* first: what it does finds the rest by it */
	FILE *out;
	const struct viewer_cfg *cfg;
	struct stacktable stacks;
	struct stack_path path;
	struct sequence *sequences; /* by event */
	VEC(const char *) objects;
	struct map by_object, by_track;
	VEC(const char *) comms; /* by track: what it is called */
	VEC(uint64_t) counters; /* sums of weights: what each stands at */
	struct map by_counter; /* event and CPU */
	struct wire file, packet, body, part, piece;
	bool has_begun;
	uint64_t last_ns;
	uint32_t last_event; /* whose sequence the ledger is written to */
};

static void flush(struct perfetto *p)
{
	fwrite_unlocked(p->file.bytes.data, 1, p->file.bytes.n, p->out);
	p->file.bytes.n = 0;
}

static void empty(struct wire *w)
{
	w->bytes.n = 0;
}

static void put_message(struct wire *to, uint32_t field, const struct wire *message)
{
	to->no_memory |= message->no_memory;
	wire_bytes(to, field, message->bytes.data, message->bytes.n);
}

/* Begins a packet of an event's sequence; body is empty then, too. time_ns 0: it has none. */
static void begin_packet(struct perfetto *p, uint32_t event, uint64_t time_ns, uint32_t flags)
{
	empty(&p->packet);
	empty(&p->body);
	wire_number(&p->packet, PACKET_TIME, time_ns);
	wire_number(&p->packet, PACKET_SEQUENCE, event + 1);
	wire_number(&p->packet, PACKET_FLAGS, flags);
}

/* body as its content, and the packet to the file. */
static void end_packet(struct perfetto *p, uint32_t content)
{
	put_message(&p->packet, content, &p->body);
	put_message(&p->file, TRACE_PACKET, &p->packet);
	if (p->file.bytes.n >= FLUSH_BYTES)
		flush(p);
}

static void put_clock(struct perfetto *p, uint32_t clock, uint64_t time_ns)
{
	empty(&p->part);
	wire_number(&p->part, CLOCK_ID, clock);
	wire_value(&p->part, CLOCK_TIME, time_ns);
	put_message(&p->body, CLOCKS_CLOCK, &p->part);
}

static void begin_file(struct perfetto *p, uint64_t time_ns)
{
	int64_t wall_ns = (int64_t)time_ns + p->cfg->wall_ns;

	p->has_begun = true;
	if (!p->cfg->has_wall || wall_ns < 0)
		return;
	begin_packet(p, 0, time_ns, 0);
	put_clock(p, CLOCK_NUMBER_BOOTTIME, time_ns); /* what times are of, unless a packet says otherwise */
	put_clock(p, CLOCK_NUMBER_REALTIME, (uint64_t)wall_ns);
	end_packet(p, PACKET_CLOCKS);
}

/* The counter's name, which every sample of the sequence is of. */
static void begin_sequence(struct perfetto *p, uint32_t event)
{
	p->sequences[event].has_begun = true;
	begin_packet(p, event, 0, PACKET_STATE_CLEARED);
	empty(&p->piece);
	wire_text(&p->piece, TIMEBASE_NAME, p->cfg->events[event].name);
	empty(&p->part);
	put_message(&p->part, SAMPLE_DEFAULTS_TIMEBASE, &p->piece);
	put_message(&p->body, DEFAULTS_SAMPLE, &p->part);
	end_packet(p, PACKET_DEFAULTS);
}

/* Was number i noted before? From now on it is. -ENOMEM. */
static int note(struct seen *seen, size_t i)
{
	int was;

	if (i >= seen->all.n) {
		size_t more = i + 1 - seen->all.n;
		uint8_t *to = vec_take(&seen->all, more);

		if (!to)
			return -ENOMEM;
		memset(to, 0, more);
	}
	was = seen->all.data[i];
	seen->all.data[i] = 1;
	return was;
}

static int64_t object_number(struct perfetto *p, const char *obj)
{
	uint64_t hash = hash_u64((uintptr_t)obj);
	int64_t found = map_find(&p->by_object, hash);

	if (found >= 0)
		return found;
	if (vec_reserve(&p->objects) || map_add(&p->by_object, hash, p->objects.n))
		return -ENOMEM;
	p->objects.data[p->objects.n] = obj;
	return (int64_t)p->objects.n++;
}

static void put_string(struct perfetto *p, uint32_t field, uint64_t id, const char *text)
{
	empty(&p->part);
	wire_number(&p->part, STRING_ID, id);
	wire_text(&p->part, STRING_BYTES, text);
	put_message(&p->body, field, &p->part);
}

/* A mapping has the number of its object, and so have its path and build id. Every frame has one, for older readers want it. */
static int put_mapping(struct perfetto *p, struct sequence *seq, const char *obj, uint64_t *ret_id)
{
	int64_t i = object_number(p, obj);
	uint8_t id[BUILD_ID_MAX], size;
	int was;

	if (i < 0)
		return (int)i;
	*ret_id = (uint64_t)i + 1;
	was = note(&seq->objects, (size_t)i);
	if (was)
		return was < 0 ? was : 0;
	size = p->cfg->build_id && obj && *obj ? p->cfg->build_id(p->cfg->build_id_arg, obj, id) : 0;
	put_string(p, INTERNED_PATH, *ret_id, obj ? obj : "");
	if (size) {
		empty(&p->part);
		wire_number(&p->part, STRING_ID, *ret_id);
		wire_bytes(&p->part, STRING_BYTES, id, size);
		put_message(&p->body, INTERNED_BUILD_ID, &p->part);
	}
	empty(&p->part);
	wire_number(&p->part, MAPPING_ID, *ret_id);
	wire_number(&p->part, MAPPING_BUILD_ID, size ? *ret_id : 0);
	wire_number(&p->part, MAPPING_PATH, *ret_id);
	put_message(&p->body, INTERNED_MAPPING, &p->part);
	return 0;
}

/* A frame and its function have its number. */
static int put_frame(struct perfetto *p, struct sequence *seq, uint32_t frame)
{
	const struct stack_frame *f = &p->stacks.frames.data[frame];
	uint64_t mapping = 0;
	int ret = note(&seq->frames, frame);

	if (ret)
		return ret < 0 ? ret : 0;
	ret = put_mapping(p, seq, f->obj, &mapping);
	if (ret)
		return ret;
	put_string(p, INTERNED_FUNCTION, (uint64_t)frame + 1, f->name);
	empty(&p->part);
	wire_number(&p->part, FRAME_ID, (uint64_t)frame + 1);
	wire_number(&p->part, FRAME_FUNCTION, (uint64_t)frame + 1);
	wire_number(&p->part, FRAME_MAPPING, mapping);
	wire_value(&p->part, FRAME_PC, f->pos);
	put_message(&p->body, INTERNED_FRAME, &p->part);
	return 0;
}

/* All that a callstack is made of, as far as the sequence does not have it: into body. 1: there was something. */
static int put_callstack(struct perfetto *p, struct sequence *seq, uint32_t node)
{
	int64_t n;
	int ret = node == STACK_NONE ? 1 : note(&seq->nodes, node);

	if (ret)
		return ret < 0 ? ret : 0;
	n = stacktable_path(&p->stacks, node, &p->path);
	for (int64_t i = 0; i < n && !ret; i++)
		ret = put_frame(p, seq, p->path.frames.data[i]);
	if (n < 0 || ret)
		return n < 0 ? (int)n : ret;
	empty(&p->part);
	wire_number(&p->part, CALLSTACK_ID, (uint64_t)node + 1);
	for (int64_t i = 0; i < n; i++)
		wire_number(&p->part, CALLSTACK_FRAMES, (uint64_t)p->path.frames.data[i] + 1);
	put_message(&p->body, INTERNED_CALLSTACK, &p->part);
	return 1;
}

static uint64_t track_of(const struct sample *s, bool is_process)
{
	return is_process ? TRACK_OF_PROCESS | s->pid : ((uint64_t)s->pid & 0x3fffffff) << 32 | s->tid | 1ull << 62;
}

/* Is the track written with this name? 0: not yet. */
static int is_named(struct perfetto *p, uint64_t track, const char *comm)
{
	int64_t i = map_find(&p->by_track, hash_u64(track));

	if (i < 0) {
		if (vec_reserve(&p->comms) || map_add(&p->by_track, hash_u64(track), p->comms.n))
			return -ENOMEM;
		i = (int64_t)p->comms.n++;
		p->comms.data[i] = NULL;
	}
	if (p->comms.data[i] == comm)
		return 1;
	p->comms.data[i] = comm;
	return 0;
}

/* An int32 of the schema: -1, where a sample has no thread, is ten bytes. */
static void put_id(struct wire *w, uint32_t field, uint32_t id)
{
	wire_value(w, field, (uint64_t)(int64_t)(int32_t)id);
}

/* Names the thread, and its process after its first thread, or after the one that came first. */
static int put_tracks(struct perfetto *p, const struct named *named)
{
	const struct sample *s = named->at;
	int ret;

	if (s->pid == s->tid || map_find(&p->by_track, hash_u64(track_of(s, true))) < 0) {
		ret = is_named(p, track_of(s, true), named->comm);
		if (ret < 0)
			return ret;
		if (!ret) {
			begin_packet(p, s->event, 0, 0);
			wire_number(&p->body, TRACK_UUID, track_of(s, true));
			empty(&p->part);
			put_id(&p->part, PROCESS_PID, s->pid);
			wire_text(&p->part, PROCESS_NAME, named->comm);
			put_message(&p->body, TRACK_PROCESS, &p->part);
			end_packet(p, PACKET_TRACK);
		}
	}
	ret = is_named(p, track_of(s, false), named->comm);
	if (ret)
		return ret < 0 ? ret : 0;
	begin_packet(p, s->event, 0, 0);
	wire_number(&p->body, TRACK_UUID, track_of(s, false));
	wire_number(&p->body, TRACK_PARENT, track_of(s, true));
	empty(&p->part);
	put_id(&p->part, THREAD_PID, s->pid);
	put_id(&p->part, THREAD_TID, s->tid);
	wire_text(&p->part, THREAD_NAME, named->comm);
	put_message(&p->body, TRACK_THREAD, &p->part);
	end_packet(p, PACKET_TRACK);
	return 0;
}

/* A counter is of a CPU, and is what it stands at, not what was added. NULL: no memory. */
static uint64_t *counter_of(struct perfetto *p, const struct sample *s)
{
	uint64_t hash = hash_u64((uint64_t)s->event << 32 | s->cpu);
	int64_t i = map_find(&p->by_counter, hash);

	if (i < 0) {
		if (vec_reserve(&p->counters) || map_add(&p->by_counter, hash, p->counters.n))
			return NULL;
		i = (int64_t)p->counters.n++;
		p->counters.data[i] = 0;
	}
	return &p->counters.data[i];
}

static int put_sample(struct perfetto *p, const struct named *named, uint32_t node)
{
	const struct sample *s = named->at;
	const struct frame *leaf = named->stack->n ? &named->stack->frames[0] : NULL;
	uint64_t *sum = counter_of(p, s);

	if (!sum)
		return -ENOMEM;
	*sum += s->weight ? s->weight : 1;
	begin_packet(p, s->event, s->time_ns, PACKET_NEEDS_STATE);
	wire_value(&p->body, SAMPLE_CPU, s->cpu == UINT32_MAX ? 0 : s->cpu);
	wire_value(&p->body, SAMPLE_PID, s->pid);
	wire_value(&p->body, SAMPLE_TID, s->tid);
	if (node != STACK_NONE)
		wire_number(&p->body, SAMPLE_CALLSTACK, (uint64_t)node + 1);
	wire_number(&p->body, SAMPLE_MODE, leaf ? leaf->is_kernel ? MODE_KERNEL : MODE_USER : 0);
	wire_number(&p->body, SAMPLE_TIMEBASE, *sum);
	end_packet(p, PACKET_SAMPLE);
	return 0;
}

static void put_annotation(void *arg, const struct viewer_field *field)
{
	struct perfetto *p = arg;

	empty(&p->part);
	wire_text(&p->part, ANNOTATION_NAME, field->name);
	if (field->text)
		wire_text(&p->part, ANNOTATION_TEXT, field->text);
	else
		wire_value(&p->part, field->is_signed ? ANNOTATION_SIGNED : ANNOTATION_UNSIGNED, field->num);
	put_message(&p->body, EVENT_ANNOTATION, &p->part);
}

static void put_event(struct perfetto *p, const struct sample *s, const struct viewer_trace *trace)
{
	const struct viewer_field text = { .name = "text", .text = trace->text };

	begin_packet(p, s->event, s->time_ns, PACKET_NEEDS_STATE);
	wire_number(&p->body, EVENT_TYPE, EVENT_INSTANT);
	wire_number(&p->body, EVENT_TRACK, track_of(s, false));
	wire_text(&p->body, EVENT_CATEGORY, CATEGORY);
	wire_text(&p->body, EVENT_TITLE, p->cfg->events[s->event].name);
	put_annotation(p, &text);
	trace->each(trace->arg, s, put_annotation, p);
	end_packet(p, PACKET_TRACK_EVENT);
}

/* The fields of SchedSwitchFtraceEvent (ftrace/sched.proto) have the kernel's names: their numbers count from 1. */
static void put_switch_field(void *arg, const struct viewer_field *field)
{
	static const char *const names[] = { "prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio" };
	struct perfetto *p = arg;

	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], field->name))
			continue;
		if (field->text)
			wire_text(&p->piece, i + 1, field->text);
		else
			wire_value(&p->piece, i + 1, field->num);
	}
}

static void put_switch(struct perfetto *p, const struct sample *s, const struct viewer_trace *trace)
{
	begin_packet(p, s->event, 0, 0);
	empty(&p->piece);
	trace->each(trace->arg, s, put_switch_field, p);
	empty(&p->part);
	wire_number(&p->part, FTRACE_TIME, s->time_ns);
	wire_value(&p->part, FTRACE_PID, s->tid);
	put_message(&p->part, FTRACE_SWITCH, &p->piece);
	wire_value(&p->body, FTRACE_CPU, s->cpu);
	put_message(&p->body, FTRACE_EVENT, &p->part);
	end_packet(p, PACKET_FTRACE);
}

static int take_sample(struct viewer *v, const struct named *named, uint32_t nr_frames, const struct viewer_trace *trace)
{
	struct perfetto *p = (struct perfetto *)v;
	const struct sample *s = named->at;
	int64_t node = stacktable_add(&p->stacks, named->stack->frames, nr_frames);
	int ret;

	if (node < 0 || (!p->sequences && !(p->sequences = calloc(p->cfg->nr_events, sizeof(*p->sequences)))))
		return -ENOMEM;
	if (!p->has_begun)
		begin_file(p, s->time_ns);
	p->last_ns = s->time_ns;
	p->last_event = s->event;
	if (!p->sequences[s->event].has_begun)
		begin_sequence(p, s->event);
	ret = put_tracks(p, named);
	if (ret)
		return ret;
	begin_packet(p, s->event, 0, PACKET_NEEDS_STATE);
	ret = put_callstack(p, &p->sequences[s->event], (uint32_t)node);
	if (ret > 0)
		end_packet(p, PACKET_INTERNED);
	ret = ret < 0 ? ret : put_sample(p, named, (uint32_t)node);
	if (ret)
		return ret;
	if (trace)
		put_event(p, s, trace);
	if (trace && s->cpu != UINT32_MAX && viewer_is_switch(p->cfg->events[s->event].name))
		put_switch(p, s, trace);
	return p->file.no_memory ? -ENOMEM : ferror_unlocked(p->out) ? -EIO : 0;
}

/* The ledger. */
static int put_end(struct viewer *v, const struct profile *profile)
{
	struct perfetto *p = (struct perfetto *)v;
	struct viewer_field field = { .name = "command", .text = profile->title ? profile->title : "skep" };

	begin_packet(p, p->last_event, p->last_ns, 0);
	wire_number(&p->body, EVENT_TYPE, EVENT_INSTANT);
	wire_text(&p->body, EVENT_CATEGORY, "skep");
	wire_text(&p->body, EVENT_TITLE, "skep");
	put_annotation(p, &field);
	put_annotation(p, &(struct viewer_field){ .name = "seen", .num = profile->seen });
	put_annotation(p, &(struct viewer_field){ .name = "kept", .num = profile->kept });
	for (int i = 0; i < LOSS_MAX; i++)
		if (profile->losses[i])
			put_annotation(p, &(struct viewer_field){ .name = loss_name((enum loss)i), .num = profile->losses[i] });
	for (uint32_t i = 0; i < profile->nr_notes; i++)
		put_annotation(p, &(struct viewer_field){ .name = "note", .text = profile->notes[i] });
	end_packet(p, PACKET_TRACK_EVENT);
	flush(p);
	return p->file.no_memory ? -ENOMEM : ferror(p->out) ? -EIO : 0;
}

static void perfetto_free(struct viewer *v)
{
	struct perfetto *p = (struct perfetto *)v;
	struct wire *const wires[] = { &p->file, &p->packet, &p->body, &p->part, &p->piece };

	for (size_t i = 0; i < sizeof(wires) / sizeof(wires[0]); i++)
		wire_free(wires[i]);
	for (uint32_t i = 0; p->sequences && i < p->cfg->nr_events; i++) {
		vec_free(&p->sequences[i].frames.all);
		vec_free(&p->sequences[i].nodes.all);
		vec_free(&p->sequences[i].objects.all);
	}
	free(p->sequences);
	stacktable_free(&p->stacks);
	vec_free(&p->path.frames);
	vec_free(&p->objects);
	vec_free(&p->comms);
	vec_free(&p->counters);
	map_free(&p->by_object);
	map_free(&p->by_track);
	map_free(&p->by_counter);
	free(p);
}

struct viewer *perfetto_open(FILE *out, const struct viewer_cfg *cfg)
{
	struct perfetto *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->viewer = (struct viewer){ .sample = take_sample, .end = put_end, .free = perfetto_free };
	p->out = out;
	p->cfg = cfg;
	return &p->viewer;
}
