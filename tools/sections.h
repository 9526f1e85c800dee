/* What other sections say of the programs of an entry.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SECTIONS_H
#define SECTIONS_H

#include "entry.h"

#include <stdint.h>

/* The bits of "hugetext =" (settings.h) that sections outside ENTRY's file
   have for any program of ENTRY.  */
extern uint64_t sections_mode (const struct entry *entry);

/* Say on standard error, for WHO, which settings of sections outside ENTRY's
   file count for its programs, and which do not since ENTRY has others.  */
extern void sections_say (const struct entry *entry, const char *who);

/* Whether LINE of an entry's settings, "KEY = VALUE", is of KEY.  */
extern bool sections_is_of (const char *line, const char *key);

#endif
