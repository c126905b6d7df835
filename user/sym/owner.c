/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"

#define STATUS_MAX_BYTES (64u << 10)

/* NSpid's last number is what the process calls itself; Uid's second is the effective one (proc(5)). */
void owner_read(const char *proc_root, uint32_t pid, uint32_t *ret_nspid, uid_t *ret_owner)
{
	char path[4096], *text, *at, *save = NULL;
	unsigned int real, effective;
	size_t n;

	snprintf(path, sizeof(path), "%s/%u/status", proc_root, pid);
	if (file_read(path, 0, STATUS_MAX_BYTES, &text, &n))
		return;
	at = strstr(text, "\nUid:");
	if (at && sscanf(at, "\nUid: %u %u", &real, &effective) == 2)
		*ret_owner = effective;
	at = strstr(text, "\nNSpid:");
	if (at) {
		at = strtok_r(at + strlen("\nNSpid:"), "\n", &save);
		for (char *word = strtok_r(at, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
			*ret_nspid = (uint32_t)strtoul(word, NULL, 10);
	}
	free(text);
}

bool owner_wrote(uid_t owner, const struct stat *st)
{
	return S_ISREG(st->st_mode) && (!st->st_uid || st->st_uid == owner);
}
