/* The record of ld-hugetext.so, read from the memory of a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   elf/dl-hugetext-record.h describes the record.  The process may write
   anything there: all numbers are bounded before they are used.  */

#ifndef LOADER_RECORD_H
#define LOADER_RECORD_H

#include "dl-hugetext-lookup.h"
#include "dl-hugetext-record.h"
#include "object/settings.h"

struct loader_record
{
  bool text, code; /* Whether text and code are to be huge in the process.  */
  bool no_gain;    /* No text could be huge, because transparent huge pages
                      were off.  */
  /* The errors with which the index, and an image, could not be opened.  */
  int index_error, image_error;
  bool kept; /* There is a record; only then the following members are set.  */
  struct hugetext_record_head head;
  struct hugetext_entry *entries;
  size_t count;
  bool indexed; /* The index has settings for the program:  */
  struct hugetext_memory memory;
};

/* The memory that has the record: a process or a core.  */
struct record_memory
{
  /* Copy SIZE bytes at ADDRESS to BUFFER.  False if not all are there.  */
  bool (*get) (void *closure, uint64_t address, void *buffer, size_t size);
  void *closure;
  bool still; /* The memory does not change any more.  */
};

/* Read the record in MEMORY of a loader with load bias BIAS, whose NOTE says
   where the record is.  Return NULL, or why it cannot be read; then there is
   nothing to free.  */
extern const char *
loader_record_read (struct loader_record *record,
                    const struct record_memory *memory, uintptr_t bias,
                    const struct hugetext_record_note *note);

extern void loader_record_free (struct loader_record *record);

/* Return RECORD's entry for the object with load bias BIAS, NULL if there is
   none.  */
extern const struct hugetext_entry *
loader_record_find (const struct loader_record *record, uintptr_t bias);

/* Return the fate, an enum hugetext_fate, of the block at ADDRESS by ENTRY of
   RECORD; ENTRY may be NULL.  */
extern unsigned int loader_record_fate (const struct loader_record *record,
                                        const struct hugetext_entry *entry,
                                        uintptr_t address);

/* Set SETTINGS to those in force by RECORD, which must have KEPT set.  */
extern void loader_record_settings (const struct loader_record *record,
                                    struct settings *settings);

#endif
