/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/xml.h"

#include "util/text.h"

void xml_put(FILE *out, const char *text, uint32_t max)
{
	char buf[XML_TEXT_MAX];
	uint32_t code, n = 0;

	text_escape(buf, sizeof(buf), text ? text : "");
	for (const char *p = buf; *p; n++) {
		int len = utf8_decode(p, &code);

		if (n + 1 >= max && p[len]) {
			fputs(max > 2 ? "…" : "", out);
			return;
		}
		if (code == '<' || code == '>' || code == '&' || code == '"' || code == '\'')
			fprintf(out, "&#%u;", code);
		else if (code == 0xfffe || code == 0xffff) /* not characters of XML 1.0 */
			fputs("\xef\xbf\xbd", out);
		else
			fwrite(p, 1, len, out);
		p += len;
	}
}
