/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The numbers of the perf.data container that uapi/linux/perf_event.h does not define. Source:
 * tools/perf/Documentation/perf.data-file-format.txt; where that text is silent or wrong, files
 * written by perf 6.1, which tests/unit/test_data.c reads.
 */
#ifndef SKEP_DATA_FORMAT_H
#define SKEP_DATA_FORMAT_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>

#define FILE_MAGIC "PERFILE2"
#define FILE_MAGIC_SWAPPED "2ELIFREP"
#define FILE_MAGIC_V1 "PERFFILE"
#define FILE_MAGIC_BYTES 8

struct file_section {
	uint64_t offset; /* from the start of the file */
	uint64_t size;	 /* bytes */
};

#define FEATURE_WORDS 4

/* A file that can be seeked. A stream (perf record -o -) has only magic and size. */
struct file_header {
	char magic[FILE_MAGIC_BYTES];
	uint64_t size;
	uint64_t attr_size; /* of one entry of attrs: the attribute and a section for its ids */
	struct file_section attrs, data, event_types;
	uint64_t features[FEATURE_WORDS];
};
_Static_assert(sizeof(struct file_header) == 104, "perf.data header");

#define FILE_HEADER_NO_FEATURES 72 /* header.size before features existed */
#define PIPE_HEADER_BYTES 16

enum header_feature {
	FEATURE_FIRST = 1,
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7, /* available, then online: the document has them the other way round */
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10, /* in kB, although the document says bytes */
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_AUXTRACE = 18,
	FEATURE_STAT = 19,
	FEATURE_CACHE = 20,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_MEM_TOPOLOGY = 22,
	FEATURE_CLOCKID = 23,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_BPF_PROG_INFO = 25,
	FEATURE_BPF_BTF = 26,
	FEATURE_COMPRESSED = 27,
	FEATURE_CPU_PMU_CAPS = 28,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_PMU_CAPS = 31,
	FEATURE_KNOWN = 32,
	FEATURE_MAX = FEATURE_WORDS * 64,
};

/* Strings are stored with their padded length. */
#define FEATURE_STRING_ALIGN 64

#define NO_GROUP_NAME "{anon_group}" /* of a group without a name, in FEATURE_GROUP_DESC */

#define CLOCK_DATA_VERSION 1

/*
 * FEATURE_COMPRESSED (process_compressed(), tools/perf/util/header.c). For what comes out of one COMPRESSED record perf has mmap_bytes,
 * beside what is left of the one before (perf_session__process_compressed_event(), tools/perf/util/session.c).
 */
struct compression {
	uint32_t version; /* 0 in perf's files */
	uint32_t type;
	uint32_t level;
	uint32_t ratio; /* of all, rounded; to be shown */
	uint32_t mmap_bytes;
};

/* Formats of tracepoints (tools/perf/util/trace-event-info.c) */
#define TRACING_MAGIC "\027\010\104tracing"

#define COMPRESSION_ZSTD 1
#define COMPRESSION_MMAP_BYTES (64u << 10)

/* Records that perf adds to those of the kernel. */
enum record_user {
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_TRACING_DATA = 66, /* followed by its data, padded to 8 */
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_AUXTRACE_INFO = 70, /* its type first */
	RECORD_AUXTRACE = 71, /* followed by its data */
	RECORD_THREAD_MAP = 73, /* this one to 77: of perf stat record */
	RECORD_CPU_MAP = 74,
	RECORD_STAT_CONFIG = 75,
	RECORD_STAT = 76,
	RECORD_STAT_ROUND = 77,
	RECORD_EVENT_UPDATE = 78,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83, /* Linux 6.16: with the exact size, padded to 8 */
	RECORD_USER_FIRST = 64,
};

/* Newer than the uapi headers of the oldest build machine. */
#define RECORD_TEXT_POKE 20	  /* Linux 5.9 */
#define RECORD_CALLCHAIN_DEFERRED 22 /* Linux 6.19 */
#define CONTEXT_USER_DEFERRED ((uint64_t)-640) /* in a chain, before the cookie of that record */

#define RECORD_ALIGN 8
#define RECORD_MAX_BYTES 65528 /* header.size is 16 bits, kept a multiple of 8 */

#define EVENT_UPDATE_UNIT 0
#define EVENT_UPDATE_SCALE 1
#define EVENT_UPDATE_NAME 2

/* struct build_id_event: header, pid, build_id[24], filename. */
#define BUILD_ID_BYTES_AT 12
#define BUILD_ID_SIZE_AT 32 /* valid if the misc bit below is set, else 20 bytes */
#define BUILD_ID_PATH_AT 36
#define BUILD_ID_MISC_SIZE (1u << 15)

/*
 * PERF_SAMPLE_CPU is { u32 cpu, res; }: the kernel writes res as 0, and perf does not read it. In files of skep it has what no field is
 * for: why the walks of both stacks ended (enum stack_stop), and what a thread did on no CPU (enum off_cpu).
 */
#define RES_STOP_BITS 4
#define RES_STOP_MASK ((1u << RES_STOP_BITS) - 1)
#define RES_STOP_SHIFT(kind) ((kind) * RES_STOP_BITS) /* of enum chain_kind: the low half, then: */
#define RES_OFF_CPU_SHIFT 8
#define RES_OFF_CPU_MASK 15u
#define RES_STOP_HIGH_SHIFT(kind) (12 + (kind) * RES_STOP_BITS)
#define RES_BITS RES_STOP_HIGH_SHIFT(2) /* the rest is 0: room for more kinds of chains */

/* struct perf_record_mmap and mmap2, offsets in the record. */
#define MMAP_PATH_AT 40
#define MMAP2_ID_AT 40
#define MMAP2_PROT_AT 64
#define MMAP2_PATH_AT 72
#define MMAP2_BUILD_ID_AT 4 /* in the union at MMAP2_ID_AT */

static inline uint16_t get_u16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t get_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t get_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#endif
