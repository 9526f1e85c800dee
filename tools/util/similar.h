/* Similar names: find existing names that a user may have meant.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SIMILAR_H
#define SIMILAR_H

#include "util/filelist.h"

/* Set TEXT, a buffer of SIZE bytes, to INTRODUCTION, followed by at most three
   names in NAMES that are similar to WORD, separated by commas.  If no name is
   similar, set TEXT to "".  The comparison ignores the suffix ".service".  */
extern void similar_names (const char *word, const struct file_list *names,
                           const char *introduction, char *text, size_t size);

#endif
