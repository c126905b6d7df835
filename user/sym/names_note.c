/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why names are missing, in words. */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "sym/jithint.h"
#include "sym/names.h"

static void note_other_kernel(struct profile *p, const struct recorded *r)
{
	struct utsname u;

	if (!r || !r->os_release || uname(&u) || !strcmp(r->os_release, u.release))
		profile_note(p, "kernel addresses have no names: the file was recorded under another kernel than this one");
	else
		profile_note(p,
				"kernel addresses have no names: the file was recorded under kernel %s (%s), this one is %s (%s): read the file where it was recorded",
			     r->os_release, r->arch ? r->arch : "-", u.release, u.machine);
}

static void note_kernel(struct profile *p, const struct syms_stats *stats)
{
	if (stats->kernel_hidden && stats->kptr_restrict > 1)
		profile_note(p, "kernel addresses are hidden (kernel.kptr_restrict=%d): "
			     "sysctl kernel.kptr_restrict=1 shows them to root", stats->kptr_restrict);
	else if (stats->kernel_hidden)
		profile_note(p, "kernel addresses are hidden (kernel.kptr_restrict=%d): run as root or with CAP_SYSLOG",
			     stats->kptr_restrict);
	if (stats->kernel_mismatch && stats->kernel_not_said)
		profile_note(p, "kernel addresses have no names: the file does not name its kernel (it was cut, or came through a pipe)");
	else if (stats->kernel_mismatch)
		note_other_kernel(p, stats->recorded);
}

/* Files are found by their build ids, wherever they are from: only without one it matters whose the path is. */
static void note_objects(struct profile *p, const struct syms_stats *stats)
{
	const struct recorded *r = stats->recorded;

	if (stats->other_machine && stats->kernel_not_said)
		profile_note(p, "no names for the functions of %llu files: the recording does not say which machine they are from (%s%s)",
			     (unsigned long long)stats->objects_missing, stats->missing, stats->objects_missing > 1 ? " ..." : "");
	else if (stats->other_machine)
		profile_note(p, "no names for the functions of %llu files: they are from another machine (%s, %s), and no file here has the build ids "
			     "that 'perf record --buildid-mmap' and skep record keep: %s%s", (unsigned long long)stats->objects_missing,
			     r->hostname ? r->hostname : "-", r->arch ? r->arch : "-", stats->missing, stats->objects_missing > 1 ? " ..." : "");
	else
		profile_note(p, "no names for the functions of %llu files, which are deleted, unreadable or replaced: %s%s",
			     (unsigned long long)stats->objects_missing, stats->missing, stats->objects_missing > 1 ? " ..." : "");
}

static void note_servers(struct profile *p, const struct syms_stats *stats)
{
	const struct debuginfod_stats *s = &stats->servers;

	if (s->why)
		profile_note(p, "no debug files from the servers of DEBUGINFOD_URLS: %s", s->why);
	else if (s->late)
		profile_note(p, "names are missing: %u debug file%s still on the way from the servers of DEBUGINFOD_URLS", s->late, s->late == 1 ? " is" : "s are");
	else if (stats->user_early)
		profile_note(p, "names are missing: %llu addresses were looked up before the debug file of their object came from the servers of DEBUGINFOD_URLS",
			     (unsigned long long)stats->user_early);
	if (s->left)
		profile_note(p, "debug files were not requested from the servers of DEBUGINFOD_URLS %u times: there were too many", s->left);
	if (s->failed)
		profile_note(p, "%u debug file%s not available from the servers of DEBUGINFOD_URLS: %s", s->failed, s->failed == 1 ? " is" : "s are",
			     strerror(s->failed_errno));
	if (s->refused)
		profile_note(p, "'%s' of the servers of DEBUGINFOD_URLS is no debug file of that build id, and is not used", s->refused);
}

static void note_foreign(struct profile *p, const char *path)
{
	profile_note(p, "'%s' is not read, as it is no plain file of its process's user, of root or of who runs skep: names of JIT code are missing", path);
}

/* Of names that are there only what makes them doubtful; why others are missing only where some are. */
static void note_jits(struct profile *p, const struct jit_stats *j)
{
	if (j->other_clock)
		profile_note(p, "JIT code was replaced by other code during the recording, whose clock is not that of the JIT's dump: names are those of the last "
			     "code at an address (perf record -k mono, skep record)");
	if (j->without_times)
		profile_note(p, "'%s' has no times that can be compared: names of JIT code are those of the last code at an address", j->without_times);
	if (j->cut)
		profile_note(p, "'%s' ends in the middle of a record: JIT code that was written later has no name, or that of the code before it", j->cut);
	if (j->broken)
		profile_note(p, "'%s' is no dump of a JIT's code, version 1, or is damaged: code after the damage has no name, or that of the code before it",
			     j->broken);
	if (j->bad_records)
		profile_note(p, "records of JIT dumps contradict themselves, and are left out (%llu): their code has no name, or that of the code before it",
			     (unsigned long long)j->bad_records);
	if (j->large)
		profile_note(p, "'%s' is larger than what is read: names of JIT code are missing", j->large);
	if (j->foreign)
		note_foreign(p, j->foreign);
	if (j->missing && p->losses[LOSS_UNNAMED])
		profile_note(p, "'%s' cannot be read (%s): names of JIT code are missing", j->missing,
			     j->missing_errno == ELOOP ? "it is a symbolic link, which is not followed" : strerror(j->missing_errno));
}

/* Once for each kind of process. */
static void note_hints(struct profile *p, uint32_t kinds)
{
	const char *hint;

	while ((hint = jithint_text(&kinds)))
		profile_note(p, "code that was made at run time has no names here; they come with %s", hint);
}

void names_note(const struct syms *syms, struct profile *profile)
{
	struct syms_stats stats;

	syms_stats(syms, &stats);
	if (profile->losses[LOSS_UNNAMED_KERNEL])
		note_kernel(profile, &stats);
	if (stats.debugfiles_unchecked)
		profile_note(profile, "debug files found by .gnu_debuglink are not used: one is larger than 1 GB, or all together are larger than 2 GB");
	if (stats.dwarf_refused)
		profile_note(profile,
				"no source lines or inlined functions for %llu files: their debug information is too large, or unpacks to more than 64 times its size",
			     (unsigned long long)stats.dwarf_refused);
	note_servers(profile, &stats);
	note_jits(profile, &stats.jit);
	if (stats.perfmaps_cut)
		profile_note(profile, "a perf map is too large to be read whole: names of JIT code may be old or missing");
	if (stats.perfmap_foreign && profile->losses[LOSS_UNNAMED])
		note_foreign(profile, stats.perfmap_foreign);
	if (profile->losses[LOSS_UNNAMED])
		note_hints(profile, stats.jit.kinds);
	if (profile->losses[LOSS_UNNAMED] && stats.objects_missing)
		note_objects(profile, &stats);
}
