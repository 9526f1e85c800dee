/* The record that ld-hugetext.so leaves in a process, read from outside.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What it is: elf/dl-hugetext-record.h.  The process may write what it likes
   there: all numbers are bounded before they are used.  */

#ifndef LOADER_RECORD_H
#define LOADER_RECORD_H

#include "dl-hugetext-lookup.h"
#include "dl-hugetext-record.h"
#include "object/settings.h"
#include "text/objtext.h"

struct loader_record
{
  bool text, code; /* What is to be huge in the process.  */
  bool no_gain;    /* Nothing could be, for THP were off.  */
  bool kept;       /* There is a record; only then what follows is set.  */
  struct hugetext_record_head head;
  struct hugetext_entry *entries;
  size_t count;
  bool indexed; /* The index says something of the program:  */
  struct hugetext_memory memory;
};

/* Why the loader PATH leaves no record that could be read, NULL if it
   does.  */
extern const char *loader_record_unknown (const char *path);

/* Read the record of process PID with OBJECTS, which ld-hugetext.so has
   loaded.  Returns NULL, or why it cannot be read; then there is nothing to
   free.  */
extern const char *loader_record_read (pid_t pid,
                                       const struct object_list *objects,
                                       struct loader_record *record);

extern void loader_record_free (struct loader_record *record);

/* The entry of RECORD for the object with load bias BIAS, NULL if it has
   none.  */
extern const struct hugetext_entry *
loader_record_find (const struct loader_record *record, uintptr_t bias);

/* What became of the block at ADDRESS by ENTRY of RECORD, which may be NULL:
   an enum hugetext_fate.  */
extern unsigned int loader_record_fate (const struct loader_record *record,
                                        const struct hugetext_entry *entry,
                                        uintptr_t address);

/* Set SETTINGS to those in force, by RECORD, which is kept.  */
extern void loader_record_settings (const struct loader_record *record,
                                    struct settings *settings);

#endif
