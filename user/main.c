/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Global flags, dispatch, the final flush, the exit code. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "elf/debuginfod.h"
#include "ui/terminal.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/near.h"
#include "util/outfile.h"
#include "util/signals.h"
#include "util/wordfile.h"

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

const char *cmd_word(const struct cmd *c)
{
	const char *blank = strrchr(c->name, ' ');

	return blank ? blank + 1 : c->name;
}

/* The command that words begin with, and how many of them are its name. NULL: there is none. */
static const struct cmd *find_cmd(char **words, int *ret_words)
{
	const struct cmd *const *at = cmds, *found = NULL;

	for (*ret_words = 0; at && words[*ret_words]; (*ret_words)++) {
		for (; *at && strcmp(cmd_word(*at), words[*ret_words]); at++)
			;
		if (!*at)
			break;
		found = *at;
		at = found->subs;
	}
	return found;
}

static void print_usage(FILE *out)
{
	fprintf(out, "skep: profile, count and trace with BPF\n\nusage: skep [-v|-vv|-vvv|-q] COMMAND [OPTION...]\n\ncommands:\n");
	for (int i = 0; cmds[i]; i++)
		fprintf(out, "  %-12s%s\n", cmds[i]->name, cmds[i]->summary);
	fprintf(out, "\nskep COMMAND -h lists options; man skep is the manual. Start with: sudo skep flame -a --duration 5\n");
}

static void print_help(const struct cmd *c)
{
	int columns = terminal_columns(STDOUT_FILENO);

	printf("skep %s: %s\n\nusage: skep %s %s%s\n", c->name, c->summary, c->name, c->groups[0].opts[0].name ? "[OPTION...] " : "",
	       c->operands);
	if (c->subs)
		printf("\n");
	for (const struct cmd *const *sub = c->subs; sub && *sub; sub++)
		printf("       skep %-16s %s\n", (*sub)->name, (*sub)->summary);
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
	int ret = outfile_flush_stdout();

	if (!ret || ret == -EPIPE)
		return code;
	fprintf(stderr, "skep: cannot write standard output: %s\n", outfile_stdout_why(ret));
	return EXIT_FAILED;
}

static int print_err(const char *name, const struct err *e, int ret)
{
	/* Of outfile_commit: a reader had enough. */
	if (ret == -EPIPE && !e->text[0])
		return EXIT_DONE;
	fprintf(stderr, "skep%s%s: ", name ? " " : "", name ? name : "");
	log_text(e->text[0] ? e->text : strerror(-ret));
	if (e->hint[0]) {
		fputs("hint: ", stderr);
		log_text(e->hint);
	}
	return e->exit ? e->exit : EXIT_FAILED;
}

/*
 * A descriptor 0 to 2 that is closed would be given to the next file opened, and talk written into a
 * recording. Opened the wrong way round: reading or writing still fails as it would on a closed one.
 */
static void fill_std_fds(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(EXIT_FAILED);
}

/* A set-user-ID copy would read and write files, and run COMMAND, as its owner for anybody who calls it. */
static int refuse_setuid(struct err *err)
{
	if (getuid() == geteuid() && getgid() == getegid())
		return 0;
	err_exit(err, -EPERM, EXIT_CANNOT, "skep does not run set-user-ID or set-group-ID");
	err_hint(err, "remove the bit and use sudo, or give the file capabilities (skep doctor shows which)");
	return -EPERM;
}

/* "skep sched timehits": a COMMAND of that name there is none. */
static void explain_word(const struct cmd *c, const char *word, struct err *err)
{
	struct near near;

	if (err->exit != EXIT_NOCMD || err->hint[0] || !c->subs || !word)
		return;
	near_init(&near, word, strlen(word));
	for (const struct cmd *const *sub = c->subs; *sub; sub++)
		near_offer(&near, cmd_word(*sub), strlen(cmd_word(*sub)));
	if (near_is_close(&near))
		err_hint(err, "similar: skep %s %s", c->name, near.names[0]);
}

static void without_effect(const char *option, const char *why)
{
	log_detail("%s has no effect: %s", option, why);
}

static bool needs_value(const void *groups, const char *name)
{
	for (const struct opt_group *g = groups; g->title; g++)
		for (const struct opt *o = g->opts; o->name || o->key; o++)
			if (o->name && !strcmp(o->name, name))
				return o->arg && !opt_optional(o);
	return false;
}

static int run(const struct cmd *c, int argc, char **argv)
{
	struct err err = { 0 };
	void *cfg = calloc(1, c->cfg_size);
	int ret;

	if (!cfg)
		return EXIT_FAILED;
	ret = c->has_config ? wordfile_expand(argc, argv, needs_value, c->groups, &argc, &argv, &err) : 0;
	if (!ret)
		ret = opt_parse(c->groups, c->others, cfg, argc, argv, &log_level, without_effect, &err);
	if (ret < 0 && ret != -ECANCELED && c->has_config && wordfile_path())
		err_hint(&err, "options are also those of '%s', one a line, as 'every 10s'; skep %s -h lists them", wordfile_path(), c->name);
	if (ret == -ECANCELED)
		print_help(c), ret = 0;
	else if (ret >= 0) {
		char *word = argv[ret];

		ret = c->run(cfg, argv + ret, &err);
		if (ret < 0)
			explain_word(c, word, &err);
	}
	free(cfg);
	return ret < 0 ? print_err(c->name, &err, ret) : ret;
}

static void hint_commands(const char *word, struct err *err)
{
	struct near near;

	near_init(&near, word, strlen(word));
	for (int i = 0; cmds[i]; i++)
		near_offer(&near, cmds[i]->name, strlen(cmds[i]->name));
	if (near_is_close(&near))
		err_hint(err, "similar: skep %s", near.names[0]);
	else
		err_hint(err, "skep --help lists the commands");
}

static void say_wait(bool has_run)
{
	log_note("note: waiting for debug files from the servers of DEBUGINFOD_URLS%s", has_run ? "; Ctrl-C goes on without them" : "");
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	const struct cmd *cmd;
	bool help;
	int at = 1, words;

	fill_std_fds();
	outfile_take_stdout();
	signals_init();
	limits_init();
	clock_init();
	if (refuse_setuid(&err))
		return print_err(NULL, &err, -EPERM);
	if (argc && !strcmp(argv[0], DEBUGINFOD_CHILD))
		return debuginfod_child();
	debuginfod_on_wait = say_wait;
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
	help = !strcmp(argv[at], "help");
	if (help && !argv[++at])
		return print_usage(stdout), flush_stdout(EXIT_DONE);
	cmd = find_cmd(argv + at, &words);
	if (cmd && help)
		return print_help(cmd), flush_stdout(EXIT_DONE);
	if (cmd)
		return flush_stdout(run(cmd, argc - at - words + 1, argv + at + words - 1));
	err_exit(&err, -EINVAL, EXIT_USAGE, "unknown command '%s'", argv[at]);
	hint_commands(argv[at], &err);
	return print_err(NULL, &err, -EINVAL);
}
