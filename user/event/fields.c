/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* "	field:char prev_comm[16];	offset:8;	size:16;	signed:0;" */
#include "event/fields.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/tracepoints.h"

#define MARK "field:"
#define COMMON "common_"

/* A C declaration to its type and name: the name is the last word, an array's length behind it is the type's. */
static int split(const char *text, size_t len, struct field *f)
{
	const char *end = text + len, *array, *name;
	int type_len;

	array = memchr(text, '[', len);
	/* "__data_loc char[] name": those brackets are before the name */
	if (!array || end[-1] != ']')
		array = end;
	for (name = array; name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_'); name--)
		;
	if (name == array || name == text || (size_t)(array - name) >= sizeof(f->name))
		return -EINVAL;
	memcpy(f->name, name, (size_t)(array - name));
	f->name[array - name] = '\0';
	while (name > text && name[-1] == ' ')
		name--;
	type_len = snprintf(f->type, sizeof(f->type), "%.*s%.*s", (int)(name - text), text, (int)(end - array), array);
	return type_len < (int)sizeof(f->type) ? 0 : -EINVAL;
}

int field_parse(const char *line, struct field *ret_field)
{
	const char *at = line + strspn(line, " \t"), *end;
	struct field f;

	if (strncmp(at, MARK, strlen(MARK)))
		return -ENOENT;
	at += strlen(MARK);
	end = strchr(at, ';');
	if (!end || end == at || end - at > INT_MAX || split(at, (size_t)(end - at), &f))
		return -EINVAL;
	if (sscanf(end + 1, " offset:%u; size:%u;", &f.offset, &f.size) != 2)
		return -EINVAL;
	*ret_field = f;
	return 0;
}

int fields_each(const char *tracepoint, int (*each)(void *arg, const struct field *field), void *arg)
{
	const char *tracefs = tracefs_path(), *colon = strchr(tracepoint, ':');
	char path[512], *line = NULL;
	struct field field;
	size_t room = 0;
	int ret = 0;
	FILE *file;

	if (!tracefs)
		return -ENOTDIR;
	if (!colon || strchr(tracepoint, '/') ||
	    snprintf(path, sizeof(path), "%s/events/%.*s/%s/format", tracefs, (int)(colon - tracepoint), tracepoint, colon + 1) >=
		    (int)sizeof(path))
		return -ENOENT;
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (!ret && getline(&line, &room, file) > 0)
		if (!field_parse(line, &field) && strncmp(field.name, COMMON, strlen(COMMON)))
			ret = each(arg, &field);
	free(line);
	fclose(file);
	return ret;
}
