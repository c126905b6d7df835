/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* System V IPC, and message queues. */
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "calls/decode.h"

#ifndef IPC_64
#define IPC_64 0x100u /* structures of this kernel, not of the first ones */
#endif

/* shmget(): what is made, and its mode */
void print_ipc_flags(struct decode *d, unsigned i)
{
	uint32_t flags = d->e->args[i];

	if (flags & ~0777u) {
		put_flags(d, &names_ipc_flags, flags & ~0777u);
		out_char(d->o, '|');
	}
	out_octal(d->o, flags & 0777, 2);
}

void print_ipc_key(struct decode *d, unsigned i)
{
	uint32_t key = d->e->args[i];

	if (key || d->style->names != NAMES_ABBREV)
		out_hex(d->o, key);
	if (!key && d->style->names != NAMES_RAW)
		out_text(d->o, d->style->names == NAMES_VERBOSE ? " /* IPC_PRIVATE */" : "IPC_PRIVATE");
}

/* Of one kind of object, without IPC_64. */
static void put_command(struct decode *d, const struct names *names, uint32_t command)
{
	if (command & IPC_64)
		out_text(d->o, "IPC_64|");
	put_one(d, names, command & ~IPC_64);
}

/* struct ipc64_perm (include/uapi/asm-generic/ipcbuf.h); is_set: what IPC_SET takes of it */
static bool put_permissions(struct decode *d, uint64_t addr, bool is_set)
{
	struct ipc_perm p;

	if (!memory_get(d, addr, &p, sizeof(p)))
		return false;
	out_text(d->o, "uid=");
	put_id(d, p.uid);
	out_text(d->o, ", gid=");
	put_id(d, p.gid);
	out_text(d->o, ", mode=");
	out_octal(d->o, p.mode, 2);
	if (!is_set) {
		out_form(d->o, ", key=%u, cuid=", (uint32_t)p.__key);
		put_id(d, p.cuid);
		out_text(d->o, ", cgid=");
		put_id(d, p.cgid);
	}
	out_char(d->o, '}');
	return true;
}

static bool put_queue(struct decode *d, uint64_t addr, bool is_set)
{
	struct msqid_ds q;

	if (!memory_get(d, addr, &q, sizeof(q)))
		return false;
	out_text(d->o, "{msg_perm={");
	put_permissions(d, addr, is_set);
	if (!is_set)
		out_form(d->o, ", msg_stime=%lu, msg_rtime=%lu, msg_ctime=%lu, msg_qnum=%lu", (unsigned long)q.msg_stime,
			 (unsigned long)q.msg_rtime, (unsigned long)q.msg_ctime, (unsigned long)q.msg_qnum);
	out_form(d->o, ", msg_qbytes=%lu", (unsigned long)q.msg_qbytes);
	if (!is_set)
		out_form(d->o, ", msg_lspid=%d, msg_lrpid=%d", q.msg_lspid, q.msg_lrpid);
	out_char(d->o, '}');
	return true;
}

static bool put_semaphores(struct decode *d, uint64_t addr, bool is_set)
{
	struct semid_ds s;

	if (!memory_get(d, addr, &s, sizeof(s)))
		return false;
	out_text(d->o, "{sem_perm={");
	put_permissions(d, addr, is_set);
	if (!is_set)
		out_form(d->o, ", sem_otime=%lu, sem_ctime=%lu, sem_nsems=%lu", (unsigned long)s.sem_otime, (unsigned long)s.sem_ctime,
			 (unsigned long)s.sem_nsems);
	out_char(d->o, '}');
	return true;
}

static bool put_segment(struct decode *d, uint64_t addr, bool is_set)
{
	struct shmid_ds s;

	if (!memory_get(d, addr, &s, sizeof(s)))
		return false;
	out_text(d->o, "{shm_perm={");
	put_permissions(d, addr, is_set);
	if (!is_set)
		out_form(d->o, ", shm_segsz=%zu, shm_cpid=%d, shm_lpid=%d, shm_nattch=%lu, shm_atime=%lu, shm_dtime=%lu, shm_ctime=%lu",
			 s.shm_segsz, s.shm_cpid, s.shm_lpid, (unsigned long)s.shm_nattch, (unsigned long)s.shm_atime,
			 (unsigned long)s.shm_dtime, (unsigned long)s.shm_ctime);
	out_char(d->o, '}');
	return true;
}

