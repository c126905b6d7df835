/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of src_probe: what its files share. */
#ifndef SKEP_CAPTURE_PROBE_PARTS_H
#define SKEP_CAPTURE_PROBE_PARTS_H

#include "bpf/by.h"
#include "capture/attach.h"
#include "capture/gen.h"
#include "capture/rings.h"
#include "capture/src_probe.h"
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
	VEC(uint32_t) sites; /* numbers through all probes */
};

struct placed {
	uint32_t first_dest, nr_dests, bytes; /* of its values; in src->dests */
};

struct src_probe {
	struct source source; /* first: a pointer to it is one to us */
	const struct probe_cfg *cfg;
	struct probe_bpf *skel;
	struct rings rings;
	struct attachments attachments;
	VEC(int) prog_fds;
	VEC(struct gen_dest) dests;
	VEC(struct group) groups;
	struct placed *placed; /* beside the sites */
	uint32_t nr_sites;
	struct gen_glob *globs;
	int nr_globs, globs_fd;
	int cpus;
	struct by_places at; /* of keys */
	struct sink *sink;   /* of a walk */
	uint64_t other;	     /* of the last walk */
	uint64_t delivered, missed, missed_before;
	bool knows_missed;
	char note[256];
};

/* Does a return need to know what its call was entered with? */
bool probe_needs_call(const struct site *s);

/* Bit i: field i of the keys is a text, by the first site. */
uint32_t probe_texts(const struct src_probe *src);

/* The program of this mode, which is cloned. */
struct bpf_program *probe_model(const struct src_probe *src);

/* probe_link.c: the code of all sites, in groups; and each group attached. 0 or -errno with err filled. */
int probe_group_sites(struct src_probe *src, struct err *err);
int probe_attach(struct src_probe *src, struct err *err);

/* probe_read.c: to the sink what the kernel has. 0, -errno, or what the sink returned. */
int probe_drain(struct src_probe *src, uint64_t until_ns, struct sink *sink);
int probe_snapshot(struct src_probe *src, struct sink *sink);

#endif
