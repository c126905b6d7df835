/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel code: from an image with the recorded kernel's build id, else from the memory of the running kernel, if that is the recorded
 * one: /proc/kcore (an ELF core whose segments have kernel addresses), or a caller's way.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "elf/debugfile.h"
#include "elf/elfsyms.h"
#include "sym/buildid.h"
#include "sym/codereader.h"
#include "sym/kernel.h"
#include "sym/lines.h"
#include "sym/objectfile.h"
#include "sym/syms.h"

#if defined(__x86_64__)
#define MACHINE_HERE EM_X86_64
#else
#define MACHINE_HERE EM_AARCH64
#endif

void kernel_image_close(struct kernel_image *image)
{
	if (image->fd < 0)
		return;
	lines_free(image->lines);
	symtab_free(&image->tab);
	elf_close(&image->elf);
	close(image->fd);
	image->fd = -1;
}

static int open_elf(struct kernel_image *image, const char *path)
{
	int fd = regular_open(path), ret = fd < 0 ? fd : elf_open_fd(fd, &image->elf);

	if (!ret)
		image->fd = fd;
	else if (fd >= 0)
		close(fd);
	return ret;
}

/* The build id of the recorded kernel; 0: not known. */
static uint8_t recorded_id(const struct syms *syms, uint8_t *ret_id)
{
	if (syms->cfg.kernel_build_id_size) {
		memcpy(ret_id, syms->cfg.kernel_build_id, sizeof(syms->cfg.kernel_build_id));
		return syms->cfg.kernel_build_id_size;
	}
	return syms->origin.other_kernel ? 0 : build_id_kernel(ret_id);
}

uint8_t syms_build_id(const struct syms *syms, const char *obj, uint8_t *ret_id)
{
	return !strcmp(obj, KERNEL_OBJ) ? recorded_id(syms, ret_id) : objects_id(&syms->objects, obj, ret_id);
}

const char *syms_program(struct syms *syms, uint32_t pid, uint64_t time_ns, const char **ret_id)
{
	const struct space *space = syms_space(syms, pid);
	struct object *obj = space ? maps_program(space, time_ns) : NULL;
	size_t n = obj ? objectfile_path_bytes(obj->path) : 0;

	if (!obj || !(*ret_id = object_id(&syms->objects, obj, pid)))
		return NULL;
	return obj->path[n] ? strpool_addn(syms->pool, obj->path, n) : obj->path; /* without " (deleted)" */
}

static bool is_recorded_kernel(const struct syms *syms, const struct elf_file *elf)
{
	uint8_t want[BUILD_ID_MAX] = { 0 }, have[BUILD_ID_MAX];
	uint8_t size = recorded_id(syms, want);
	int n = elf_build_id(elf, have, sizeof(have));

	return size && n > 0 && n <= size && !memcmp(want, have, (size_t)n);
}

static uint64_t find_text(const struct elf_file *elf)
{
	const struct elf_sec *sec = elf_sec_by_type(elf, SHT_SYMTAB), *text = elf_sec_by_name(elf, ".text");
	size_t size = elf_sym_size(elf), n = sec ? sec->size / size : 0;
	char *symbols = NULL, *names = NULL;
	uint64_t found = text ? text->addr : 0;

	if (!sec || sec->link >= elf->nr_secs || elf_read_sec(elf, sec, &symbols) || elf_read_sec(elf, &elf->secs[sec->link], &names))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		struct elf_sym s;

		elf_sym_at(elf, symbols, i, &s);
		if (s.name < elf->secs[sec->link].size && !strcmp(names + s.name, "_text")) {
			found = s.value;
			break;
		}
	}
	free(symbols);
	free(names);
	return found;
}

static bool take_image(struct code_reader *r, const char *path)
{
	struct kernel_image *image = &r->image;
	int ret = open_elf(image, path);

	if (ret) {
		err_set(&image->why, ret, "'%s' cannot be read: %s", path, strerror(-ret));
		return false;
	}
	if (!is_recorded_kernel(r->syms, &image->elf)) {
		err_set(&image->why, -ESTALE, "'%s' has another build id than the recorded kernel", path);
		kernel_image_close(image);
		return false;
	}
	image->text = find_text(&image->elf);
	image->lines = lines_open(image->fd, &r->syms->objects.dwarf_limits);
	return true;
}

/* Where distributions put it. */
static void search_image(struct code_reader *r)
{
	static const char *const places[] = { "/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux",
					      "/lib/modules/%s/build/vmlinux", "/boot/vmlinux-%s" };
	const struct recorded *recorded = r->syms->cfg.recorded;
	struct utsname u;
	const char *release = recorded && recorded->os_release ? recorded->os_release : uname(&u) ? NULL : u.release;
	char path[PATH_MAX];

	if (!release || strchr(release, '/'))
		return;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), places[i], release); /* NOLINT: they are the four above */
		if (!access(path, R_OK) && take_image(r, path))
			return;
	}
}

