/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes for the sources that attach them, and what the files of src_probe share. */
#ifndef SKEP_CAPTURE_SOURCE_PROBE_PARTS_H
#define SKEP_CAPTURE_SOURCE_PROBE_PARTS_H

#include "bpf/by.h"
#include "capture/attach.h"
#include "capture/base.h"
#include "capture/gen.h"
#include "capture/rings.h"
#include "capture/source/probe.h"
#include "skel/probe.skel.h"
#include "util/vec.h"

#define PROBE_WHAT "the program of a probe"

struct code {
	struct bpf_insn *insns;
	size_t n;
};

/* Sites of one probe that one program serves. */
struct group {
	const struct probe *probe;
	struct code code;
	uint32_t want, bytes;
	bool on_trampoline;
	bool on_record; /* of a tracepoint, which its code reads */
	bool is_module; /* the names of functions for many at once are those of the core */
	VEC(uint32_t) sites; /* numbers through all probes */
};

struct placed {
	uint32_t first_dest, nr_dests, bytes; /* of its values; in set->dests */
};

/* Probes that are attached with clones of one model, whatever it does with a hit. Zeroed but for what is set before its use. */
struct probe_set {
	struct probe *probes; /* set by the user */
	int nr_probes;
	const struct bpf_program *model, *enter, *deep; /* likewise; loaded, and in the same object */
	bool has_size;				 /* the model has PROBE_SIZE_MARK */
	bool has_calls;				 /* it has PROBE_CALLS_MARK, and the map of calls_fd */
	int calls_fd;				 /* call_sites, once the object is loaded */
	bool has_stacks;			 /* it walks stacks, where a trampoline would show */
	int btf_fd; /* clone_as.btf_fd, once that object is loaded */
	/* Where the values of a site go; NULL: it has none that anybody wants. 0 or -errno. */
	int (*place)(void *arg, struct probe_set *set, const struct probe *probe, const struct site *site, struct placed *ret_placed);
	void *arg;

	uint32_t nr_sites; /* of all probes */
	struct attachments attachments;
	VEC(int) prog_fds;
	VEC(struct gen_dest) dests;
	VEC(struct group) groups;
	struct placed *placed; /* beside the sites */
	struct gen_glob *globs;
	int nr_globs, globs_fd;
	uint32_t nr_call_rows; /* that are taken */
	bool *served; /* beside the sites: by a program for many system calls */
};

/* Counts the sites. 0 or -errno with err filled. */
int probe_set_open(struct probe_set *set, struct err *err);

/* Makes the code of all sites and attaches it. 0 or -errno with err filled. */
int probe_set_attach(struct probe_set *set, struct err *err);

/* Hits that were missed so far. */
uint64_t probe_set_missed(const struct probe_set *set);

/* Adds what a glob stands for and is not probed, and what the clones took. */
void probe_set_profile(const struct probe_set *set, struct profile *profile);

void probe_set_close(struct probe_set *set);

/* The i-th site of all probes, and whose it is. NULL: past the last. */
const struct site *probe_set_site(const struct probe_set *set, uint32_t i, const struct probe **ret_probe);

/* Is there a return that needs to know the arguments of its call? And one of a user function that does not? */
bool probe_set_has_calls(const struct probe_set *set);
bool probe_set_has_deep(const struct probe_set *set);

/* Of a tracepoint's record, with so much room for each of its texts. */
uint32_t probe_record_bytes(const struct bound_arg *a, uint32_t text_bytes);

/* Where the values of a site's arguments go, one after the other; text_bytes of a text: a multiple of 8. 0, -EMSGSIZE or -ENOMEM. */
int probe_place_args(struct probe_set *set, const struct site *s, uint32_t text_bytes, struct placed *ret_placed);

/* Those values, from where they were put; PROBE_ARGS_MAX at most. Bit i of faults: the i-th could not be read. Texts are ended in place. */
void probe_values(const struct probe_set *set, const struct site *s, const struct placed *placed, char *data, uint64_t faults,
		  struct sample_value *ret_values);

int probe_add_dest(struct probe_set *set, struct gen_dest d); /* 0 or -ENOMEM */

/* Attaches system calls, where a group has many; those are `served` then. 0 or -errno with err filled. */
int probe_calls_attach(struct probe_set *set, const struct group *g, struct err *err);

/* The group's program for the calls of that row. A descriptor, which is the set's, or -errno with err filled. */
int probe_load_calls(struct probe_set *set, const struct group *g, uint32_t row, struct err *err);

struct src_probe {
	struct source source; /* first: a pointer to it is one to us */
	const struct probe_cfg *cfg;
	struct base base;
	struct probe_bpf *skel;
	const struct place *place;
	struct probe_set set;
	struct rings rings;
	int cpus;
	struct by_places at; /* of keys */
	struct sink *sink;   /* of a walk */
	uint64_t other;	     /* of the last walk */
	uint64_t delivered, missed, missed_before, counted_ns, started_ns;
};

/* Bit i: field i of the keys is a text, by the first site. */
uint32_t probe_texts(const struct src_probe *src);

/* probe_read.c: to the sink what the kernel has. 0, -errno, or what the sink returned. */
int probe_drain(struct src_probe *src, uint64_t until_ns, struct sink *sink);
int probe_snapshot(struct src_probe *src, struct sink *sink);

#endif
