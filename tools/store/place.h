/* The check that images in a folder can be cached in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_PLACE_H
#define STORE_PLACE_H

/* Why no file in the folder PATH can be cached in huge pages, as far as
   something is known, and what to do then; NULL if nothing is.  In static
   memory.  */
extern const char *store_place_problem (const char *path, const char **remedy);

#endif
