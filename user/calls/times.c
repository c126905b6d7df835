/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Times and timers, limits and use of resources. word: bytes of a member: the caller's, or 8 of calls whose name ends in 64. */
#include <sys/stat.h>
#include <sys/timex.h>
#include <time.h>

#include "calls/decode.h"

#define INFINITY64 UINT64_MAX

void put_moment_comment(struct decode *d, int64_t sec, uint64_t part, int digits)
{
	time_t t = sec;
	struct tm tm;
	char text[64];

	if ((!sec && !part) || part > (digits == 9 ? 999999999 : 999999) || !localtime_r(&t, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		return;
	out_text(d->o, " /* ");
	out_text(d->o, text);
	if (part)
		out_form(d->o, ".%0*llu", digits, (unsigned long long)part);
	if (strftime(text, sizeof(text), "%z", &tm))
		out_text(d->o, text);
	out_text(d->o, " */");
}

/* A pair of numbers, "{tv_sec=1, tv_nsec=0}". */
static bool pair(struct decode *d, uint64_t addr, unsigned word, const char *second)
{
	uint64_t part = 0;
	int64_t sec = 0;

	if (!memory_get(d, addr, &sec, word) || !memory_get(d, addr + word, &part, word))
		return false;
	if (word == 4)
		sec = (int32_t)sec;
	out_text(d->o, "{tv_sec=");
	out_signed(d->o, sec);
	out_text(d->o, second);
	out_decimal(d->o, word == 4 ? (uint32_t)part : (uint64_t)part);
	out_char(d->o, '}');
	return true;
}

#define NSEC ", tv_nsec="
#define USEC ", tv_usec="

void put_timespec(struct decode *d, uint64_t addr, unsigned word)
{
	if (!pair(d, addr, word, NSEC))
		put_addr(d, addr);
}

void put_timeval(struct decode *d, uint64_t addr)
{
	if (!pair(d, addr, word_bytes(d), USEC))
		put_addr(d, addr);
}

void print_timespec(struct decode *d, unsigned i)
{
	put_timespec(d, d->e->args[i], time_bytes(d));
}

void print_timespec64(struct decode *d, unsigned i)
{
	put_timespec(d, d->e->args[i], 8);
}

/* What is left of a sleep: only of one that a signal has ended. */
void print_timespec_left(struct decode *d, unsigned i)
{
	bool is_absolute = i >= 2 && d->e->args[i - 2] & TIMER_ABSTIME; /* nothing is left of it */

	if (d->is_failed && !is_absolute && memory_word(d, d->e->args[i], &(uint64_t){ 0 }) && (call_error(d->e) == 516 || call_error(d->e) == 514 || call_error(d->e) == 4))
		print_timespec(d, i);
	else
		put_addr(d, d->e->args[i]);
}

void print_timeval(struct decode *d, unsigned i)
{
	put_timeval(d, d->e->args[i]);
}

void print_timezone(struct decode *d, unsigned i)
{
	int32_t zone[2];

	if (memory_get(d, d->e->args[i], zone, sizeof(zone)))
		out_form(d->o, "{tz_minuteswest=%d, tz_dsttime=%d}", zone[0], zone[1]);
	else
		put_addr(d, d->e->args[i]);
}

/* " (2017-04-16T13:51:18+0000)" */
void put_time_result(struct decode *d)
{
	time_t t = d->e->ret;
	struct tm tm;
	char text[64];

	if (t && localtime_r(&t, &tm) && strftime(text, sizeof(text), " (%Y-%m-%dT%H:%M:%S%z)", &tm))
		out_text(d->o, text);
}

/* utimensat(): a time that is none */
static void put_special(struct decode *d, uint64_t at, unsigned word, const char *second, const char *name)
{
	if (d->style->names != NAMES_ABBREV)
		pair(d, at, word, second);
	if (d->style->names == NAMES_VERBOSE)
		out_form(d->o, " /* %s */", name);
	else if (d->style->names == NAMES_ABBREV)
		out_text(d->o, name);
}

/* Two of a file's times, with what they mean. */
static void put_file_times(struct decode *d, uint64_t addr, const char *second, int digits)
{
	unsigned word = time_bytes(d);

	if (!memory_get(d, addr, &(uint64_t[4]){ 0 }, 4 * word)) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	for (unsigned k = 0; k < 2; k++) {
		uint64_t at = addr + k * 2 * word, sec = 0, part = 0;

		if (k)
			out_text(d->o, ", ");
		memory_get(d, at, &sec, word);
		memory_get(d, at + word, &part, word);
		if (digits == 9 && (part == UTIME_NOW || part == UTIME_OMIT)) {
			put_special(d, at, word, second, part == UTIME_NOW ? "UTIME_NOW" : "UTIME_OMIT");
			continue;
		}
		pair(d, at, word, second);
		put_moment_comment(d, word == 4 ? (int32_t)sec : (int64_t)sec, part, digits);
	}
	out_char(d->o, ']');
}

/* utimensat() */
void print_timespecs(struct decode *d, unsigned i)
{
	put_file_times(d, d->e->args[i], NSEC, 9);
}

void print_timevals(struct decode *d, unsigned i)
{
	put_file_times(d, d->e->args[i], USEC, 6);
}

/* struct utimbuf */
void print_utimbuf(struct decode *d, unsigned i)
{
	static const char *const names[] = { "{actime=", ", modtime=" };
	uint64_t addr = d->e->args[i], sec;
	unsigned word = word_bytes(d);

	if (!memory_get(d, addr, &(uint64_t[2]){ 0 }, 2 * word)) {
		put_addr(d, addr);
		return;
	}
	for (unsigned k = 0; k < 2; k++) {
		int64_t t;

		memory_word(d, addr + k * word, &sec);
		t = word == 4 ? (int32_t)sec : (int64_t)sec;
		out_text(d->o, names[k]);
		out_signed(d->o, t);
		put_moment_comment(d, t, 0, 9);
	}
	out_char(d->o, '}');
}

/* time() */
void print_time_out(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], sec;

	if (!memory_word(d, addr, &sec)) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	out_signed(d->o, sec);
	put_moment_comment(d, sec, 0, 9);
	out_char(d->o, ']');
}

static void put_interval(struct decode *d, uint64_t addr, const char *second)
{
	unsigned word = time_bytes(d);

	if (!memory_get(d, addr, &(uint64_t[4]){ 0 }, 4 * word)) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{it_interval=");
	pair(d, addr, word, second);
	out_text(d->o, ", it_value=");
	pair(d, addr + 2 * word, word, second);
	out_char(d->o, '}');
}

void print_itimerspec(struct decode *d, unsigned i)
{
	put_interval(d, d->e->args[i], NSEC);
}

void print_itimerval(struct decode *d, unsigned i)
{
	put_interval(d, d->e->args[i], USEC);
}

static void put_limit(struct decode *d, uint64_t n, unsigned word)
{
	bool is_infinite = word == 4 ? n == UINT32_MAX : n == INFINITY64, is_kib = !is_infinite && n > 1024 && n % 1024 == 0;

	if (d->style->names != NAMES_ABBREV || (!is_infinite && !is_kib))
		out_decimal(d->o, n);
	if (d->style->names == NAMES_RAW || (!is_infinite && !is_kib))
		return;
	out_text(d->o, d->style->names == NAMES_VERBOSE ? " /* " : "");
	if (is_infinite)
		out_text(d->o, word == 4 ? "RLIM_INFINITY" : "RLIM64_INFINITY");
	else
		out_form(d->o, "%llu*1024", (unsigned long long)n / 1024);
	out_text(d->o, d->style->names == NAMES_VERBOSE ? " */" : "");
}

static void put_rlimit(struct decode *d, uint64_t addr, unsigned word)
{
	uint64_t soft = 0, hard = 0;

	if (!memory_get(d, addr, &soft, word) || !memory_get(d, addr + word, &hard, word)) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{rlim_cur=");
	put_limit(d, soft, word);
	out_text(d->o, ", rlim_max=");
	put_limit(d, hard, word);
	out_char(d->o, '}');
}

void print_rlimit(struct decode *d, unsigned i)
{
	put_rlimit(d, d->e->args[i], word_bytes(d));
}

void print_rlimit64(struct decode *d, unsigned i)
{
	put_rlimit(d, d->e->args[i], 8);
}

/* struct rusage */
void print_rusage_out(struct decode *d, unsigned i)
{
	static const char *const names[] = { "maxrss", "ixrss", "idrss", "isrss", "minflt", "majflt", "nswap", "inblock", "oublock", "msgsnd",
					     "msgrcv", "nsignals", "nvcsw", "nivcsw" };
	uint64_t addr = d->e->args[i], n, word = word_bytes(d);

	if (!memory_word(d, addr, &n)) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{ru_utime=");
	put_timeval(d, addr);
	out_text(d->o, ", ru_stime=");
	put_timeval(d, addr + 2 * word);
	for (unsigned k = 0; k < 14 && d->style->is_whole && memory_word(d, addr + (4 + k) * word, &n); k++)
		out_form(d->o, ", ru_%s=%llu", names[k], (unsigned long long)n);
	out_text(d->o, d->style->is_whole ? "}" : ", ...}");
}

/* wait4() has filled it only if somebody has ended. */
void print_rusage_waited(struct decode *d, unsigned i)
{
	if (d->e->ret > 0)
		print_rusage_out(d, i);
	else
		put_addr(d, d->e->args[i]);
}

void print_sysinfo_out(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], n[14];
	uint16_t procs;
	uint32_t unit;

	if (d->is_compat || !memory_get(d, addr, n, 80)) {
		put_addr(d, addr);
		return;
	}
	memory_get(d, addr + 80, &procs, 2);
	if (!memory_get(d, addr + 88, &n[10], 16) || !memory_get(d, addr + 104, &unit, 4))
		return;
	out_form(d->o, "{uptime=%llu, loads=[%llu, %llu, %llu]", (unsigned long long)n[0], (unsigned long long)n[1], (unsigned long long)n[2],
		 (unsigned long long)n[3]);
	out_form(d->o, ", totalram=%llu, freeram=%llu, sharedram=%llu, bufferram=%llu, totalswap=%llu, freeswap=%llu",
		 (unsigned long long)n[4], (unsigned long long)n[5], (unsigned long long)n[6], (unsigned long long)n[7], (unsigned long long)n[8],
		 (unsigned long long)n[9]);
	out_form(d->o, ", procs=%u, totalhigh=%llu, freehigh=%llu, mem_unit=%u}", procs, (unsigned long long)n[10], (unsigned long long)n[11], unit);
}

void put_ticks(struct decode *d, int64_t ticks)
{
	out_signed(d->o, ticks);
	if (ticks > 0 && d->style->names != NAMES_RAW)
		out_form(d->o, " /* %lld.%02lld s */", (long long)ticks / 100, (long long)ticks % 100);
}

/* struct tms */
void print_tms_out(struct decode *d, unsigned i)
{
	static const char *const names[] = { "{tms_utime=", ", tms_stime=", ", tms_cutime=", ", tms_cstime=" };
	uint64_t n[4], addr = d->e->args[i];

	for (unsigned k = 0; k < 4; k++)
		if (!memory_word(d, addr + k * word_bytes(d), &n[k])) {
			put_addr(d, addr);
			return;
		}
	for (unsigned k = 0; k < 4; k++) {
		out_text(d->o, names[k]);
		put_ticks(d, n[k]);
	}
	out_char(d->o, '}');
}

/* struct sigevent of the kernel: include/uapi/asm-generic/siginfo.h */
void put_sigevent(struct decode *d, uint64_t addr)
{
	unsigned word = word_bytes(d);
	uint64_t value, function, attributes;
	int32_t sig, notify, tid;

	if (!memory_word(d, addr, &value) || !memory_get(d, addr + word, &sig, 4) || !memory_get(d, addr + word + 4, &notify, 4) ||
	    !memory_get(d, addr + word + 8, &tid, 4)) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '{');
	if (value) {
		out_form(d->o, "sigev_value={sival_int=%d, sival_ptr=", (int32_t)value);
		put_addr(d, value);
		out_text(d->o, "}, ");
	}
	out_text(d->o, "sigev_signo=");
	if (notify == 0 || notify == 2 || notify == 4)
		put_signal(d, sig);
	else
		out_decimal(d->o, (uint32_t)sig);
	out_text(d->o, ", sigev_notify=");
	put_one(d, &names_sigev, (uint32_t)notify);
	if (notify == 4)
		out_form(d->o, ", sigev_notify_thread_id=%d", tid);
	if (notify == 2 && memory_word(d, addr + word + 8, &function) && memory_word(d, addr + 2 * word + 8, &attributes)) {
		out_text(d->o, ", sigev_notify_function=");
		put_addr(d, function);
		out_text(d->o, ", sigev_notify_attributes=");
		put_addr(d, attributes);
	}
	out_char(d->o, '}');
}

void print_sigevent(struct decode *d, unsigned i)
{
	put_sigevent(d, d->e->args[i]);
}

/* struct old_timex32: include/linux/time32.h */
struct timex32 {
	uint32_t modes;
	int32_t offset, freq, maxerror, esterror, status, constant, precision, tolerance, sec, usec, tick, ppsfreq, jitter, shift, stabil, jitcnt, calcnt,
		errcnt, stbcnt, tai, padding[11];
};

static bool get_timex(const struct decode *d, uint64_t addr, struct timex *ret_timex)
{
	struct timex32 t;

	if (time_bytes(d) == 8)
		return memory_get(d, addr, ret_timex, sizeof(*ret_timex));
	if (!memory_get(d, addr, &t, sizeof(t)))
		return false;
	*ret_timex = (struct timex){ .modes = t.modes, .offset = t.offset, .freq = t.freq, .maxerror = t.maxerror, .esterror = t.esterror,
				     .status = t.status, .constant = t.constant, .precision = t.precision, .tolerance = t.tolerance,
				     .time = { t.sec, t.usec }, .tick = t.tick, .ppsfreq = t.ppsfreq, .jitter = t.jitter, .shift = t.shift,
				     .stabil = t.stabil, .jitcnt = t.jitcnt, .calcnt = t.calcnt, .errcnt = t.errcnt, .stbcnt = t.stbcnt, .tai = t.tai };
	return true;
}

/* struct timex: include/uapi/linux/timex.h */
void print_timex(struct decode *d, unsigned i)
{
	static const char *const rest[] = { "jitter", "shift", "stabil", "jitcnt", "calcnt", "errcnt", "stbcnt" };
	struct timex t;

	if (!get_timex(d, d->e->args[i], &t)) {
		put_addr(d, d->e->args[i]);
		return;
	}
	out_text(d->o, "{modes=");
	put_flags(d, &names_timex_modes, t.modes);
	out_form(d->o, ", offset=%lld, freq=%lld, maxerror=%lld, esterror=%lld, status=", (long long)t.offset, (long long)t.freq,
		 (long long)t.maxerror, (long long)t.esterror);
	put_flags(d, &names_timex_status, (uint32_t)t.status);
	out_form(d->o, ", constant=%lld, precision=%lld, tolerance=%lld, time={tv_sec=%lld, tv_usec=%llu}", (long long)t.constant,
		 (long long)t.precision, (long long)t.tolerance, (long long)t.time.tv_sec, (unsigned long long)t.time.tv_usec);
	out_form(d->o, ", tick=%lld, ppsfreq=%lld", (long long)t.tick, (long long)t.ppsfreq);
	for (unsigned k = 0; k < sizeof(rest) / sizeof(*rest); k++) {
		const long long values[] = { t.jitter, t.shift, t.stabil, t.jitcnt, t.calcnt, t.errcnt, t.stbcnt };

		out_form(d->o, ", %s=%lld", rest[k], values[k]);
	}
	out_form(d->o, ", tai=%d}", t.tai);
}
