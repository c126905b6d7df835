/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is mapped: a file, the vDSO, or memory without a file. One object per file and path,
 * however many processes map it. Objects live until objects_free.
 */
#ifndef SKEP_SYM_OBJECT_H
#define SKEP_SYM_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/debugfile.h"
#include "elf/dwarffile.h"
#include "elf/elf.h"
#include "elf/symtab.h"
#include "sample.h"
#include "sym/sym.h"
#include "unwind/ehframe.h"
#include "util/map.h"
#include "util/spans.h"
#include "util/strpool.h"
#include "util/vec.h"

struct lines;
struct origin;

enum object_kind {
	OBJECT_FILE,
	OBJECT_MEMFD, /* a file without a name: a program, or a JIT's memory */
	OBJECT_VDSO,
	OBJECT_ANON, /* no file: only a perf map can name it */
	OBJECT_OTHER, /* [vsyscall], [uprobes]: never a name */
};

enum object_state { OBJECT_NEW, OBJECT_OPEN, OBJECT_READ, OBJECT_FAILED };

enum table_state {
	TABLE_NEW,
	TABLE_TOLD, /* the kernel has its pages, and requests their rows */
	TABLE_FULL, /* it has no room for them */
	TABLE_NONE, /* there is no table: steps by frame pointers, if anything */
};

struct object {
	const char *path;    /* as in the event; interned */
	const char *unknown; /* what an address without a symbol is called: "[libc.so.6]"; interned */
	enum object_kind kind;
	enum object_state state;
	uint32_t id;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint8_t build_id[BUILD_ID_MAX], build_id_size;
	uint8_t own_id[BUILD_ID_MAX], own_id_size; /* read from the file, where its TASK_MMAP had no build id; with cfg->build_ids */
	uint8_t nr_tries;
	const char *id_text; /* of object_id(); NULL: not asked for, or not known */
	bool id_tried; /* own_id was looked for in the file */
	uint32_t id_pid; /* the last process through which the file could not be opened for that */
	uint32_t tried_pid;
	int fd;	      /* in OBJECT_OPEN, and later while lines or parts of tables may be needed; else -1 */
	int debug_fd; /* of the separate debug file if lines are requested; else -1 */
	struct elf_seg *segs;
	uint32_t nr_segs;
	struct symtab tab;
	struct lines *lines; /* NULL: not opened yet, or none */
	bool lines_tried, starts_tried;
	bool is_coming; /* its debug file, from a server */
	uint64_t nr_early; /* look-ups that found no symbol while it was */
	bool is_awaited; /* it was waited for, or there was no waiting any more */
	bool is_mapped; /* of use only while objects are trimmed (sym/mapped.c) */
	struct spans starts; /* functions by what .eh_frame describes, of the first address without a symbol on (sym/starts.h) */
	uint8_t table_state; /* enum table_state */
	uint8_t nr_table_fails; /* one after the other */
	bool has_parts; /* of TABLE_TOLD; else only vaddr and nr_pages of parts are known */
	struct unwind_parts parts;
	uint32_t table_page; /* where they begin in the kernel */
};

/* All but cfg, origin and pool, which are borrowed, is zeroed at first. */
struct objects {
	const struct syms_cfg *cfg;
	const struct origin *origin; /* of a recording; NULL: of this machine */
	struct strpool *pool;
	VEC(struct object *) all; /* by id */
	struct map index;	  /* by inode and path */
	uint32_t nr_fds; /* kept open */
	uint64_t nr_symbols;
	uint64_t nr_early; /* of objects whose debug file came since then */
	struct debugfile_limits debug_limits;
	struct dwarffile_limits dwarf_limits;
	struct unwind_rules *rules; /* those of unwinding tables; NULL: none are wanted */
};

void objects_free(struct objects *objects);

/* How many needed files were not available; ret_path is set to one of them if there are. */
uint64_t objects_missing(const struct objects *objects, const char **ret_path);

/* The object that a TASK_MMAP maps. NULL: no memory. */
struct object *objects_get(struct objects *objects, const struct task_event *t);

/* The build id of what has this path, where it was not known: by it the file may be found after all. */
void objects_build_id(struct objects *objects, const struct task_event *t);

/* The build id of what has this path, an interned one, of the last such object that has one: its size; 0: none is known. */
uint8_t objects_id(const struct objects *objects, const char *path, uint8_t *ret_id);

/* Its build id in hex, interned, which is read from the file where its TASK_MMAP had none; "": not known. pid: of who has it mapped. NULL: no memory. */
const char *object_id(struct objects *objects, struct object *obj, uint32_t pid);

/* Opens the file through a process that has it mapped at start..end. False: not there any more (ask again by another process). */
bool object_open(struct objects *objects, struct object *obj, uint32_t pid, uint64_t start, uint64_t end);

/* Reads the symbols of an open object. pid may help to find debug files; 0: none. */
void object_read(struct objects *objects, struct object *obj, uint32_t pid);

/*
 * Reads the symbols of a read object again, with the debug file that was coming. False: there is none, or it is coming still. Names that
 * were found before stay valid, as they are interned; its lines do not.
 */
bool object_read_again(struct objects *objects, struct object *obj);

/* Waits, once, for the debug file that was coming while there was no waiting. True: it has come, and was read as above. */
bool object_await(struct objects *objects, struct object *obj);

/* Frees what was read of its file, and closes that: it is opened again when a process maps it. */
void object_forget(struct objects *objects, struct object *obj);

/* Requests the debug file of an object without symbols from the servers, so that it is there later. */
void object_ask(struct objects *objects, struct object *obj, const struct elf_file *elf, uint32_t pid);

/*
 * Opens an object's file in any way that works: 0, -ENOENT, or -errno of elf_open_fd(). Once it was open, obj's addresses are
 * known. Its separate debug file, NULL: it has none, is open as long; pid,
 * which may be 0, helps to find it.
 */
struct object_file {
	struct elf_file elf, debug;
	int debug_fd; /* less than 0: none */
};
int object_file_open(struct objects *objects, struct object *obj, uint32_t pid, uint64_t start, uint64_t end,
		     struct object_file *ret_file);
const struct elf_file *object_file_debug(struct objects *objects, const struct object *obj, uint32_t pid,
					 struct object_file *file);
void object_file_close(struct object *obj, struct object_file *file);

/* Source lines of an object that is read: its own or its debug file's, opened once. NULL: none. */
struct lines *object_lines(struct objects *objects, struct object *obj);

/* Why an object could not be opened or read, for a message: -ESTALE when another file has its path now. */
int object_why(const struct objects *objects, const struct object *obj, char *text, size_t size);

/* ELF address of a file offset; false when the object was never read or has no such offset. */
bool object_vaddr(const struct object *obj, uint64_t off, uint64_t *ret_vaddr);

/*
 * That of the start of a mapping of code, len bytes from off on. The page of off may belong to two segments (lld), of which only the
 * executable one is meant.
 */
bool object_code_vaddr(const struct object *obj, uint64_t off, uint64_t len, uint64_t *ret_vaddr);

#endif