/* Limits and sums of the system: struct msginfo, struct seminfo */
static bool put_numbers(struct decode *d, uint64_t addr, const char *const *names, unsigned n)
{
	int32_t values[10];

	if (n > sizeof(values) / sizeof(*values) || !memory_get(d, addr, values, n * sizeof(*values)))
		return false;
	for (unsigned i = 0; i < n; i++)
		out_form(d->o, "%s%s=%d", i ? ", " : "{", names[i], values[i]);
	return true;
}

static bool put_queue_limits(struct decode *d, uint64_t addr)
{
	static const char *const names[] = { "msgpool", "msgmap", "msgmax", "msgmnb", "msgmni", "msgssz", "msgtql" };
	uint16_t segments;

	if (!memory_get(d, addr + 28, &segments, 2) || !put_numbers(d, addr, names, 7))
		return false;
	out_form(d->o, ", msgseg=%u}", segments);
	return true;
}

static bool put_semaphore_limits(struct decode *d, uint64_t addr)
{
	static const char *const names[] = { "semmap", "semmni", "semmns", "semmnu", "semmsl", "semopm", "semume", "semusz", "semvmx", "semaem" };

	if (!put_numbers(d, addr, names, 10))
		return false;
	out_char(d->o, '}');
	return true;
}

static bool put_segment_limits(struct decode *d, uint64_t addr, bool is_sum)
{
	static const char *const limits[] = { "shmmax", "shmmin", "shmmni", "shmseg", "shmall" };
	static const char *const sums[] = { "used_ids", "shm_tot", "shm_rss", "shm_swp", "swap_attempts", "swap_successes" };
	unsigned n = is_sum ? 6 : 5;
	uint64_t values[6];

	if (!memory_get(d, addr, values, n * sizeof(*values)))
		return false;
	if (is_sum)
		values[0] = (uint32_t)values[0]; /* an int */
	for (unsigned i = 0; i < n; i++)
		out_form(d->o, "%s%s=%llu", i ? ", " : "{", is_sum ? sums[i] : limits[i], (unsigned long long)values[i]);
	out_char(d->o, '}');
	return true;
}

/* Of the commands those that take or fill a structure; 32-bit callers have another one. */
static bool can_decode(const struct decode *d, uint32_t command)
{
	return !d->is_compat && (command == IPC_SET || !d->is_failed);
}

void print_msgctl(struct decode *d, unsigned i)
{
	uint32_t command = d->e->args[i] & ~IPC_64;
	uint64_t addr = d->e->args[i + 1];
	bool done = false;

	put_command(d, &names_msg_commands, d->e->args[i]);
	out_text(d->o, ", ");
	if (can_decode(d, command)) {
		if (command == IPC_SET || command == IPC_STAT || command == MSG_STAT || command == 13)
			done = put_queue(d, addr, command == IPC_SET);
		else if (command == IPC_INFO || command == MSG_INFO)
			done = put_queue_limits(d, addr);
	}
	if (!done)
		put_addr(d, addr);
}

void print_semctl(struct decode *d, unsigned i)
{
	uint32_t command = d->e->args[i] & ~IPC_64;
	uint64_t addr = d->e->args[i + 1];
	bool done = false;

	put_command(d, &names_sem_commands, d->e->args[i]);
	out_text(d->o, ", ");
	if (can_decode(d, command)) {
		if (command == IPC_SET || command == IPC_STAT || command == SEM_STAT || command == 20)
			done = put_semaphores(d, addr, command == IPC_SET);
		else if (command == IPC_INFO || command == SEM_INFO)
			done = put_semaphore_limits(d, addr);
	}
	if (!done)
		put_addr(d, addr);
}

