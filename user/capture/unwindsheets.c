/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "capture/unwindsheets.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/thread.h"

#define GRACE_NS 100000000 /* where the kernel cannot wait for running programs on request: no walk is as long */
#define ROWS_BYTES ((size_t)UNWIND_SHEET_ROWS * sizeof(uint32_t))
#define PAGES_BYTES ((size_t)UNWIND_SHEET_PAGES * sizeof(struct unwind_page))

static int make_rows(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_row", sizeof(uint32_t), UNWIND_BLOCK_ROWS * sizeof(uint32_t), UNWIND_SHEET_BLOCKS,
			      &opts);
}

static int make_pages(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_page", sizeof(uint32_t), sizeof(struct unwind_page), UNWIND_SHEET_PAGES, &opts);
}

/* A map of such maps as inner_fd is, which is closed. */
static int make_outer(const char *name, int inner_fd, uint32_t max)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = (uint32_t)inner_fd);
	int fd;

	if (inner_fd < 0)
		return inner_fd;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, name, sizeof(uint32_t), sizeof(uint32_t), max, &opts);
	close(inner_fd);
	return fd;
}

/* The i-th of a map of sheets: fd is closed, that map and what we see of it keep it alive. */
static int add_sheet(int outer_fd, uint32_t i, int fd, size_t bytes, void **ret_view)
{
	int ret = 0;

	if (fd < 0)
		return fd;
	*ret_view = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*ret_view == MAP_FAILED) {
		ret = -errno;
	} else if (bpf_map_update_elem(outer_fd, &i, &fd, BPF_ANY)) {
		ret = -errno;
		munmap(*ret_view, bytes);
	}
	close(fd);
	return ret;
}

static int add_page_sheet(struct unwind_sheets *s)
{
	void *view;
	int ret;

	if (s->pages.n == UNWIND_PAGE_SHEETS || (s->pages.n + 1) * PAGES_BYTES > s->page_bytes_max) {
		s->is_full = true;
		return -ENOSPC;
	}
	if (vec_reserve(&s->pages))
		return -ENOMEM;
	ret = add_sheet(s->pages_fd, (uint32_t)s->pages.n, make_pages(), PAGES_BYTES, &view);
	if (ret)
		return ret;
	memset(view, 0xff, PAGES_BYTES); /* UNWIND_PAGE_ASK, all of them */
	s->pages.data[s->pages.n++] = view;
	return 0;
}

static struct unwind_page *page_at(const struct unwind_sheets *s, uint32_t page)
{
	return &s->pages.data[page / UNWIND_SHEET_PAGES][page % UNWIND_SHEET_PAGES];
}

/* In one piece: the kernel reads it as one. */
static void set_page(const struct unwind_sheets *s, uint32_t page, uint32_t row, uint32_t nr)
{
	struct unwind_page p = { row, nr };
	uint64_t word;

	memcpy(&word, &p, sizeof(word));
	__atomic_store_n((uint64_t *)page_at(s, page), word, __ATOMIC_RELEASE);
}

/* Returns when no program runs that ran when it was called. membarrier(2): MEMBARRIER_CMD_GLOBAL is an RCU grace period. */
static void wait_for_programs(void)
{
	struct timespec grace = { .tv_nsec = GRACE_NS };

	/* With one CPU the call does nothing. */
	if (sysconf(_SC_NPROCESSORS_ONLN) == 1 || syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&grace, NULL);
}

static void empty_sheet(struct unwind_sheets *s, struct unwind_row_sheet *sheet)
{
	for (size_t i = 0; i < sheet->pages.n; i++)
		set_page(s, sheet->pages.data[i], 0, UNWIND_PAGE_ASK);
	sheet->pages.n = 0;
	s->evicted_bytes += ROWS_BYTES;
	wait_for_programs();
}

static int add_row_sheet(struct unwind_sheets *s)
{
	struct unwind_row_sheet sheet = { 0 };
	void *view;
	int ret;

	if (s->rows.n == UNWIND_ROW_SHEETS || (s->rows.n + 1) * ROWS_BYTES > s->row_bytes_max)
		return -ENOSPC;
	if (vec_reserve(&s->rows))
		return -ENOMEM;
	ret = add_sheet(s->rows_fd, (uint32_t)s->rows.n, make_rows(), ROWS_BYTES, &view);
	if (ret)
		return ret;
	sheet.rows = view;
	s->sheet = (uint32_t)s->rows.n;
	s->rows.data[s->rows.n++] = sheet;
	return 0;
}

/* Has the next rows go to a sheet that is empty: a new one, or else the oldest. */
static int next_sheet(struct unwind_sheets *s)
{
	int ret = add_row_sheet(s);

	if (ret && !s->rows.n)
		return ret;
	if (ret) {
		s->sheet = (s->sheet + 1) % (uint32_t)s->rows.n;
		empty_sheet(s, &s->rows.data[s->sheet]);
	}
	s->row = 0;
	return 0;
}

