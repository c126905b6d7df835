/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes that a program brings along: the notes that SystemTap's <sys/sdt.h> leaves in .note.stapsdt
 * (https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation). Files may be hostile.
 */
#ifndef SKEP_TYPES_USDT_H
#define SKEP_TYPES_USDT_H

#include <stdint.h>

#include "elf/elf.h"

struct usdt {
	uint64_t addr;	    /* of the nop, moved with the file if it was prelinked */
	uint64_t semaphore; /* of the counter that says that somebody listens, likewise; 0: none */
	const char *provider, *name;
	const char *args; /* "-4@%edi 8@-16(%rbp)": size and place of each, never NULL */
};

/*
 * Calls each() for every probe, in the order of the file; its texts live until it returns. Returns 0, what each() returned,
 * -ENODATA without such notes, -EBADMSG when they are broken (after those that were not), or -errno of the read.
 */
int usdt_each(const struct elf_file *elf, int (*each)(void *arg, const struct usdt *probe), void *arg);

#endif
