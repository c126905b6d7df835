/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines are "p:GROUP/NAME PLACE[+OFFSET] NAME=FETCH...", "r5:..." for returns, "p:GROUP/NAME PATH:OFFSET(SEMAPHORE)" of programs. */
#include "event/lasting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/format.h"
#include "event/tracepoints.h"
#include "util/file.h"

#define FILE_MAX (16 << 20) /* of hostile tests only: the kernel has a line for each probe */

static const char *file_name(bool is_user)
{
	return is_user ? "uprobe_events" : "kprobe_events";
}

/* The word at *at, which is ended there; NULL: there is none. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " \t");

	if (!*word)
		return NULL;
	*at = word + strcspn(word, " \t");
	if (**at)
		*(*at)++ = '\0';
	return word;
}

static bool take_number(const char *text, uint64_t *ret_num, const char **ret_end)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*ret_num = strtoull(text, &end, 0);
	*ret_end = end;
	return !errno;
}

/* "PATH:0x11b0", "PATH:0x11b0(0x40)" */
static bool take_file(struct lasting *p, char *word)
{
	char *colon = strrchr(word, ':');
	const char *end;

	if (*word != '/' || !colon || !take_number(colon + 1, &p->offset, &end))
		return false;
	if (*end == '(' && (!take_number(end + 1, &p->semaphore, &end) || *end++ != ')'))
		return false;
	if (!strcmp(end, "%return")) {
		p->is_return = true;
		end += strlen("%return");
	}
	*colon = '\0';
	p->place = word;
	return !*end;
}

/* "tcp_sendmsg", "ext4:ext4_sync_file+4", "_text+123", "0xffffffff81000000" */
static bool take_symbol(struct lasting *p, char *word)
{
	size_t n = strlen(word), tail = strlen("%return");
	const char *end;
	char *plus;

	if (n >= tail && !strcmp(word + n - tail, "%return")) {
		p->is_return = true;
		word[n - tail] = '\0';
	}
	p->place = "";
	if (*word >= '0' && *word <= '9')
		return take_number(word, &p->offset, &end) && !*end;
	plus = strrchr(word, '+');
	if (plus) {
		*plus = '\0';
		if (!take_number(plus + 1, &p->offset, &end) || *end)
			return false;
	}
	p->place = word;
	return *word;
}

static bool take_words(struct lasting *p, char *at)
{
	char *what = next_word(&at), *place = what ? next_word(&at) : NULL, *slash, *word, *equal;

	if (!place || (*what != 'p' && *what != 'r'))
		return false;
	p->is_return = *what == 'r';
	what += 1 + strspn(what + 1, "0123456789");
	slash = strchr(what, '/');
	if (*what != ':' || !slash || slash == what + 1 || !slash[1])
		return false;
	*slash = '\0';
	p->group = what + 1;
	p->name = slash + 1;
	if (strlen(p->group) >= LASTING_NAME_MAX || strlen(p->name) >= LASTING_NAME_MAX)
		return false;
	if (!(p->is_user ? take_file(p, place) : take_symbol(p, place)))
		return false;
	while (p->nr_args < LASTING_ARGS_MAX && (word = next_word(&at))) {
		equal = strchr(word, '=');
		if (!equal || equal == word)
			return false;
		*equal = '\0';
		p->args[p->nr_args++] = (struct lasting_arg){ .name = word, .fetch = equal + 1 };
	}
	return true;
}

int lasting_parse(const char *line, size_t len, bool is_user, struct lasting *ret_probe)
{
	struct lasting p = { .is_user = is_user, .text = strndup(line, len) };

	if (!p.text)
		return -ENOMEM;
	for (const char *c = p.text; *c; c++)
		if ((unsigned char)*c < ' ' && *c != '\t') {
			free(p.text);
			return -EINVAL;
		}
	if (!take_words(&p, p.text)) {
		free(p.text);
		return -EINVAL;
	}
	*ret_probe = p;
	return 0;
}

void lasting_free(struct lasting *probe)
{
	free(probe->text);
	*probe = (struct lasting){ 0 };
}

static int read_file(bool is_user, struct lastings *probes)
{
	const char *tracefs = tracefs_path();
	char path[128], *text;
	size_t n;
	int ret;

	if (!tracefs)
		return -ENOTDIR;
	snprintf(path, sizeof(path), "%s/%s", tracefs, file_name(is_user));
	ret = file_read(path, 4096, FILE_MAX, &text, &n);
	if (ret)
		return ret;
	for (size_t at = 0, len; at < n && !ret; at += len + 1) {
		const char *end = memchr(text + at, '\n', n - at);

		len = end ? (size_t)(end - text) - at : n - at;
		if (vec_reserve(&probes->all)) {
			ret = -ENOMEM;
			break;
		}
		ret = lasting_parse(text + at, len, is_user, &probes->all.data[probes->all.n]);
		probes->all.n += !ret;
		ret = ret == -EINVAL ? 0 : ret;
	}
	free(text);
	return ret;
}

int lastings_read(struct lastings *ret_probes)
{
	struct lastings probes = { 0 };
	int kernel = read_file(false, &probes), user = read_file(true, &probes), ret = 0;

	if (kernel && kernel != -ENOENT)
		ret = kernel;
	else if (user && user != -ENOENT)
		ret = user;
	else if (kernel && user)
		ret = -EOPNOTSUPP;
	if (ret)
		lastings_free(&probes);
	else
		*ret_probes = probes;
	return ret;
}

void lastings_free(struct lastings *probes)
{
	for (size_t i = 0; i < probes->all.n; i++)
		lasting_free(&probes->all.data[i]);
	vec_free(&probes->all);
}

