/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Entries of .eh_frame and .debug_frame: CIEs are kept, FDEs are handed out one by one. */
#include "unwind/cfi.h"

#include <errno.h>
#include <stdlib.h>

#define LENGTH_64 0xffffffffu
#define LENGTH_RESERVED 0xfffffff0u
#define AUGMENTATION_MAX 16u

const struct cfi_machine cfi_x86_64 = { .sp = 7, .bp = 6, .bx = 3, .ra = 16, .nr_leaf_regs = UNWIND_LEAF_REGS };
const struct cfi_machine cfi_arm64 = { .sp = 31, .bp = 29, .bx = 30, .ra = 32, .nr_leaf_regs = UNWIND_LEAF_REGS, .has_link = true };

void cfi_init(struct cfi *cfi, const struct cfi_machine *machine, const void *bytes, size_t n, uint64_t vaddr)
{
	*cfi = (struct cfi){ .machine = machine,
			     .bytes = bytes_of(bytes, n),
			     .base = { .first = bytes, .vaddr = vaddr, .is64 = true } };
}

void cfi_free(struct cfi *cfi)
{
	free(cfi->cies);
	cfi->cies = NULL;
	cfi->n = cfi->cap = 0;
}

/* The letters of an augmentation string that have data, after its size. Of an unknown letter on, the size is all that is known. */
static int read_augmentation(const struct cfi *cfi, const char *letters, struct bytes data, struct cfi_cie *cie)
{
	uint64_t ignored;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->ptr_enc = bytes_u8(&data);
			break;
		case 'P':
			if (!bytes_ptr(&data, bytes_u8(&data) & ~PTR_INDIRECT, &cfi->base, &ignored))
				return -EBADMSG;
			break;
		case 'L':
			bytes_u8(&data);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* arm64: signed by the other key */
		case 'G': /* arm64: tagged memory */
			break;
		default:
			return data.is_short ? -EBADMSG : 0;
		}
	}
	return data.is_short ? -EBADMSG : 0;
}

static int read_letters(struct bytes *b, char ret_letters[AUGMENTATION_MAX])
{
	for (unsigned int i = 0; i < AUGMENTATION_MAX; i++) {
		ret_letters[i] = (char)bytes_u8(b);
		if (!ret_letters[i])
			return b->is_short ? -EBADMSG : 0;
	}
	return -EBADMSG;
}

static int read_cie(const struct cfi *cfi, struct bytes b, struct cfi_cie *cie)
{
	char letters[AUGMENTATION_MAX];
	uint8_t version = bytes_u8(&b);
	int ret;

	if (version != 1 && version != 3 && (version != 4 || !cfi->is_debug_frame))
		return -EBADMSG;
	ret = read_letters(&b, letters);
	if (ret)
		return ret;
	cie->is64 = true;
	if (version == 4) {
		uint8_t address = bytes_u8(&b);

		if ((address != 4 && address != 8) || bytes_u8(&b))
			return -EBADMSG;
		cie->is64 = address == 8;
	}
	if (letters[0] == 'e' && letters[1] == 'h')
		bytes_skip(&b, 8); /* a pointer of GCC 2 */
	cie->code_align = bytes_uleb(&b);
	cie->data_align = bytes_sleb(&b);
	cie->ra_reg = version == 1 ? bytes_u8(&b) : bytes_uleb(&b);
	cie->has_sizes = letters[0] == 'z';
	if (cie->has_sizes)
		ret = read_augmentation(cfi, letters + 1, bytes_cut(&b, bytes_uleb(&b)), cie);
	else if (letters[0] && letters[0] != 'e')
		ret = -EBADMSG;
	if (ret || b.is_short)
		return -EBADMSG;
	return cfi_run_cie(cfi, cie, b);
}

static int add_cie(struct cfi *cfi, uint64_t off, struct bytes b)
{
	struct cfi_cie cie = { .off = off };
	int ret = read_cie(cfi, b, &cie);

	if (ret)
		return ret;
	if (cfi->n == cfi->cap) {
		size_t cap = cfi->cap ? cfi->cap * 2 : 16;
		struct cfi_cie *p = realloc(cfi->cies, cap * sizeof(*p));

		if (!p)
			return -ENOMEM;
		cfi->cies = p;
		cfi->cap = cap;
	}
	cfi->cies[cfi->n++] = cie;
	return 0;
}

