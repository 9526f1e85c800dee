/* The interface between the steps of the loader's work: placing an object,
   staging blocks, making and reporting them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A *backing* prepares blocks in a staging area, aligned and apart from the
   text, until the kernel says that they are huge.  For all backings,
   dl-hugetext-install.c moves blocks over the text, charges and records them.
   There are two kinds of backings: files (the object's own, or its image in
   the store) and copies (thp, memory file, hugetlb).  */

#ifndef _DL_HUGETEXT_WORK_H
#define _DL_HUGETEXT_WORK_H 1

#include "dl-hugetext-placement.h"
#include "dl-hugetext-state.h"

/* Address space (dl-hugetext-space.c).  */

/* Reserve address space for RECORD's object, which STATE describes, at
   PLACEMENT, if possible below run-time address BELOW.  Set RECORD's range,
   slack included, and *BIAS to the load bias there.  False if there is no
   space.  */
extern bool _dl_hugetext_reserve_space (
    const struct hugetext_state *state, struct hugetext_record *record,
    const struct hugetext_placement *placement, uintptr_t below,
    ElfW (Addr) * bias) attribute_hidden;

/* Choose a place for STATE's next object without a system call.  Set RECORD's
   range and hint, unless RECORD is NULL, and set *BIAS to the load bias that
   the kernel is asked for when the object is mapped.  If there is not enough
   space, set nothing.  */
extern void
_dl_hugetext_hint_space (const struct hugetext_state *state,
                         struct hugetext_record *record,
                         const struct hugetext_placement *placement,
                         ElfW (Addr) * bias) attribute_hidden;

/* Reserve the rest of RECORD's range, around its object, which was mapped at
   the hint's place; SLACK says whether that is allowed.  If it fails, RECORD
   has no range.  PAGE is the bytes in a page.  */
extern void _dl_hugetext_claim_space (struct hugetext_record *record,
                                      size_t page,
                                      bool slack) attribute_hidden;

/* Reserve the space around objects that were mapped before the loader knew
   that the process of ROOT, a program or an auditor, is large enough to gain
   (dl-hugetext-place.c).  */
extern void
_dl_hugetext_claim_places (struct hugetext_state *state,
                           const struct link_map *root) attribute_hidden;

/* Map LENGTH bytes at a block boundary.  Returns the address or an error. */
extern long int _dl_hugetext_map_aligned (const struct hugetext_geometry *geo,
                                          size_t length, int prot, int flags,
                                          int fd,
                                          uint64_t offset) attribute_hidden;

/* Map the holes of OBJECT in [START, END) without access.  False if a hole has
   another mapping; then nothing is mapped.  */
extern bool _dl_hugetext_claim_holes (const struct hugetext_object *object,
                                      uintptr_t start,
                                      uintptr_t end) attribute_hidden;

/* Unmap the holes of OBJECT in [START, END) that _dl_hugetext_claim_holes has
   mapped.  */
extern void _dl_hugetext_release_holes (const struct hugetext_object *object,
                                        uintptr_t start,
                                        uintptr_t end) attribute_hidden;

/* Backings (dl-hugetext-file.c, -copy.c).  */

/* The most blocks in a run: arrays of this size lie on the stack.  */
#define HUGETEXT_RUN_MAX 64

/* A run: successive blocks of an object that the loader makes together.  */
struct hugetext_run
{
  struct hugetext_state *state;
  const struct hugetext_object *object; /* NULL if it is not mapped yet.  */
  enum hugetext_way way;
  bool program;               /* The object is the program.  */
  struct hugetext_kept *kept; /* See hugetext_record; NULL in a trial.  */
  int source;      /* The object's file, from which copies are read.  */
  uintptr_t start; /* The run-time address of the text.  */
  size_t nblocks;
  int prot;        /* The protection of the text.  */
  int file;        /* The file that the backing maps.  */
  uint64_t size;   /* The size of FILE.  */
  uint64_t offset; /* The offset of START in FILE.  */

  /* The staging area.  */
  uintptr_t staging;
  enum hugetext_evidence evidence; /* See _dl_hugetext_probe.  */
  int memory_file; /* The memory file that the staging area maps, or -1.  */

  bool huge[HUGETEXT_RUN_MAX];      /* The kernel's last answer for each
                                       block.  */
  bool just_read[HUGETEXT_RUN_MAX]; /* Whether a part of the block was not
                                       cached, or the process has the right to
                                       evict it (backings file and store).  */
  enum hugetext_reason outcome[HUGETEXT_RUN_MAX];
};

/* The address of block I in RUN's staging area.  */
static inline uintptr_t
_dl_hugetext_staged (const struct hugetext_run *run, size_t i)
{
  return run->staging + i * run->state->set.geo.block;
}

/* Set HUGE to which blocks of RUN the kernel has huge; return whether all.  */
static inline bool
_dl_hugetext_is_huge (struct hugetext_run *run)
{
  return (_dl_hugetext_probe (run->state, run->staging, run->nblocks,
                              run->evidence, run->way != HUGETEXT_WAY_FILE,
                              run->huge)
          == run->nblocks);
}

/* Map RUN's staging area, touch its blocks, and make the kernel back them with
   huge pages.  Lower NBLOCKS if the file has fewer blocks.  Set HUGE and
   OUTCOME of each block: HUGETEXT_MADE only where the kernel says that it has
   mapped the block huge.  Return HUGETEXT_MADE, or why there is no staging
   area.  */
