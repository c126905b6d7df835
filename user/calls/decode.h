/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What those share who write down arguments: the call, and the caller's memory as it was read. */
#ifndef SKEP_CALLS_DECODE_H
#define SKEP_CALLS_DECODE_H

#include "calls/calls.h"

/* struct epoll_event of a 64-bit caller (include/uapi/linux/eventpoll.h): packed on x86-64 */
#ifdef __x86_64__
#define EPOLL_BYTES 12
#else
#define EPOLL_BYTES 16
#endif

struct decode {
	struct out *o;
	const struct call_event *e;
	const struct call_style *style;
	const struct names *names; /* of the kind of the argument that is being written */
	bool is_compat;
	bool has_time64; /* times of a 32-bit caller have 8 bytes a member: the call's name ends in 64 */
	bool is_failed;
};

/* Writes argument i. */
typedef void call_printer(struct decode *d, unsigned i);

/* n bytes at an address, as they were read last, if all of them were. */
bool memory_get(const struct decode *d, uint64_t addr, void *to, size_t n);
/* The same as they were before the call. */
bool memory_before(const struct decode *d, uint64_t addr, void *to, size_t n);
/* As many as were read, at most n; NULL: none. */
const char *memory_some(const struct decode *d, uint64_t addr, size_t n, size_t *ret_n);
/* Does readable memory end before the end of an element at an address, as what was read before it shows? */
bool memory_ends(const struct decode *d, uint64_t at, unsigned size);
/* A word of the caller's. */
bool memory_word(const struct decode *d, uint64_t addr, uint64_t *ret_word);
static inline unsigned word_bytes(const struct decode *d)
{
	return d->is_compat ? 4 : 8;
}

/* A member of a struct timespec of the caller's. */
static inline unsigned time_bytes(const struct decode *d)
{
	return d->is_compat && !d->has_time64 ? 4 : 8;
}

void put_timeval(struct decode *d, uint64_t addr);
void put_open_flags(struct decode *d, uint64_t flags);
bool has_open_mode(const struct decode *d, unsigned i);
bool has_device(const struct decode *d, unsigned i);
void put_uring_result(struct decode *d);
void put_messages_result(struct decode *d);
void put_fcntl_result(struct decode *d);
void put_bpf_result(struct decode *d);
void put_time_result(struct decode *d);
void put_poll_result(struct decode *d, bool has_left);
void put_select_result(struct decode *d, bool is_timespec);

/* Numbers */
void put_unread(struct decode *d, uint64_t addr); /* of an array that goes on where nothing can be read, with the address */
void put_addr(struct decode *d, uint64_t addr); /* "NULL", "0x7f..." */
void put_fd(struct decode *d, int fd);	 /* with its file, where the style wants it */
void put_file(struct decode *d, int fd, bool before); /* "</etc/passwd>"; before: as it was before the call. Nothing of one that was not read */
void put_dirfd(struct decode *d, int fd);
void put_one(struct decode *d, const struct names *names, uint64_t value);
void put_flags(struct decode *d, const struct names *names, uint64_t value);
void put_mode(struct decode *d, uint32_t mode);		/* "S_IFREG|0644" */
void put_dev(struct decode *d, uint64_t dev);		/* "makedev(0x8, 0x1)" */
void put_id(struct decode *d, uint32_t id);		/* of a user; "-1" */
void put_decimal_name(struct decode *d, const struct names *names, int64_t value); /* "7 LOGLEVEL_DEBUG in a comment" */
void put_name_or_decimal(struct decode *d, const struct names *names, int64_t value); /* "LOGLEVEL_DEBUG"; of an unknown one "77 LOGLEVEL_??? in a comment" */
void put_wide_hex(struct decode *d, uint64_t value, unsigned width);		    /* "0x00002a"; "00000000" */

/* Strings. put_text: one that ends with NUL; put_buffer: n bytes, of which the style shows some. */
void put_text(struct decode *d, uint64_t addr, bool is_path);
void put_buffer(struct decode *d, uint64_t addr, uint64_t n);
void put_quoted(struct decode *d, const char *bytes, size_t n); /* without what follows a NUL */
void put_iovec(struct decode *d, uint64_t addr, uint64_t n, uint64_t limit, bool has_bytes);

/* The bytes of a struct after its known members, up to size; nothing if all of them are 0, as the kernel requires. */
void put_rest(struct decode *d, uint64_t addr, uint32_t from, uint64_t size);
/* ", NAME=[0, 0x1]": n reserved words of `size` bytes, at most 64 bytes in all; nothing if all of them are 0. */
void put_reserved(struct decode *d, const char *name, const void *words, unsigned size, unsigned n);
/*
 * An array of n elements of `size` bytes at an address, in brackets: "[1, 2, ...]"; put writes one of them. can_fail: the call fills it,
 * and of one that failed the address is written.
 */
typedef void put_element(struct decode *d, uint64_t addr);
void put_array(struct decode *d, uint64_t addr, uint64_t n, unsigned size, put_element *put, bool can_fail);
void put_int_element(struct decode *d, uint64_t addr);
void put_hex_element(struct decode *d, uint64_t addr); /* of 64 bits */

/* Structures, or their address where they could not be read */
void put_timespec(struct decode *d, uint64_t addr, unsigned word);
/* A comment with the time that is meant; digits: of `part`, the part of a second. Nothing of 0, and of a part that is too large. */
void put_moment_comment(struct decode *d, int64_t sec, uint64_t part, int digits);
void put_ticks(struct decode *d, int64_t ticks);	/* of 100 a second: "30", and "0.30 s" in a comment */
void put_errno(struct decode *d, int64_t n);		/* "ENOENT", "-ENOENT", or a number that is none's */
void put_call_number(struct decode *d, uint64_t nr, uint32_t arch); /* "__NR_read"; arch: AUDIT_ARCH_... */
void put_siginfo_at(struct decode *d, uint64_t addr);
void put_sigset(struct decode *d, uint64_t bits);	/* "[INT TERM]", "~[KILL]" */
void put_cpus(struct decode *d, uint64_t addr, uint64_t bytes); /* a set of CPUs: "[0 1]" */
void put_sigset_at(struct decode *d, uint64_t addr, uint64_t bytes);
void put_signal(struct decode *d, int sig);
void put_signal_name(struct out *o, int sig); /* whatever the style is */
void put_sockaddr(struct decode *d, uint64_t addr, int32_t n);
void put_sockaddr_bytes(struct decode *d, const char *bytes, size_t n); /* at least two */
void put_inet(struct decode *d, int family, const void *addr, const char *member); /* "inet_addr(..)"; of AF_INET6 with its member */
void put_interface(struct decode *d, uint32_t index);	/* "if_nametoindex("lo")" */
void put_bytes(struct decode *d, const char *bytes, size_t n, int hex); /* quoted, all of them */
/* n instructions of the classic BPF with -v, or where they are */
void put_filter_program(struct decode *d, uint64_t addr, uint32_t n, bool is_seccomp);
void put_sigevent(struct decode *d, uint64_t addr);
void put_ioprio(struct decode *d, uint32_t priority);
void put_personality(struct decode *d, uint32_t personality);
void put_status(struct decode *d, int status); /* of wait4() */

#define CALL_PRINTER(name) call_printer name;
#include "calls/printers.def"
#undef CALL_PRINTER

#endif
