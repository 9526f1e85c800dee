/* What the tunables say.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_SETTINGS_H
#define _DL_HUGETEXT_SETTINGS_H 1

#include <ldsodefs.h>

#include "dl-hugetext-object.h"

/* Values of glibc.mem.hugetext_backing; names in dl-hugetext-settings.c.  */
enum hugetext_choice
{
  HUGETEXT_AUTO,
  HUGETEXT_FILE,
  HUGETEXT_THP,
  HUGETEXT_HUGETLB,
  HUGETEXT_STORE,
  HUGETEXT_CHOICES
};

struct hugetext_settings
{
  struct hugetext_geometry geo;
  enum hugetext_choice backing;
  const char *no_backing;       /* The value of glibc.mem.hugetext_backing if
                                   it is none; NULL if it is one.  */
  int no_backing_length;
  uintptr_t pad_threshold;      /* Bytes.  */
  size_t cap;                   /* Blocks per process; 0 asks the CPU.  */
  bool lock;                    /* Keep blocks in memory.  */
};

/* The settings, NULL if huge text is off in this process.  */
extern const struct hugetext_settings *_dl_hugetext_settings (void)
  attribute_hidden;

/* Whether SET allows the backing file.  The store comes after the file
   itself, and is not built yet.  */
static inline bool
_dl_hugetext_may_use_file (const struct hugetext_settings *set)
{
  return (set->backing == HUGETEXT_AUTO || set->backing == HUGETEXT_FILE
          || set->backing == HUGETEXT_STORE);
}

#endif /* dl-hugetext-settings.h */
