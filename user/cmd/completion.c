/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep completion: shell completions from the option tables. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

static const struct opt no_opts[] = { { 0 } };
static const struct opt_group completion_groups[] = { { "Shell", no_opts, 0 }, { 0 } };

/* Calls each for every option of a command. */
static void each_opt(const struct cmd *c, void (*each)(const struct cmd *c, const struct opt *o))
{
	for (const struct opt_group *g = c->groups; g->title; g++)
		for (const struct opt *o = g->opts; o->key || o->name; o++)
			if (o->key != OPT_OPERAND)
				each(c, o);
}

/* Calls each for every command, those that others begin the names of behind these. */
static void each_cmd(const struct cmd *const *list, void (*each)(const struct cmd *c))
{
	for (; list && *list; list++) {
		each(*list);
		each_cmd((*list)->subs, each);
	}
}

static void bash_opt(const struct cmd *c, const struct opt *o)
{
	(void)c;
	if (o->key)
		printf(" -%c", o->key);
	if (o->name)
		printf(" --%s", o->name);
}

static void bash_values(const struct cmd *c, const struct opt *o)
{
	if (!o->values || !o->name)
		return;
	printf("\t'%s:--%s') COMPREPLY=($(compgen -W '", c->name, o->name);
	for (const char *v = o->values; *v; v++)
		putchar(*v == '|' ? ' ' : *v);
	printf("' -- \"$cur\")); return ;;\n");
}

/* The second word of a name is part of the command. */
static void bash_subs(const struct cmd *c)
{
	if (!c->subs)
		return;
	printf("\t%s)\n\t\tif [ \"$COMP_CWORD\" = 2 ] && [[ $cur != -* ]]; then COMPREPLY=($(compgen -f -c -W '", c->name);
	for (const struct cmd *const *sub = c->subs; *sub; sub++)
		printf("%s%s", sub == c->subs ? "" : " ", cmd_word(*sub));
	printf("' -- \"$cur\")); return; fi\n\t\tcase $COMP_CWORD:${COMP_WORDS[2]} in 2:*) ;;");
	for (const struct cmd *const *sub = c->subs; *sub; sub++)
		printf(" *:%s) cmd='%s' ;;", cmd_word(*sub), (*sub)->name);
	printf(" esac ;;\n");
}

static void bash_cmd_values(const struct cmd *c)
{
	each_opt(c, bash_values);
}

static void bash_cmd_opts(const struct cmd *c)
{
	printf("\t'%s') COMPREPLY=($(compgen -W '--help", c->name);
	each_opt(c, bash_opt);
	printf("' -- \"$cur\")) ;;\n");
}

static void bash(void)
{
	printf("# bash completion for skep, generated from its option tables\n_skep() {\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=${COMP_WORDS[1]}\n"
	       "\tif [ \"$COMP_CWORD\" = 1 ]; then COMPREPLY=($(compgen -W '");
	for (int i = 0; cmds[i]; i++)
		printf("%s ", cmds[i]->name);
	printf("--help --version' -- \"$cur\")); return; fi\n\tcase $cmd in\n");
	each_cmd(cmds, bash_subs);
	printf("\tesac\n\tcase $cmd:$prev in\n");
	each_cmd(cmds, bash_cmd_values);
	printf("\tesac\n\tcase $cur in -*) case $cmd in\n");
	each_cmd(cmds, bash_cmd_opts);
	printf("\tesac ;; *) COMPREPLY=($(compgen -f -c -- \"$cur\")) ;; esac\n}\ncomplete -o filenames -F _skep skep\n");
}

/* Text inside single quotes of zsh's [..] and fish's '..'. */
static void quoted(const char *text, const char *escape)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs("'\\''", stdout);
			continue;
		}
		if (strchr(escape, *text))
			putchar('\\');
		putchar(*text);
	}
}

static void zsh_opt(const struct cmd *c, const struct opt *o)
{
	const char *attached = opt_optional(o) ? "-" : ""; /* in the same word */

	(void)c;
	for (int form = 0; form < 2; form++) {
		if (form ? !o->name : !o->key)
			continue;
		if (form)
			printf(" \\\n\t\t'%s--%s%s%s[", o->many ? "*" : "", o->name, o->arg ? "=" : "", attached);
		else
			printf(" \\\n\t\t'%s-%c%s[", o->many ? "*" : "", o->key, attached);
		quoted(o->help, "[]:");
		putchar(']');
		if (o->values) {
			printf(":%s:(", o->arg);
			for (const char *v = o->values; *v; v++)
				putchar(*v == '|' ? ' ' : *v);
			putchar(')');
		} else if (opt_optional(o)) {
			printf("::%.*s:", (int)strcspn(o->arg + 2, "]"), o->arg + 2);
		} else if (o->arg) {
			printf(":%s:%s", o->arg, !strcmp(o->arg, "FILE") ? "_files" : "");
		}
		putchar('\'');
	}
}