static int no_file(bool is_user, struct err *err)
{
	return err_exit(err, -EOPNOTSUPP, EXIT_CANNOT, "this kernel keeps no probes of %s: tracefs has no %s (CONFIG_%s)",
			is_user ? "programs" : "kernel functions", file_name(is_user), is_user ? "UPROBE_EVENTS" : "KPROBE_EVENTS");
}

int lastings_refused(int ret, struct err *err)
{
	if (ret == -ENOTDIR || ret == -EACCES || ret == -EPERM) {
		err_exit(err, ret, EXIT_CANNOT, "cannot read the probes that are there: tracefs is %s",
			 ret == -ENOTDIR ? "not mounted" : "readable by root only");
		err_hint(err, ret == -ENOTDIR ? "mount -t tracefs tracefs /sys/kernel/tracing" : "run it with sudo");
		return ret;
	}
	return ret == -EOPNOTSUPP ? no_file(false, err) : err_set(err, ret, "cannot read the probes that are there: %s", strerror(-ret));
}

/* Since Linux 6.6 a returned value without a type has that of its BTF ("tracing/probes: Support BTF field access from $retval"). */
static void take_type(const struct format *format, struct lasting_arg *a)
{
	const struct format_field *field = format_find(format, a->name, strlen(a->name));
	char hex[LASTING_NAME_MAX + 8];
	bool is_hex;

	if (!field || !field->size || field->size > sizeof(uint64_t) || field->where != FORMAT_PLAIN)
		return;
	is_hex = snprintf(hex, sizeof(hex), " %s=0x%%", a->name) >= (int)sizeof(hex) || !format->print || strstr(format->print, hex);
	snprintf(a->type, sizeof(a->type), "%c%u", field->is_signed ? 's' : is_hex ? 'x' : 'u', field->size * 8);
}

static bool has_type(const struct lasting_arg *a)
{
	return strchr(a->fetch, ':');
}

/* All places of an event have one format, which is read where a value needs it. */
static void take_types(const char *name, struct lastings *probes)
{
	struct format format = { 0 };
	bool is_read = false;

	for (size_t i = 0; i < probes->all.n; i++) {
		struct lasting *p = &probes->all.data[i];

		for (int k = 0; k < p->nr_args; k++) {
			if (has_type(&p->args[k]))
				continue;
			if (!is_read && format_read(name, &format)) {
				format_free(&format);
				return;
			}
			is_read = true;
			take_type(&format, &p->args[k]);
		}
	}
	format_free(&format);
}

int lastings_find(const char *name, struct lastings *ret_probes)
{
	const char *colon = strchr(name, ':');
	struct lastings probes;
	int ret = colon ? lastings_read(&probes) : -ENOENT;
	size_t n = 0;

	if (ret)
		return ret;
	for (size_t i = 0; i < probes.all.n; i++) {
		struct lasting *p = &probes.all.data[i];

		if (strlen(p->group) == (size_t)(colon - name) && !strncmp(p->group, name, colon - name) && !strcmp(p->name, colon + 1))
			probes.all.data[n++] = *p;
		else
			lasting_free(p);
	}
	probes.all.n = n;
	take_types(name, &probes);
	*ret_probes = probes;
	if (!n)
		lastings_free(ret_probes);
	return n ? 0 : -ENOENT;
}

bool lasting_has_many(void)
{
	const char *tracefs = tracefs_path();
	char path[128], *text;
	size_t n;
	bool has;

	snprintf(path, sizeof(path), "%s/README", tracefs ? tracefs : "");
	if (!tracefs || file_read(path, 4096, FILE_MAX, &text, &n))
		return false;
	has = strstr(text, "Create/append/");
	free(text);
	return has;
}

/* What the kernel itself says of the last line that it refused: "trace_uprobe: error: Unknown register". Empty: nothing. */
static void read_reason(const char *tracefs, char *buf, size_t size)
{
	char path[128], *text, *at, *last = NULL;
	size_t n;

	buf[0] = '\0';
	snprintf(path, sizeof(path), "%s/error_log", tracefs);
	if (file_read(path, 4096, FILE_MAX, &text, &n))
		return;
	for (at = text; (at = strstr(at, ": error: ")); at++)
		last = at + strlen(": error: ");
	if (last)
		snprintf(buf, size, "%.*s", (int)strcspn(last, "\n"), last);
	free(text);
}

int lasting_write(bool is_user, const char *line, struct err *err)
{
	const char *tracefs = tracefs_path();
	char path[128], why[128] = "";
	int fd, ret = 0;

	if (!tracefs)
		return lastings_refused(-ENOTDIR, err);
	snprintf(path, sizeof(path), "%s/%s", tracefs, file_name(is_user));
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return no_file(is_user, err);
	if (fd < 0) {
		ret = -errno;
		err_exit(err, ret, EXIT_CANNOT, "cannot write %s: %s", path, strerror(-ret));
		if (ret == -EACCES || ret == -EPERM)
			err_hint(err, "run it with sudo");
		return ret;
	}
	if (write(fd, line, strlen(line)) < 0)
		ret = -errno;
	close(fd);
	if (!ret)
		return 0;
	if (ret == -EINVAL)
		read_reason(tracefs, why, sizeof(why));
	err_exit(err, ret, ret == -EPERM ? EXIT_CANNOT : EXIT_FAILED, "the kernel refuses '%.400s': %s", line,
		 *why ? why : ret == -EILSEQ ? "it is not at the start of an instruction" : ret == -EBUSY ? "it is in use" : strerror(-ret));
	return ret;
}
