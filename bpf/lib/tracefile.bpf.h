/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Open files of the current process: their paths, as d_path() makes them (fs/d_path.c), and what sockets are connected to. */
#ifndef SKEP_TRACEFILE_BPF_H
#define SKEP_TRACEFILE_BPF_H

#include "lib/pidns.bpf.h"
#include "lib/tracematch.bpf.h"
#include "lib/tracerecord.bpf.h"

const volatile __u32 cfg_show_files = 1; /* else they are only looked at */

#define NAME_MAX_BYTES 255 /* include/uapi/linux/limits.h: NAME_MAX */
#define PATH_NAMES_MAX 64
#define AT_CWD (-100)	   /* include/uapi/linux/fcntl.h: AT_FDCWD */
#define SOCKET_FILES 0x534f434b /* include/uapi/linux/magic.h: SOCKFS_MAGIC */
#define ANON_INODE_FILES 0x09041934 /* ANON_INODE_FS_MAGIC */
#define PIDFD_FILES 0x50494446 /* PID_FS_MAGIC: from 6.9 on, b28ddcc32d8f "pidfs: convert to path_from_stashed() helper" */
#define PIDFD_NAME 0x5d64666469705bull /* "[pidfd]", before that */
#define FAMILY_UNIX 1
#define FAMILY_INET 2
#define FAMILY_INET6 10
#define FAMILY_NETLINK 16
#define FILE_BYTES ((__u32)sizeof(struct trace_file))
#define UNIX_PATH_BYTES 108

/* What is being read; the path grows from its end to its begin. */
struct file_read {
	__u64 dentry, mount; /* mount: a struct vfsmount */
	__u32 begin, names;
	struct trace_file file;
	char path[TRACE_PATH_MAX + NAME_MAX_BYTES + 1];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct file_read);
} file_reads SEC(".maps");

static __always_inline struct file_read *file_read_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&file_reads, &zero);
}

/* Puts the name of r->dentry in front of the path and goes to its parent. Returns whether there may be more. */
__noinline int read_name(void)
{
	struct file_read *r = file_read_get();
	const struct dentry *dentry, *parent;
	const struct vfsmount *mount;
	__u32 n, at;

	if (!r)
		return 0;
	dentry = (void *)r->dentry;
	mount = (void *)r->mount;
	if (dentry == BPF_CORE_READ(mount, mnt_root)) {
		const struct mount *m = (void *)mount - bpf_core_field_offset(struct mount, mnt), *outer = BPF_CORE_READ(m, mnt_parent);

		if (outer == m)
			return 0;
		r->dentry = (__u64)BPF_CORE_READ(m, mnt_mountpoint);
		r->mount = (__u64)outer + bpf_core_field_offset(struct mount, mnt);
		return 1;
	}
	parent = BPF_CORE_READ(dentry, d_parent);
	n = BPF_CORE_READ(dentry, d_name.len);
	at = r->begin;
	if (parent == dentry || n > NAME_MAX_BYTES)
		return 0;
	if (at < n + 1 || at > TRACE_PATH_MAX) {
		r->file.flags |= TRACE_FILE_CUT;
		return 0;
	}
	at = (at - n - 1) & (TRACE_PATH_MAX - 1);
	asm volatile("" : "+r"(n));
	n &= NAME_MAX_BYTES;
	r->path[at] = '/';
	if (bpf_probe_read_kernel(r->path + at + 1, n, BPF_CORE_READ(dentry, d_name.name)))
		return 0;
	r->begin = at;
	r->dentry = (__u64)parent;
	return 1;
}

/*
 * The byte behind the path stays 0: it is never written. A file without a place in a tree, which has a root of its own, has a name that
 * its file system makes; the entry of it is a part of that.
 */
