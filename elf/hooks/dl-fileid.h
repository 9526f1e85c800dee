/* The identity of a file that is being mapped.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The stock loader asks the kernel for it and keeps device and inode.  Ours
   keeps the rest of the answer, too, so that it asks no second time.  */

#ifndef _DL_FILEID_HUGETEXT_H
#define _DL_FILEID_HUGETEXT_H 1

#define _dl_get_file_id _dl_get_file_id_stock
#include_next <dl-fileid.h>
#undef _dl_get_file_id

#if IS_IN(rtld)
/* Set DEVICE and INODE to those of the file FD, and keep what the kernel says
   of it (dl-hugetext-source.c).  False if it says nothing.  */
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
