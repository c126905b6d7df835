/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep stat report: the tables of a file of counts. */
#ifndef SKEP_CMD_STAT_REPORT_H
#define SKEP_CMD_STAT_REPORT_H

#include "cmd/cmd.h"

extern const struct cmd cmd_stat_report;

#endif