static const struct cfi_cie *find_cie(const struct cfi *cfi, uint64_t off)
{
	size_t low = 0, high = cfi->n;

	/* Mostly the last one. */
	if (high && cfi->cies[high - 1].off <= off)
		low = high - 1;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (cfi->cies[mid].off == off)
			return &cfi->cies[mid];
		if (cfi->cies[mid].off < off)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static int read_fde(const struct cfi *cfi, const struct cfi_cie *cie, struct bytes b, struct cfi_fde *fde)
{
	struct bytes_base base = cfi->base;
	uint64_t size;

	base.is64 = cie->is64;
	if (!bytes_ptr(&b, cie->ptr_enc, &base, &fde->start) || (cie->ptr_enc & PTR_INDIRECT) ||
	    !bytes_ptr(&b, cie->ptr_enc & PTR_FORM, &base, &size) || size > UINT64_MAX - fde->start)
		return -EBADMSG;
	fde->end = fde->start + size;
	if (cie->has_sizes)
		bytes_skip(&b, bytes_uleb(&b));
	if (b.is_short || bytes_left(&b) > UINT32_MAX)
		return -EBADMSG;
	fde->program = b.at;
	fde->nr_bytes = (uint32_t)bytes_left(&b);
	fde->cie = (uint32_t)(cie - cfi->cies);
	return 1;
}

/* An entry without its length. off: where that begins. Returns 1: an FDE. */
static int read_entry(struct cfi *cfi, uint64_t off, struct bytes b, bool is_long, struct cfi_fde *ret_fde)
{
	uint64_t here = (uint64_t)(b.at - cfi->base.first), id, to;
	const struct cfi_cie *cie;

	/* .eh_frame has 32 bits here in a long entry too, and 0 is a CIE; else it is the way back to one. */
	id = is_long && cfi->is_debug_frame ? bytes_u64(&b) : bytes_u32(&b);
	if (b.is_short)
		return -EBADMSG;
	if (cfi->is_debug_frame ? id == (is_long ? UINT64_MAX : UINT32_MAX) : !id)
		return add_cie(cfi, off, b);
	to = cfi->is_debug_frame ? id : here - id;
	cie = find_cie(cfi, to);
	return cie ? read_fde(cfi, cie, b, ret_fde) : -EBADMSG;
}

int cfi_next(struct cfi *cfi, struct cfi_fde *ret_fde)
{
	struct bytes *b = &cfi->bytes;
	int ret = 0;

	while (!ret && bytes_left(b) >= sizeof(uint32_t)) {
		uint64_t off = (uint64_t)(b->at - cfi->base.first);
		uint64_t len = bytes_u32(b);
		bool is_long = len == LENGTH_64;

		if (!len) {
			if (cfi->ends_at_zero)
				b->at = b->end;
			continue;
		}
		if (is_long)
			len = bytes_u64(b);
		else if (len >= LENGTH_RESERVED)
			len = UINT64_MAX;
		if (b->is_short || len > bytes_left(b)) {
			b->at = b->end;
			return -EBADMSG;
		}
		ret = read_entry(cfi, off, bytes_cut(b, len), is_long, ret_fde);
	}
	return ret;
}

int cfi_at(const struct cfi *cfi, uint64_t vaddr, struct cfi_fde *ret_fde, uint64_t *ret_cie_vaddr)
{
	struct bytes b = cfi->bytes;
	const struct cfi_cie *cie;
	uint64_t len, here, id;

	if (!bytes_skip(&b, vaddr - cfi->base.vaddr))
		return -EBADMSG;
	len = bytes_u32(&b);
	if (!len || len >= LENGTH_RESERVED)
		return -EBADMSG;
	b = bytes_cut(&b, len);
	here = cfi->base.vaddr + (uint64_t)(b.at - cfi->base.first);
	id = bytes_u32(&b);
	if (!id || b.is_short)
		return -EBADMSG;
	*ret_cie_vaddr = here - id;
	*ret_fde = (struct cfi_fde){ .cie = UINT32_MAX };
	cie = find_cie(cfi, *ret_cie_vaddr);
	return cie ? read_fde(cfi, cie, b, ret_fde) : 1;
}

int cfi_add_cie(struct cfi *cfi, uint64_t vaddr, struct bytes b)
{
	uint64_t len = bytes_u32(&b);

	if (len >= LENGTH_RESERVED)
		return -EBADMSG;
	b = bytes_cut(&b, len);
	return bytes_u32(&b) || b.is_short ? -EBADMSG : add_cie(cfi, vaddr, b);
}
