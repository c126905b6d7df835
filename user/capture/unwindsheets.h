/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows of unwinding tables in the kernel, and the pages that say where they lie. Rows lie in sheets, which are filled one after the
 * other; when there may be no more, the oldest is emptied: no page leads there any more, and once no program runs that has seen one that
 * did, it is filled again.
 */
#ifndef SKEP_CAPTURE_UNWINDSHEETS_H
#define SKEP_CAPTURE_UNWINDSHEETS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/unwind.h"
#include "util/vec.h"

struct unwind_row_sheet {
	uint32_t *rows;
	VEC(uint32_t) pages; /* whose rows are here */
};

struct unwind_sheets {
	uint64_t row_bytes_max, page_bytes_max;
	int rows_fd, pages_fd; /* the maps of sheets */
	VEC(struct unwind_row_sheet) rows;
	VEC(struct unwind_page *) pages;
	uint32_t nr_pages;
	uint32_t sheet, row; /* where the next row goes: sheet of rows, number there */
	uint64_t evicted_bytes; /* of rows that made way for others */
	bool is_full;		/* of pages */
	/*
	 * These threads make the first sheet of pages and the first of rows, and share no field. Each waits for an RCU grace period, 10 to
	 * 25 ms: the kernel has it pass when a map of maps is changed.
	 */
	pthread_t first[2];
	uint32_t nr_first; /* not waited for yet */
};

/* bytes_max: of all, of which an eighth is for pages, but two sheets. 0 or -errno; then all the same to be closed. */
int unwind_sheets_open(struct unwind_sheets *s, uint64_t bytes_max);
void unwind_sheets_close(struct unwind_sheets *s);

/* As struct unwind_store has them. */
int unwind_sheets_pages(struct unwind_sheets *s, uint32_t nr, uint32_t *ret_page);
int unwind_sheets_rows(struct unwind_sheets *s, uint32_t page, const struct unwind_page *pages, uint32_t nr, const uint32_t *rows);
int unwind_sheets_find(const struct unwind_sheets *s, uint32_t page, const uint32_t **ret_rows, uint32_t *ret_nr);

/* Of kernel memory, all together. */
uint64_t unwind_sheets_bytes(struct unwind_sheets *s);

#endif
