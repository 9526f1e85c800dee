/* The record of ld-hugetext.so, read from the memory of a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What it is: elf/dl-hugetext-record.h.  The process may write what it likes
   there: all numbers are bounded before they are used.  */

#ifndef LOADER_RECORD_H
#define LOADER_RECORD_H

#include "dl-hugetext-lookup.h"
#include "dl-hugetext-record.h"
#include "object/settings.h"

struct loader_record
{
  bool text, code; /* The text and code that are to be huge in the process.  */
  bool no_gain;    /* Nothing could be, for THP were off.  */
  /* The errors with which the index, and an image, could not be opened.  */
  int index_error, image_error;
  bool kept; /* There is a record; only then what follows is set.  */
  struct hugetext_record_head head;
  struct hugetext_entry *entries;
  size_t count;
  bool indexed; /* The index says something of the program:  */
  struct hugetext_memory memory;
};

/* Where the memory is.  */
struct record_memory
{
  /* Copy SIZE bytes at ADDRESS to BUFFER.  False if not all are there.  */
  bool (*get) (void *closure, uint64_t address, void *buffer, size_t size);
  void *closure;
  bool still; /* It does not change any more.  */
};

/* Read the record in MEMORY of a loader with load bias BIAS, whose NOTE says
   where it is.  Returns NULL, or why it cannot be read; then there is nothing
   to free.  */
extern const char *
loader_record_read (struct loader_record *record,
                    const struct record_memory *memory, uintptr_t bias,
                    const struct hugetext_record_note *note);

extern void loader_record_free (struct loader_record *record);

/* The entry of RECORD for the object with load bias BIAS, NULL if it has
   none.  */
extern const struct hugetext_entry *
loader_record_find (const struct loader_record *record, uintptr_t bias);

/* The fate of the block at ADDRESS by ENTRY of RECORD, which may be NULL:
   an enum hugetext_fate.  */
extern unsigned int loader_record_fate (const struct loader_record *record,
                                        const struct hugetext_entry *entry,
                                        uintptr_t address);

/* Set SETTINGS to those in force, by RECORD, which is kept.  */
extern void loader_record_settings (const struct loader_record *record,
                                    struct settings *settings);

#endif
