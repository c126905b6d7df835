/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of kernel functions that probes can be put on: ftrace's own list where it may be read, else the text symbols of kallsyms
 * without those that no probe may touch (entry code, noinstr, init).
 */
#ifndef SKEP_SYM_KFUNCS_H
#define SKEP_SYM_KFUNCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strpool.h"
#include "util/vec.h"

struct kfunc {
	const char *name, *module; /* interned; module NULL: the core */
	uint64_t addr;		   /* 0: hidden, or not known */
	uint32_t copies;	   /* static functions of one name */
};

struct kfuncs {
	VEC(struct kfunc) all; /* in the order of names, then modules */
	struct strpool *pool;
	bool from_kallsyms;
	int refused; /* from_kallsyms: why, -errno of ftrace's list */
};

/* Those whose names match the glob. 0, -ENOMEM, or -errno of both lists; -ENODATA: they are empty. */
int kfuncs_load(const char *glob, struct kfuncs *ret_kfuncs);
void kfuncs_free(struct kfuncs *kfuncs);

/* What kfuncs_load does with an open list (from_kallsyms and pool are set). For tests. */
int kfuncs_read(int fd, const char *glob, struct kfuncs *kfuncs);

/*
 * Why no probe can be put on a function, as one line: "no such function"; "only optimised copies of it are there: f.isra.0";
 * "inlined or not built" (BTF alone has it); "2 functions of that name"; that its section or the kprobe blacklist keeps it. 0, or
 * -ENODATA when nothing speaks against it (buf is empty then), -ENOMEM, -errno of /proc/kallsyms. What root alone may read
 * (addresses, the blacklist) says nothing to others.
 */
int kfuncs_why_not(const char *name, char *buf, size_t size);

/* What kfuncs_why_not does with open files (blacklist_fd -1: there is none to be read) and what BTF has. For tests. */
int kfuncs_why_read(int kallsyms_fd, int blacklist_fd, bool in_btf, const char *name, char *buf, size_t size);

#endif