extern enum hugetext_reason
_dl_hugetext_stage_file (struct hugetext_run *run) attribute_hidden;
extern enum hugetext_reason
_dl_hugetext_stage_copies (struct hugetext_run *run) attribute_hidden;

/* Whether RUN's file has all of its blocks.  */
extern bool
_dl_hugetext_fits (const struct hugetext_run *run) attribute_hidden;

/* Touch the blocks of RUN, which map an image.  Return whether all blocks are
   huge then.  */
extern bool
_dl_hugetext_touch_image (struct hugetext_run *run) attribute_hidden;

/* Whether ERROR, from mapping a file, is a refusal by IMA, another security
   module or a mount with noexec.  */
static inline bool
_dl_hugetext_is_refusal (long int error)
{
  return error == -EACCES || error == -EPERM;
}

/* Note that the image of RUN, if any, was refused, as all images would be.  */
static inline void
_dl_hugetext_note_refusal (const struct hugetext_run *run)
{
  if (run->way == HUGETEXT_WAY_STORE)
    _dl_hugetext_root.image_error = EACCES;
}

/* Fill block I of RUN, a copy that is already huge.  */
extern enum hugetext_reason _dl_hugetext_fill (struct hugetext_run *run,
                                               size_t i) attribute_hidden;

/* Set the outcome of the filled blocks of RUN to HUGETEXT_MODIFIED where the
   text has changed in memory, because a copy of the file would lose the
   change.  */
extern void
_dl_hugetext_check_text (struct hugetext_run *run) attribute_hidden;

/* Give blocks [FIRST, LAST) of RUN, copies, the protection of text.  */
extern enum hugetext_reason _dl_hugetext_seal (struct hugetext_run *run,
                                               size_t first,
                                               size_t last) attribute_hidden;

/* Move blocks [FIRST, LAST) of RUN from the staging area over the text.
   Return HUGETEXT_MADE; HUGETEXT_NOT_PLACED if the old text is in place; or
   HUGETEXT_LOST if the kernel has unmapped the old text and the loader could
   not map it again.  */
extern enum hugetext_reason _dl_hugetext_move (const struct hugetext_run *run,
                                               size_t first,
                                               size_t last) attribute_hidden;

/* Map RUN's image over the text in one step, and make the text the staging
   area.  Return as _dl_hugetext_move does, or HUGETEXT_FORBIDDEN.  */
extern enum hugetext_reason
_dl_hugetext_map_in_place (struct hugetext_run *run) attribute_hidden;

/* Map the object's file and holes again where _dl_hugetext_map_in_place has
   mapped an image.  Where that fails, the image stays.  False if the kernel
   has lost a part.  */
extern bool
_dl_hugetext_put_back (const struct hugetext_run *run) attribute_hidden;

/* The installation of blocks: the loader tries the backings in turn
   (dl-hugetext-install.c).  */

#define HUGETEXT_NOT_OPEN (-2)

/* The work on one object, which STATE describes, while its blocks are
   made.  */
struct hugetext_job
{
  struct hugetext_state *state;
  struct hugetext_record *record;
  struct hugetext_heat heat;
  struct hugetext_name name;
  uintptr_t looked_up; /* The block with the function by which tools look up
                          the object, 0 if it has none.  */
  bool named; /* A part of the text stays mapped from the object's file.  */
  /* The descriptors of the object's file and of its image, whose record STATE
     has: -1 if the object has none, HUGETEXT_NOT_OPEN if the loader has not
     tried to open it.  */
  int source, stored;
  enum hugetext_answer looks_for_path; /* See HUGETEXT_LOOKS_FOR_PATH.  */
  /* The number of blocks with text, and of huge blocks of each way.  */
  size_t wanted, made[HUGETEXT_WAYS];
};

/* A group: adjacent blocks of an object that are treated alike, at most
   HUGETEXT_RUN_MAX.  */
struct hugetext_group
{
  struct hugetext_block first;
  size_t nblocks;
  int prot;
  bool header; /* The group is one block that begins with the ELF header.  */
  bool name;   /* The group is one block that holds the ELF header, or a
                  function that tools look up, and keeps the object's
                  name.  */
  bool spare;  /* The one block whose text keeps the name.  */
  bool cold;   /* The blocks are not worth a copy.  */
};

/* Make the blocks of GROUP of JOB's object huge, each wholly or not at all;
   charge and record them.  */
extern void
_dl_hugetext_install (struct hugetext_job *job,
                      const struct hugetext_group *group) attribute_hidden;

/* The lines of LD_DEBUG=files; without it, the functions print nothing.  */

static inline bool
_dl_hugetext_debug_files (void)
{
  return __glibc_unlikely ((GLRO (dl_debug_mask) & DL_DEBUG_FILES) != 0);
}

/* Report that the loader skips object L, because of WHY.  */
extern void _dl_hugetext_report_skipped (const struct link_map *l,
                                         const char *why) attribute_hidden;

/* Count, record and report REASON as the new reason of the block at BLOCK of
   JOB's object.  */
extern void
_dl_hugetext_note_reason (struct hugetext_job *job, uintptr_t block,
                          enum hugetext_reason reason) attribute_hidden;

/* Report the totals of the blocks of JOB's object.  */
extern void
_dl_hugetext_report_object (const struct hugetext_job *job) attribute_hidden;

#endif /* dl-hugetext-work.h */
