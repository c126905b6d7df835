/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* perf's --time: text to spans. */
#include "cmd/picktime.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "util/clock.h"
#include "util/num.h"

#define SECONDS_MAX (UINT64_MAX / NS_PER_S - 1)

/* "12.000000345" without rounding; at most len bytes. False: no such number. */
static bool take_seconds(const char *text, size_t len, uint64_t *ret_ns)
{
	uint64_t seconds = 0, ns = 0, unit = NS_PER_S;
	size_t i = 0;

	for (; i < len && isdigit((unsigned char)text[i]); i++) {
		seconds = seconds * 10 + (uint64_t)(text[i] - '0');
		if (seconds > SECONDS_MAX)
			return false;
	}
	if (!i)
		return false;
	if (i < len && text[i] == '.')
		for (i++; i < len && isdigit((unsigned char)text[i]); i++) {
			unit /= 10; /* what is less than a nanosecond is nothing */
			ns += unit * (uint64_t)(text[i] - '0');
		}
	*ret_ns = seconds * NS_PER_S + ns;
	return i == len;
}

/* "1,2", "1," or ",2". */
static bool take_span(const char *text, size_t len, struct picktime_span *s)
{
	const char *comma = memchr(text, ',', len), *end = text + len;

	if (!comma || len == 1)
		return false;
	if (comma > text && !take_seconds(text, comma - text, &s->start_ns))
		return false;
	if (comma + 1 < end && !take_seconds(comma + 1, end - comma - 1, &s->stop_ns))
		return false;
	if (!s->stop_ns)
		s->stop_ns = UINT64_MAX;
	return s->start_ns <= s->stop_ns;
}

/* "12.5%" at *text, which is moved past it. */
static bool take_percent(const char **text, const char *end, double *ret)
{
	const char *mark = memchr(*text, '%', end - *text);
	char number[32];

	if (!mark || mark - *text >= (long)sizeof(number))
		return false;
	memcpy(number, *text, mark - *text);
	number[mark - *text] = '\0';
	*text = mark + 1;
	return !num_double(number, 100, ret);
}

/* "10%-20%", "10%/2" (the second part of so much), "10%" (the first one). */
static bool take_part(const char *text, size_t len, struct picktime_span *s)
{
	const char *end = text + len;
	char number[32];
	uint64_t which = 1;

	if (!take_percent(&text, end, &s->start_pct))
		return false;
	if (text < end && *text == '-') {
		text++;
		return take_percent(&text, end, &s->stop_pct) && text == end && s->start_pct < s->stop_pct;
	}
	if (text < end) {
		if (*text++ != '/' || end - text >= (long)sizeof(number))
			return false;
		memcpy(number, text, end - text);
		number[end - text] = '\0';
		if (num_u64(number, UINT32_MAX, &which) || !which)
			return false;
	}
	s->stop_pct = s->start_pct * (double)which;
	s->start_pct *= (double)(which - 1);
	return s->stop_pct > s->start_pct && s->stop_pct <= 100;
}

int picktime_parse(struct picktime *t, const char *text, struct err *err)
{
	const char *separators, *at = text;

	t->text = text;
	t->is_parts = strchr(text, '%');
	separators = t->is_parts ? ", " : " ";
	for (at += strspn(at, " "); *at; at += strspn(at, separators)) {
		size_t len = strcspn(at, separators);
		struct picktime_span s = { 0 };

		if (!(t->is_parts ? take_part : take_span)(at, len, &s)) {
			err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--time': expected START,STOP in seconds, 10%%-20%% or 10%%/2", text);
			err_caret(err, text, at - text);
			return -EINVAL;
		}
		if (vec_reserve(&t->spans))
			return err_set(err, -ENOMEM, "out of memory");
		t->spans.data[t->spans.n++] = s;
		at += len;
	}
	return t->spans.n ? 0 : err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--time': expected START,STOP", text);
}

int picktime_begin(struct picktime *t, uint64_t first_ns, uint64_t last_ns, struct err *err)
{
	uint64_t whole_ns = num_grown(last_ns, first_ns);

	if (!t->is_parts)
		return 0;
	if (!last_ns) {
		err_exit(err, -EINVAL, EXIT_FAILED, "'--time %s': the file does not say the time of its first and last sample", t->text);
		err_hint(err, "use --time START,STOP, or record with perf record --timestamp-boundary");
		return -EINVAL;
	}
	for (size_t i = 0; i < t->spans.n; i++) {
		struct picktime_span *s = &t->spans.data[i];

		s->start_ns = first_ns + (uint64_t)round(s->start_pct / 100 * (double)whole_ns);
		s->stop_ns = first_ns + (uint64_t)round(s->stop_pct / 100 * (double)whole_ns);
	}
	return 0;
}

/* Where a part ends the next one begins: the border belongs to the next one. */
bool picktime_has(const struct picktime *t, uint64_t time_ns)
{
	for (size_t i = 0; i < t->spans.n; i++) {
		const struct picktime_span *s = &t->spans.data[i];
		bool is_last = i + 1 == t->spans.n;

		if (time_ns >= s->start_ns && (time_ns < s->stop_ns || (is_last && time_ns == s->stop_ns)))
			return true;
	}
	return !t->spans.n;
}

void picktime_free(struct picktime *t)
{
	vec_free(&t->spans);
}
