/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Strict numbers from text. */
#include "util/num.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int num_u64(const char *text, uint64_t max, uint64_t *ret_value)
{
	int base = text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10;
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, base);
	if (*end || end == text)
		return -EINVAL;
	if (errno || value > max)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int num_double(const char *text, double max, double *ret_value)
{
	char *end;
	double value;

	if (!isdigit((unsigned char)text[0]) || (text[1] | 0x20) == 'x')
		return -EINVAL;
	value = strtod(text, &end);
	if (*end)
		return -EINVAL;
	if (!(value <= max))
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int num_kib(const char *text, uint64_t *ret_kib)
{
	static const char units[] = "BKMG";
	size_t digits = strspn(text, "0123456789");
	char number[24];
	char letter = (char)toupper((unsigned char)text[digits]);
	const char *unit = letter ? memchr(units, letter, sizeof(units) - 1) : units + 1; /* none: KiB */
	uint64_t value;
	int ret, shift;

	if (digits >= sizeof(number) || !unit || (text[digits] && text[digits + 1]))
		return -EINVAL;
	memcpy(number, text, digits);
	number[digits] = '\0';
	ret = num_u64(number, UINT64_MAX >> 20, &value);
	if (ret)
		return ret;
	shift = 10 * (int)(unit - units);
	if (!shift && value % 1024)
		return -ERANGE;
	*ret_kib = shift ? value << (shift - 10) : value / 1024;
	return *ret_kib ? 0 : -ERANGE;
}

int num_duration(const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "m", 6e10 }, { "h", 3.6e12 }, { "d", 8.64e13 } };
	double value;
	char *end;

	if (!isdigit((unsigned char)text[0]) || (text[1] | 0x20) == 'x')
		return -EINVAL;
	value = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name))
			continue;
		value *= units[i].ns;
		if (!(value >= 1 && value < 9e18))
			return -ERANGE;
		*ret_ns = (uint64_t)value;
		return 0;
	}
	return -EINVAL;
}

static int list_part(const char *text, size_t len, uint64_t max, uint64_t *ret_value)
{
	char part[24];

	if (!len || len >= sizeof(part))
		return -EINVAL;
	memcpy(part, text, len);
	part[len] = '\0';
	return num_u64(part, max, ret_value);
}

int num_list(const char *text, uint64_t max, int (*each)(void *arg, uint64_t value), void *arg)
{
	const char *at = text;

	for (;;) {
		size_t len = strcspn(at, ",");
		size_t dash = strcspn(at, "-");
		uint64_t from, to;
		int ret;

		if (dash > len)
			dash = len;
		ret = list_part(at, dash, max, &from);
		to = from;
		if (!ret && dash < len)
			ret = list_part(at + dash + 1, len - dash - 1, max, &to);
		if (!ret && to < from)
			ret = -EINVAL;
		for (uint64_t v = from; !ret && v <= to; v++)
			ret = each(arg, v);
		if (ret)
			return ret;
		if (!at[len])
			return 0;
		at += len + 1;
	}
}
