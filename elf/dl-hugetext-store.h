/* The store: images of text that were made before the program starts.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_STORE_H
#define _DL_HUGETEXT_STORE_H 1

#include "dl-hugetext-backing.h"

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

/* Read the record of the image of OBJECT, which was mapped from FILE, into
   RECORD.  False if the store has no image of this very file.  */
extern bool
_dl_hugetext_find_image (struct hugetext_attempt *attempt,
                         const struct hugetext_object *object,
                         const struct hugetext_identity *file,
                         union hugetext_index_buffer *record) attribute_hidden;

/* Open the image of OBJECT, which was mapped from FILE, and read its record
   into RECORD. -1 if the store has no image of this very file.  */
extern int
_dl_hugetext_open_image (struct hugetext_attempt *attempt,
                         const struct hugetext_object *object,
                         const struct hugetext_identity *file,
                         union hugetext_index_buffer *record) attribute_hidden;

/* The backing store: blocks of the object's image.  */
extern hugetext_backing_row _dl_hugetext_store attribute_hidden;

#endif

#endif /* dl-hugetext-store.h */
