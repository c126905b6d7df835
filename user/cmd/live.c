/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets up symbol names for a live run; the order matters. */
#include "cmd/live.h"

#include <errno.h>
#include <stdlib.h>

#include "capture/features.h"
#include "sym/kallsyms.h"

struct picture *picture_new(struct strpool *pool)
{
	struct picture *pic = malloc(sizeof(*pic)); /* most of it is stacks, which most runs fill a little */

	if (!pic)
		return NULL;
	pic->ksym = NULL;
	if (names_init(&pic->names, pool, &pic->fold.sink)) {
		picture_free(pic);
		return NULL;
	}
	fold_init(&pic->fold, pic->names.pool);
	return pic;
}

void picture_free(struct picture *pic)
{
	if (!pic)
		return;
	names_free(&pic->names);
	ksym_close(pic->ksym);
	free(pic);
}

void live_kernel_names(struct syms_cfg *cfg, struct ksym_asker *asker)
{
	cfg->kernel_symbol = ksym_name;
	cfg->kernel_addr = ksym_addr;
	cfg->kernel_arg = asker;
}

int live_syms(struct syms_cfg *cfg, struct ksym_asker **ret_asker, struct syms **ret_syms, struct err *err)
{
	*ret_asker = NULL;
	if (feature_tried(FEATURE_KSYM, ksym_open(ret_asker)))
		live_kernel_names(cfg, *ret_asker);
	else
		kallsyms_prefetch();
	return syms_new(cfg, ret_syms, err);
}

int live_run(struct measure *m, struct sample_cfg *cfg, struct syms_cfg *syms_cfg, struct picture *pic, int *ret_status, struct err *err)
{
	struct profile *p = pic->fold.view.profile;
	struct names *names = &pic->names;
	int ret;

	syms_cfg->pool = names->pool;
	ret = m->no_kernel ? syms_new(syms_cfg, &names->syms, err) : live_syms(syms_cfg, &pic->ksym, &names->syms, err);
	if (ret)
		return ret;
	if (walk_by_tables(&m->walks) && !m->no_user && !(m->guide = syms_guide(names->syms)))
		return err_set(err, -ENOMEM, "out of memory");
	names->pin = true;
	p->title = command_line();
	ret = measure_run(m, cfg, &names->sink, NULL, p, ret_status, err);
	names_note(names->syms, p);
	return ret;
}
