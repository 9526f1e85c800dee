/* The settings of this program, from tunables and index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_SETTINGS_H
#define _DL_HUGETEXT_SETTINGS_H 1

#include <ldsodefs.h>

#include "dl-hugetext-lookup.h"
#include "dl-hugetext-names.h"
#include "dl-hugetext-object.h"
#include "dl-hugetext-record.h"

struct hugetext_settings
{
  struct hugetext_geometry geo;
  enum hugetext_choice backing;
  uintptr_t pad_threshold;      /* Bytes.  */
  size_t cap;                   /* Blocks per process; 0 asks the CPU.  */
  bool rehearsal;               /* The start is a rehearsal.  */
  bool prctl;                   /* The user or the administrator says that the
                                   filter allows prctl.  */
  struct hugetext_contents has; /* The index's facts for all programs.  */
};

/* Read the settings of the program from tunables and index.  PHDR and AUXV are
   its program headers and the auxiliary vector if the kernel has mapped it,
   NULL if it is an argument of the loader.  The loader calls this function
   once, before it maps any object.  */
extern void _dl_hugetext_read_settings (const ElfW (Phdr) * phdr,
                                        const ElfW (auxv_t) * auxv)
    attribute_hidden attribute_every_start;

/* The root by which other processes find the record.  */
extern struct hugetext_root _dl_hugetext_root attribute_hidden;

/* The settings, which every process has.  Only the next two functions read
   them:  */
extern struct hugetext_settings _dl_hugetext_set attribute_hidden;

/* Return the settings, NULL if huge text is off in this process: if
   glibc.mem.hugetext lacks HUGETEXT_MODE_TEXT, if the process is AT_SECURE, or
   if the machine's huge pages are too large.  */
static inline const struct hugetext_settings *
_dl_hugetext_settings (void)
{
  return (__glibc_likely (!_dl_hugetext_root.text) ? NULL : &_dl_hugetext_set);
}

/* Return the settings in the same way, NULL if glibc.mem.hugetext lacks
   HUGETEXT_MODE_CODE.  */
static inline const struct hugetext_settings *
_dl_hugetext_code_settings (void)
{
  return (__glibc_likely (!_dl_hugetext_root.code) ? NULL : &_dl_hugetext_set);
}

#endif /* dl-hugetext-settings.h */
