/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads every program of BPF objects, each alone and with the defaults of its knobs, which are the dearest. A line each:
 * "verify OBJECT PROGRAM INSTRUCTIONS", as many as the verifier walked, or "verify OBJECT PROGRAM - WHY" for a refused one.
 * usage: verify OBJECT.bpf.o...
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_STATS 4 /* BPF_LOG_STATS, kernel/bpf/verifier.c: one line of figures at the end */
#define LOG_BYTES (1u << 20)

static char log_buf[LOG_BYTES];

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

/* Program `which` of a file, and no other. Returns false behind the last. */
static bool verify(const char *path, const char *object, int which)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	struct bpf_program *prog, *it = NULL;
	const char *figure;
	int n = 0, ret;

	if (!obj) {
		printf("verify %s - - cannot open it: %s\n", object, strerror(errno));
		return false;
	}
	prog = NULL;
	bpf_object__for_each_program(it, obj) {
		bpf_program__set_autoload(it, n == which);
		if (n++ == which)
			prog = it;
	}
	if (!prog) {
		bpf_object__close(obj);
		return false;
	}
	log_buf[0] = '\0';
	bpf_program__set_log_level(prog, LOG_STATS);
	bpf_program__set_log_buf(prog, log_buf, sizeof(log_buf));
	ret = bpf_object__load(obj);
	figure = strstr(log_buf, "processed ");
	if (!ret && figure)
		printf("verify %s %s %ld\n", object, bpf_program__name(prog), strtol(figure + strlen("processed "), NULL, 10));
	else
		printf("verify %s %s - %s\n", object, bpf_program__name(prog), ret ? strerror(-ret) : "no figure in the log");
	bpf_object__close(obj);
	return true;
}

int main(int argc, char **argv)
{
	char object[64];

	libbpf_set_print(quiet);
	for (int i = 1; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/'), *name = slash ? slash + 1 : argv[i];

		snprintf(object, sizeof(object), "%.*s", (int)strcspn(name, "."), name);
		for (int which = 0; verify(argv[i], object, which); which++)
			;
	}
	return 0;
}
