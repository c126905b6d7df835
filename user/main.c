/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Global flags, dispatch, the final flush, the exit code. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "ui/terminal.h"
#include "util/log.h"

#ifndef SKEP_VERSION
#define SKEP_VERSION "0.1"
#endif

#define HELP_COLUMNS 100

const struct cmd *const cmds[] = {
#define CMD(name) &cmd_##name,
#include "cmd/cmds.def"
#undef CMD
	NULL,
};

static void print_usage(FILE *out)
{
	fprintf(out, "skep: profile, count and trace with BPF\n\nusage: skep [-v|-vv|-q] COMMAND [OPTION...]\n\ncommands:\n");
	for (int i = 0; cmds[i]; i++)
		fprintf(out, "  %-12s%s\n", cmds[i]->name, cmds[i]->summary);
	fprintf(out, "\nskep COMMAND -h tells more; man skep has it all. Start with: sudo skep flame -a --duration 5\n");
}

static void print_help(const struct cmd *c)
{
	int columns = terminal_columns(STDOUT_FILENO);

	printf("skep %s: %s\n\nusage: skep %s %s%s\n", c->name, c->summary, c->name, c->groups[0].opts[0].name ? "[OPTION...] " : "",
	       c->operands);
	opt_help(stdout, c->groups, columns && columns < HELP_COLUMNS ? columns : HELP_COLUMNS);
	printf("\nExamples:\n");
	for (const char *at = c->examples; *at;) {
		int n = strcspn(at, "\n");

		printf("  %.*s\n", n, at);
		at += n + (at[n] == '\n');
	}
}

/* A closed pipe is the reader's right to stop (exit 0, quietly); any other failed write is an error. */
static int flush_stdout(int code)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	if (errno == EPIPE)
		return code;
	fprintf(stderr, "skep: cannot write standard output: %s\n", strerror(errno ? errno : EIO));
	return EXIT_FAILED;
}

static int print_err(const char *name, const struct err *e, int ret)
{
	if (ret == -EPIPE)
		return EXIT_DONE;
	fprintf(stderr, "skep%s%s: %s\n", name ? " " : "", name ? name : "", e->text[0] ? e->text : strerror(-ret));
	if (e->hint[0])
		fprintf(stderr, "hint: %s\n", e->hint);
	return e->exit ? e->exit : EXIT_FAILED;
}

static int run(const struct cmd *c, int argc, char **argv)
{
	struct err err = { 0 };
	void *cfg = calloc(1, c->cfg_size);
	int ret;

	if (!cfg)
		return EXIT_FAILED;
	ret = opt_parse(c->groups, cfg, argc, argv, &err);
	if (ret == -ECANCELED)
		print_help(c), ret = 0;
	else if (ret >= 0)
		ret = c->run(cfg, argv + ret, &err);
	free(cfg);
	return ret < 0 ? print_err(c->name, &err, ret) : ret;
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	int at = 1;

	signal(SIGPIPE, SIG_IGN);
	for (; at < argc && argv[at][0] == '-'; at++) {
		if (!strcmp(argv[at], "-h") || !strcmp(argv[at], "--help"))
			return print_usage(stdout), flush_stdout(EXIT_DONE);
		if (!strcmp(argv[at], "--version"))
			return printf("skep " SKEP_VERSION "\n"), flush_stdout(EXIT_DONE);
		if (!strcmp(argv[at], "-q"))
			log_level = -1;
		else if (argv[at][1] == 'v' && strspn(argv[at] + 1, "v") == strlen(argv[at] + 1))
			log_level += strlen(argv[at] + 1);
		else {
			err_exit(&err, -EINVAL, EXIT_USAGE, "unknown option '%s'", argv[at]);
			err_hint(&err, "skep --help");
			return print_err(NULL, &err, -EINVAL);
		}
	}
	if (at == argc)
		return print_usage(stderr), EXIT_USAGE;
	if (!strcmp(argv[at], "help")) {
		for (int i = 0; argv[at + 1] && cmds[i]; i++)
			if (!strcmp(cmds[i]->name, argv[at + 1]))
				return print_help(cmds[i]), flush_stdout(EXIT_DONE);
		return print_usage(stdout), flush_stdout(EXIT_DONE);
	}
	for (int i = 0; cmds[i]; i++)
		if (!strcmp(cmds[i]->name, argv[at]))
			return flush_stdout(run(cmds[i], argc - at, argv + at));
	err_exit(&err, -EINVAL, EXIT_USAGE, "unknown command '%s'", argv[at]);
	err_hint(&err, "skep --help lists them");
	return print_err(NULL, &err, -EINVAL);
}
