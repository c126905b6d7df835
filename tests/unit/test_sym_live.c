/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Symbols of processes that run: this one, and programs that print where their function is and wait. */
#include "tests/unit/test_sym.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "sym/syms.h"

int test_own_function(int x);

__attribute__((noinline)) int test_own_function(int x)
{
	return x * 3;
}

static __attribute__((noinline)) int own_static(int x)
{
	return x * 5;
}

struct feed {
	struct sink sink;
	struct syms *syms;
};

static int feed_task(struct sink *sink, const struct task_event *t)
{
	return syms_task(((struct feed *)sink)->syms, t);
}

static struct syms *scanned(const struct syms_cfg *cfg, uint32_t pid)
{
	struct feed feed = { .sink = { .task = feed_task }, .syms = new_syms(cfg) };

	assert_int_equal(proc_scan(cfg->proc_root, pid, &feed.sink), 0);
	return feed.syms;
}

/* What was forgotten, as nobody mapped it for a while, is read again, whoever maps it then. */
static void test_forgotten(void **state)
{
	struct syms_cfg cfg = { 0 };
	struct syms *syms = scanned(&cfg, (uint32_t)getpid());
	struct feed feed = { .sink = { .task = feed_task }, .syms = syms };
	uint32_t pid = (uint32_t)getpid();

	(void)state;
	for (int i = 0; i < 3; i++) {
		expect(syms, pid, 0, (uint64_t)(uintptr_t)test_own_function, "test_own_function");
		for (size_t k = 0; k < syms->objects.all.n; k++)
			object_forget(&syms->objects, syms->objects.all.data[k]);
		assert_int_equal(syms->objects.nr_fds, 0);
		if (i == 1)
			assert_int_equal(proc_scan(cfg.proc_root, pid, &feed.sink), 0);
		if (i == 1)
			syms_pin(syms);
		expect(syms, pid, 0, (uint64_t)(uintptr_t)own_static + 2, "own_static");
	}
	syms_free(syms);
}

