/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads every BPF object with all its programs and the defaults of its knobs, which are the dearest, and prints
 * "OBJECT PROGRAM INSTRUCTIONS", as many as the verifier walked, or "- WHY" for one that it refuses. Exit 1 on a refusal
 * of an object that no kernel may refuse.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/ksym.h"
#include "skel/ksym.skel.h"
#include "skel/sample.skel.h"

#define LOG_STATS 4 /* BPF_LOG_STATS, kernel/bpf/verifier.c: one line of figures at the end */
#define LOG_BYTES (1u << 20)
#define PROGS_MAX 32

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

/* The figure, or -1. */
static long processed(const char *log)
{
	const char *at = strstr(log, "processed ");

	return at ? strtol(at + strlen("processed "), NULL, 10) : -1;
}

static int check(const char *name, struct bpf_object *obj, int may_fail)
{
	struct bpf_program *prog, *progs[PROGS_MAX];
	char *logs[PROGS_MAX];
	int n = 0, ret;

	bpf_object__for_each_program(prog, obj) {
		if (n == PROGS_MAX)
			abort();
		logs[n] = calloc(1, LOG_BYTES);
		bpf_program__set_autoload(prog, true);
		bpf_program__set_log_level(prog, LOG_STATS);
		bpf_program__set_log_buf(prog, logs[n], LOG_BYTES);
		progs[n++] = prog;
	}
	ret = bpf_object__load(obj);
	for (int i = 0; i < n; i++) {
		long insns = processed(logs[i]);

		if (!ret && insns >= 0)
			printf("verify %s %s %ld\n", name, bpf_program__name(progs[i]), insns);
		else
			printf("verify %s %s - %s\n", name, bpf_program__name(progs[i]), ret ? strerror(-ret) : "no figure");
		free(logs[i]);
	}
	return ret && !may_fail;
}

int main(void)
{
	struct sample_bpf *sample = sample_bpf__open();
	struct ksym_bpf *ksym = ksym_bpf__open();
	int bad;

	libbpf_set_print(quiet);
	if (!sample || !ksym)
		return 1;
	bad = check("sample", sample->obj, 0);
	bad |= check("ksym", ksym->obj, 1); /* Linux 5.16 */
	sample_bpf__destroy(sample);
	ksym_bpf__destroy(ksym);
	return bad;
}
