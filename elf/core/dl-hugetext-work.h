/* The interface between the steps of the loader's work: placing an object,
   staging its blocks, making them huge, and reporting them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A *backing* prepares blocks in a *staging area*, which is aligned and apart
   from the text, until the kernel says that the blocks are huge.  For all
   backings, dl-hugetext-install.c moves blocks over the text, charges and
   records them.  There are two kinds of backings: files (the object's own, or
   its image in the store) and copies (thp, memfd, hugetlb).  */

#ifndef _DL_HUGETEXT_WORK_H
#define _DL_HUGETEXT_WORK_H 1

#include "dl-hugetext-placement.h"
#include "dl-hugetext-state.h"
#include "dl-hugetext-stretch.h"

/* Address space (dl-hugetext-space.c).  */

/* Reserve address space for NEED of RECORD's object, if possible below
   run-time address BELOW.  Set RECORD's range, including slack, and set *BIAS
   to the load bias.  Return false if there is no space.  */
extern bool _dl_hugetext_reserve_space (const struct hugetext_state *state,
                                        struct hugetext_record *record,
                                        const struct hugetext_need *need,
                                        uintptr_t below,
                                        ElfW (Addr) * bias) attribute_hidden;

/* Choose an address for STATE's next object without a system call.  Set *BIAS
   to the load bias that the stock loader passes to the kernel as a hint.  Set
   RECORD's range and hint, unless RECORD is NULL.  If there is not enough
   space, set nothing.  */
extern void
_dl_hugetext_hint_space (const struct hugetext_state *state,
                         struct hugetext_record *record,
                         const struct hugetext_placement *placement,
                         ElfW (Addr) * bias) attribute_hidden;

/* Reserve the slack in RECORD's range, around its object, which the kernel has
   mapped at the hint.  SLACK says whether the loader may reserve slack.  If no
   slack can be reserved, RECORD has no range.  PAGE is the size of a page in
   bytes.  */
extern void _dl_hugetext_claim_space (struct hugetext_record *record,
                                      size_t page,
                                      bool slack) attribute_hidden;

/* Reserve the slack around objects that were mapped before the loader knew
   that the process is large enough to gain (dl-hugetext-place.c).  ROOT is a
   program or an auditor.  */
extern void
_dl_hugetext_claim_places (struct hugetext_state *state,
                           const struct link_map *root) attribute_hidden;

/* Map LENGTH bytes at a block boundary.  Return the address or an error.  */
extern long int _dl_hugetext_map_aligned (const struct hugetext_geometry *geo,
                                          size_t length, int prot, int flags,
                                          int fd,
                                          uint64_t offset) attribute_hidden;

/* Map the holes of OBJECT in [START, END) without access.  If a hole has
   another mapping, map nothing and return false.  */
extern bool _dl_hugetext_claim_holes (const struct hugetext_object *object,
                                      uintptr_t start,
                                      uintptr_t end) attribute_hidden;

/* Unmap the holes of OBJECT in [START, END), which _dl_hugetext_claim_holes
   has mapped.  */
extern void _dl_hugetext_release_holes (const struct hugetext_object *object,
                                        uintptr_t start,
                                        uintptr_t end) attribute_hidden;

/* Backings (dl-hugetext-file.c, -copy.c).  */

/* The maximum number of blocks in a run.  Arrays of this size are on the
   stack.  */
#define HUGETEXT_RUN_MAX 64

/* A run: successive blocks of an object that the loader makes huge
   together.  */
struct hugetext_run
{
  struct hugetext_state *state;
  const struct hugetext_object *object; /* NULL if the object is not mapped
                                           yet.  */
  enum hugetext_way way;
  bool program;               /* The object is the program.  */
  struct hugetext_kept *kept; /* See hugetext_record.  NULL in a trial.  */
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
  int memory_file; /* The memfd that the staging area maps, or -1.  */