static __always_inline void read_path(struct file_read *r)
{
	const struct dentry *dentry = (void *)r->dentry;
	const struct vfsmount *mount = (void *)r->mount;
	__u32 i;

	r->begin = TRACE_PATH_MAX - 1;
	if (BPF_CORE_READ(dentry, d_parent) == dentry && dentry != BPF_CORE_READ(mount, mnt_root)) {
		__u32 n = BPF_CORE_READ(dentry, d_name.len);

		r->file.flags |= TRACE_FILE_UNNAMED;
		asm volatile("" : "+r"(n));
		if (n > NAME_MAX_BYTES)
			return;
		r->begin = TRACE_PATH_MAX - 1 - n;
		bpf_probe_read_kernel(r->path + r->begin, n, BPF_CORE_READ(dentry, d_name.name));
		return;
	}
	if (!BPF_CORE_READ(dentry, d_hash.pprev) && BPF_CORE_READ(dentry, d_parent) != dentry)
		r->file.flags |= TRACE_FILE_DELETED;
	for (i = 0; i < PATH_NAMES_MAX; i++)
		if (!read_name())
			break;
	if (i == PATH_NAMES_MAX)
		r->file.flags |= TRACE_FILE_CUT;
}

static __always_inline __u64 socket_inode(const struct socket *socket)
{
	const struct socket_alloc *both = (void *)socket - bpf_core_field_offset(struct socket_alloc, socket);

	return socket ? BPF_CORE_READ(both, vfs_inode.i_ino) : 0;
}

static __always_inline void read_unix(struct file_read *r, const struct sock *sk)
{
	const struct unix_sock *u = (void *)sk;
	const struct unix_address *addr = BPF_CORE_READ(u, addr);
	const struct sock *peer = BPF_CORE_READ(u, peer);
	__s32 n;

	if (peer)
		r->file.peer = socket_inode(BPF_CORE_READ(peer, sk_socket));
	if (!addr)
		return;
	n = BPF_CORE_READ(addr, len) - (__s32)sizeof(__u16);
	if (n <= 0 || n > UNIX_PATH_BYTES)
		return;
	r->file.path_bytes = n;
	bpf_probe_read_kernel(r->path + TRACE_PROTOCOL_BYTES, UNIX_PATH_BYTES, &addr->name[0].sun_path);
}

/* The text: the protocol's name, at r->path, and the path behind it. */
__noinline int read_socket(void)
{
	struct file_read *r = file_read_get();
	const struct socket *socket;
	const struct sock *sk;

	if (!r)
		return 0;
	socket = (void *)r->dentry;
	sk = BPF_CORE_READ(socket, sk);
	__builtin_memset(r->path, 0, TRACE_PROTOCOL_BYTES + UNIX_PATH_BYTES);
	if (!sk)
		return 0;
	r->file.family = BPF_CORE_READ(sk, __sk_common.skc_family);
	r->file.protocol = BPF_CORE_READ(sk, sk_protocol);
	BPF_CORE_READ_STR_INTO(&r->path, sk, __sk_common.skc_prot, name);
	switch (r->file.family) {
	case FAMILY_UNIX:
		read_unix(r, sk);
		break;
	case FAMILY_NETLINK:
		r->file.id = BPF_CORE_READ((struct netlink_sock *)sk, portid);
		break;
	case FAMILY_INET: case FAMILY_INET6:
		r->file.ports[0] = BPF_CORE_READ(sk, __sk_common.skc_num);
		r->file.ports[1] = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));
		if (r->file.family == FAMILY_INET) {
			r->file.addresses[0][0] = BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr);
			r->file.addresses[1][0] = BPF_CORE_READ(sk, __sk_common.skc_daddr);
		} else {
			BPF_CORE_READ_INTO(&r->file.addresses[0], sk, __sk_common.skc_v6_rcv_saddr);
			BPF_CORE_READ_INTO(&r->file.addresses[1], sk, __sk_common.skc_v6_daddr);
		}
		break;
	}
	return TRACE_PROTOCOL_BYTES + UNIX_PATH_BYTES;
}

/* Of which process a file is a descriptor, after its name has been read. */
static __always_inline void read_pidfd(struct file_read *r, const struct inode *inode, const struct file *file)
{
	__u32 begin = r->begin;
	__u64 name = 0;
	struct pid *pid;

	if (r->file.file_system == PIDFD_FILES) {
		pid = BPF_CORE_READ(inode, i_private);
	} else if (r->file.file_system == ANON_INODE_FILES && begin < TRACE_PATH_MAX) {
		asm volatile("" : "+r"(begin));
		begin &= TRACE_PATH_MAX - 1;
		bpf_probe_read_kernel(&name, sizeof(name), r->path + begin);
		if (name != PIDFD_NAME)
			return;
		pid = BPF_CORE_READ(file, private_data);
	} else {
		return;
	}
	if (!BPF_CORE_READ(pid, tasks[0].first))
		return;
	r->file.id = cfg_pidns_level ? pidns_number_of(pid, cfg_pidns_level, (void *)cfg_pidns) : BPF_CORE_READ(pidns_slot(pid, 0), nr);
	r->file.flags |= TRACE_FILE_PIDFD;
}

