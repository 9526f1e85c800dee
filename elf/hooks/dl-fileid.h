/* The identity of a file that is being mapped.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The stock loader calls fstat, and keeps only the device and the inode.  This
   version keeps the whole result of fstat, so that ld-hugetext need not call
   fstat again.  */

#ifndef _DL_FILEID_HUGETEXT_H
#define _DL_FILEID_HUGETEXT_H 1

#define _dl_get_file_id _dl_get_file_id_stock
#include_next <dl-fileid.h>
#undef _dl_get_file_id

#if IS_IN(rtld)
/* Call fstat on FD, set DEVICE and INODE from the result, and keep the whole
   result (dl-hugetext-source.c).  Return false if fstat fails.  */
extern bool _dl_hugetext_ask_file (int fd, dev_t *device,
                                   ino64_t *inode) attribute_hidden;
#endif

static inline bool
_dl_get_file_id (int fd, struct r_file_id *id)
{
#if IS_IN(rtld)
  return _dl_hugetext_ask_file (fd, &id->dev, &id->ino);
#else
  return _dl_get_file_id_stock (fd, id);
#endif
}

#endif /* dl-fileid.h */
