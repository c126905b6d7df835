/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unwinding without frame pointers: the tables that user space compiles out of .eh_frame (user/unwind/ehframe.c), how a process maps
 * objects, and what the kernel's walker (bpf/lib/unwind.bpf.h) and user space's (user/unwind/walk.c) exchange.
 *
 * A table is a list of rows, in pages of UNWIND_PAGE_BYTES of text. A row says by which rule frames are found from its address up
 * to the next row's. Rules are few (5,279 in all 2,394 ELF files of a Debian system) and shared by all tables.
 */
#ifndef SKEP_BPF_UNWIND_H
#define SKEP_BPF_UNWIND_H

#include <linux/types.h>

#include "bpf/stack.h"

#define UNWIND_PAGE_SHIFT 12
#define UNWIND_PAGE_BYTES (1u << UNWIND_PAGE_SHIFT)

/* A row: the number of its rule, and where it begins in its page. The first row of a page begins at 0. */
#define UNWIND_ROW_SHIFT 16
#define UNWIND_ROW_LOW 0xffffu

/* Rows lie in blocks, one value of the kernel's map each; those of a page are in one block. */
#define UNWIND_BLOCK_ROWS 4096u
#define UNWIND_RULES_MAX 16384u

_Static_assert(UNWIND_PAGE_BYTES <= UNWIND_BLOCK_ROWS, "a page may have a row for each of its bytes");

struct unwind_page {
	__u32 row;   /* number of its first row */
	__u32 nr;    /* 0: no rule anywhere in this page; at most UNWIND_BLOCK_ROWS; or UNWIND_PAGE_ASK */
};
#define UNWIND_PAGE_ASK 0xffffffffu /* its rows are not in the kernel's map: user space wants a request */

/* Where the frame of the caller begins (DWARF's CFA: the caller's stack pointer). Off is rule.cfa_off. */
enum unwind_cfa {
	UNWIND_CFA_NONE = 0,	/* no code, or code without unwinding information */
	UNWIND_CFA_UNKNOWN = 1, /* a rule that cannot be expressed here */
	UNWIND_CFA_SP = 2,	/* sp + off */
	UNWIND_CFA_BP = 3,
	UNWIND_CFA_BX = 4,	/* x86-64: the dynamic linker's way into lazily bound functions */
	UNWIND_CFA_REG = 5,	/* rule.reg + off: where that register is known */
	UNWIND_CFA_SP_DEREF = 6, /* *(sp + off) + rule.add */
	UNWIND_CFA_BP_DEREF = 7,
	UNWIND_CFA_PLT = 8,	/* sp + off + (ip & 15 >= rule.add ? 8 : 0): the linker's expression for .plt */
	UNWIND_CFA_FP = 9,	/* code that keeps frame pointers and has no other information */
	UNWIND_CFA_SP_INDEX = 10, /* *(sp + 8 * rule.reg + off) + rule.add, where that register is known */
	UNWIND_CFA_MAX
};

/* Where a register of the caller is. */
enum unwind_saved {
	UNWIND_SAME = 0,  /* not touched; of the return address: the outermost frame */
	UNWIND_AT_CFA = 1, /* *(CFA + its off) */
	UNWIND_AT_SP = 2,  /* *(this frame's sp + its off): signal frames */
	UNWIND_LOST = 3,   /* not known; of the return address: a rule that cannot be expressed here */
	UNWIND_IN_REG = 4, /* only of the return address: in rule.reg, at a leaf (__vfork) */
	UNWIND_AT_BP = 5,  /* *(this frame's bp + its off): functions that align their stack, UNWIND_CFA_BP_DEREF */
	UNWIND_IN_LINK = 6, /* only of arm64's return address: in the link register, where that is known */
};

#define UNWIND_SIGNAL 0x80u /* in rule.ra: the caller was interrupted, its address is exact and no return address */
#define UNWIND_BX_SHIFT 4   /* in rule.saved: low half bp, high half bx */

struct unwind_rule {
	__u8 cfa;   /* enum unwind_cfa */
	__u8 ra;    /* enum unwind_saved, UNWIND_SIGNAL */
	__u8 saved; /* enum unwind_saved of bp and of bx */
	__u8 reg;   /* DWARF's number of a register, of UNWIND_CFA_REG, UNWIND_CFA_SP_INDEX or UNWIND_IN_REG */
	__s32 cfa_off;
	__s16 add;
	__s16 ra_off, bp_off, bx_off;
};
_Static_assert(sizeof(struct unwind_rule) == 16, "unwind_rule");

/* An executable mapping of a process. A space has them sorted; they are disjoint. */
enum unwind_kind {
	UNWIND_MAP_ASK = 0,   /* user space has no table for it yet, and wants a request */
	UNWIND_MAP_TABLE = 1,
	UNWIND_MAP_FP = 2,    /* no table: only checked steps by frame pointers (a JIT's) */
	UNWIND_MAP_NONE = 3,  /* no code: a gap that needs no further request */
	UNWIND_MAP_PROBE = 4, /* the kernel's, for its probes: lib/unwindprobe.bpf.h */
};

