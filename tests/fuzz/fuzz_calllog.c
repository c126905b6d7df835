/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording of skep trace, whatever is in it, through a pipe's or a file's descriptor: head, frames, ledger; its records are joined and
 * written down. Whatever comes out has no byte that is not plain ASCII, and as many events as were counted.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls/calls.h"
#include "capture/calljoin.h"
#include "data/calllog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct replay {
	struct sink records, samples; /* records: first */
	struct calljoin join;
	struct call_style style;
	struct out o;
	uint64_t events, counted;
};

static void check(struct out *o)
{
	const char *text = out_end(o);

	for (size_t i = 0; i < o->n; i++)
		if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] > '~')
			abort();
	o->n = 0;
}

static int take_sample(struct sink *sink, const struct sample *s)
{
	struct replay *r = (struct replay *)((char *)sink - offsetof(struct replay, samples));
	const struct call_event *e = s->call;
	char name[32];

	r->events += e->kind == CALL_LOST ? 0 : 1 + (e->kind == CALL_GONE && e->in_call); /* a LOST line says that others are missing */
	if (strlen(s->comm) >= COMM_LEN)
		abort();
	switch (e->kind) {
	case CALL_LOST:
		break;
	case CALL_SIGNAL:
		call_signal(&r->o, e, &r->style);
		call_stop(&r->o, e);
		break;
	case CALL_FAULT:
		out_text(&r->o, call_fault_name(e));
		call_fault_place(&r->o, e);
		break;
	case CALL_URING:
		out_text(&r->o, call_uring_name(e->nr, name));
		call_uring_args(&r->o, e, &r->style);
		call_result(&r->o, e, &r->style);
		break;
	default:
		out_text(&r->o, call_name(e->abi, e->nr, name));
		call_args(&r->o, e, &r->style);
		call_result(&r->o, e, &r->style);
		call_end(&r->o, e);
	}
	check(&r->o);
	return 0;
}

static int take_record(struct sink *sink, const void *record, size_t size)
{
	struct replay *r = (struct replay *)sink;
	void *copy = malloc(size ? size : 1); /* of a size of its own: what reads behind it is caught */
	bool no_entry;
	int ret;

	if (!copy)
		return 0;
	memcpy(copy, record, size);
	r->counted += calljoin_events(copy, size, &no_entry);
	ret = calljoin_take(&r->join, copy, size, &r->samples);
	free(copy);
	return ret;
}

static void run(int fd)
{
	struct replay r = { .records = { .raw = take_record }, .samples = { .sample = take_sample } };
	struct profile ledger = { 0 };
	struct calllog_reader *reader;
	struct err err = { 0 };
	bool has_end;

	if (calllog_open_fd(fd, "fuzz", &reader, &err)) {
		if (!err.text[0])
			abort();
		return;
	}
	r.style = (struct call_style){ .text = calllog_meta(reader)->text, .is_whole = calllog_meta(reader)->is_whole, .is_elsewhere = true,
					.files = FILES_DETAILS };
	if (r.style.text > TRACE_PIECE_MAX)
		abort();
	if (calllog_read(reader, &r.records, &ledger, &has_end, &err) || calljoin_end(&r.join, &r.samples))
		abort();
	if (r.events != r.join.delivered || r.events > r.counted || has_end + ledger.losses[LOSS_FILE_CUT] + ledger.losses[LOSS_FILE_DAMAGED] < 1)
		abort();
	calllog_free(reader);
	calljoin_free(&r.join);
	out_free(&r.o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char text[] = "machine x86_64\ntext 32\nwhole 1\nstart_ns 5\n      ";
	static int fd = -1;
	struct calllog_head head = { CALLLOG_MAGIC, CALLLOG_VERSION, sizeof(text) & ~7u };

	if (fd < 0)
		fd = memfd_create("fuzz", 0);
	if (fd < 0 || ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
		return 0;
	if (size < sizeof(head.magic) || memcmp(data, head.magic, sizeof(head.magic))) /* else it would hardly ever get behind the head */
		if (write(fd, &head, sizeof(head)) < 0 || write(fd, text, head.bytes) < 0)
			return 0;
	if (write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		return 0;
	run(fd);
	return 0;
}