  bool huge[HUGETEXT_RUN_MAX];      /* Whether each block is huge, by the
                                       kernel's last answer.  */
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

/* Set HUGE for each block of RUN by the kernel's answer.  Return whether all
   blocks are huge.  */
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
   OUTCOME of each block.  OUTCOME is HUGETEXT_MADE only if the kernel says
   that it has mapped the block huge.  Return HUGETEXT_MADE, or the reason why
   there is no staging area.  */
extern enum hugetext_reason
_dl_hugetext_stage_file (struct hugetext_run *run) attribute_hidden;
extern enum hugetext_reason
_dl_hugetext_stage_copies (struct hugetext_run *run) attribute_hidden;

/* Map the staging area of RUN, which may have more than HUGETEXT_RUN_MAX
   blocks, from RUN's file, and touch no block.  Lower NBLOCKS if the file has
   fewer blocks.  Return HUGETEXT_MADE, or the reason why there is no staging
   area.  */
extern enum hugetext_reason
_dl_hugetext_map_file (struct hugetext_run *run) attribute_hidden;

/* Touch the blocks of RUN, which are mapped from a file, and make the kernel
   cache them in huge pages.  Set HUGE of each block.  */
extern void _dl_hugetext_cache_run (struct hugetext_run *run) attribute_hidden;

/* Whether RUN's file contains all blocks of RUN.  */
extern bool
_dl_hugetext_fits (const struct hugetext_run *run) attribute_hidden;

/* Touch the blocks of RUN, which map an image.  Return whether all blocks are
   then huge.  */
extern bool
_dl_hugetext_touch_image (struct hugetext_run *run) attribute_hidden;

/* Whether ERROR, from mapping a file, means a refusal by IMA, another security
   module or a noexec mount.  */
static inline bool
_dl_hugetext_is_refusal (long int error)
{
  return error == -EACCES || error == -EPERM;
}

/* If the kernel has refused to map RUN's image, note that it would refuse all
   images.  */
static inline void
_dl_hugetext_note_refusal (const struct hugetext_run *run)
{
  if (run->way == HUGETEXT_WAY_STORE)
    _dl_hugetext_root.image_error = EACCES;
}

/* Fill block I of RUN, which is a copy and already huge.  */
extern enum hugetext_reason _dl_hugetext_fill (struct hugetext_run *run,
                                               size_t i) attribute_hidden;

/* Find the filled blocks of RUN whose text has changed in memory, and set
   their outcome to HUGETEXT_MODIFIED.  A copy of the file would lose the
   change.  */
extern void
_dl_hugetext_check_text (struct hugetext_run *run) attribute_hidden;

/* Protect blocks [FIRST, LAST) of RUN, which are copies, like text.  */
extern enum hugetext_reason _dl_hugetext_seal (struct hugetext_run *run,
                                               size_t first,
                                               size_t last) attribute_hidden;

/* Move blocks [FIRST, LAST) of RUN from the staging area over the text.
   Return HUGETEXT_MADE on success, or HUGETEXT_NOT_PLACED if the old text is
   still mapped.  Return HUGETEXT_LOST if the kernel has unmapped the old text
   and the loader could not map it again.  */
extern enum hugetext_reason _dl_hugetext_move (const struct hugetext_run *run,
                                               size_t first,
                                               size_t last) attribute_hidden;

/* Map RUN's image over the text in one step, and make the text the staging
   area.  Return HUGETEXT_FORBIDDEN or a result of _dl_hugetext_move.  */
extern enum hugetext_reason
_dl_hugetext_map_in_place (struct hugetext_run *run) attribute_hidden;

/* Map the object's file and holes again where _dl_hugetext_map_in_place has
   mapped an image.  Where this fails, the image stays.  Return false if the
   kernel has lost a part of the text.  */
extern bool
_dl_hugetext_put_back (const struct hugetext_run *run) attribute_hidden;

/* The installation of blocks: the loader tries the backings in turn
   (dl-hugetext-install.c).  */

#define HUGETEXT_NOT_OPEN (-2)

/* The work on the blocks of one object, which STATE describes.  */
struct hugetext_job
{
  struct hugetext_state *state;
  struct hugetext_record *record;
  struct hugetext_heat heat;
  struct hugetext_name name;
  uintptr_t looked_up; /* The block with the function by which tools look up
                          the object, or 0 if it has none.  */
  bool named; /* A part of the text stays mapped from the object's file.  */
  /* SOURCE is the descriptor of the object's file, STORED that of its image,
     whose record is in STATE.  A descriptor is -1 if the file cannot be
     opened, and HUGETEXT_NOT_OPEN if the loader has not tried.  */
  int source, stored;
  /* The number of blocks with text, and the number of huge blocks of each
     backing.  */
  size_t wanted, made[HUGETEXT_WAYS];
};

/* A group: at most HUGETEXT_RUN_MAX adjacent blocks of an object with equal
   properties.  */
struct hugetext_group
{
  struct hugetext_block first;
  size_t nblocks;
  int prot;
  bool header; /* The group is one block that begins with the ELF header.  */
  bool name;   /* The group is one block that holds the ELF header, or a
                  function that tools look up, and keeps the object's
                  name.  */
  bool spare;  /* The group is the one block whose text keeps the object's
                  name.  */
  bool cold;   /* The blocks are not worth a copy.  */
};

/* Make the blocks of GROUP of JOB's object huge, charge them and record them.
   Each block becomes huge as a whole or not at all.  */
extern void
_dl_hugetext_install (struct hugetext_job *job,
                      const struct hugetext_group *group) attribute_hidden;

/* The lines of LD_DEBUG=files.  Without this setting the functions print
   nothing.  */

static inline bool
_dl_hugetext_debug_files (void)
{
  return __glibc_unlikely ((GLRO (dl_debug_mask) & DL_DEBUG_FILES) != 0);
}

/* Report that the loader skips object L for the reason WHY.  */
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
