/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Output files: temporary, then renamed. */
#include "util/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/num.h"

#define STREAM_BYTES (256u << 10)

static void give_to_invoker(int fd)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	uint64_t uid, gid;

	if (geteuid() || !uid_text || !gid_text || num_u64(uid_text, UINT32_MAX - 1, &uid) ||
	    num_u64(gid_text, UINT32_MAX - 1, &gid))
		return;
	if (fchown(fd, uid, gid))
		return; /* the file is whole either way */
}

static int open_fd(struct outfile *o, const char *path)
{
	struct stat st;
	size_t size;
	int fd;

	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		if (!S_ISREG(st.st_mode)) {
			fd = open(path, O_WRONLY | O_CLOEXEC);
			return fd < 0 ? -errno : fd;
		}
		if (access(path, W_OK))
			return -errno;
	}
	size = strlen(path) + 32;
	o->temp = malloc(size);
	if (!o->temp)
		return -ENOMEM;
	snprintf(o->temp, size, "%s.%d.tmp", path, (int)getpid());
	fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0) {
		fd = -errno;
		free(o->temp);
		o->temp = NULL;
		return fd;
	}
	give_to_invoker(fd);
	return fd;
}

int outfile_open(struct outfile *o, const char *path, struct err *err)
{
	int fd;

	*o = (struct outfile){ .path = path };
	if (!strcmp(path, "-")) {
		o->stream = stdout;
		return 0;
	}
	fd = open_fd(o, path);
	if (fd < 0)
		return err_set(err, fd, "cannot write '%s': %s", path, strerror(-fd));
	o->stream = fdopen(fd, "w");
	if (!o->stream) {
		close(fd);
		outfile_abort(o);
		return err_set(err, -ENOMEM, "cannot write '%s': out of memory", path);
	}
	setvbuf(o->stream, NULL, _IOFBF, STREAM_BYTES);
	return 0;
}

int64_t outfile_commit(struct outfile *o, struct err *err)
{
	bool bad;
	int64_t bytes;
	int ret = 0;

	errno = 0;
	bad = fflush(o->stream) || ferror(o->stream);
	if (bad)
		ret = errno ? -errno : -EIO;
	bytes = ftello(o->stream);
	if (o->stream != stdout && fclose(o->stream) && !ret)
		ret = -errno;
	o->stream = NULL;
	if (!ret && o->temp && rename(o->temp, o->path))
		ret = -errno;
	if (ret) {
		outfile_abort(o);
		return err_set(err, ret, "cannot write '%s': %s", o->path, strerror(-ret));
	}
	free(o->temp);
	o->temp = NULL;
	return bytes > 0 ? bytes : 0;
}

void outfile_abort(struct outfile *o)
{
	if (o->stream && o->stream != stdout)
		fclose(o->stream);
	o->stream = NULL;
	if (o->temp) {
		unlink(o->temp);
		free(o->temp);
		o->temp = NULL;
	}
}
