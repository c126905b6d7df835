/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Call frame information: entries of .eh_frame or .debug_frame (cfi.c), whose programs are run (cfirun.c) and expressed as rules of
 * bpf/unwind.h (cfirule.c). Followed are the return address, rbp and rbx, or x29. All of it may be hostile: time and memory are linear
 * in the bytes. Facts: DWARF 5, 6.4; Linux Standard Base 5.0, Core, 10.6; the psABIs for the numbers of registers.
 */
#ifndef SKEP_UNWIND_CFI_H
#define SKEP_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/unwind.h"
#include "elf/bytes.h"

/* DWARF's numbers of the registers that rules name. */
struct cfi_machine {
	uint8_t sp, bp;
	uint8_t bx; /* arm64: the link register, which is its return address */
	uint8_t ra;	      /* the address of the code, in expressions */
	uint8_t nr_leaf_regs; /* those that a rule may name */
	bool has_link;	      /* a return address stays in that register without a rule */
};
extern const struct cfi_machine cfi_x86_64, cfi_arm64;

enum cfi_how {
	CFI_UNSAID = 0,
	CFI_UNDEFINED,
	CFI_KEPT,   /* same value */
	CFI_AT_CFA, /* *(CFA + off) */
	CFI_AT_REG, /* *(reg + off) */
	CFI_IN_REG,
	CFI_OTHER,
};

/* Where a register of the caller is. */
struct cfi_saved {
	uint8_t how, reg; /* enum cfi_how */
	int32_t off;
};

enum cfi_form {
	CFI_CFA_OTHER = 0,
	CFI_CFA_REG,   /* reg + off */
	CFI_CFA_DEREF, /* *(reg + off) + add */
	CFI_CFA_PLT,   /* reg + off + (ip & 15 >= add ? 8 : 0) */
	CFI_CFA_INDEX, /* *(reg + 8 * index + off) + add */
};

enum cfi_followed { CFI_RA, CFI_BP, CFI_BX, CFI_FOLLOWED };

struct cfi_cfa {
	int64_t off;
	uint16_t reg;
	int16_t add;
	uint8_t form; /* enum cfi_form */
	uint8_t index; /* a register's number */
};

/*
 * What the instructions so far have set. The last CFA without an expression stays aside: after one, assembly goes back to it by
 * half of a definition (libgcrypt: register, then offset), as GCC's unwinder lets it.
 */
struct cfi_state {
	struct cfi_saved saved[CFI_FOLLOWED];
	struct cfi_cfa cfa;
	int64_t plain_off;
	uint16_t plain_reg;
};

struct cfi_cie {
	uint64_t off; /* in its section */
	uint64_t code_align;
	int64_t data_align;
	struct cfi_state state; /* by its initial instructions */
	uint64_t ra_reg;
	uint8_t ptr_enc;	/* enum bytes_ptr, of its FDEs */
	bool is64;		/* so are addresses */
	bool has_sizes, is_signal;
};

/* An FDE: the code that it is about, and its program, which is borrowed from the section. */
struct cfi_fde {
	uint64_t start, end;
	const uint8_t *program;
	uint32_t nr_bytes;
	uint32_t cie; /* index in cfi.cies */
};

struct cfi {
	const struct cfi_machine *machine;
	struct bytes bytes; /* what is still to be read */
	struct bytes_base base;
	bool is_debug_frame;
	bool ends_at_zero; /* an empty entry is the end, not padding */
	struct cfi_cie *cies; /* by rising offset */
	size_t n, cap;
};

/* Reads from bytes, which are borrowed, at the ELF address vaddr. The caller frees. */
void cfi_init(struct cfi *cfi, const struct cfi_machine *machine, const void *bytes, size_t n, uint64_t vaddr);
void cfi_free(struct cfi *cfi);

/* The next FDE: 1; 0: no more; -EBADMSG: a broken entry, to be called again; -ENOMEM. An FDE's CIE must be before it. */
int cfi_next(struct cfi *cfi, struct cfi_fde *ret_fde);

/*
 * For who knows where entries are, and reads them at their ELF addresses: an FDE, 1, and where its CIE is; -EBADMSG. Of a CIE that
 * was not added only that is returned, and the FDE's cie is UINT32_MAX. Entries of 4 GiB are none.
 */
int cfi_at(const struct cfi *cfi, uint64_t vaddr, struct cfi_fde *ret_fde, uint64_t *ret_cie_vaddr);

/* By rising addresses; bytes begin with the CIE's length. 0, -EBADMSG, -ENOMEM. */
int cfi_add_cie(struct cfi *cfi, uint64_t vaddr, struct bytes bytes);

/* Takes a rule in force from vaddr up to the next call's, or the end. 0, or -errno, which ends the run. */
typedef int cfi_row_fn(void *arg, uint64_t vaddr, const struct unwind_rule *rule);

/*
 * Runs the program of an FDE and calls row() for what it says of [from, to), which is inside of the FDE: at from first, then at
 * rising addresses. 0, what row() returned, or -EBADMSG: a broken program; what it would have set is UNWIND_CFA_UNKNOWN.
 */
int cfi_run(const struct cfi *cfi, const struct cfi_fde *fde, uint64_t from, uint64_t to, cfi_row_fn *row, void *arg);

/* Fills cie->state by its initial instructions. 0 or -EBADMSG. */
int cfi_run_cie(const struct cfi *cfi, struct cfi_cie *cie, struct bytes program);

/* What expressions mean: cfirule.c. What is not understood is OTHER. */
struct cfi_cfa cfi_say_cfa(const struct cfi *cfi, struct bytes expr);
struct cfi_saved cfi_say_saved(struct bytes expr);

/* The rule of a state. */
void cfi_rule(const struct cfi *cfi, const struct cfi_cie *cie, const struct cfi_state *state,
	      struct unwind_rule *ret_rule);

#endif
