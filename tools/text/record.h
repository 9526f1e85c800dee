/* The record of ld-hugetext.so, read from the memory of a process or a core.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   elf/optional/dl-hugetext-record.h describes the record.  The process can
   write anything there, so all numbers are checked before use.  */

#ifndef RECORD_H
#define RECORD_H

#include "dl-hugetext-record.h"
#include "object/settings.h"
#include "text/objtext.h"
#include "util/problem.h"

struct record
{
  struct hugetext_root root;
  bool kept; /* There is a record; otherwise the following members are not
                set.  */
  struct hugetext_record_head head;
  struct hugetext_entry *entries;
  size_t count;
  bool indexed; /* The index has settings for the program:  */
  struct hugetext_advice advice;
};

/* The memory that holds the record.  */
struct record_memory
{
  /* Copy SIZE bytes at ADDRESS to BUFFER.  Return false if some of them do
     not exist.  */
  bool (*get) (void *closure, uint64_t address, void *buffer, size_t size);
  void *closure;
  bool still; /* The memory no longer changes, as in a core.  */
};

/* Find the note of a loader whose ELF header is at START of MEMORY.  Return
   false if there is no such loader.  */
extern bool record_note (const struct record_memory *memory, uint64_t start,
                         struct hugetext_record_note *note);

/* Read the record in MEMORY of the loader whose ELF header is at START, and
   whose NOTE has the record's position.  If the record cannot be read, the
   caller need not free RECORD.  */
extern bool record_read (struct record *record,
                         const struct record_memory *memory, uint64_t start,
                         const struct hugetext_record_note *note,
                         struct problem *problem);

/* Read the record of process PID, which has OBJECTS, as record_read does.  */
extern bool record_of_process (pid_t pid, const struct object_list *objects,
                               struct record *record, struct problem *problem);

/* Whether this command can read records of the loader at PATH.  */
extern bool record_known (const char *path, struct problem *problem);

/* Make the texts of ADVICE, which other users may have written, printable and
   null-terminated.  */
extern void record_end_texts (struct hugetext_advice *advice);

/* Add RECORD to MESSAGE, or take RECORD from MESSAGE; the caller frees RECORD
   in any case.  */
extern void record_put (struct message *message, const struct record *record);
extern void record_get (struct message *message, struct record *record);

extern void record_free (struct record *record);

/* Return RECORD's entry for the object with load bias BIAS, or NULL if RECORD
   has none.  */
extern const struct hugetext_entry *record_find (const struct record *record,
                                                 uintptr_t bias);

/* Return the reason that ENTRY of RECORD has for the block at ADDRESS; ENTRY
   may be NULL.  */
extern enum hugetext_reason record_reason (const struct record *record,
                                           const struct hugetext_entry *entry,
                                           uintptr_t address);

/* Whether "hugetext adapt" has taken back BLOCK, which the loader has made
   huge if REASON of the record says so: BLOCK maps the object's file again,
   with huge pages switched off if it did so before.  */
extern bool record_is_taken_back (enum hugetext_reason reason,
                                  const struct text_block *block);

/* Set SETTINGS to those in force by RECORD, which must have KEPT set.  */
extern void record_settings (const struct record *record,
                             struct settings *settings);

#endif
