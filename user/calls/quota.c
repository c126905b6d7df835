/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* quotactl(): the command decides on all that follows. */
#include <string.h>

#include "calls/decode.h"

enum field_as { AS_UNSIGNED, AS_SIGNED, AS_HEX, AS_FLAGS, AS_FILE };

/* A member of a struct; is_more: only where all members are shown */
struct field {
	const char *name;
	uint8_t at, bytes, as;
	bool is_more;
	const struct names *names;
};

#define FIELDS_MAX 20
#define BYTES_MAX 160

struct layout {
	uint8_t bytes;
	struct field fields[FIELDS_MAX];
};

#define U64(name, at) { name, at, 8, AS_UNSIGNED, false, NULL }
#define BLOCK_LIMITS \
	U64("dqb_bhardlimit", 0), U64("dqb_bsoftlimit", 8), U64("dqb_curspace", 16), U64("dqb_ihardlimit", 24), U64("dqb_isoftlimit", 32), \
	U64("dqb_curinodes", 40), { "dqb_btime", 48, 8, AS_UNSIGNED, true, NULL }, { "dqb_itime", 56, 8, AS_UNSIGNED, true, NULL }, \
	{ "dqb_valid", 64, 4, AS_FLAGS, true, &names_quota_valid }

/* include/uapi/linux/quota.h: struct if_dqblk, if_nextdqblk, if_dqinfo */
static const struct layout block = { 68, { BLOCK_LIMITS } };
static const struct layout next_block = { 72, { BLOCK_LIMITS, { "dqb_id", 68, 4, AS_UNSIGNED, false, NULL } } };
static const struct layout info = { 24, {
	U64("dqi_bgrace", 0), U64("dqi_igrace", 8),
	{ "dqi_flags", 16, 4, AS_FLAGS, false, &names_quota_info_flags },
	{ "dqi_valid", 20, 4, AS_FLAGS, false, &names_quota_info_valid },
} };

/* include/uapi/linux/dqblk_xfs.h: struct fs_disk_quota, fs_quota_stat, fs_quota_statv */
static const struct layout xfs_disk = { 112, {
	{ "d_version", 0, 1, AS_SIGNED, false, NULL },
	{ "d_flags", 1, 1, AS_FLAGS, false, &names_xfs_quota_types },
	{ "d_fieldmask", 2, 2, AS_HEX, false, NULL },
	{ "d_id", 4, 4, AS_UNSIGNED, false, NULL },
	U64("d_blk_hardlimit", 8), U64("d_blk_softlimit", 16), U64("d_ino_hardlimit", 24), U64("d_ino_softlimit", 32), U64("d_bcount", 40),
	U64("d_icount", 48),
	{ "d_itimer", 56, 4, AS_SIGNED, true, NULL },
	{ "d_btimer", 60, 4, AS_SIGNED, true, NULL },
	{ "d_iwarns", 64, 2, AS_UNSIGNED, true, NULL },
	{ "d_bwarns", 66, 2, AS_UNSIGNED, true, NULL },
	{ "d_rtb_hardlimit", 72, 8, AS_UNSIGNED, true, NULL },
	{ "d_rtb_softlimit", 80, 8, AS_UNSIGNED, true, NULL },
	{ "d_rtbcount", 88, 8, AS_UNSIGNED, true, NULL },
	{ "d_rtbtimer", 96, 4, AS_SIGNED, true, NULL },
	{ "d_rtbwarns", 100, 2, AS_UNSIGNED, true, NULL },
} };
static const struct layout xfs_state = { 80, {
	{ "qs_version", 0, 1, AS_SIGNED, false, NULL },
	{ "qs_flags", 2, 2, AS_FLAGS, true, &names_xfs_quota_flags },
	{ "qs_uquota", 8, 8, AS_FILE, true, NULL },
	{ "qs_gquota", 32, 8, AS_FILE, true, NULL },
	{ "qs_incoredqs", 56, 4, AS_UNSIGNED, true, NULL },
	{ "qs_btimelimit", 60, 4, AS_SIGNED, true, NULL },
	{ "qs_itimelimit", 64, 4, AS_SIGNED, true, NULL },
	{ "qs_rtbtimelimit", 68, 4, AS_SIGNED, true, NULL },
	{ "qs_bwarnlimit", 72, 2, AS_UNSIGNED, true, NULL },
	{ "qs_iwarnlimit", 74, 2, AS_UNSIGNED, true, NULL },
} };
static const struct layout xfs_states = { 160, {
	{ "qs_version", 0, 1, AS_SIGNED, false, NULL },
	{ "qs_flags", 2, 2, AS_FLAGS, true, &names_xfs_quota_flags },
	{ "qs_incoredqs", 4, 4, AS_UNSIGNED, true, NULL },
	{ "qs_uquota", 8, 8, AS_FILE, true, NULL },
	{ "qs_gquota", 32, 8, AS_FILE, true, NULL },
	{ "qs_pquota", 56, 8, AS_FILE, true, NULL },
	{ "qs_btimelimit", 80, 4, AS_SIGNED, true, NULL },
	{ "qs_itimelimit", 84, 4, AS_SIGNED, true, NULL },
	{ "qs_rtbtimelimit", 88, 4, AS_SIGNED, true, NULL },
	{ "qs_bwarnlimit", 92, 2, AS_UNSIGNED, true, NULL },
	{ "qs_iwarnlimit", 94, 2, AS_UNSIGNED, true, NULL },
} };

static int64_t with_sign(uint64_t v, unsigned bytes)
{
	unsigned shift = 64 - 8 * bytes;

	return (int64_t)(v << shift) >> shift;
}

