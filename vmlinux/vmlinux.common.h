/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel types that skep's BPF programs touch, and of those only the fields they touch. Offsets
 * are relocated at load time against the running kernel's BTF (preserve_access_index), so order and
 * padding here mean nothing, and one file serves both architectures. A field that a kernel lacks fails the load there.
 */
#ifndef SKEP_VMLINUX_COMMON_H
#define SKEP_VMLINUX_COMMON_H

#include <linux/bpf.h>
#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct perf_event {
	struct {
		__u64 config;
	} attr;
	__u64 id;
};

/* What a perf_event program's context really is: include/linux/perf_event.h. */
struct bpf_perf_event_data_kern {
	void *regs;
	void *data;
	struct perf_event *event;
};

struct pid_namespace;

/* A number of a task in one PID namespace. */
struct upid {
	int nr;
	struct pid_namespace *ns;
};

/* numbers[0..level]: from the initial namespace to the one that the task was born in. */
struct pid {
	unsigned int level;
	struct {
		void *first;
	} tasks[1]; /* PIDTYPE_PID: empty once the task has been reaped */
	struct upid numbers[1];
};

struct thread_info {
	unsigned long flags;
#ifdef __TARGET_ARCH_x86
	__u32 status;
#endif
};

/* A flavour: user space has a pt_regs of its own. */
struct pt_regs___kernel {
#ifdef __TARGET_ARCH_x86
	unsigned long orig_ax, bx, cx, dx, si, di, bp, r8, r9, r10, r11, ip, cs, flags, sp;
#else
	__u64 regs[31];
	__u64 sp;
	__u64 pstate;
	int syscallno;
#endif
};

typedef struct {
	__u32 val;
} kuid_t;

struct cred {
	kuid_t uid;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct rq {
	__u64 clock;
};

struct cfs_rq {
	struct rq *rq; /* with CONFIG_FAIR_GROUP_SCHED */
};

struct sched_entity {
	__u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq; /* likewise */
};

struct sched_info {
	unsigned long long run_delay;
	unsigned long long last_arrival;
	unsigned long long last_queued;
};

struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state { /* without CONFIG_UPROBES it is empty */
	struct xol_area *xol_area;
};

struct mm_struct {
	unsigned long start_brk, brk, start_stack;
	unsigned long arg_start, arg_end, env_end;
	unsigned long task_size;
	struct uprobes_state uprobes_state;
};

struct return_instance {
	unsigned long stack;
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe_task {
	unsigned int depth;
	unsigned long vaddr;
	unsigned long xol_vaddr;
	struct return_instance *return_instances;
};

struct k_sigaction___kernel {
	struct {
		void *sa_handler;
	} sa;
};

struct sighand_struct {
	struct k_sigaction___kernel action[64];
};

struct task_struct {
	struct thread_info thread_info;
	struct sched_entity se;
	struct sched_info sched_info; /* with CONFIG_SCHED_INFO */
	unsigned int __state; /* 5.14 */
	int on_cpu;
	const struct cred *cred;
	struct css_set *cgroups;
	unsigned int flags;
	int exit_code;
	int pid;
	int tgid;
	__u64 self_exec_id;
	struct pid *thread_pid;
	struct task_struct *group_leader;
	void *stack;
	struct mm_struct *mm;
	struct sighand_struct *sighand;
	struct files_struct *files;
	struct fs_struct *fs;
	struct {
		unsigned long sig[1];
	} blocked;
	unsigned int in_execve : 1;
	struct uprobe_task *utask; /* with CONFIG_UPROBES */
	__u64 start_time;
	__u64 start_boottime; /* 5.5 */
	char comm[16];
};

/* Before 5.14, 2f064a59a11f "sched: Change task_struct::state". */
struct task_struct___old {
	volatile long state;
};

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

typedef struct {
	__s64 counter;
} atomic64_t;

struct in6_addr___kernel {
	__u32 words[4];
};

struct proto {
	char name[32];
};

struct sock_common {
	__be32 skc_daddr, skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	struct in6_addr___kernel skc_v6_daddr, skc_v6_rcv_saddr;
	unsigned long skc_flags;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	struct proto *skc_prot;
	possible_net_t skc_net;
	atomic64_t skc_cookie;
};

struct sock {
	struct sock_common __sk_common;
	__u8 sk_kern_sock : 1;
	int sk_err;
	__u16 sk_protocol;
	struct socket *sk_socket;
};

struct sockaddr_un___kernel {
	char sun_path[108];
};

struct unix_address {
	int len; /* with the family, which has two bytes */
	struct sockaddr_un___kernel name[0];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

struct netlink_sock {
	__u32 portid;
};

/* A flavour: linux/tcp.h may have one of user space's */
struct tcp_sock___kernel {
	__u64 bytes_received;
	__u64 bytes_acked;
	__u32 snd_una, snd_nxt, write_seq;
	__u32 segs_in;
	__u32 total_retrans;
	__u32 srtt_us; /* times 8 */
};

struct socket {
	struct sock *sk;
};

struct sk_buff {
	struct sock *sk;
	__be16 protocol;
	unsigned int len;
};

struct super_block {
	unsigned long s_magic;
};

struct inode {
	unsigned short i_mode;
	unsigned long i_ino;
	__u32 i_rdev;
	struct super_block *i_sb;
	void *i_private;
};

/* A socket's inode is behind it: include/net/sock.h. */
struct socket_alloc {
	struct socket socket;
	struct inode vfs_inode;
};

struct qstr {
	__u32 len;
	const unsigned char *name;
};

struct hlist_bl_node___kernel {
	void **pprev;
};

struct dentry {
	struct hlist_bl_node___kernel d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

/* fs/mount.h */
struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path___kernel {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct inode *f_inode;
	struct path___kernel f_path;
	void *private_data;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_flags, vm_pgoff;
	struct file *vm_file;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct fs_struct {
	struct path___kernel pwd;
};

/* x86 from 6.2 to 6.14: 64701838bf05 "x86/percpu: Move preempt_count next to current_task" */
struct pcpu_hot {
	int preempt_count;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

/* Context of iter/task; task is NULL once behind the last. */
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;
};

struct kernel_clone_args {
	unsigned int io_thread; /* a bit field; asked for, not read */
	unsigned int user_worker;
};

struct io_uring_sqe;

struct io_ring_ctx {
	unsigned int flags;
	__u32 *sq_array;
	struct io_uring_sqe *sq_sqes;
	unsigned int cached_sq_head, sq_entries;
};

/* Before 5.12, 37d1e2e3642e "io_uring: move SQPOLL thread io-wq forked worker": a thread of the kernel submits for this task. */
struct io_ring_ctx___old {
	struct task_struct *sqo_task;
};

struct io_cqe {
	__u64 user_data;
};

struct io_uring_task {
	struct task_struct *task;
};

struct io_kiocb {
	__u8 opcode;
	struct io_cqe cqe; /* 5.19 */
	struct io_ring_ctx *ctx;
	struct io_uring_task *tctx; /* 6.13 */
};

struct io_kiocb___old {
	__u64 user_data;
	struct task_struct *task;
};

#pragma clang attribute pop

/* include/linux/sched.h */
#define PF_IO_WORKER 0x00000010
#define PF_USER_WORKER 0x00004000
#define PF_KTHREAD 0x00200000

#endif
