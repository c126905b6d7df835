/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/honesty.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "capture/features.h"
#include "push/push.h"
#include "util/log.h"
#include "util/text.h"

#define COMMAND_BYTES 8192 /* of a command line; what is longer ends with "..." */
#define RECEIPT_PART_NS 1000000000ull

const struct opt honesty_opts[] = {
	{ 0, "strict", NULL, OPT_FLAG, offsetof(struct honesty, strict), "exit 1 when anything was lost" },
	{ 0, "receipt", NULL, OPT_FLAG, offsetof(struct honesty, receipt), "print what the run cost" },
	{ 0 },
};

static void print_receipt(const struct profile *p)
{
	const struct receipt *r = &p->receipt;
	char part[64] = "";

	/* In a shorter run its start and its end would look like a part of it */
	if (r->wall_ns >= RECEIPT_PART_NS && r->cpus)
		snprintf(part, sizeof(part), " (%.3f%% of %u CPUs for %.2f s)", 100.0 * r->own_cpu_ns / r->wall_ns / r->cpus, r->cpus,
			 r->wall_ns / 1e9);
	log_note("cost: skep %.1f ms CPU%s, %.1f MB peak", r->own_cpu_ns / 1e6, part, r->peak_rss_bytes / 1048576.0);
	if (r->bpf_runs)
		log_note("cost: BPF %.2f ms in %llu runs (%.0f ns each), %.1f MB of kernel maps", r->bpf_ns / 1e6,
			 (unsigned long long)r->bpf_runs, (double)r->bpf_ns / r->bpf_runs, r->map_bytes / 1048576.0);
	if (r->bytes_out)
		log_note("cost: %llu bytes out", (unsigned long long)r->bytes_out);
}

static void print_losses(const struct profile *p, bool whole_only)
{
	for (int i = 0; i < LOSS_MAX; i++)
		if (p->losses[i] && (loss_is_whole(i) || !whole_only))
			log_note("%s: %llu  %s", loss_word(i), (unsigned long long)p->losses[i], loss_text(i));
}

void honesty_print(const struct honesty *h, const struct profile *p)
{
	for (enum feature f = 0; f < FEATURE_MAX; f++)
		if (feature_fell_back(f))
			log_detail("no %s here (%s): %s instead", feature_rows[f].name, feature(f)->why, feature_rows[f].instead);
	if (p->event)
		log_note("samples: %llu seen, %llu kept", (unsigned long long)p->seen, (unsigned long long)p->kept);
	print_losses(p, false);
	for (uint32_t i = p->nr_details; i < p->nr_notes; i++)
		log_note("note: %s", p->notes[i]);
	if (h->receipt)
		print_receipt(p);
}

void honesty_end(const struct honesty *h, const struct profile *p)
{
	print_losses(p, true);
	if (h->receipt)
		print_receipt(p);
}

int honesty_exit(const struct honesty *h, const struct profile *p, int status, struct err *err)
{
	uint64_t lost = 0;

	for (int i = 0; i < LOSS_MAX; i++)
		lost += loss_is_strict(i) ? p->losses[i] : 0;
	if (h->strict && lost)
		return err_set(err, -ENODATA, "%llu loss%s, and --strict allows none", (unsigned long long)lost, lost == 1 ? "" : "es");
	return status;
}

const char *command_line(void)
{
	static char text[2 * COMMAND_BYTES], raw[COMMAND_BYTES], shown[2 * COMMAND_BYTES], word[COMMAND_BYTES];
	size_t n, at, len = 0;
	FILE *f = fopen("/proc/self/cmdline", "re");

	if (!f)
		return "skep";
	n = fread(raw, 1, sizeof(raw) - 1, f);
	fclose(f);
	raw[n] = '\0';
	/* Without the program's own path and without passwords */
	at = strrchr(raw, '/') ? (size_t)(strrchr(raw, '/') + 1 - raw) : 0;
	for (; at < n; at += strlen(raw + at) + 1) {
		push_shown(raw + at, word, sizeof(word));
		len = text_append(shown, sizeof(shown), len, "%s", len ? " " : "");
		len = text_shell(shown, sizeof(shown), len, word);
	}
	if (n == sizeof(raw) - 1)
		text_append(shown, sizeof(shown), len, " ...");
	text_escape(text, sizeof(text), shown);
	return text;
}