static void put_field(struct decode *d, const char *bytes, const struct field *f)
{
	uint64_t v = 0, file[3];

	memcpy(&v, bytes + f->at, f->bytes);
	out_form(d->o, "%s=", f->name);
	switch (f->as) {
	case AS_SIGNED:
		out_signed(d->o, with_sign(v, f->bytes));
		break;
	case AS_HEX:
		out_hex(d->o, v);
		break;
	case AS_FLAGS:
		put_flags(d, f->names, v);
		break;
	case AS_FILE:
		memcpy(file, bytes + f->at, sizeof(file));
		out_form(d->o, "{qfs_ino=%llu, qfs_nblks=%llu, qfs_nextents=%u}", (unsigned long long)file[0], (unsigned long long)file[1],
			 (uint32_t)file[2]);
		break;
	default:
		out_decimal(d->o, v);
	}
}

static void put_layout(struct decode *d, uint64_t addr, const struct layout *l, bool is_out)
{
	char bytes[BYTES_MAX];
	bool is_cut = false;

	if ((is_out && d->is_failed) || !memory_get(d, addr, bytes, l->bytes)) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '{');
	for (unsigned i = 0; i < FIELDS_MAX && l->fields[i].name; i++) {
		if (l->fields[i].is_more && !d->style->is_whole) {
			is_cut = true;
			continue;
		}
		out_text(d->o, i ? ", " : "");
		put_field(d, bytes, &l->fields[i]);
	}
	out_text(d->o, is_cut ? ", ...}" : "}");
}

static void put_word(struct decode *d, uint64_t addr, const struct names *names, bool is_one)
{
	uint32_t v;

	if (!memory_get(d, addr, &v, 4)) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	if (is_one)
		put_one(d, names, v);
	else
		put_flags(d, names, v);
	out_char(d->o, ']');
}

static const struct layout *layout_of(uint32_t command, bool *ret_is_out, bool *ret_has_id)
{
	*ret_is_out = *ret_has_id = true;
	switch (command) {
	case 0x800008: /* Q_SETQUOTA */
		*ret_is_out = false;
		return &block;
	case 0x800007: /* Q_GETQUOTA */
		return &block;
	case 0x800009: /* Q_GETNEXTQUOTA */
		return &next_block;
	case 0x5804: /* Q_XSETQLIM */
		*ret_is_out = false;
		return &xfs_disk;
	case 0x5803: case 0x5809: /* Q_XGETQUOTA, Q_XGETNEXTQUOTA */
		return &xfs_disk;
	}
	*ret_has_id = false;
	switch (command) {
	case 0x800006: /* Q_SETINFO */
		*ret_is_out = false;
		return &info;
	case 0x800005: /* Q_GETINFO */
		return &info;
	case 0x5805: /* Q_XGETQSTAT */
		return &xfs_state;
	case 0x5808: /* Q_XGETQSTATV */
		return &xfs_states;
	}
	return NULL;
}

/* What follows the command and its file. */
static void put_quota(struct decode *d, uint32_t command, uint32_t id, uint64_t addr)
{
	bool is_out, has_id;
	const struct layout *l = layout_of(command, &is_out, &has_id);

	switch (command) {
	case 0x800001: case 0x800003: case 0x5807: /* Q_SYNC, Q_QUOTAOFF, Q_XQUOTASYNC */
		return;
	}
	out_text(d->o, ", ");
	switch (command) {
	case 0x800002: /* Q_QUOTAON */
		put_one(d, &names_quota_formats, id);
		out_text(d->o, ", ");
		put_text(d, addr, true);
		return;
	case 0x800004: /* Q_GETFMT */
		if (d->is_failed)
			put_addr(d, addr);
		else
			put_word(d, addr, &names_quota_formats, true);
		return;
	case 0x5801: case 0x5802: /* Q_XQUOTAON, Q_XQUOTAOFF */
		put_word(d, addr, &names_xfs_quota_flags, false);
		return;
	case 0x5806: /* Q_XQUOTARM */
		put_word(d, addr, &names_xfs_quota_types, false);
		return;
	}
	if (has_id || !l) {
		put_id(d, id);
		out_text(d->o, ", ");
	}
	if (l)
		put_layout(d, addr, l, is_out);
	else
		put_addr(d, addr);
}

/* QCMD(command, whose quotas) */
static void put_quota_command(struct decode *d, uint32_t command)
{
	if (d->style->names != NAMES_ABBREV)
		out_decimal(d->o, command);
	if (d->style->names == NAMES_RAW)
		return;
	out_text(d->o, d->style->names == NAMES_VERBOSE ? " /* QCMD(" : "QCMD(");
	names_one(d->o, &names_quota_commands, command >> 8, NAMES_ABBREV);
	out_text(d->o, ", ");
	names_one(d->o, &names_quota_types, command & 0xff, NAMES_ABBREV);
	out_text(d->o, d->style->names == NAMES_VERBOSE ? ") */" : ")");
}

void print_quotactl(struct decode *d, unsigned i)
{
	const uint64_t *a = d->e->args;

	put_quota_command(d, a[i]);
	out_text(d->o, ", ");
	put_text(d, a[1], true);
	put_quota(d, (uint32_t)a[i] >> 8, a[2], a[3]);
}

void print_quotactl_fd(struct decode *d, unsigned i)
{
	const uint64_t *a = d->e->args;

	put_quota_command(d, a[i]);
	put_quota(d, (uint32_t)a[i] >> 8, a[2], a[3]);
}
