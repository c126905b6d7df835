/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SELECT: the places that match a probe's text, each with its expressions bound there. */
#ifndef SKEP_EVENT_SITE_H
#define SKEP_EVENT_SITE_H

#include <stdint.h>

#include "event/bind.h"
#include "event/probe.h"
#include "util/strpool.h"
#include "util/vec.h"

/* Registers that the first integer arguments are in: System V psABI x86-64, AAPCS64. */
#ifdef __x86_64__
#define SITE_ARG_REGS 6
#else
#define SITE_ARG_REGS 8
#endif

struct site {
	const char *name;   /* of the function, or "PROVIDER:NAME", "SUBSYSTEM:NAME"; interned */
	const char *module; /* NULL: the core */
	uint64_t addr;	    /* in a file: the offset there; of a kernel's probe of tracefs: from its symbol on */
	uint64_t symbol;    /* in a file: the ELF address of the function, for messages */
	uint64_t semaphore; /* USDT: offset of the counter in the file; 0: none */
	uint64_t tracepoint; /* its number in tracefs */
	uint32_t btf_id, nr_params; /* PROBE_KERNEL: 0 where BTF has no such function, or not one whose places can be trusted */
	bool has_plain_args;	    /* each parameter is one register, as a BPF trampoline has them */
	const char *vars; /* with site_cfg.vars: "struct sock *sk, size_t size", a name and type each line; interned */
	struct format *format; /* of a tracepoint whose record is shown whole; NULL: else */
	bool at_ret; /* a return instruction of Go: a probe like any other, but what is returned is there */
	struct bound_probe bound;
};

struct refused {
	const char *name, *why; /* interned */
};

struct site_list {
	char path[PROBE_PATH_MAX]; /* of the file that is probed, found */
	bool is_glob, is_go;
	VEC(struct site) all;
	VEC(struct refused) refused;
	struct strpool *pool;
	struct kprotos *kprotos;     /* types that args show enums with live as long */
	struct dwarf_types *dwarf;
};

/* One more value of each place: an expression of its own text. */
struct site_extra {
	const struct exprs *exprs;
	struct expr_arg arg;
};

struct site_cfg {
	uint32_t pid; /* of -p: whose files and libraries a path means; 0: ours */
	bool vars; /* -V: list the names */
	const struct site_extra *extras; /* their values come after the spec's own */
	int nr_extras;
};

/*
 * 0, or -errno with err filled: there is no such function (near names in the hint), or no expression fits. Of a glob those whose
 * expressions do not fit are refused, each with its reason. The caller frees it in either case.
 */
int sites_find(const struct probe_spec *spec, const struct site_cfg *cfg, struct site_list *ret_list, struct err *err);
void sites_free(struct site_list *list);

/*
 * Why a kernel function cannot be probed, with near names in the hint where it is not there at all: fills err for what attaching to it
 * returned (ret). Reads all names of the kernel, 40 ms. Returns ret.
 */
int site_kernel_refused(const char *name, int ret, struct err *err);

/* Between the files of sites. */
int site_add(struct site_list *list, const struct probe_spec *spec, const struct site_cfg *cfg, const struct bind_env *env, struct site *site,
	     struct err *err);
/* Are there expressions, or -V? Without them nobody needs types. */
static inline bool site_wants_types(const struct probe_spec *spec, const struct site_cfg *cfg)
{
	return spec->nr_args || spec->filter || spec->also || cfg->nr_extras || cfg->vars;
}
int site_refuse(struct site_list *list, const char *name, const char *why);
int sites_find_kernel(const struct probe_spec *spec, const struct site_cfg *cfg, struct site_list *list, struct err *err);
int sites_find_user(const struct probe_spec *spec, const struct site_cfg *cfg, struct site_list *list, struct err *err);

#endif
