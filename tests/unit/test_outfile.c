/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Output files: nothing is left of one that was given up, first errors are kept, sudo's user owns it. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/invoker.h"
#include "util/outfile.h"

static bool no_tmpfile;

/* In the place of libc's: a file system that knows no O_TMPFILE. */
int open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if (no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static char dir[] = "/tmp/test_outfile.XXXXXX";

static int files(void)
{
	char cmd[128];
	int n;
	FILE *p;

	snprintf(cmd, sizeof(cmd), "ls -A %s | wc -l", dir);
	p = popen(cmd, "r");
	assert_non_null(p);
	assert_int_equal(fscanf(p, "%d", &n), 1);
	pclose(p);
	return n;
}

static void expect_text(const char *path, const char *want)
{
	char got[64] = "";
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	assert_non_null(fgets(got, sizeof(got), f));
	fclose(f);
	assert_string_equal(got, want);
}

static bool term_blocked(void)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGTERM);
}

static void life(void)
{
	struct err err = { 0 };
	struct outfile o;
	char path[64];

	snprintf(path, sizeof(path), "%s/a", dir);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(outfile_open(&o, path, &err), 0);
		assert_int_equal(files(), i + no_tmpfile);
		assert_int_equal(term_blocked(), no_tmpfile);
		fprintf(o.stream, "text %d", i);
		assert_int_equal(outfile_commit(&o, &err), 6);
		outfile_abort(&o);
		assert_int_equal(files(), 1);
		assert_false(term_blocked());
		expect_text(path, i ? "text 1" : "text 0");
	}
	assert_int_equal(outfile_open(&o, path, &err), 0);
	fprintf(o.stream, "given up");
	outfile_abort(&o);
	assert_int_equal(files(), 1);
	assert_false(term_blocked());
	expect_text(path, "text 1");
	unlink(path);
}

static void test_unnamed(void **state)
{
	(void)state;
	no_tmpfile = false;
	life();
}

static void test_named(void **state)
{
	(void)state;
	no_tmpfile = true;
	life();
	no_tmpfile = false;
}

/* SIGTERM in the middle; with a temporary name it waits for the end. */
static void test_signal(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	for (int i = 0; i < 2; i++) {
		no_tmpfile = i;
		pid = fork();
		if (!pid) {
			struct err err = { 0 };
			struct outfile o;
			char path[64];

			snprintf(path, sizeof(path), "%s/b", dir);
			if (outfile_open(&o, path, &err))
				_exit(1);
			raise(SIGTERM);
			outfile_abort(&o);
			_exit(2);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
		assert_int_equal(files(), 0);
	}
	no_tmpfile = false;
}

/* Far more than any buffer, so that the write that fails is not the last. */
static void write_much(FILE *f)
{
	for (int i = 0; i < 1 << 20; i++)
		fputs("eight by", f);
}

static void test_first_error(void **state)
{
	struct err err = { 0 };
	struct outfile o;
	char path[64];
	int p[2];

	(void)state;
	assert_int_equal(outfile_open(&o, "/dev/full", &err), 0);
	write_much(o.stream);
	assert_int_equal(outfile_commit(&o, &err), -ENOSPC);
	assert_string_equal(err.text, "cannot write '/dev/full': No space left on device");
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(p), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", p[1]);
	assert_int_equal(outfile_open(&o, path, &err), 0);
	close(p[0]);
	write_much(o.stream);
	assert_int_equal(outfile_commit(&o, &err), -EPIPE);
	assert_string_equal(err.text, "");
	close(p[1]);
}

static void test_same_file(void **state)
{
	char a[64], b[64];

	(void)state;
	snprintf(a, sizeof(a), "%s/same", dir);
	snprintf(b, sizeof(b), "%s/link", dir);
	assert_false(same_file(a, a));
	close(open(a, O_WRONLY | O_CREAT, 0600));
	assert_int_equal(symlink("same", b), 0);
	assert_true(same_file(a, b));
	assert_false(same_file(a, "/dev/null"));
	unlink(a);
	unlink(b);
}

static void test_invoker(void **state)
{
	struct invoker who;

	(void)state;
	if (geteuid())
		skip();
	unsetenv("SUDO_UID");
	unsetenv("SUDO_USER");
	setenv("SUDO_GID", "7", 1);
	assert_int_equal(invoker_get(&who), -EINVAL);
	setenv("SUDO_UID", "0", 1);
	assert_int_equal(invoker_get(&who), -ENOENT);
	setenv("SUDO_UID", "12x", 1);
	assert_int_equal(invoker_get(&who), -EINVAL);
	setenv("SUDO_UID", "4294967295", 1);
	assert_int_equal(invoker_get(&who), -EINVAL);
	setenv("SUDO_UID", "6", 1);
	assert_int_equal(invoker_get(&who), 0);
	assert_int_equal(who.uid, 6);
	assert_int_equal(who.gid, 7);
	assert_null(who.user);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unnamed),	    cmocka_unit_test(test_named),     cmocka_unit_test(test_signal),
		cmocka_unit_test(test_first_error), cmocka_unit_test(test_same_file), cmocka_unit_test(test_invoker),
	};
	int failed;

	if (!mkdtemp(dir))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(dir);
	return failed;
}
