/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep completion: the few lines of each shell that call skep at each Tab. cmd/complete.h has the answers. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/complete.h"

static const struct opt no_opts[] = { { 0 } };
static const struct opt_group completion_groups[] = { { "Shell", no_opts, 0 }, { 0 } };

/* Bash splits words at colons and equals signs, too: they are put together again, and what it took away is taken from the answers. */
static const char bash[] =
	"# bash completion for skep: source <(skep completion bash)\n"
	"_skep() {\n"
	"\tlocal line=$COMP_LINE i w out head kind own=${COMP_WORDS[COMP_CWORD]}\n"
	"\tlocal -a words=()\n"
	"\tfor ((i = 0; i <= COMP_CWORD; i++)); do\n"
	"\t\tw=${COMP_WORDS[i]}\n"
	"\t\tif [[ $i = 0 || $line == [[:blank:]]* ]]; then words+=(\"$w\"); else words[${#words[@]} - 1]+=$w; fi\n"
	"\t\tline=${line#\"${line%%[![:blank:]]*}\"}\n"
	"\t\tline=${line#\"$w\"}\n"
	"\tdone\n"
	"\tw=${words[${#words[@]} - 1]}\n"
	"\tw=${w#[\\'\\\"]} own=${own#[\\'\\\"]}\n"
	"\twords[${#words[@]} - 1]=$w\n"
	"\tif [[ $own != *[!:=]* ]]; then own=; fi\n"
	"\thead=${w%\"$own\"}\n"
	"\tCOMPREPLY=()\n"
	"\tout=$(\"${words[0]}\" completion words \"${words[@]:1}\" 2>/dev/null) || return\n"
	"\tkind=${out%%$'\\n'*}\n"
	"\tcase $kind in\n"
	"\twords)\n"
	"\t\twhile IFS=$'\\t' read -r w _; do COMPREPLY+=(\"${w#\"$head\"}\"); done <<<\"${out#*$'\\n'}\"\n"
	"\t\tif [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} == *[:/=] ]]; then compopt -o nospace 2>/dev/null || :; fi ;;\n"
	"\tfiles)\n"
	"\t\tcompopt -o filenames 2>/dev/null || :\n"
	"\t\twhile IFS= read -r w; do [[ -z $w ]] || COMPREPLY+=(\"$w\"); done <<<\"$(compgen -f -- \"$own\")\" ;;\n"
	"\tcommand*)\n"
	"\t\tcompopt -o filenames 2>/dev/null || :\n"
	"\t\ti=-f\n"
	"\t\tif ((${kind#command } + 2 == ${#words[@]})) && [[ $w != */* ]]; then i=-c; fi\n"
	"\t\twhile IFS= read -r w; do [[ -z $w ]] || COMPREPLY+=(\"$w\"); done <<<\"$(compgen $i -- \"$own\")\" ;;\n"
	"\tesac\n"
	"}\n"
	"complete -F _skep skep\n";

static const char zsh[] =
	"#compdef skep\n"
	"# zsh completion for skep: source <(skep completion zsh), or as the file _skep in a folder of $fpath\n"
	"_skep() {\n"
	"\tlocal -a out closed open\n"
	"\tlocal w name\n"
	"\tout=(\"${(@f)$(${(Q)words[1]} completion words \"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" 2>/dev/null)}\")\n"
	"\tcase $out[1] in\n"
	"\twords)\n"
	"\t\tfor w in \"${(@)out[2,-1]}\"; do\n"
	"\t\t\tname=${w%%$'\\t'*}\n"
	"\t\t\tw=${name//:/\\\\:}${${w#$name}/$'\\t'/:}\n"
	"\t\t\tif [[ $name == *[:/=] ]]; then open+=(\"$w\"); else closed+=(\"$w\"); fi\n"
	"\t\tdone\n"
	"\t\t(( $#closed )) && _describe word closed\n"
	"\t\t(( $#open )) && _describe word open -S '' ;;\n"
	"\tfiles) compset -P '*='; _files ;;\n"
	"\tcommand*)\n"
	"\t\tw=$(( ${out[1]#command } + 1 ))\n"
	"\t\tshift $w words\n"
	"\t\t(( CURRENT -= w ))\n"
	"\t\t_normal ;;\n"
	"\tesac\n"
	"}\n"
	"if [[ $funcstack[1] = _skep ]]; then _skep \"$@\"; else compdef _skep skep; fi\n";

static const char fish[] =
	"# fish completion for skep: skep completion fish | source\n"
	"function __skep_complete\n"
	"\tset -l words (commandline -opc) (commandline -ct | string trim -l -c '\"\\'')\n"
	"\ttest (count $words) -gt 1; or set words $words ''\n"
	"\tset -l out ($words[1] completion words $words[2..-1] 2>/dev/null)\n"
	"\tswitch \"$out[1]\"\n"
	"\t\tcase words\n"
	"\t\t\tprintf '%s\\n' $out[2..-1]\n"
	"\t\tcase files\n"
	"\t\t\t__fish_complete_path (commandline -ct | string replace -r '^--[a-z-]+=' '')\n"
	"\t\tcase 'command *'\n"
	"\t\t\tset -l first (math (string replace 'command ' '' $out[1]) + 2)\n"
	"\t\t\tcomplete -C (string join ' ' -- (string escape -- $words[$first..-2]) $words[-1])\n"
	"\tend\n"
	"end\n"
	"complete -c skep -f -a '(__skep_complete)'\n";

static int completion_run(void *cfg, char **operands, struct err *err)
{
	static const struct {
		const char *name, *text;
	} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };
	int n = 0;

	(void)cfg;
	if (operands[0] && !strcmp(operands[0], "words")) {
		while (operands[1 + n])
			n++;
		return complete_words(operands + 1, n);
	}
	for (size_t i = 0; operands[0] && i < sizeof(shells) / sizeof(shells[0]); i++)
		if (!strcmp(shells[i].name, operands[0]) && !operands[1]) {
			fputs(shells[i].text, stdout);
			return 0;
		}
	return err_exit(err, -EINVAL, EXIT_USAGE, "no such shell: expected bash, zsh or fish");
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
