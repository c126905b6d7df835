/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fields are bpftrace's args->NAME. Each tracepoint has its own record: the same name may be elsewhere, or of another type. */
#include "event/keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bpf/eventsby.h"
#include "event/tracepoints.h"
#include "util/near.h"

static size_t field_prefix(const char *at, size_t n)
{
	if (n > 6 && !memcmp(at, "args->", 6))
		return 6;
	return n > 5 && !memcmp(at, "args.", 5) ? 5 : 0;
}

static int bad(const char *text, size_t at, size_t caret, size_t n, const char *why, struct err *err)
{
	err_exit(err, -EINVAL, EXIT_USAGE, "bad key '%.*s' in --by: %s", (int)n, text + at, why);
	err_caret(err, text, caret);
	return -EINVAL;
}

static int read_field(void *arg, const char *text, size_t *at, struct err *err)
{
	size_t n = strcspn(text + *at, ","), prefix = field_prefix(text + *at, n), name = *at + prefix, len = n - prefix;
	struct keys *k = arg;

	if (!prefix)
		return -ENOENT;
	if (len >= FORMAT_NAME_MAX || strspn(text + name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") < len)
		return bad(text, *at, name, n, "not the name of a field", err);
	*at += n;
	for (int i = 0; i < k->nr_fields; i++)
		if (strlen(k->fields[i]) == len && !memcmp(k->fields[i], text + name, len))
			return 0;
	if (k->nr_fields == BY_FIELDS_MAX)
		return bad(text, *at - n, *at - n, n, "at most four fields", err);
	memcpy(k->fields[k->nr_fields], text + name, len);
	k->text = text;
	k->places[k->nr_fields++] = name;
	return 0;
}

struct columns_other keys_fields(struct keys *keys)
{
	return (struct columns_other){ read_field, keys, "fields of tracepoints (args->NAME)" };
}

/* Arguments of system calls are words of 8 bytes in the record, whatever their type: what is above it is not theirs. */
static const struct {
	const char *type;
	uint8_t bytes;
	bool is_signed;
} call_types[] = {
	{ "int", 4, true },	   { "unsigned int", 4, false }, { "unsigned", 4, false }, { "pid_t", 4, true },
	{ "u32", 4, false },	   { "__u32", 4, false },	 { "uint32_t", 4, false }, { "__s32", 4, true },
	{ "s32", 4, true },	   { "uid_t", 4, false },	 { "gid_t", 4, false },	   { "umode_t", 2, false },
	{ "clockid_t", 4, true },  { "timer_t", 4, true },	 { "mqd_t", 4, true },	   { "key_t", 4, true },
	{ "rwf_t", 4, true },	   { "qid_t", 4, false },	 { "key_serial_t", 4, true }, { "long", 8, true },
	{ "loff_t", 8, true },	   { "off_t", 8, true },
};

static const char *skip_const(const char *type)
{
	return strncmp(type, "const ", 6) ? type : type + 6;
}

const char *field_place_of(const struct format_field *f, bool is_call, struct field_place *ret_place)
{
	static const uint8_t how[] = { [FORMAT_PLAIN] = EVENTSBY_PLAIN, [FORMAT_DATA_LOC] = EVENTSBY_DATA_LOC, [FORMAT_REL_LOC] = EVENTSBY_REL_LOC };
	struct field_place p = { .offset = f->offset, .bytes = f->size, .how = how[f->where] };
	const char *type = skip_const(f->type);

	if (f->array[0] || f->where != FORMAT_PLAIN) {
		if (strcmp(type, "char"))
			return "an array";
		/* perf's record of a system call has its arguments and no more. */
		if (is_call && f->where != FORMAT_PLAIN)
			return "not in the records that BPF programs see";
		p.kind = FIELD_TEXT;
		p.bytes = f->where == FORMAT_PLAIN && f->size < BY_TEXT_MAX ? f->size + 1 : BY_TEXT_MAX;
		*ret_place = p;
		return NULL;
	}
	if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return "neither a number nor a string";
	p.kind = f->is_signed ? FIELD_SIGNED : FIELD_UNSIGNED;
	if (strchr(type, '*'))
		p.kind = FIELD_ADDRESS;
	else if (!strcmp(type, "dev_t"))
		p.kind = FIELD_DEVICE;
	for (size_t i = 0; is_call && f->size == 8 && i < sizeof(call_types) / sizeof(*call_types); i++)
		if (!strcmp(type, call_types[i].type)) {
			p.bytes = call_types[i].bytes;
			p.kind = call_types[i].is_signed ? FIELD_SIGNED : FIELD_UNSIGNED;
		}
	*ret_place = p;
	return NULL;
}

struct resolve {
	struct keys *keys;
	uint32_t known; /* bit i: texts has field i */
	struct near near; /* of the first field that was missing */
	int missing;	  /* that field */
	char why[256];
	int without;	    /* tracepoints of a glob that are left out */
	const char *unread; /* a tracepoint that tracefs does not have */
};

/* Returns false when a field is missing; r has which and why. */
static bool place_fields(struct resolve *r, const struct format *f, struct traced *t)
{
	bool is_call = !strncmp(t->name, "syscalls:", 9);

	for (int i = 0; i < r->keys->nr_fields; i++) {
		const char *name = r->keys->fields[i], *why = NULL;
		const struct format_field *field = format_find(f, name, strlen(name));
		bool is_text;

		if (field)
			why = field_place_of(field, is_call, &t->fields[i]);
		is_text = t->fields[i].kind == FIELD_TEXT;
		if (field && !why && r->known >> i & 1 && (r->keys->texts >> i & 1) != is_text)
			why = "a string in one tracepoint and a number in another";
		if (field && !why)
			continue;
		if (!*r->why) {
			r->missing = i;
			near_init(&r->near, name, strlen(name));
			if (field)
				snprintf(r->why, sizeof(r->why), "'%s' of %s is %s", name, t->name, why);
			else
				snprintf(r->why, sizeof(r->why), "%s has no such field", t->name);
		}
		for (size_t k = 0; !field && r->missing == i && k < f->fields.n; k++)
			near_offer(&r->near, f->fields.data[k].name, strlen(f->fields.data[k].name));
		return false;
	}
	for (int i = 0; i < r->keys->nr_fields; i++)
		r->keys->texts |= (uint32_t)(t->fields[i].kind == FIELD_TEXT) << i;
	r->known = ~0u;
	return true;
}

static int unreadable(const char *name, int ret, struct err *err)
{
	err_exit(err, ret, EXIT_CANNOT, "cannot read the fields of '%s': %s", name, strerror(-ret));
	if (ret == -EACCES)
		err_hint(err, "sudo mount -o remount,mode=755 /sys/kernel/tracing");
	else if (!tracefs_path())
		err_hint(err, "mount -t tracefs tracefs /sys/kernel/tracing");
	return ret;
}

static int refuse(const struct resolve *r, const char *first, struct err *err)
{
	const struct keys *k = r->keys;

	if (!*r->why)
		return unreadable(r->unread, -ENOENT, err);
	err_exit(err, -EINVAL, EXIT_USAGE, "bad key 'args->%s' in --by: %s%s", k->fields[r->missing], first, r->why);
	err_caret(err, k->text, k->places[r->missing]);
	near_hint(&r->near, err);
	return -EINVAL;
}

/* Returns 1 when it has its place in ret, 0 when it is left out, -errno. */
static int resolve_one(struct resolve *r, const struct event *e, keys_reader read, struct traced *t, struct err *err)
{
	struct format f;
	int ret;

	if (!tracepoint_name(e, t->name, sizeof(t->name)))
		return e->from_glob ? 0 :
				      err_exit(err, -EINVAL, EXIT_USAGE, "'%s' has no tracepoint of its own, and so no fields", e->name);
	if (!r->keys->nr_fields)
		return 1;
	ret = read(t->name, &f);
	t->id = f.id;
	if (ret) {
		format_free(&f);
		r->unread = e->name;
		return ret == -ENOENT && e->from_glob ? 0 : unreadable(t->name, ret, err);
	}
	ret = place_fields(r, &f, t);
	r->without += !ret;
	format_free(&f);
	return ret || e->from_glob ? ret : refuse(r, "", err);
}

int keys_resolve(struct keys *keys, const struct event *events, int nr_events, keys_reader read, struct traced_list *ret_list,
		 struct err *err)
{
	struct resolve r = { .keys = keys, .unread = nr_events ? events[0].name : "" };
	int ret = 0;

	*ret_list = (struct traced_list){ 0 };
	keys->texts = 0;
	for (int i = 0; i < nr_events; i++) {
		struct traced t = { .from_glob = events[i].from_glob };

		if (events[i].kind != EVENT_TRACEPOINT && (events[i].kind != EVENT_SYSCALL || !keys->nr_fields))
			continue;
		ret = resolve_one(&r, &events[i], read, &t, err);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		if (vec_reserve(&ret_list->all))
			return -ENOMEM;
		ret_list->all.data[ret_list->all.n++] = t;
	}
	ret_list->without = r.without;
	if (keys->nr_fields && !ret_list->all.n)
		return refuse(&r, r.without > 1 ? "none has all of the fields: " : "", err);
	return 0;
}
