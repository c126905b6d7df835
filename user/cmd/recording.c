/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/cost.h"
#include "cmd/live.h"
#include "pprof/pprof.h"
#include "push/client.h"
#include "push/push.h"
#include "sym/kallsyms.h"
#include "sym/origin.h"
#include "sym/vmlinux.h"
#include "util/text.h"

/* Names of the recorded kernel, if it runs: it looks up those that are met. kallsyms, which lists all, is read in parallel with the file. */
static void ask_kernel(struct syms_cfg *cfg, struct ksym_asker **ret_asker)
{
	struct origin origin;

	if (cfg->kallsyms)
		return;
	origin_begin(&origin, cfg);
	if (origin.other_kernel && !origin.is_open)
		return;
	if (!ksym_open(ret_asker)) {
		if (ksym_addr(*ret_asker, "_text")) {
			live_kernel_names(cfg, *ret_asker);
			return;
		}
		ksym_close(*ret_asker);
		*ret_asker = NULL;
	}
	kallsyms_prefetch();
}

/* perf record --kcore copies what /proc has of the kernel into the recording, which is then a directory. */
static int use_kept_kernel(struct recording *rec, const char *path, struct syms_cfg *cfg, struct err *err)
{
	if (asprintf(&rec->kallsyms, "%s/kcore_dir/kallsyms", path) < 0 || asprintf(&rec->kcore, "%s/kcore_dir/kcore", path) < 0)
		return err_set(err, -ENOMEM, "%s", strerror(ENOMEM));
	if (!cfg->kallsyms && !access(rec->kallsyms, R_OK)) {
		cfg->kallsyms = rec->kallsyms;
		if (!access(rec->kcore, R_OK))
			cfg->kcore = rec->kcore;
	}
	return 0;
}

/* A build id that differs: the image is of another kernel. */
static int check_kernel_file(const struct syms_cfg *cfg, struct err *err)
{
	uint8_t id[BUILD_ID_MAX];
	int n = cfg->kallsyms && cfg->kernel_build_id_size ? vmlinux_build_id(cfg->kallsyms, id, sizeof(id)) : 0;

	if (!n || (n <= cfg->kernel_build_id_size && !memcmp(id, cfg->kernel_build_id, n)))
		return 0;
	return err_set(err, -ESTALE, "'%s' has another build id than the recorded kernel", cfg->kallsyms);
}

static int summed_frames(void *arg, uint64_t ip, struct frame *ret_frames, int max)
{
	const struct recording *rec = arg;

	return pprof_frames(data_reader_summed(rec->reader), rec->pool, (uint32_t)(ip - 1), ret_frames, max);
}

/* A store is a directory, or a server. */
static int open_store(struct recording *rec, const char *path, struct err *err)
{
	struct clickhouse *ch = NULL;
	struct err why = { 0 };
	char *bytes;
	size_t n;
	int ret;

	if (!rec->span->url)
		return data_reader_open_store(path, rec->span, &rec->reader, err);
	ret = client_library(err);
	if (!ret)
		ret = clickhouse_new(rec->span->url, getenv(PUSH_PASSWORD_ENV), NULL, &ch, err);
	if (!ret)
		ret = clickhouse_read(ch, rec->span, rec->labels, &bytes, &n, &why);
	if (why.text[0]) {
		err_exit(err, ret, why.exit ? why.exit : EXIT_FAILED, "'%s': %s", path, why.text);
		if (why.hint[0])
			err_hint(err, "%s", why.hint);
	}
	if (!ret)
		ret = data_reader_open_profile(path, bytes, n, &rec->reader, err);
	clickhouse_free(ch);
	return ret;
}

int recording_open(struct recording *rec, const char *path, struct names *names, struct ksym_asker **ret_ksym, struct syms_cfg *cfg,
		   struct err *err)
{
	const struct data_meta *meta;
	int ret = rec->span ? open_store(rec, path, err) : data_reader_open(path, &rec->reader, err);

	*ret_ksym = NULL;
	if (ret)
		return ret;
	if (cfg->data)
		data_reader_keep_data(rec->reader);
	meta = data_reader_meta(rec->reader);
	cfg->offline = true;
	cfg->servers = SERVERS_WAIT;
	memcpy(cfg->kernel_build_id, meta->kernel_build_id, sizeof(cfg->kernel_build_id));
	cfg->kernel_build_id_size = meta->kernel_build_id_size;
	rec->recorded = (struct recorded){ .hostname = meta->hostname, .os_release = meta->os_release, .arch = meta->arch,
					  .other_clock = &meta->other_clock };
	cfg->recorded = &rec->recorded;
	cfg->pool = rec->pool = names->pool;
	data_reader_keep_labels(rec->reader, rec->labels, rec->pool);
	if (data_reader_summed(rec->reader)) {
		cfg->frames = summed_frames;
		cfg->frames_arg = rec;
		return syms_new(cfg, &names->syms, err);
	}
	ret = use_kept_kernel(rec, path, cfg, err);
	if (!ret)
		ret = check_kernel_file(cfg, err);
	if (ret)
		return ret;
	ask_kernel(cfg, ret_ksym);
	return syms_new(cfg, &names->syms, err);
}

