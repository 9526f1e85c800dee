/* The comparison of images with the files that they were made from.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_VERIFY_H
#define STORE_VERIFY_H

#include "image/folder.h"
#include "store/make.h"

/* Compare the images of STORE with their files, byte by byte, and with INDEX.
   Call SAY for each wrong image.  Return the number of right ones.  */
extern size_t store_check (const struct store *store, const char *index,
                           objects_say *say);

/* The number of calls that together compare all images.  */
#define STORE_ROUNDS 8

/* Compare the images of STORE, which is locked, with their files: those that
   differ from INDEX, and the next few of the others, at least one, until the
   end in HOW.  The loader no longer uses a wrong image: its mtime differs from
   its note's.  Return whether there was one.  */
extern bool store_verify (const struct store *store, const char *index,
                          const struct store_how *how);

#endif
