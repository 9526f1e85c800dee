/* The comparison of images with the files that they were made from.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_VERIFY_H
#define STORE_VERIFY_H

#include "image/folder.h"
#include "store/make.h"

/* Compare the images of STORE with the files that they are of, byte by byte,
   and with what INDEX says.  SAY is called for each that is wrong.  Returns
   how many are right.  */
extern size_t store_check (const struct store *store, const char *index,
                           objects_say *say);

/* Each so many calls compare all images.  */
#define STORE_ROUNDS 8

/* Compare with their files those images of STORE, which is locked, that INDEX
   does not have as they are, and the next few of the others, at least one,
   until the end in HOW.  The loader uses none that is wrong any more: its
   mtime is no longer what its note says.  Returns whether there was any.  */
extern bool store_verify (const struct store *store, const char *index,
                          const struct store_how *how);

#endif
