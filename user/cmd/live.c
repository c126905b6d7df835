/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets up symbol names for a live run; the order matters. */
#include "cmd/live.h"

#include <errno.h>

#include "capture/features.h"
#include "sym/kallsyms.h"

void live_kernel_names(struct syms_cfg *cfg, struct ksym_asker *asker)
{
	cfg->kernel_symbol = ksym_name;
	cfg->kernel_addr = ksym_addr;
	cfg->kernel_arg = asker;
}

int live_run(struct measure *m, struct sample_cfg *cfg, struct syms_cfg *syms_cfg, struct fold *fold, struct ksym_asker **ret_asker,
	     int *ret_status, struct err *err)
{
	int ret;

	if (!m->no_kernel && feature_tried(FEATURE_KSYM, ksym_open(ret_asker))) {
		live_kernel_names(syms_cfg, *ret_asker);
	} else if (!m->no_kernel) {
		kallsyms_prefetch();
	}
	ret = syms_new(syms_cfg, &fold->syms, err);
	if (ret)
		return ret;
	if (walk_by_tables(&m->walks) && !m->no_user && !(m->guide = syms_guide(fold->syms)))
		return err_set(err, -ENOMEM, "out of memory");
	fold->pin = true;
	fold->view.profile->title = command_line();
	ret = measure_run(m, cfg, &fold->sink, NULL, fold->view.profile, ret_status, err);
	fold_note(fold);
	return ret;
}