static bool open_image(struct code_reader *r)
{
	if (!r->image.is_tried && !r->cfg.no_vmlinux) {
		r->image.is_tried = true;
		if (r->cfg.vmlinux)
			take_image(r, r->cfg.vmlinux);
		else
			search_image(r);
	}
	return r->image.fd >= 0;
}

/* The address in the image of one of the recorded kernel, whose text KASLR may have moved. */
static bool image_addr(const struct code_reader *r, uint64_t addr, uint64_t *ret_addr)
{
	const struct kernel *k = &r->syms->kernel;
	uint64_t text = k->recorded_text ? k->recorded_text : r->syms->origin.other_kernel ? 0 : k->text;

	*ret_addr = addr - text + r->image.text;
	return text && r->image.text;
}

bool kernel_image_place(struct code_reader *r, struct code_place *p)
{
	struct symtab *tab = &r->image.tab;
	const char *name;
	uint64_t at, start;

	if (!open_image(r) || !image_addr(r, p->addr, &at))
		return false;
	if (!r->image.has_tab && elfsyms_load(&r->image.elf, NULL, tab) < 0)
		symtab_free(tab);
	r->image.has_tab = true;
	name = symtab_find(tab, at, &start);
	if (!name)
		return false;
	p->name = syms_readable(r->syms, name);
	p->start = p->key = start + (p->addr - at);
	p->end = symtab_whole_end(tab, start) + (p->addr - at);
	return true;
}

static int read_image(struct code_reader *r, const struct code_place *p, struct code *code)
{
	uint64_t at;
	char *bytes;
	int ret;

	if (p->id != r->syms->kernel.core || !open_image(r) || !image_addr(r, p->start, &at))
		return -ENOENT;
	ret = elf_read_code(&r->image.elf, at, p->end - p->start, &bytes);
	if (ret)
		return ret;
	code->bytes = (uint8_t *)bytes;
	code->machine = r->image.elf.machine;
	code->lines = r->image.lines;
	code->to_lines = at - p->start;
	code->source = r->cfg.vmlinux ? r->cfg.vmlinux : "vmlinux";
	return 0;
}

static bool open_core(struct code_reader *r)
{
	const char *root = r->syms->cfg.proc_root;
	char path[PATH_MAX];
	int ret;

	if (r->core.is_tried)
		return r->core.fd >= 0;
	r->core.is_tried = true;
	if (r->syms->cfg.kcore)
		snprintf(path, sizeof(path), "%s", r->syms->cfg.kcore);
	else
		snprintf(path, sizeof(path), "%s/kcore", root ? root : "/proc");
	ret = open_elf(&r->core, path);
	if (ret)
		err_set(&r->core.why, ret, "%s cannot be read: %s", path, strerror(-ret));
	return !ret;
}

static int read_memory(struct code_reader *r, const struct code_place *p, struct code *code, struct err *err)
{
	uint64_t addr = p->start + kernel_slide(&r->syms->kernel), n = p->end - p->start;
	char *bytes;
	int ret;

	if (r->syms->origin.other_kernel && !r->syms->cfg.kcore)
		return err_set(err, -ESTALE, "the recording is of another kernel than the one that runs");
	if (open_core(r) && !elf_read_code(&r->core.elf, addr, n, &bytes)) {
		code->bytes = (uint8_t *)bytes;
		code->machine = r->core.elf.machine;
		code->source = r->syms->cfg.kcore ? r->syms->cfg.kcore : "/proc/kcore";
		return 0;
	}
	if (!r->cfg.read_kernel)
		return err_set(err, -ENOENT, "%s", r->core.fd < 0 ? r->core.why.text : "/proc/kcore does not have that code");
	bytes = malloc(n);
	ret = bytes ? r->cfg.read_kernel(r->cfg.read_arg, addr, bytes, n) : -ENOMEM;
	if (ret) {
		free(bytes);
		return err_set(err, ret, "%s, and the kernel's memory cannot be read by BPF: %s",
			       r->core.fd < 0 ? r->core.why.text : "/proc/kcore does not have that code", strerror(-ret));
	}
	code->bytes = (uint8_t *)bytes;
	code->machine = MACHINE_HERE;
	code->source = "the running kernel's memory";
	return 0;
}

int kernel_code_read(struct code_reader *r, const struct code_place *p, struct code *code, struct err *err)
{
	int ret;

	code->n = p->end - p->start;
	if (!read_image(r, p, code))
		return 0;
	if (r->cfg.vmlinux && p->id == r->syms->kernel.core && r->image.fd < 0) {
		*err = r->image.why;
		return -ESTALE;
	}
	ret = read_memory(r, p, code, err);
	if (ret)
		err_hint(err, "-k FILE names the recorded kernel's vmlinux; /proc/kcore needs root (CAP_SYS_RAWIO)");
	return ret;
}
