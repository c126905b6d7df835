/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lists with the values of the headers: in a file of their own, since those do not go with others. */
#include "calls/namelist.h"

#include "gen/names_words.h"