/* A failure is of no consequence here: the sheet is made when it is needed, and the error is reported then. */
static void *make_first_pages(void *arg)
{
	add_page_sheet(arg);
	return NULL;
}

static void *make_first_rows(void *arg)
{
	next_sheet(arg);
	return NULL;
}

static void wait_for_first(struct unwind_sheets *s)
{
	while (s->nr_first)
		pthread_join(s->first[--s->nr_first], NULL);
}

uint64_t unwind_sheets_bytes(struct unwind_sheets *s)
{
	wait_for_first(s);
	return s->rows.n * ROWS_BYTES + s->pages.n * PAGES_BYTES;
}

int unwind_sheets_open(struct unwind_sheets *s, uint64_t bytes_max)
{
	uint64_t page_bytes = bytes_max / 8 > 2 * PAGES_BYTES ? bytes_max / 8 : 2 * PAGES_BYTES;

	*s = (struct unwind_sheets){ .page_bytes_max = page_bytes, .row_bytes_max = bytes_max - page_bytes, .rows_fd = -1, .pages_fd = -1 };
	s->rows_fd = make_outer("unwind_rows", make_rows(), UNWIND_ROW_SHEETS);
	if (s->rows_fd < 0)
		return s->rows_fd;
	s->pages_fd = make_outer("unwind_pages", make_pages(), UNWIND_PAGE_SHEETS);
	if (s->pages_fd < 0)
		return s->pages_fd;
	s->nr_first += thread_start(&s->first[s->nr_first], make_first_pages, s);
	s->nr_first += thread_start(&s->first[s->nr_first], make_first_rows, s);
	return 0;
}

void unwind_sheets_close(struct unwind_sheets *s)
{
	wait_for_first(s);
	for (size_t i = 0; i < s->rows.n; i++) {
		munmap(s->rows.data[i].rows, ROWS_BYTES);
		vec_free(&s->rows.data[i].pages);
	}
	for (size_t i = 0; i < s->pages.n; i++)
		munmap(s->pages.data[i], PAGES_BYTES);
	vec_free(&s->rows);
	vec_free(&s->pages);
	if (s->rows_fd >= 0)
		close(s->rows_fd);
	if (s->pages_fd >= 0)
		close(s->pages_fd);
}

int unwind_sheets_pages(struct unwind_sheets *s, uint32_t nr, uint32_t *ret_page)
{
	int ret = 0;

	wait_for_first(s);
	if (nr > UNWIND_PAGE_SHEETS * UNWIND_SHEET_PAGES - s->nr_pages) {
		s->is_full = true;
		return -ENOSPC;
	}
	while (!ret && s->pages.n * UNWIND_SHEET_PAGES < (uint64_t)s->nr_pages + nr)
		ret = add_page_sheet(s);
	if (ret)
		return ret;
	*ret_page = s->nr_pages;
	s->nr_pages += nr;
	return 0;
}

static int put_page(struct unwind_sheets *s, uint32_t page, const uint32_t *rows, uint32_t nr)
{
	struct unwind_row_sheet *sheet;
	int ret = 0;

	/* Those of a page are in one block. */
	if (s->row % UNWIND_BLOCK_ROWS + nr > UNWIND_BLOCK_ROWS)
		s->row += UNWIND_BLOCK_ROWS - s->row % UNWIND_BLOCK_ROWS;
	if (!s->rows.n || s->row + nr > UNWIND_SHEET_ROWS)
		ret = next_sheet(s);
	if (ret)
		return ret;
	sheet = &s->rows.data[s->sheet];
	if (vec_reserve(&sheet->pages))
		return -ENOMEM;
	sheet->pages.data[sheet->pages.n++] = page;
	memcpy(sheet->rows + s->row, rows, nr * sizeof(*rows));
	set_page(s, page, s->sheet * UNWIND_SHEET_ROWS + s->row, nr);
	s->row += nr;
	return 0;
}

int unwind_sheets_rows(struct unwind_sheets *s, uint32_t page, const struct unwind_page *pages, uint32_t nr, const uint32_t *rows)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < nr; i++) {
		if (page_at(s, page + i)->nr != UNWIND_PAGE_ASK)
			continue;
		if (pages[i].nr)
			ret = put_page(s, page + i, rows + pages[i].row, pages[i].nr);
		else
			set_page(s, page + i, 0, 0);
	}
	return ret;
}

int unwind_sheets_find(const struct unwind_sheets *s, uint32_t page, const uint32_t **ret_rows, uint32_t *ret_nr)
{
	const struct unwind_page *p;

	if (page >= s->nr_pages)
		return -ENOENT;
	p = page_at(s, page);
	if (p->nr == UNWIND_PAGE_ASK)
		return -ENOENT;
	*ret_nr = p->nr;
	*ret_rows = p->nr ? s->rows.data[p->row / UNWIND_SHEET_ROWS].rows + p->row % UNWIND_SHEET_ROWS : NULL;
	return 0;
}