struct unwind_map {
	__u64 start, end;
	__u64 bias; /* address - bias: bytes from the start of the object's first page */
	__u32 page; /* number of that page in the kernel's map of all pages */
	__u32 nr_pages; /* of this object; with enum unwind_kind above UNWIND_KIND_SHIFT */
};
_Static_assert(sizeof(struct unwind_map) == 32, "unwind_map");
#define UNWIND_KIND_SHIFT 24
#define UNWIND_NR_PAGES ((1u << UNWIND_KIND_SHIFT) - 1)

/* Sizes of the kernel's maps. Those of rows and of pages are maps of sheets, which come as they are needed. */
#define UNWIND_SHEET_BLOCKS 64u /* of rows: 1 MiB */
#define UNWIND_SHEET_ROWS (UNWIND_SHEET_BLOCKS * UNWIND_BLOCK_ROWS)
#define UNWIND_ROW_SHEETS 4096u
#define UNWIND_SHEET_PAGES 65536u /* 512 KiB: 256 MiB of text */
#define UNWIND_PAGE_SHEETS 64u
#define UNWIND_SPACES_MAX 8192u
#define UNWIND_MAP_BLOCKS 16u

/* Mappings lie in blocks, too; those of a space are in one. */
#define UNWIND_BLOCK_MAPS 4096u

/* An address space: a process from one exec to the next. start_ns: start_time of its first thread, numbers are reused. */
struct unwind_space_key {
	__u64 start_ns;
	__u32 tgid; /* in the initial PID namespace */
	__u32 exec_id; /* task_struct.self_exec_id */
};

struct unwind_space {
	__u32 first; /* number of its first mapping */
	__u32 nr;
};

/*
 * Registers of a frame that are followed outwards. Of arm64, bp is x29 and bx the link register x30: known at the leaf, and where a
 * signal came in; a function that has called has changed it.
 */
struct unwind_regs {
	__u64 ip, sp, bp, bx;
	__u32 lost;	/* bits of enum unwind_lost: not known in this frame */
	__u16 is_exact; /* ip is the next instruction to run, not a return address */
	__u16 address_bits; /* arm64: return addresses may be signed above them; 0: x86-64, where they are what they are */
};
enum unwind_lost {
	UNWIND_LOST_BP = 1,
	UNWIND_LOST_BX = 2,
	UNWIND_LOST_LEAF = 4, /* all others: neither a leaf, nor has it called only what is near */
	UNWIND_BY_FP = 8,     /* nothing lost: the frame was found by a frame pointer */
	UNWIND_LOST_SP = 16,  /* arm64, by a frame pointer: sp is further out than it says */
	UNWIND_UNSETTLED = 32, /* the leaf's ip is after a breakpoint: the replaced instruction may not have run yet (lib/unwindprobe.bpf.h) */
};

#define UNWIND_LEAF_REGS 17 /* by DWARF's numbers: rax rdx rcx rbx rsi rdi rbp rsp r8 .. r15 rip; x0 .. x16 */

/*
 * The last "address" of a user stack may be a mark instead: bit 63, which no address of user space has; a code; of UNWIND_ASK,
 * the id of a rest below.
 */
#define UNWIND_MARK (1ull << 63)
#define UNWIND_MARK_SHIFT 56
#define UNWIND_MARK_CODE 0x7full
#define UNWIND_MARK_ID ((1ull << UNWIND_MARK_SHIFT) - 1)

/* How a walk goes on; else why it ended: enum stack_stop. */
enum unwind_end {
	UNWIND_MORE = 0,       /* a caller was found */
	UNWIND_ASK = STOP_MAX, /* mapping or table not known here: user space walks the rest */
};

/* What user space needs to walk on. */
#define UNWIND_RED_ZONE 128u /* psABI of x86-64, 3.2.2. A leaf may have saved registers there, and who returns has popped them */
#define UNWIND_RETURNS_SENT 8
#define UNWIND_REST_TINY 4096u /* bytes of stack */
#define UNWIND_REST_SMALL 16384u
#define UNWIND_REST_MIDDLE 32768u
#define UNWIND_REST_LARGE 65536u
#define UNWIND_REST_HUGE 131072u

/* Where a probe's trampoline is in the place of a return address, and that address. at 0: none. Calls that longjmp() left may be among them. */
struct unwind_return {
	__u64 at, ip;
};

struct unwind_rest {
	__u64 time_ns;
	__u64 id; /* as in the mark; never 0 */
	struct unwind_space_key space;
	struct unwind_regs regs; /* of the frame that could not be walked: regs.ip is the last address before the mark */
	__u64 leaf[UNWIND_LEAF_REGS]; /* when !(regs.lost & UNWIND_LOST_LEAF) */
	__u32 nr;    /* frames before the mark */
	__u32 bytes; /* of the stack, from regs.sp - below up */
	__u32 pid;   /* the process, in skep's PID namespace */
	__u32 below; /* UNWIND_RED_ZONE, or 0: they are not there */
	__u64 trampoline; /* in the place of the return addresses that follow */
	struct unwind_return returns[UNWIND_RETURNS_SENT];
	/* then those bytes */
};

#endif
