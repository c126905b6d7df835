/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Feature sections to perf's lines. In: the kept content of each section, hostile: a line ends where its bytes do. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "data/describe.h"
#include "data/reader.h"
#include "util/clock.h"

#define NS_PER_US UINT64_C(1000)
#define MHZ_OF_NS UINT64_C(1000) /* of a clock with a step of 1 ns */

/* By number; as perf's "missing features" names them. */
static const char *const feature_names[FEATURE_KNOWN] = {
	[FEATURE_TRACING_DATA] = "TRACING_DATA", [FEATURE_BUILD_ID] = "BUILD_ID", [FEATURE_HOSTNAME] = "HOSTNAME",
	[FEATURE_OSRELEASE] = "OSRELEASE", [FEATURE_VERSION] = "VERSION", [FEATURE_ARCH] = "ARCH", [FEATURE_NRCPUS] = "NRCPUS",
	[FEATURE_CPUDESC] = "CPUDESC", [FEATURE_CPUID] = "CPUID", [FEATURE_TOTAL_MEM] = "TOTAL_MEM", [FEATURE_CMDLINE] = "CMDLINE",
	[FEATURE_EVENT_DESC] = "EVENT_DESC", [FEATURE_CPU_TOPOLOGY] = "CPU_TOPOLOGY", [FEATURE_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY",
	[FEATURE_BRANCH_STACK] = "BRANCH_STACK", [FEATURE_PMU_MAPPINGS] = "PMU_MAPPINGS", [FEATURE_GROUP_DESC] = "GROUP_DESC",
	[FEATURE_AUXTRACE] = "AUXTRACE", [FEATURE_STAT] = "STAT", [FEATURE_CACHE] = "CACHE", [FEATURE_SAMPLE_TIME] = "SAMPLE_TIME",
	[FEATURE_MEM_TOPOLOGY] = "MEM_TOPOLOGY", [FEATURE_CLOCKID] = "CLOCKID", [FEATURE_DIR_FORMAT] = "DIR_FORMAT",
	[FEATURE_BPF_PROG_INFO] = "BPF_PROG_INFO", [FEATURE_BPF_BTF] = "BPF_BTF", [FEATURE_COMPRESSED] = "COMPRESSED",
	[FEATURE_CPU_PMU_CAPS] = "CPU_PMU_CAPS", [FEATURE_CLOCK_DATA] = "CLOCK_DATA", [FEATURE_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
	[FEATURE_PMU_CAPS] = "PMU_CAPS",
};

/* Sections of one string, and what perf writes before it. */
static const char *const titles[FEATURE_KNOWN] = {
	[FEATURE_HOSTNAME] = "hostname", [FEATURE_OSRELEASE] = "os release", [FEATURE_VERSION] = "perf version",
	[FEATURE_ARCH] = "arch", [FEATURE_CPUDESC] = "cpudesc", [FEATURE_CPUID] = "cpuid",
};

/* What is printed whole with perf's -I only, or has no more to it than that it is there. */
static const char *const plain[FEATURE_KNOWN] = {
	[FEATURE_BRANCH_STACK] = "contains samples with branch stack",
	[FEATURE_AUXTRACE] = "contains AUX area data (e.g. instruction trace)",
	[FEATURE_STAT] = "contains stat data",
};

static bool is_long(unsigned feature)
{
	return feature == FEATURE_CPU_TOPOLOGY || feature == FEATURE_NUMA_TOPOLOGY || feature == FEATURE_CACHE ||
	       feature == FEATURE_MEM_TOPOLOGY;
}

void describe_text(struct description *d, const char *text, size_t n)
{
	fwrite(text, 1, n, d->out);
}

int describe_end(struct description *d)
{
	int failed;

	fputc('\0', d->out);
	failed = fflush(d->out) || ferror(d->out);

	if (!failed)
		d->line(d->arg, d->text);
	rewind(d->out);
	return failed ? -ENOMEM : 0;
}

static void cmdline(struct description *d, struct span s)
{
	const char *text;
	uint32_t nr;
	size_t n;

	fputs("cmdline : ", d->out);
	if (!take_u32(&s, &nr))
		return;
	while (nr-- && take_string(&s, &text, &n)) {
		describe_text(d, text, n);
		fputc(' ', d->out);
	}
}

/* { type, "name" } each. */
static void pmu_mappings(struct description *d, struct span s)
{
	const char *text, *sep = "";
	uint32_t nr, type;
	size_t n;

	fputs("pmu mappings: ", d->out);
	if (!take_u32(&s, &nr))
		return;
	for (; nr-- && take_u32(&s, &type) && take_string(&s, &text, &n); sep = ", ") {
		fputs(sep, d->out);
		describe_text(d, text, n);
		fprintf(d->out, " = %u", type);
	}
}

static int sample_time(struct description *d, struct span s)
{
	uint64_t at[2];
	static const char *const names[] = { "first", "last" };
	int ret = 0;

	if (!take_u64(&s, &at[0]) || !take_u64(&s, &at[1]))
		return 0;
	for (int i = 0; i < 2 && !ret; i++) {
		fprintf(d->out, "time of %s sample : %" PRIu64 ".%06" PRIu64, names[i], at[i] / NS_PER_S, at[i] % NS_PER_S / NS_PER_US);
		ret = describe_end(d);
	}
	if (ret)
		return ret;
	fprintf(d->out, "sample duration : %10.3f ms", (double)(at[1] > at[0] ? at[1] - at[0] : 0) / (double)NS_PER_MS);
	return describe_end(d);
}

static int nrcpus(struct description *d, struct span s)
{
	uint32_t available, online;
	int ret;

	if (!take_u32(&s, &available) || !take_u32(&s, &online))
		return 0;
	fprintf(d->out, "nrcpus online : %u", online);
	ret = describe_end(d);
	if (ret)
		return ret;
	fprintf(d->out, "nrcpus avail : %u", available);
	return describe_end(d);
}

static void one_line(struct description *d, unsigned feature, struct span s)
{
	struct compression c;
	const uint8_t *p;
	const char *text;
	uint64_t v;
	size_t n;

	if (titles[feature]) {
		fprintf(d->out, "%s : ", titles[feature]);
		if (take_string(&s, &text, &n))
			describe_text(d, text, n);
	} else if (feature == FEATURE_TOTAL_MEM && take_u64(&s, &v)) {
		fprintf(d->out, "total memory : %" PRIu64 " kB", v);
	} else if (feature == FEATURE_CMDLINE) {
		cmdline(d, s);
	} else if (feature == FEATURE_PMU_MAPPINGS) {
		pmu_mappings(d, s);
	} else if (feature == FEATURE_CLOCKID && take_u64(&s, &v)) {
		fprintf(d->out, "clockid frequency: %" PRIu64 " MHz", v ? MHZ_OF_NS / v : 0);
	} else if (feature == FEATURE_COMPRESSED && take(&s, sizeof(c), &p)) {
		memcpy(&c, p, sizeof(c));
		fprintf(d->out, "compressed : %s, level = %u, ratio = %u", c.type == COMPRESSION_ZSTD ? "Zstd" : "Unknown", c.level, c.ratio);
	} else {
		fprintf(d->out, "%s", feature_names[feature]);
	}
}

static int describe_long(struct description *d, unsigned feature, struct span s)
{
	switch (feature) {
	case FEATURE_CPU_TOPOLOGY:
		return describe_cpus(d, s, d->nr_cpus);
	case FEATURE_NUMA_TOPOLOGY:
		return describe_nodes(d, s);
	case FEATURE_CACHE:
		return describe_caches(d, s);
	default:
		return describe_memory(d, s);
	}
}

static int describe_feature(struct description *d, unsigned feature, struct span s)
{
	if (feature == FEATURE_TRACING_DATA || feature == FEATURE_BUILD_ID || feature == FEATURE_DIR_FORMAT || feature == FEATURE_BPF_PROG_INFO ||
	    feature == FEATURE_BPF_BTF)
		return 0;
	if (feature == FEATURE_EVENT_DESC)
		return describe_events(d, s);
	if (feature == FEATURE_GROUP_DESC)
		return describe_groups(d, s);
	if (feature == FEATURE_CPU_PMU_CAPS || feature == FEATURE_PMU_CAPS || feature == FEATURE_HYBRID_TOPOLOGY)
		return 0; /* of few machines */
	if (feature == FEATURE_CLOCK_DATA)
		return describe_clock(d, s);
	if (feature == FEATURE_SAMPLE_TIME)
		return sample_time(d, s);
	if (feature == FEATURE_NRCPUS)
		return nrcpus(d, s);
	if (d->whole && is_long(feature))
		return describe_long(d, feature, s);
	if (plain[feature])
		fputs(plain[feature], d->out);
	else if (is_long(feature))
		fprintf(d->out, "%s info available, use -I to display", feature_names[feature]);
	else
		one_line(d, feature, s);
	return describe_end(d);
}

static int describe_file(struct description *d, const struct data_reader *r)
{
	struct stat st;
	char when[32];
	int ret = 0;

	if (!fstat(r->in.fd, &st) && ctime_r(&st.st_mtime, when)) {
		fprintf(d->out, "captured on    : %.*s", (int)strcspn(when, "\n"), when);
		ret = describe_end(d);
	}
	fprintf(d->out, "header version : 1");
	ret = ret ? ret : describe_end(d);
	fprintf(d->out, "data offset    : %" PRIu64, r->header.data.offset);
	ret = ret ? ret : describe_end(d);
	fprintf(d->out, "data size      : %" PRIu64, r->header.data.size);
	ret = ret ? ret : describe_end(d);
	fprintf(d->out, "feat offset    : %" PRIu64, r->header.data.offset + r->header.data.size);
	return ret ? ret : describe_end(d);
}

/* In a seekable file also sections without content. */
static bool has_feature(const struct data_reader *r, unsigned f)
{
	return (r->pipe_format ? r->has_features : r->header.features[0]) >> f & 1;
}

static struct span feature_span(const struct data_reader *r, unsigned f)
{
	for (size_t i = 0; i < r->features.n; i++)
		if (r->features.data[i].feature == f)
			return (struct span){ r->features.data[i].bytes, r->features.data[i].n, r->in.stream.is_swapped };
	return (struct span){ 0 };
}

int data_reader_sockets(struct data_reader *r, int **ret_sockets, uint32_t *ret_n)
{
	return topology_sockets(feature_span(r, FEATURE_CPU_TOPOLOGY), r->meta.nr_cpus_avail, ret_sockets, ret_n);
}

static int describe_missing(struct description *d, const struct data_reader *r)
{
	fputs("missing features: ", d->out);
	for (unsigned f = FEATURE_FIRST; f < FEATURE_KNOWN; f++)
		if (!has_feature(r, f))
			fprintf(d->out, "%s ", feature_names[f]);
	return describe_end(d);
}

int data_reader_describe(struct data_reader *r, bool whole, void (*line)(void *arg, const char *text), void *arg)
{
	struct description d = { .line = line, .arg = arg, .whole = whole, .nr_cpus = r->meta.nr_cpus_avail,
				 .events = r->meta.events, .nr_events = r->meta.nr_events };
	size_t n;
	int ret;

	d.out = open_memstream(&d.text, &n);
	if (!d.out)
		return -ENOMEM;
	line(arg, "========");
	ret = describe_file(&d, r);
	for (unsigned f = FEATURE_FIRST; f < FEATURE_KNOWN && !ret; f++)
		if (has_feature(r, f))
			ret = describe_feature(&d, f, feature_span(r, f));
	if (!ret && !r->pipe_format)
		ret = describe_missing(&d, r);
	fclose(d.out);
	free(d.text);
	line(arg, "========");
	line(arg, NULL);
	return ret;
}