static void test_self(void **state)
{
	struct syms_cfg cfg = { 0 };
	struct syms *syms = scanned(&cfg, (uint32_t)getpid());
	uint32_t pid = (uint32_t)getpid();
	struct syms_stats stats;
	struct frame f;

	(void)state;
	expect(syms, pid, 0, (uint64_t)(uintptr_t)test_own_function, "test_own_function");
	expect(syms, pid, 0, (uint64_t)(uintptr_t)own_static + 2, "own_static");
	f = resolve(syms, pid, 0, (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version"));
	assert_non_null(strstr(f.name, "gnu_get_libc_version"));
	assert_non_null(strstr(f.obj, "libc"));
	/* Behind the last byte of one function is the next one, unless we are told that it is a caller. */
	assert_int_equal(syms_resolve(syms, pid, 0, (uint64_t)(uintptr_t)test_own_function + 1, false, true, &f, 1), 1);
	assert_string_equal(f.name, "test_own_function");
	assert_int_equal(f.off, 1);
	f = resolve(syms, pid, 0, 0x10);
	assert_string_equal(f.name, "[unknown]");
	assert_int_equal(f.kind, FRAME_UNKNOWN);
	f = resolve(syms, pid, 0, 0xffffffffff600400);
	assert_string_equal(f.name, "[vsyscall]");
	/* Equal names are one pointer. */
	assert_ptr_equal(resolve(syms, pid, 0, (uint64_t)(uintptr_t)own_static + 2).name, syms_intern(syms, "own_static"));
	syms_stats(syms, &stats);
	assert_true(stats.symbols > 100);
	syms_free(syms);
}

static void test_vdso(void **state)
{
	struct syms_cfg cfg = { 0 };
	uint32_t pid = (uint32_t)getpid();
	struct syms *syms = scanned(&cfg, pid);
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *at = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
	struct frame f;

	(void)state;
	if (!at) {
		syms_free(syms);
		skip();
	}
	f = resolve(syms, pid, 0, (uint64_t)(uintptr_t)at);
	assert_string_equal(f.obj, "[vdso]");
	assert_non_null(strstr(f.name, "clock_gettime"));
	syms_free(syms);
}

/* No event told of it: it is looked at when first asked for. */
static void test_unseen_process(void **state)
{
	struct syms_cfg cfg = { 0 }, off = { .offline = true };
	struct syms *syms = new_syms(&cfg);

	(void)state;
	expect(syms, (uint32_t)getpid(), 5, (uint64_t)(uintptr_t)test_own_function, "test_own_function");
	syms_free(syms);
	syms = new_syms(&off);
	expect(syms, (uint32_t)getpid(), 5, (uint64_t)(uintptr_t)test_own_function, "[unknown]");
	syms_free(syms);
}

static const char waiter[] = "#include <stdio.h>\n#include <unistd.h>\n"
			     "__attribute__((noinline)) int WORK(int x) { return x * 7; }\n"
			     "int main(void) { printf(\"%lx\\n\", (unsigned long)WORK); fflush(stdout); pause(); return WORK(1); }\n";

/* Starts path; *ret_at is what it printed. */
static pid_t start(const char *path, uint64_t *ret_at)
{
	char line[64] = "";
	int fds[2];
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	n = read(fds[0], line, sizeof(line) - 1);
	close(fds[0]);
	assert_true(n > 0);
	*ret_at = strtoull(line, NULL, 16);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_makes(void **state)
{
	static const char *const makes[] = { "-O1 -DWORK=work_pie -fpie -pie", "-O1 -DWORK=work_nopie -no-pie -fno-pie",
					     "-O1 -DWORK=work_static -static", "-O1 -DWORK=work_static_pie -static-pie" };
	static const char *const names[] = { "work_pie", "work_nopie", "work_static", "work_static_pie" };
	struct syms_cfg cfg = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct syms *syms;
		struct frame f;
		uint64_t at;
		pid_t pid;

		build("gcc", "w.c", waiter, makes[i], names[i]);
		pid = start(in_scratch(names[i]), &at);
		syms = scanned(&cfg, (uint32_t)pid);
		f = resolve(syms, (uint32_t)pid, 0, at + 1);
		stop(pid);
		assert_string_equal(f.name, names[i]);
		assert_string_equal(f.obj, in_scratch(names[i]));
		assert_int_equal(f.off, 1);
		syms_free(syms);
	}
}

/* The file goes away, or another takes its name, while the process runs; and then the process goes, too. */
static void check_replaced(const char *how, bool pin)
{
	struct syms_cfg cfg = { 0 };
	struct syms *syms;
	uint64_t at;
	pid_t pid;

	build("gcc", "w.c", waiter, "-O1 -DWORK=work_new_name", "new");
	build("gcc", "w.c", waiter, "-O1 -DWORK=work_old", "old");
	pid = start(in_scratch("old"), &at);
	assert_int_equal(run("cd %s && %s", scratch, how), 0);
	syms = scanned(&cfg, (uint32_t)pid);
	if (pin) {
		syms_pin(syms);
		stop(pid);
	}
	expect(syms, (uint32_t)pid, 0, at, "work_old");
	if (!pin)
		stop(pid);
	syms_free(syms);
}

static void test_deleted(void **state)
{
	(void)state;
	check_replaced("rm old", false);
	check_replaced("rm old", true);
}

static void test_replaced(void **state)
{
	(void)state;
	check_replaced("mv new old", false);
	check_replaced("mv new old", true);
}

/* Gone without a pin, and another file has the name now: better no name than a wrong one. */
static void test_not_fooled(void **state)
{
	struct syms_cfg cfg = { 0 };
	struct syms *syms;
	uint64_t at;
	pid_t pid;

	(void)state;
	build("gcc", "w.c", waiter, "-O1 -DWORK=work_new_name", "new");
	build("gcc", "w.c", waiter, "-O1 -DWORK=work_old", "old");
	pid = start(in_scratch("old"), &at);
	syms = scanned(&cfg, (uint32_t)pid);
	stop(pid);
	assert_int_equal(run("cd %s && mv new old", scratch), 0);
	expect(syms, (uint32_t)pid, 0, at, "[old]");
	syms_free(syms);
}

static void test_memfd(void **state)
{
	uint32_t pid = (uint32_t)getpid();
	struct syms_cfg cfg = { 0 };
	uint64_t at, vaddr;
	struct syms *syms;
	char cmd[256];
	int fd;

	(void)state;
	/* A program that exists only in memory. */
	build("gcc", "w.c", waiter, "-O1 -DWORK=work_in_memory -no-pie", "inmem");
	vaddr = nm_value("", in_scratch("inmem"), "work_in_memory");
	fd = memfd_create("hidden", 0);
	assert_true(fd >= 0);
	snprintf(cmd, sizeof(cmd), "cat %s > /proc/%d/fd/%d", in_scratch("inmem"), getpid(), fd);
	assert_int_equal(system(cmd), 0);
	snprintf(cmd, sizeof(cmd), "/proc/%d/fd/%d", getpid(), fd);
	pid = (uint32_t)start(cmd, &at);
	assert_int_equal(at, vaddr);
	syms = scanned(&cfg, pid);
	expect(syms, pid, 0, at, "work_in_memory");
	stop((pid_t)pid);
	syms_free(syms);
	close(fd);
}

static void test_jit_file(void **state)
{
	char path[64];
	struct syms_cfg cfg = { 0 };
	uint32_t pid = (uint32_t)getpid();
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct syms *syms;
	struct frame f;
	FILE *file;

	(void)state;
	assert_ptr_not_equal(code, MAP_FAILED);
	syms = scanned(&cfg, pid);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%lx 40 jitted one\n", (unsigned long)(uintptr_t)code);
	fclose(file);
	f = resolve(syms, pid, 0, (uint64_t)(uintptr_t)code + 3);
	unlink(path);
	munmap(code, 4096);
	assert_string_equal(f.name, "jitted one");
	assert_string_equal(f.obj, path);
	assert_int_equal(f.kind, FRAME_JIT);
	syms_free(syms);
}

/* Mappings of code as text. */
struct listed {
	struct sink sink;
	FILE *out;
};

static int list_task(struct sink *sink, const struct task_event *t)
{
	fprintf(((struct listed *)sink)->out, "%d %u %u %lx %lx %lx %x %x %x %x %lx %s\n", t->what, t->pid, t->tid, t->addr, t->len, t->pgoff, t->prot, t->flags,
		t->maj, t->min, t->ino, t->path);
	return 0;
}

static char *listed_maps(const char *root)
{
	char *text;
	size_t n;
	struct listed l = { { .task = list_task }, open_memstream(&text, &n) };

	assert_non_null(l.out);
	assert_int_equal(proc_scan_maps(root, (uint32_t)getpid(), &l.sink), 0);
	assert_int_equal(fclose(l.out), 0);
	return text;
}

/* What the kernel is asked for, where it can be, is what it has as text, which is read of another root. */
static void test_queried_maps(void **state)
{
	static const char name[] = "maps of\ntwo lines";
	int fd = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
	char *asked, *text;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 8192), 0);
	assert_ptr_not_equal(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 4096), MAP_FAILED);
	assert_ptr_not_equal(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0), MAP_FAILED);
	assert_ptr_not_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), MAP_FAILED);
	assert_ptr_not_equal(mmap(NULL, 4096, PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0), MAP_FAILED);
	unlink(name);
	asked = listed_maps(NULL);
	text = listed_maps("/proc");
	assert_non_null(strstr(asked, "maps of"));
	assert_non_null(strstr(asked, "//anon"));
	assert_string_equal(asked, text);
	free(asked);
	free(text);
	close(fd);
}

static void test_roots(void **state)
{
	static const char *const yes[] = { "_start", "clone", "clone3", "__clone3", "start_thread",
					   "__libc_start_main", "__libc_start_main_impl", "__libc_start_main@@GLIBC_2.34",
					   "__libc_start_call_main", "_dl_start_user", "runtime.goexit.abi0",
					   "runtime.rt0_go.abi0", "runtime.mstart", "_rt0_amd64_linux", "thread_start" };
	static const char *const no[] = { "main", "runtime.goexit0", "runtime.mstart1", "clone_range", "[unknown]", "start", "cloned" };

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_true(symbol_is_root(yes[i]));
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_false(symbol_is_root(no[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forgotten), cmocka_unit_test(test_self),	     cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_unseen_process), cmocka_unit_test(test_makes),
		cmocka_unit_test(test_deleted),	     cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_not_fooled),   cmocka_unit_test(test_memfd),
		cmocka_unit_test(test_jit_file),     cmocka_unit_test(test_roots),
		cmocka_unit_test(test_queried_maps),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
