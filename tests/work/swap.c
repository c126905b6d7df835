/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* swap A B SECONDS: exchanges the names of two files as fast as it can. A is a fifo, which it keeps open and empties, so that nobody waits for a reader. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	time_t end = argc == 4 ? time(NULL) + atoi(argv[3]) : 0;
	int fifo = argc == 4 ? open(argv[1], O_RDWR | O_NONBLOCK) : -1;
	unsigned long swaps = 0;
	char bytes[4096];

	if (fifo < 0) {
		fprintf(stderr, "usage: swap FIFO FILE SECONDS\n");
		return 2;
	}
	while (time(NULL) < end && !renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE))
		if (++swaps % 64 == 0 && read(fifo, bytes, sizeof(bytes)) == 0)
			break;
	printf("swaps %lu\n", swaps);
	return 0;
}
