/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does the kernel take system calls of 32-bit programs? */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
static void no_compat(int sig)
{
	(void)sig;
	_exit(1);
}

/* A kernel without IA32_EMULATION kills who tries: let a child make the call. */
static inline int compat_works(void (*call)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGSEGV, no_compat);
		call();
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && !status;
}
#else
static inline int compat_works(void (*call)(void))
{
	(void)call;
	return 0;
}
#endif
