/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text in SVG and HTML. */
#ifndef SKEP_RENDER_XML_H
#define SKEP_RENDER_XML_H

#include <stdint.h>
#include <stdio.h>

#define XML_TEXT_MAX 2048

/* Text from outside: escaped for a reader and for XML, cut to max characters, less than XML_TEXT_MAX. */
void xml_put(FILE *out, const char *text, uint32_t max);

#endif