/* What r->dentry and r->mount say; file: NULL of a directory without one. Returns how many bytes of text there are from r->begin on. */
static __always_inline __u32 read_dentry(struct file_read *r, const struct inode *inode, const struct file *file)
{
	r->file.inode = BPF_CORE_READ(inode, i_ino);
	r->file.mode = BPF_CORE_READ(inode, i_mode);
	r->file.device = BPF_CORE_READ(inode, i_rdev);
	r->file.file_system = BPF_CORE_READ(inode, i_sb, s_magic);
	if (r->file.file_system == SOCKET_FILES && file) {
		r->begin = 0;
		r->dentry = (__u64)BPF_CORE_READ(file, private_data);
		return read_socket();
	}
	read_path(r);
	if (file)
		read_pidfd(r, inode, file);
	return TRACE_PATH_MAX - r->begin;
}

static __always_inline const struct file *file_of(struct task_struct *current, __u32 fd)
{
	const struct fdtable *table = BPF_CORE_READ(current, files, fdt);
	const struct file *file = NULL;

	if (table && fd < BPF_CORE_READ(table, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(table, fd) + fd);
	return file;
}

/* Adds a piece with a file, whose text has n bytes from r->begin on, at a place of the data. is_matched: calls are selected by its path. */
static __always_inline void add_file(struct page *p, struct file_read *r, __u32 at, __u32 n, __u64 as, int is_matched)
{
	__u32 begin = r->begin;

	asm volatile("" : "+r"(n), "+r"(begin));
	begin &= TRACE_PATH_MAX - 1;
	if (n > TRACE_PATH_MAX || at >= TRACE_DATA_MAX)
		return;
	*(struct trace_file *)(p->data + at + PIECE_BYTES) = r->file;
	if (begin + n > sizeof(r->path))
		return;
	bpf_probe_read_kernel(p->data + at + PIECE_BYTES + FILE_BYTES, n, r->path + begin);
	if (is_matched && !(r->file.flags & TRACE_FILE_UNNAMED) && r->file.file_system != SOCKET_FILES)
		match_path(p, at + PIECE_BYTES + FILE_BYTES);
	if (!is_matched || cfg_show_files)
		piece_end(p, at, as, FILE_BYTES + n, 0);
}

/* Adds a piece with the file of a descriptor. A descriptor that is not open has none. is_matched: calls are selected by it. */
__noinline int read_file(__u32 fd, int is_matched)
{
	struct task_struct *current = (void *)bpf_get_current_task();
	struct file_read *r = file_read_get();
	struct page *p = page_get();
	const struct inode *inode;
	const struct file *file = NULL;
	__u32 at, n;

	if (!p || !r)
		return 0;
	if (is_matched)
		match_fd(p, fd);
	at = piece_begin(p);
	if (!cfg_show_files && (!is_matched || !(cfg_select & TRACE_BY_PATH) || p->is_match))
		return 0;
	if (at >= TRACE_DATA_MAX)
		return 0;
	__builtin_memset(&r->file, 0, sizeof(r->file));
	if ((__s32)fd == AT_CWD) {
		const struct dentry *dentry = BPF_CORE_READ(current, fs, pwd.dentry);

		inode = BPF_CORE_READ(dentry, d_inode);
		r->dentry = (__u64)dentry;
		r->mount = (__u64)BPF_CORE_READ(current, fs, pwd.mnt);
	} else {
		file = file_of(current, fd);
		if (!file)
			return 0;
		inode = BPF_CORE_READ(file, f_inode);
		r->dentry = (__u64)BPF_CORE_READ(file, f_path.dentry);
		r->mount = (__u64)BPF_CORE_READ(file, f_path.mnt);
	}
	n = read_dentry(r, inode, file);
	add_file(p, r, at, n, TRACE_FILE_AT(fd), is_matched);
	return 0;
}

#endif