static void zsh_subs(const struct cmd *c)
{
	if (!c->subs)
		return;
	printf("\t%s)\n\t\tif (( CURRENT == 3 )) && [[ $words[3] != -* ]]; then\n\t\t\tlocal -a subs=(", c->name);
	for (const struct cmd *const *sub = c->subs; *sub; sub++)
		printf(" '%s:%s'", cmd_word(*sub), (*sub)->summary);
	printf(")\n\t\t\t_describe command subs\n\t\tfi\n\t\tcase $words[3] in");
	for (const struct cmd *const *sub = c->subs; *sub; sub++)
		printf(" %s) (( CURRENT > 3 )) && { cmd='%s'; shift words; (( CURRENT-- )) } ;;", cmd_word(*sub), (*sub)->name);
	printf(" esac ;;\n");
}

static void zsh_cmd(const struct cmd *c)
{
	printf("\t'%s') shift words; (( CURRENT-- )); _arguments -S", c->name);
	each_opt(c, zsh_opt);
	printf(" \\\n\t\t'*::command:_normal' ;;\n");
}

static void zsh(void)
{
	printf("#compdef skep\n# generated from skep's option tables\n_skep() {\n"
	       "\tif (( CURRENT == 2 )); then\n\t\tlocal -a commands=(");
	for (int i = 0; cmds[i]; i++)
		printf(" '%s:%s'", cmds[i]->name, cmds[i]->summary);
	printf(")\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal cmd=$words[2]\n\tcase $cmd in\n");
	each_cmd(cmds, zsh_subs);
	printf("\tesac\n\tcase $cmd in\n");
	each_cmd(cmds, zsh_cmd);
	printf("\tesac\n}\n_skep \"$@\"\n");
}

/* Under which words an option is one: not those of another command whose name goes on. */
static void fish_seen(const struct cmd *c)
{
	printf("__fish_seen_subcommand_from %s", cmd_word(c));
	for (const struct cmd *const *sub = c->subs; sub && *sub; sub++)
		printf("%s%s", sub == c->subs ? "; and not __fish_seen_subcommand_from " : " ", cmd_word(*sub));
}

static void fish_subs(const struct cmd *c)
{
	for (const struct cmd *const *sub = c->subs; sub && *sub; sub++) {
		printf("complete -c skep -n '");
		fish_seen(c);
		printf("' -a %s -d '", cmd_word(*sub));
		quoted((*sub)->summary, "\\");
		printf("'\n");
	}
}

static void fish_opt(const struct cmd *c, const struct opt *o)
{
	printf("complete -c skep -n '");
	fish_seen(c);
	putchar('\'');
	if (o->key)
		printf(" -s %c", o->key);
	if (o->name)
		printf(" -l %s", o->name);
	if (o->arg && !opt_optional(o))
		printf(" -r");
	if (o->values) {
		printf(" -f -a '");
		for (const char *v = o->values; *v; v++)
			putchar(*v == '|' ? ' ' : *v);
		putchar('\'');
	}
	printf(" -d '");
	quoted(o->help, "\\");
	printf("'\n");
}

static void fish_cmd(const struct cmd *c)
{
	each_opt(c, fish_opt);
}

static void fish(void)
{
	printf("# fish completion for skep, generated from its option tables\n");
	for (int i = 0; cmds[i]; i++)
		printf("complete -c skep -n __fish_use_subcommand -f -a %s -d '%s'\n", cmds[i]->name, cmds[i]->summary);
	each_cmd(cmds, fish_subs);
	each_cmd(cmds, fish_cmd);
}

static int completion_run(void *cfg, char **operands, struct err *err)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

	(void)cfg;
	for (size_t i = 0; operands[0] && i < sizeof(shells) / sizeof(shells[0]); i++)
		if (!strcmp(shells[i].name, operands[0]) && !operands[1]) {
			shells[i].print();
			return 0;
		}
	return err_exit(err, -EINVAL, EXIT_USAGE, "which shell? expected bash, zsh or fish");
}

const struct cmd cmd_completion = {
	.name = "completion",
	.summary = "print the completions for bash, zsh or fish",
	.operands = "bash|zsh|fish",
	.groups = completion_groups,
	.cfg_size = 1,
	.examples = "source <(skep completion bash)\n",
	.run = completion_run,
};
