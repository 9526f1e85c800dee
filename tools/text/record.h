/* The record of ld-hugetext.so, read from the memory of a process or a core.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   elf/optional/dl-hugetext-record.h describes the record.  The process can
   write any bytes to its record, so the command checks all numbers in the
   record before it uses them.  */

#ifndef RECORD_H
#define RECORD_H

#include "dl-hugetext-record.h"
#include "object/settings.h"
#include "text/objtext.h"
#include "util/problem.h"

struct record
{
  struct hugetext_root root;
  uint64_t root_at; /* The address, in the process, of the loader's struct
                       hugetext_root, which points to the record.  */
  bool kept;        /* True if the process has a record.  If the process has no
                       record, all following members are unset.  */
  uint32_t block;   /* The size of a block in bytes.  */
  struct hugetext_record_run *runs; /* The runs of all objects.  A run is a
                                       sequence of blocks with the same
                                       reason.  */
  size_t nruns;
  struct hugetext_entry *entries; /* The entries of all objects.  No run
                                     belongs to two entries.  */
  size_t count;
  bool indexed; /* True if the index contains settings for the program.  The
                   member ADVICE contains the settings that the index has for
                   the program.  */
  struct hugetext_advice advice;
};

/* The memory that contains the record.  */
struct record_memory
{
  /* A function that copies SIZE bytes at ADDRESS to BUFFER.  The function
     returns false if the memory does not contain all SIZE bytes.  */
  bool (*get) (void *closure, uint64_t address, void *buffer, size_t size);
  void *closure;
  bool still; /* True if the memory no longer changes, because it is in a core
                 file.  */
};

/* Set NOTE to the loader's ELF note that says where its record is.  The
   loader's ELF header is at START of MEMORY.  Return false if there is no
   ld-hugetext.so at START.  */
extern bool record_note (const struct record_memory *memory, uint64_t start,
                         struct hugetext_record_note *note);

/* Read the record of the loader whose ELF header is at START of MEMORY.  NOTE
   says where the record is.  If the record cannot be read, set PROBLEM and
   return false.  If the function returns false, the caller need not free
   RECORD.  */
extern bool record_read (struct record *record,
                         const struct record_memory *memory, uint64_t start,
                         const struct hugetext_record_note *note,
                         struct problem *problem);

/* Read the record of process PID, whose objects are OBJECTS, into RECORD.  */
extern bool record_of_process (pid_t pid, const struct object_list *objects,
                               struct record *record, struct problem *problem);

/* Return true if this command can read the records of the loader at PATH.  */
extern bool record_known (const char *path, struct problem *problem);

/* Make the texts in ADVICE printable, and end them with null bytes.  Other
   users may have written the texts in ADVICE.  */
extern void record_end_texts (struct hugetext_advice *advice);

/* Write RECORD to MESSAGE (record_put), or read it from MESSAGE.  The caller
   frees RECORD even if MESSAGE is invalid.  */
extern void record_put (struct message *message, const struct record *record);
extern void record_get (struct message *message, struct record *record);

extern void record_free (struct record *record);

/* Return the entry in RECORD for the object with load bias BIAS, or NULL if no
   entry has this load bias.  */
extern const struct hugetext_entry *record_find (const struct record *record,
                                                 uintptr_t bias);

/* Return RECORD's reason for the block at ADDRESS of ENTRY's object.  ENTRY
   may be NULL.  */
extern enum hugetext_reason record_reason (const struct record *record,
                                           const struct hugetext_entry *entry,
                                           uintptr_t address);

/* Return true if REASON, the reason why a block is on small pages, is that the
   cap is used up.  Return false if the reason is that the loader reserves a
   part of the cap (HUGETEXT_KEPT_FREE).  */
extern bool record_is_beyond_cap (enum hugetext_reason reason);

/* Return true if the loader prevents the kernel from mapping huge pages of
   files in the blocks of RECORD with REASON.  */
extern bool record_is_kept_small (const struct record *record,
                                  enum hugetext_reason reason);

/* Return true if the kernel may map huge pages of files in the blocks of
   RECORD with REASON, which the loader has left small because of the cap.  */
extern bool record_is_left_open (const struct record *record,
                                 enum hugetext_reason reason);

/* record_beyond_cap returns, according to RECORD, how many blocks the loader
   has not made huge because the cap is used up.  The function
   record_candidates returns how many blocks would be huge without a cap and
   without failures of the loader.  */
extern size_t record_beyond_cap (const struct record *record);
extern size_t record_candidates (const struct record *record);

/* Return the reason why BLOCK of OBJECT is on small pages.  If "hugetext
   attach" has changed the process and has left BLOCK small, return the reason
   why attach has left BLOCK small, otherwise the reason in RECORD.  USED_CAP
   is the cap of the last change by attach, or 0 if huge blocks have not used
   up attach's cap.  */
extern enum hugetext_reason
record_reason_now (const struct record *record,
                   const struct object_text *object,
                   const struct text_block *block, size_t used_cap);

/* Return how many blocks the loader has made huge according to RECORD.  */
extern size_t record_made (const struct record *record);

/* If RECORD shows that the loader has left blocks on small pages because a cap
   was used up, return the reason: HUGETEXT_OVER_CAP or HUGETEXT_OVER_COPIES.
   If no cap was used up, return HUGETEXT_NONE.  */
extern enum hugetext_reason record_cap_reason (const struct record *record);

/* Return true if "hugetext adapt" has moved BLOCK back to small pages.  REASON
   is the reason for BLOCK in the loader's record.  "hugetext adapt" can have
   moved a block back only if, according to REASON, the loader had made the
   block huge.  A block that "hugetext adapt" has moved back is mapped from the
   object's file.  If the huge block was a huge page of the object's file,
   "hugetext adapt" has left the block mapped from the file, but has switched
   huge pages off for the block.  */
extern bool record_is_taken_back (enum hugetext_reason reason,
                                  const struct text_block *block);

/* Set SETTINGS to the settings that are in force in the process of RECORD.
   Call this function only if the member KEPT of RECORD is true.  */
extern void record_settings (const struct record *record,
                             struct settings *settings);

#endif
