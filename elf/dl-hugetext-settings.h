/* The settings of this program, from tunables and index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_SETTINGS_H
#define _DL_HUGETEXT_SETTINGS_H 1

#include <ldsodefs.h>

#include "dl-hugetext-lookup.h"
#include "dl-hugetext-names.h"
#include "dl-hugetext-object.h"

struct hugetext_settings
{
  bool text, code; /* The text and code that are to be huge.  Written last.  */
  uint8_t index_error; /* These three are struct hugetext_record_settings.  */
  struct hugetext_geometry geo;
  enum hugetext_choice backing;
  const char *no_backing; /* The value of glibc.mem.hugetext_backing if
                             it is none; NULL if it is one.  */
  int no_backing_length;
  uintptr_t pad_threshold;      /* Bytes.  */
  size_t cap;                   /* Blocks per process; 0 asks the CPU.  */
  bool lock;                    /* Keep blocks in memory.  */
  bool rehearsal;               /* The program is not to run.  */
  bool prctl;                   /* A filter allows that call, says somebody
                                   who knows.  */
  struct hugetext_contents has; /* The index's facts for all programs.  */
  /* The sources of settings: bits by enum hugetext_key.  */
  uint32_t from_tunable, from_index;
  struct hugetext_memory *memory; /* Strings of the index, NULL if it
                                     says nothing.  */
};

/* Find out the settings of PROGRAM.  Called once a process, before anything is
   mapped.  */
extern void _dl_hugetext_read_settings (const struct hugetext_program *program)
    attribute_hidden;

/* The index, if it is still open from that: move it to OPEN, or close it.
   One of them is called before the program's own code runs.  */
extern void
_dl_hugetext_take_index (struct hugetext_open_index *open) attribute_hidden;
extern void _dl_hugetext_drop_index (void) attribute_hidden;

/* All that is kept for processes without huge text.  Read by these alone:  */
extern struct hugetext_settings _dl_hugetext_set attribute_hidden;

/* The settings, NULL if huge text is off in this process: unless
   glibc.mem.hugetext is 1 or 3, where the process is AT_SECURE, or if the
   machine's huge pages are too large.  */
static inline const struct hugetext_settings *
_dl_hugetext_settings (void)
{
  return (__glibc_likely (!_dl_hugetext_set.text) ? NULL : &_dl_hugetext_set);
}

/* The same of code made at run time, for 2 or 3.  */
static inline const struct hugetext_settings *
_dl_hugetext_code_settings (void)
{
  return (__glibc_likely (!_dl_hugetext_set.code) ? NULL : &_dl_hugetext_set);
}

/* Whether the object NAME, "" for the program, may have blocks by SET.  */
extern bool _dl_hugetext_allows (const struct hugetext_settings *set,
                                 const char *name) attribute_hidden;

#endif /* dl-hugetext-settings.h */