void print_shmctl(struct decode *d, unsigned i)
{
	uint32_t command = d->e->args[i] & ~IPC_64;
	uint64_t addr = d->e->args[i + 1];
	bool done = false;

	put_command(d, &names_shm_commands, d->e->args[i]);
	out_text(d->o, ", ");
	if (can_decode(d, command)) {
		if (command == IPC_SET || command == IPC_STAT || command == SHM_STAT || command == 15)
			done = put_segment(d, addr, command == IPC_SET);
		else if (command == IPC_INFO || command == SHM_INFO)
			done = put_segment_limits(d, addr, command == SHM_INFO);
	}
	if (!done)
		put_addr(d, addr);
}

/* shmget(): also the size of huge pages */
void print_shmget_flags(struct decode *d, unsigned i)
{
	uint32_t flags = d->e->args[i], huge = flags >> 26 & 0x3f, rest = flags & ~(0x3fu << 26 | 0777);

	if (rest)
		put_flags(d, &names_shmget_flags, rest);
	if (huge)
		out_form(d->o, "%s%u<<SHM_HUGE_SHIFT", rest ? "|" : "", huge);
	if (rest || huge)
		out_char(d->o, '|');
	out_octal(d->o, flags & 0777, 2);
}

/* msgsnd(), msgrcv(): its type and as many bytes as the next argument says */
static void put_message(struct decode *d, unsigned i, uint64_t n)
{
	uint64_t type, addr = d->e->args[i];

	if (!memory_word(d, addr, &type)) {
		put_addr(d, addr);
		return;
	}
	out_form(d->o, "{mtype=%lld, mtext=", d->is_compat ? (long long)(int32_t)type : (long long)type);
	put_buffer(d, addr + word_bytes(d), n);
	out_char(d->o, '}');
}

void print_message_sent(struct decode *d, unsigned i)
{
	put_message(d, i, d->e->args[i + 1]);
}

void print_message_got(struct decode *d, unsigned i)
{
	put_message(d, i, d->e->args[i + 1]);
}

static void put_sembuf(struct decode *d, uint64_t addr)
{
	int16_t b[3] = { 0 };

	memory_get(d, addr, b, sizeof(b));
	out_form(d->o, "{sem_num=%u, sem_op=%d, sem_flg=", (uint16_t)b[0], b[1]);
	put_flags(d, &names_sem_flags, (uint16_t)b[2]);
	out_char(d->o, '}');
}

/* semop(): struct sembuf, as many as the next argument says */
void print_sembufs(struct decode *d, unsigned i)
{
	put_array(d, d->e->args[i], (uint32_t)d->e->args[i + 1], 6, put_sembuf, false);
}

/* struct mq_attr */
static void put_mq_attr(struct decode *d, uint64_t addr, bool has_names)
{
	unsigned word = word_bytes(d);
	uint64_t a[8]; /* four are for later */

	for (unsigned k = 0; k < 8; k++) {
		if (!memory_word(d, addr + k * word, &a[k])) {
			put_addr(d, addr);
			return;
		}
		if (d->is_compat)
			a[k] = (int32_t)a[k];
	}
	out_text(d->o, "{mq_flags=");
	if (has_names)
		put_flags(d, &names_mq_attr_flags, a[0]);
	else
		out_hex(d->o, a[0]);
	out_form(d->o, ", mq_maxmsg=%lld, mq_msgsize=%lld, mq_curmsgs=%lld}", (long long)a[1], (long long)a[2], (long long)a[3]);
}

void print_mq_attr(struct decode *d, unsigned i)
{
	put_mq_attr(d, d->e->args[i], true);
}

void print_mq_attr_out(struct decode *d, unsigned i)
{
	put_mq_attr(d, d->e->args[i], true);
}

void print_mq_open_attr(struct decode *d, unsigned i)
{
	put_mq_attr(d, d->e->args[i], false);
}
