/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uring SECONDS: has the kernel make a thread of this process that runs no code of it (io_uring's, for submissions), which sleeps
 * with nothing to do. Prints the names of its threads. Exits 1 where the kernel makes none.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

int main(int argc, char **argv)
{
	struct dirent *d;
	struct io_uring_params params = { .flags = IORING_SETUP_SQPOLL, .sq_thread_idle = 1 /* ms */ };

	if (syscall(SYS_io_uring_setup, 4, &params) < 0)
		return 1;
	for (DIR *dir = opendir("/proc/self/task"); dir && (d = readdir(dir));) {
		char path[300], name[32] = "";
		int fd;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", d->d_name);
		fd = *d->d_name == '.' ? -1 : open(path, O_RDONLY);
		if (fd >= 0 && read(fd, name, sizeof(name) - 1) > 0)
			printf("%s", name);
		if (fd >= 0)
			close(fd);
	}
	fflush(stdout);
	usleep((argc > 1 ? atof(argv[1]) : 1) * 1e6);
	return 0;
}
