/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RESOLVE: address to frames. In: task events (who mapped what, when) and addresses. Out: frames
 * whose names are interned, so that two frames are the same function iff their name and obj
 * pointers are equal. struct syms owns every object; its strings live in a pool, which several may share.
 */
#ifndef SKEP_SYM_SYM_H
#define SKEP_SYM_SYM_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/debugfile.h"
#include "elf/debuginfod.h"
#include "frame.h"
#include "sample.h"
#include "unwinding.h"
#include "util/err.h"
#include "util/strpool.h"

/* The recording's description of its machine; NULL: it has none. */
struct recorded {
	const char *hostname, *os_release, *arch;
	const bool *other_clock; /* its times are not CLOCK_MONOTONIC, as far as is known yet; NULL: they are */
};

#define SYMS_STREAM_EXITED 4096 /* exited_max where stacks are resolved, or walked, as they come */

struct syms_cfg {
	bool lines;	 /* fill file and line (libdw) */
	bool inlines;	 /* return inlined frames too (libdw) */
	bool code;	 /* files stay open: their code and its lines will be wanted (sym/code.h) */
	bool data;	 /* variables have names, too */
	bool build_ids;	 /* syms_build_id() will be asked */
	bool no_demangle;
	bool addresses; /* what has no name is shown by its address, and not by where its function begins */
	/*
	 * Objects have the names that perf script prints: modules of the kernel that have a build id that of their path, anonymous code that of
	 * its process's /tmp/perf-PID.map (is_anon_memory(), tools/perf/util/map.c).
	 */
	bool perf_objects;
	enum debugfile_servers servers; /* SERVERS_WAIT in a live run: once the measuring is over */
	uint32_t exited_max; /* names are kept for so many processes that ended; 0: enough for a run whose samples are resolved at its end */
	uint64_t exited_ns; /* and for so long; 0: for ever */
	const char *proc_root; /* NULL: "/proc"; for tests */
	const char *debug_dir; /* NULL: "/usr/lib/debug" */
	const char *symfs;     /* files are looked for below this directory; NULL: "/" */
	const char *kallsyms;  /* a copy of that file of the recorded kernel: all its names are from there; NULL: the running kernel, if it is that */
	const char *kcore;     /* likewise, of its code */
	struct strpool *pool;  /* of all strings, borrowed: files that share one can be compared by pointers. NULL: one of its own */
	/* Build id of the kernel that was recorded; size 0: the running one. If it is not the running
	 * kernel, kernel addresses stay unnamed and syms_stats.kernel_mismatch is set. */
	uint8_t kernel_build_id[BUILD_ID_MAX];
	uint8_t kernel_build_id_size;
	/*
	 * If the running kernel can look up addresses: "name+0x12/0x34 [module]" of an address into buf, 0 or -errno. NULL:
	 * /proc/kallsyms.
	 */
	int (*kernel_symbol)(void *arg, uint64_t addr, char *buf, size_t size);
	uint64_t (*kernel_addr)(void *arg, const char *name); /* with it: of a symbol of the kernel itself, or 0 */
	void *kernel_arg;
	/* Of a file that has the frames of its addresses itself: at most max of ip, innermost first; how many. Else NULL */
	int (*frames)(void *arg, uint64_t ip, struct frame *ret_frames, int max);
	void *frames_arg;
	const struct recorded *recorded; /* lives as long as syms; NULL: this machine */
	bool offline; /* the processes are not those of this /proc now (reading a file): never look there */
};

/* What dumps of JITs lack. Paths are one of several, or NULL. */
struct jit_stats {
	uint64_t codes;	      /* that were read */
	uint64_t replaced;    /* of them, at addresses of others */
	uint64_t bad_records; /* that contradict themselves */
	const char *foreign;  /* it belongs to somebody else */
	const char *broken;   /* it is none, or goes on with what is none */
	const char *large;    /* more than is read */
	const char *cut;      /* it ends in a record */
	const char *missing;  /* it cannot be opened: */
	int missing_errno;
	const char *without_times; /* of a clock that others have */
	uint32_t kinds;	  /* of processes with code that has no name: of jithint_text() */
	bool other_clock; /* code was replaced, and the recording has another clock */
};

