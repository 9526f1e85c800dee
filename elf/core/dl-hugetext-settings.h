/* The settings of the program, which come from tunables and from the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_SETTINGS_H
#define _DL_HUGETEXT_SETTINGS_H 1

#include <ldsodefs.h>

#include "dl-hugetext-modules.h"
#include "dl-hugetext-plan.h"

/* The contents of the index for the program of this process.  */
struct hugetext_contents
{
  const struct hugetext_advice *advice; /* The settings that the index has for
                                           the program, or NULL.  */
  uint32_t given;                       /* For each setting, a bit that says
                                           whether the index sets it.  */
  bool named;                           /* True if a section of the settings
                                           files names this program.  */
  /* The following members of the index's contents do not depend on the
     program:  */
  bool images;   /* The index has records of images in a store.  */
  bool heats;    /* The index has execution profiles (heat) of objects.  */
  uint8_t error; /* The error number if the index could not be opened, or
                    0.  */
};

struct hugetext_settings
{
  struct hugetext_geometry geo;
  enum hugetext_choice backing;
  uintptr_t pad_threshold;    /* The minimum number of bytes of text with which
                                 a block at the edge of the text may become
                                 huge.  */
  size_t cap;                 /* The maximum number of huge blocks of a
                                 process.  0 means that the loader computes
                                 the maximum from the CPU.  */
  enum hugetext_naming names; /* The setting that says which objects keep a
                                 mapping of their own file, so that tools see
                                 the file's name.  */
  enum hugetext_naming names_in_file; /* The setting that says which objects
                                         keep their text visible to unwinders
                                         on huge pages of the file.  */
  bool places_names; /* The loader chooses addresses at which a part of each
                        object's text can stay mapped from the object's own
                        file, so that tools see the file's name.  */
  bool rehearsal;    /* This program start is a dry run, which ends before the
                        program's code runs.  */
  bool filtered;     /* The dry run shows what the loader would do under a
                        seccomp filter.  */
  bool steady;       /* The kernel does not choose random addresses (no
                        ASLR).  */
  bool prctl;        /* The user or the administrator states that
                        the process's filter allows prctl.  */
  struct hugetext_contents has; /* The contents of the index for the
                                   program.  */
};

/* Read the settings of the program from the tunables and from the index file.
   If the kernel has mapped the program, PHDR and AUXV are the program headers
   and the auxiliary vector.  PHDR and AUXV are NULL if the program is an
   argument of the loader. glibc's start calls this function once, before the
   loader maps any object.  */
extern void _dl_hugetext_read_settings (const ElfW (Phdr) * phdr,
                                        const ElfW (auxv_t) * auxv)
    attribute_hidden attribute_every_start;

/* The root: a variable in which other processes find the address of the
   loader's record.  */
extern struct hugetext_root _dl_hugetext_root attribute_hidden;

/* The settings of the program, which are valid even if huge text is off.  Only
   the modules "code", "handover" and "rehearsal" read this variable directly;
   other files call _dl_hugetext_settings.  */
extern struct hugetext_settings _dl_hugetext_set attribute_hidden;

/* Return the settings, or NULL if huge text is off in this process.  Huge text
   is off if glibc.mem.hugetext lacks HUGETEXT_MODE_TEXT, if the process has
   more rights than its caller (AT_SECURE), or if the loader cannot use huge
   pages of the size that the machine has.  */
static inline const struct hugetext_settings *
_dl_hugetext_settings (void)
{
  return (__glibc_likely (!_dl_hugetext_root.text) ? NULL : &_dl_hugetext_set);
}

#endif /* dl-hugetext-settings.h */
