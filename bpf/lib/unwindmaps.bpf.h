/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unwinding tables in the kernel (bpf/unwind.h), and requests to user space, which fills and sizes these maps; all walkers
 * share them. What is published is not changed: a new list of mappings lies elsewhere before `unwind_spaces` says so.
 */
#ifndef SKEP_UNWINDMAPS_BPF_H
#define SKEP_UNWINDMAPS_BPF_H

#include "bpf/unwind.h"

struct unwind_row_block {
	__u32 rows[UNWIND_BLOCK_ROWS];
};

/* An element of an array takes 8 bytes at least: rows would take twice what they are. */
struct unwind_row_sheet {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UNWIND_SHEET_BLOCKS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct unwind_row_block)); /* by size: Clang 14 leaves types of a map's map out of BTF */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_ROW_SHEETS);
	__type(key, __u32);
	__array(values, struct unwind_row_sheet);
} unwind_rows SEC(".maps");

struct unwind_page_sheet {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UNWIND_SHEET_PAGES);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct unwind_page));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_PAGE_SHEETS);
	__type(key, __u32);
	__array(values, struct unwind_page_sheet);
} unwind_pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UNWIND_RULES_MAX);
	__type(key, __u32);
	__type(value, struct unwind_rule);
} unwind_rules SEC(".maps");

struct unwind_map_block {
	struct unwind_map maps[UNWIND_BLOCK_MAPS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_map_block);
} unwind_maps SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH); /* preallocated: perf_event programs on 5.10 take no other */
	__uint(max_entries, 1);
	__type(key, struct unwind_space_key);
	__type(value, struct unwind_space);
} unwind_spaces SEC(".maps");

/* struct unwind_rest */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} unwind_rests SEC(".maps");

#endif
