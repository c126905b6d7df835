/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/ledger.h"

void profile_json(struct json *json, const struct profile *p)
{
	const struct receipt *r = &p->receipt;

	json_key_text(json, "title", p->title);
	json_key_text(json, "event", p->event);
	json_key_text(json, "unit", p->unit);
	json_key_u64(json, "seen", p->seen);
	json_key_u64(json, "kept", p->kept);
	json_key_u64(json, "weight", p->weight);
	json_key_u64(json, "duration_ns", p->duration_ns);
	json_key(json, "notes");
	json_array(json);
	for (uint32_t i = 0; i < p->nr_notes; i++)
		json_text(json, p->notes[i]);
	json_array_end(json);
	json_key(json, "losses");
	json_object(json);
	for (int i = 0; i < LOSS_MAX; i++)
		json_key_u64(json, loss_name(i), p->losses[i]);
	json_object_end(json);
	json_key(json, "receipt");
	json_object(json);
	json_key_u64(json, "wall_ns", r->wall_ns);
	json_key_u64(json, "own_cpu_ns", r->own_cpu_ns);
	if (r->bpf_runs) { /* the kernel was asked to time its programs */
		json_key_u64(json, "bpf_ns", r->bpf_ns);
		json_key_u64(json, "bpf_runs", r->bpf_runs);
	}
	json_key_u64(json, "peak_rss_bytes", r->peak_rss_bytes);
	json_key_u64(json, "map_bytes", r->map_bytes);
	json_key_u64(json, "cpus", r->cpus);
	json_object_end(json);
}