struct syms_stats {
	uint64_t lookups, user_frames, user_unknown; /* of look-ups, not of frames that a stack shares with the last one; unknown: no symbol found */
	uint64_t user_nosymtab; /* of those, in objects that have no symbol table at all, or no object */
	uint64_t user_early;	/* without a symbol, before the debug file that a server sent was there */
	uint64_t kernel_frames, kernel_unknown;
	uint64_t objects, symbols;
	uint64_t objects_missing; /* files that are not there any more, cannot be read, or are others now */
	const char *missing;	  /* the path of one of them */
	uint64_t debugfiles_unchecked; /* named by a .gnu_debuglink, but too large for their checksum to be made */
	struct debuginfod_stats servers;
	uint64_t dwarf_refused; /* files whose debug information would be too large in memory */
	struct jit_stats jit;
	uint64_t perfmaps_cut; /* larger than what is read: names of JIT code may be old or missing */
	const char *perfmap_foreign; /* one that belongs to somebody else; NULL: none */
	bool kernel_hidden;   /* kallsyms shows only zeros: kptr_restrict or no CAP_SYSLOG */
	int kptr_restrict;    /* the sysctl when they are hidden; -1: not known */
	bool kernel_mismatch; /* the recording is of another kernel, or does not say: its addresses stay unnamed */
	bool kernel_not_said; /* it does not say */
	bool other_machine;   /* files without a build id are not taken from here */
	const struct recorded *recorded; /* of the cfg */
};

struct syms;

/* False when skep was built without libdw: then there are no lines and no inlined frames. */
bool syms_have_lines(void);

/*
 * Returns 0 and the resolver, or -errno; -ENOTSUP when lines or inlines are requested and not available. Opens
 * nothing yet: kallsyms and objects are read when first needed.
 */
int syms_new(const struct syms_cfg *cfg, struct syms **ret_syms, struct err *err);
void syms_free(struct syms *syms);

/* Takes note of a task event. Events of one pid must come in time order. 0 or -errno (ENOMEM). */
int syms_task(struct syms *syms, const struct task_event *t);

/*
 * Opens and reads the symbols of every mapped object not read yet, while its process still lives
 * (files of other mount namespaces and deleted files are only reachable through /proc/PID). Cheap
 * when nothing is new. Call it on a timer during a live capture. Returns since when addresses have other names than the same ones
 * had, as it was found out now; 0: they do not.
 */
uint64_t syms_pin(struct syms *syms);

/*
 * Reads what is mapped now in a live process (executable mappings of /proc/PID/maps and its comm)
 * and calls sink->task for each with time_ns 0: TASK_COMM per thread, TASK_MMAP. Returns 0, or
 * -ESRCH when it is gone, or -EACCES.
 */
int proc_scan(const char *proc_root, uint32_t pid, struct sink *sink);

/* Only its TASK_MMAP: names of a thousand threads are a thousand files. Returns as proc_scan does. */
int proc_scan_maps(const char *proc_root, uint32_t pid, struct sink *sink);

/* The same for kernel text: "[kernel.kallsyms]_text" and modules, as perf writes them (pid UINT32_MAX). */
int kernel_scan(const char *proc_root, uint64_t text, uint64_t etext, struct sink *sink);

/*
 * Names address ip of process pid at time time_ns. kernel: the address is kernel text. caller: it is
 * a return address, so the look-up uses ip - 1. Writes up to max frames, innermost (inlined) first,
 * and returns how many: at least 1.
 */
int syms_resolve(struct syms *syms, uint32_t pid, uint64_t time_ns, uint64_t ip, bool kernel, bool caller,
		 struct frame *ret_frames, int max);

/*
 * Names a whole user stack, leaf first, a frame for each address as syms_resolve() has them: the callers that it shares with the last
 * stack of the process are taken from there. Returns n; or 0, when that does not work (inlined frames, live processes, n larger than 128).
 */
uint32_t syms_resolve_stack(struct syms *syms, uint32_t pid, uint64_t time_ns, const uint64_t *ips, uint32_t n, struct frame *ret_frames);

/* Do names of addresses of a process depend on the time, although nothing is mapped anew? */
bool syms_by_time(struct syms *syms, uint32_t pid);

/* True if user stacks start in a function of this name (_start, clone, __libc_start_call_main, runtime.goexit ...). */
bool symbol_is_root(const char *name);

/* The guide of the kernel's walker, fed by syms_task(); it lives as long as syms. NULL: no memory. */
struct unwind_guide *syms_guide(struct syms *syms);

/* The file that a process ran at a time (CLOCK_MONOTONIC), and in ret_id its build id in hex, or ""; both interned. NULL: not known, or no memory. */
const char *syms_program(struct syms *syms, uint32_t pid, uint64_t time_ns, const char **ret_id);

/* The build id of a frame's obj, in ret_id[BUILD_ID_MAX]: its size; 0: not known. */
uint8_t syms_build_id(const struct syms *syms, const char *obj, uint8_t *ret_id);

const char *syms_intern(struct syms *syms, const char *text);
void syms_stats(const struct syms *syms, struct syms_stats *ret_stats);

#endif
