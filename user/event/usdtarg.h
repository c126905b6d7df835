/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arguments of USDT notes: "-4@%edi 8@-16(%rbp) 4@$5", operands of the assembler after their sizes. Foreign bytes. */
#ifndef SKEP_EVENT_USDTARG_H
#define SKEP_EVENT_USDTARG_H

#include <stdbool.h>
#include <stdint.h>

enum usdt_place {
	USDT_CONST,  /* num */
	USDT_REG,    /* reg */
	USDT_MEMORY, /* at reg + index * scale + num */
};

struct usdt_arg {
	enum usdt_place place;
	uint8_t size; /* 1, 2, 4, 8 */
	bool is_signed;
	int reg, index; /* DWARF numbers; index -1: none */
	uint32_t scale;
	int64_t num;
};

/* The i-th, from 0 on. 0, -ENOENT after the last, -EOPNOTSUPP for other places than registers and numbers (a float, a symbol's address). */
int usdt_arg(const char *args, uint32_t i, struct usdt_arg *ret_arg);

uint32_t usdt_nr_args(const char *args);

/* A register by its name, of any width; its DWARF number and width, or -1. name[len] without the %. */
int reg_by_name(const char *name, uint32_t len, uint8_t *ret_size);

#endif