int recording_needs_samples(const struct recording *rec, const char *path, struct err *err)
{
	if (!data_reader_summed(rec->reader))
		return 0;
	err_exit(err, -ENODATA, EXIT_FAILED, "'%s' is a profile in pprof's format: sums of stacks, without samples and without code", path);
	err_hint(err, "skep report -i FILE, skep flame -i FILE, skep diff FILE FILE");
	return -ENODATA;
}

void recording_close(struct recording *rec)
{
	if (rec->reader)
		data_reader_close(rec->reader);
	free(rec->kallsyms);
	free(rec->kcore);
	*rec = (struct recording){ 0 };
}

void recording_damaged(struct profile *p, struct err *err)
{
	profile_note(p, "%s: only the part before it is shown", err->text);
	p->losses[LOSS_FILE_DAMAGED]++;
	*err = (struct err){ 0 };
}

/* Of hostile names only what fits is shown. */
static void note_places(const struct recording *rec, const struct data_meta *meta, struct profile *p)
{
	char text[PLACE_TEXT_BYTES];

	if (meta->first_skipped.file && data_reader_summed(rec->reader))
		profile_note(p, "'%.120s' cannot be read, and is left out, or what follows its damage%s", meta->first_skipped.file, meta->skipped > 1 ? ", and others after it" : "");
	else if (meta->first_skipped.file)
		profile_note(p, "'%.120s': cannot use the record at %s%s", meta->first_skipped.file, data_place_text(&meta->first_skipped, text),
			     meta->skipped > 1 ? ", and others after it" : "");
	p->has_no_files = meta->has_no_files;
	if (meta->has_no_files)
		profile_note(p, "the directory has no data.N files: what they had is not shown");
	if (meta->missing_files)
		profile_note(p, "%u files of the directory are missing, data.%u is the first: what they had is not shown", meta->missing_files,
			     meta->first_missing);
	if (meta->cut.file)
		profile_note(p, "'%.120s' ends in the middle, at offset 0x%llx", meta->cut.file, (unsigned long long)meta->cut.at);
}

void recording_end(const struct recording *rec, uint64_t start_ns, struct profile *p)
{
	const struct data_meta *meta = data_reader_meta(rec->reader);

	p->losses[LOSS_FILE_CUT] += meta->truncated;
	p->losses[LOSS_FILE_DAMAGED] += meta->skipped;
	p->losses[LOSS_THROTTLED] += meta->throttled;
	note_places(rec, meta, p);
	/* What else is missing is seen in the stacks. */
	for (int i = 0; i < LOSS_MAX; i++)
		p->losses[i] += meta->said_lost[i];
	if (meta->lowered)
		profile_note(p, "%llu profiles have fewer samples than were asked for, and these weigh more: '%s'", (unsigned long long)meta->nr_lowered,
			     meta->lowered);
	if (meta->nr_others)
		profile_note(p, "%llu profiles are left out: they have the same name in the store, and are of another event, '%.200s'",
			     (unsigned long long)meta->nr_others, meta->other ? meta->other : "");
	if (meta->aux_bytes)
		profile_note(p, "%llu bytes of %s trace are in the file, which skep does not decode: 'perf script --itrace' does",
			     (unsigned long long)meta->aux_bytes, aux_name(meta->aux_type) ? aux_name(meta->aux_type) : "instruction");
	cost_since(start_ns, &p->receipt);
}

void recording_for(struct recording *rec, const struct report_layout *layout)
{
	rec->labels = report_layout_labels(layout);
	rec->needs_pid = layout->with[KEY_PID];
	rec->needs_tid = layout->with[KEY_TID];
	rec->needs_cgroup = layout->with[KEY_CGROUP];
}

const char *recording_title(const char *path, const struct data_meta *meta, char *buf, size_t size)
{
	size_t n = text_append(buf, size, 0, meta->argc ? "%s:" : "%s", path);

	for (int i = 0; i < meta->argc; i++)
		n = text_append(buf, size, n, " %s", meta->argv[i]);
	return buf;
}
