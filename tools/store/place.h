/* The check that images in a folder can be cached in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STORE_PLACE_H
#define STORE_PLACE_H

/* Return why no file in the folder PATH can be cached in huge pages, and set
   REMEDY; NULL if no reason is known.  In static memory.  */
extern const char *store_place_problem (const char *path, const char **remedy);

#endif
