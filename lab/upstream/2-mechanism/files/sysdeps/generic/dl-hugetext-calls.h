/* Calls by which the loader puts program text on huge pages.  Generic
   version, which puts no text on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_CALLS_H
#define _DL_HUGETEXT_CALLS_H 1

#include <link.h>
#include <stdbool.h>

static inline void
_dl_hugetext_start (bool command, const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                    ElfW (auxv_t) * auxv)
{
}

static inline bool
_dl_hugetext_get_file_id (int fd, struct r_file_id *id)
{
  return _dl_get_file_id (fd, id);
}

static inline bool
_dl_hugetext_reserve_segments (struct link_map *l, int fd,
                               const ElfW (Ehdr) * header,
                               const ElfW (Phdr) * phdr, ElfW (Addr) start,
                               size_t length, ElfW (Addr) align)
{
  return false;
}

static inline void
_dl_hugetext_segments_mapped (struct link_map *l, bool reserved,
                              const char *error)
{
}

static inline bool
_dl_hugetext_unmap (struct link_map *l)
{
  return false;
}

static inline void
_dl_hugetext_populate (struct link_map *root)
{
}

#endif /* dl-hugetext-calls.h */
