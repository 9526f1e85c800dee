/* The interface between the steps by which the loader makes text huge: placing
   an object, staging its blocks, making them huge, and reporting them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A *backing* (a source of huge pages) prepares blocks in a *staging area*, an
   aligned mapping apart from the text, until the kernel says that the blocks
   are huge.  When the blocks are huge, dl-hugetext-install.c, which is common
   to all backings, moves them over the text, counts them towards the cap, and
   records them.  There are two kinds of backings: files (the object's own, or
   its image in the store) and copies (thp, memfd, hugetlb).  */

#ifndef _DL_HUGETEXT_WORK_H
#define _DL_HUGETEXT_WORK_H 1

#include "dl-hugetext-attempt.h"
#include "dl-hugetext-placement.h"
#include "dl-hugetext-stretch.h"

/* Objects before they are mapped (dl-hugetext-examine.c).  */

/* Return the state for an object that the loader is about to place.  */
extern struct hugetext_state *
_dl_hugetext_placing_state (void) attribute_hidden;

/* Return true if the process is still starting, and if the text mapped so far
   together with TEXT more bytes is too little to gain from huge pages.  Most
   processes never have enough text.  As long as a process has too little text,
   the loader makes only system calls that the stock loader makes.  For each
   object of a process with too little text, the loader only gives mmap a hint:
   an address at which the text of the object may become huge.  If the process
   later has enough text, the loader reserves the slack around these objects
   (_dl_hugetext_claim_places).  */
extern bool _dl_hugetext_is_small_so_far (uintptr_t text) attribute_hidden;

/* Set PLACEMENT to the address at which blocks contain the most text of
   STATE's object.  Return false if no block of the object can be huge at any
   address of the object.  */
extern bool _dl_hugetext_best_place (struct hugetext_state *state,
                                     struct hugetext_placement *placement)
    attribute_hidden;

/* Examine the object L of MAPPING: find out whether and where it can have
   blocks, and note the result in STATE->scratch.examined.  If
   _dl_hugetext_examine has already examined the object, do nothing.  Return
   false if the object cannot have blocks, or if the program headers in the
   file differ from those that glibc has read.  */
extern bool _dl_hugetext_examine_file (
    struct hugetext_state *state, const struct link_map *l,
    const struct hugetext_mapping *mapping) attribute_hidden;

/* Make a record of an object for its link map L.  DIGEST is the digest of the
   object's program headers.  FD is the object's file, or -1 if the file cannot
   be opened.  L is NULL if the object is the program and has no link map yet.
   Return NULL if there is no memory for a record.  */
extern struct hugetext_record *
_dl_hugetext_begin_object (struct hugetext_state *state, struct link_map *l,
                           int fd, uint64_t digest) attribute_hidden;

/* L is the object that the loader has examined last.  If the examination has
   chosen a hint for L's address, set the load bias of L to this hint.  If L
   can have blocks, make a record of L.  FD is L's file.  Always return true,
   so that _dl_hugetext_hint can end with a tail call.  */
extern bool _dl_hugetext_take_hint (struct hugetext_state *state,
                                    struct link_map *l,
                                    int fd) attribute_hidden;

/* Return true if the loader has passed the kernel a hint for the address of an
   object, but has not yet reserved the slack (address space) around the
   object.  */
extern bool
_dl_hugetext_has_hinted (const struct hugetext_state *state) attribute_hidden;

/* Reserve the slack around objects for which the loader has passed the kernel
   a hint.  */
extern void
_dl_hugetext_claim_hinted (struct hugetext_state *state) attribute_hidden;

/* Reserve the slack (address space) around objects that were mapped before the
   loader knew that the process has enough text to gain from huge pages.  ROOT
   is the program or an auditor.  The loader is about to populate ROOT and the
   objects that ROOT needs.  */
extern void
_dl_hugetext_claim_places (struct hugetext_state *state,
                           const struct link_map *root) attribute_hidden;

/* Address space (dl-hugetext-space.c).  */

/* Reserve the address space NEED for RECORD's object, if possible below
   run-time address BELOW.  Set RECORD's range, including slack (reserved space
   around the object), and set *BIAS to the load bias.  Return false if there
   is no space.  */
extern bool _dl_hugetext_reserve_space (const struct hugetext_state *state,
                                        struct hugetext_record *record,
                                        const struct hugetext_need *need,
                                        uintptr_t below,
                                        ElfW (Addr) * bias) attribute_hidden;

/* Choose, without a system call, an address that gives STATE's object the
   placement PLACEMENT, and set HINT to this address.  Return false, and set
   nothing, if there is not enough space below the other objects.  */
extern bool
_dl_hugetext_hint_space (const struct hugetext_state *state,
                         const struct hugetext_placement *placement,
                         struct hugetext_hint *hint) attribute_hidden;

/* The kernel has mapped RECORD's object at the hint.  Reserve the rest of
   RECORD's range, which is the slack before and after the object.  If SLACK is
   false, reserve no addresses.  If no slack can be reserved, clear the
   reserved range in RECORD.  PAGE is the size of a page in bytes.  */
extern void _dl_hugetext_claim_space (struct hugetext_record *record,
                                      size_t page,
                                      bool slack) attribute_hidden;

/* Map LENGTH bytes at a block boundary.  Return the address or a negative
   error number.  */
extern long int _dl_hugetext_map_aligned (const struct hugetext_geometry *geo,
                                          size_t length, int prot, int flags,
                                          int fd,
                                          uint64_t offset) attribute_hidden;

/* Map the holes (gaps between segments) of OBJECT in [START, END) without
   access rights.  If other code has mapped memory in a hole, map nothing and
   return false.  */
extern bool _dl_hugetext_claim_holes (const struct hugetext_object *object,
                                      uintptr_t start,
                                      uintptr_t end) attribute_hidden;

/* Unmap the holes of OBJECT in [START, END), which _dl_hugetext_claim_holes
   has mapped.  */
extern void _dl_hugetext_release_holes (const struct hugetext_object *object,
                                        uintptr_t start,
                                        uintptr_t end) attribute_hidden;

/* Backings (dl-hugetext-file.c, -copy.c).  */

/* The maximum number of blocks in a run.  The maximum must stay small, because
   functions have arrays of this length on the stack.  */
#define HUGETEXT_RUN_MAX 64

/* A run: successive blocks of an object that the loader makes huge in one
   step.  */
struct hugetext_run
{
  struct hugetext_state *state;
  const struct hugetext_object *object; /* OBJECT is NULL during a trial of a
                                           file (dl-hugetext-trial.c), because
                                           the trial runs before the object is
                                           mapped.  */
  enum hugetext_way way;
  bool program;               /* True if the object is the program.  */
  struct hugetext_kept *kept; /* The blocks that dl-hugetext-trial.c has mapped
                                 from the object's file and found huge.  KEPT
                                 is NULL until the trial has ended.  */
  int source;                 /* The object's file, from which the loader fills
                                 copies.  */
  uintptr_t start; /* The address of the first block in the process.  */
  size_t nblocks;
  int prot;        /* The protection of the text.  */
  int file;        /* The file that the blocks map: the object's file or its
                      image.  */
  uint64_t size;   /* The size of FILE.  */
  uint64_t offset; /* The offset in FILE of the first block.  */

  /* The address of the staging area.  */
  uintptr_t staging;
  enum hugetext_evidence evidence; /* What pagemap entries can prove about the
                                      blocks (_dl_hugetext_probe).  */
  int memory_file; /* The memfd that is mapped in the staging area, or -1.  */

  bool kept_used; /* The staging area is the mapping that the trial has
                     left.  */
  bool huge[HUGETEXT_RUN_MAX];      /* True for each block that was huge when
                                       the loader last asked the kernel.  */
  bool just_read[HUGETEXT_RUN_MAX]; /* This start has read a part of the block
                                       from the disk, or the block belongs to
                                       an image.  If RUN has the backing "file"
                                       or "store", the loader may evict a block
                                       for which JUST_READ is true from the
                                       page cache, and read the block
                                       again.  */
  enum hugetext_reason outcome[HUGETEXT_RUN_MAX];
};

/* Return the address of block I in RUN's staging area.  */
static inline uintptr_t
_dl_hugetext_staged (const struct hugetext_run *run, size_t i)
{
  return run->staging + i * run->state->set.geo.block;
}

/* Ask the kernel which blocks of RUN are huge, and record the answer in RUN's
   array HUGE.  Return whether all blocks are huge.  */
static inline bool
_dl_hugetext_is_huge (struct hugetext_run *run)
{
  return (_dl_hugetext_probe (run->state, run->staging, run->nblocks,
                              run->evidence, run->way != HUGETEXT_WAY_FILE,
                              run->huge)
          == run->nblocks);
}

/* Map RUN's staging area, touch its blocks, and make the kernel back them with
   huge pages.  If RUN's file has fewer blocks than RUN, lower NBLOCKS.  Record
   the result for each block in RUN's arrays HUGE and OUTCOME; OUTCOME is
   HUGETEXT_MADE only if the kernel says that the block is mapped as a huge
   page.  Return HUGETEXT_MADE if RUN now has a staging area, otherwise the
   reason why it has none.  */
extern enum hugetext_reason
_dl_hugetext_stage_file (struct hugetext_run *run) attribute_hidden;
extern enum hugetext_reason
_dl_hugetext_stage_copies (struct hugetext_run *run) attribute_hidden;

/* The policy asks about facts that decide whether an object may have copies.
   Return true if FACT is true of STATE's object.  RECORD is the record of this
   object.  *FD has the same meaning as for _dl_hugetext_looks_for_path.  The
   policy may ask the same question twice: before the loader places the object,
   and before the loader makes the blocks huge.  */
extern bool _dl_hugetext_answer (struct hugetext_state *state,
                                 struct hugetext_record *record, int *fd,
                                 enum hugetext_fact fact) attribute_hidden;

/* Map RUN's file as the staging area of RUN, without touching any block.
   Unlike in other functions, RUN may have more than HUGETEXT_RUN_MAX blocks
   here.  If the file has fewer blocks than RUN, lower NBLOCKS.  Return
   HUGETEXT_MADE if RUN now has a staging area, otherwise the reason why it has
   none.  */
extern enum hugetext_reason
_dl_hugetext_map_file (struct hugetext_run *run) attribute_hidden;

/* Touch the blocks of RUN in its staging area, which maps a file, and make the
   kernel cache this part of the file in huge pages.  Record in RUN's array
   HUGE which blocks are huge.  */
extern void _dl_hugetext_cache_run (struct hugetext_run *run) attribute_hidden;

/* Return true if RUN's file is long enough for all blocks of RUN.  */
extern bool
_dl_hugetext_fits (const struct hugetext_run *run) attribute_hidden;

/* Touch the blocks of RUN, which are mapped from an image.  Then ask the
   kernel which blocks are huge, and return whether all blocks of RUN are.  */
extern bool
_dl_hugetext_touch_image (struct hugetext_run *run) attribute_hidden;

/* ERROR is the negative error number with which the mapping of a file has
   failed.  Return true if ERROR means that IMA, another security module or a
   noexec mount forbids executing the file.  */
static inline bool
_dl_hugetext_is_refusal (long int error)
{
  return error == -EACCES || error == -EPERM;
}

/* If the kernel has refused to map RUN's image executable, note that the
   kernel would refuse all images.  */
static inline void
_dl_hugetext_note_refusal (const struct hugetext_run *run)
{
  if (run->way == HUGETEXT_WAY_STORE)
    _dl_hugetext_root.image_error = EACCES;
}

/* Fill block I of RUN with the text of the file.  Block I is a copy, and is
   already on a huge page.  */
extern enum hugetext_reason _dl_hugetext_fill (struct hugetext_run *run,
                                               size_t i) attribute_hidden;

/* Find filled blocks of RUN whose original text in memory differs from the
   file, and set their outcome to HUGETEXT_MODIFIED.  The loader fills a copy
   from the file.  If a debugger or the program has changed the text in memory,
   the copy would lose the changes.  */
extern void
_dl_hugetext_check_text (struct hugetext_run *run) attribute_hidden;

/* Give blocks [FIRST, LAST) of RUN, which are copies, the protection of the
   text.  */
extern enum hugetext_reason _dl_hugetext_seal (struct hugetext_run *run,
                                               size_t first,
                                               size_t last) attribute_hidden;

/* Move blocks [FIRST, LAST) of RUN from the staging area over the text.
   Return HUGETEXT_MADE on success.  Return HUGETEXT_NOT_PLACED if the old
   text is still mapped, and HUGETEXT_LOST if the kernel has unmapped the old
   text and the loader could not map it again.  */
extern enum hugetext_reason _dl_hugetext_move (const struct hugetext_run *run,
                                               size_t first,
                                               size_t last) attribute_hidden;

/* Map RUN's image over the text in one step.  The new mapping over the text
   then serves as RUN's staging area.  Return HUGETEXT_FORBIDDEN if the kernel
   refuses to map the image, otherwise a result of _dl_hugetext_move.  */
extern enum hugetext_reason
_dl_hugetext_map_in_place (struct hugetext_run *run) attribute_hidden;

/* Map PIECE of STATE's object again, from the file SOURCE.  PIECE is text that
   is mapped from the same file, and has no breakpoint.  Return false if the
   kernel has unmapped the text, and the loader could not map it again.  */
extern bool
_dl_hugetext_map_again (struct hugetext_state *state, int source,
                        const struct hugetext_piece *piece) attribute_hidden;

/* Undo _dl_hugetext_map_in_place: map the object's file again in place of the
   image, and restore the holes between the object's segments.  If the loader
   cannot map the object's file over a part of the image, it leaves this part
   of the image mapped.  Return false if the kernel has unmapped a part of the
   text, and the loader could not map this part again.  */
extern bool
_dl_hugetext_put_back (const struct hugetext_run *run) attribute_hidden;

/* The installation of blocks: the loader tries the backings in turn
   (dl-hugetext-install.c).  */

#define HUGETEXT_NOT_OPEN (-2)

/* Data about the loader's work on the blocks of one object.  The object of
   the job is the object that STATE describes.  */
struct hugetext_job
{
  struct hugetext_state *state;
  struct hugetext_record *record;
  struct hugetext_heat heat;
  struct hugetext_name name;
  uintptr_t looked_up; /* The address of the block that contains the function
                          by which tools recognize the object, or 0 if tools
                          recognize the object by no function.  */
  enum hugetext_naming shows; /* To which unwinders the object's text stays
                                 visible on huge pages of its file
                                 (hugetext_shows_text).  */
  bool joined;   /* The text in front of the next block is in one mapping with
                    huge pages of the file (_dl_hugetext_join_text).  */
  bool reopened; /* The last huge pages of the file are mapped from SOURCE, not
                    from the descriptor of the trial.  */
  uintptr_t plain; /* If JOINED is false, text in front of the next block is
                      mapped separately, from this address on, as by the stock
                      loader.  */
  bool named; /* Some text of the object stays mapped from the object's file,
                 so tools see the file's name.  */
  /* SOURCE is the descriptor of the object's file.  STORED is the descriptor
     of the object's image, whose record is in STATE.  A descriptor is -1 if
     the file cannot be opened, and HUGETEXT_NOT_OPEN if the loader has not
     tried to open it.  */
  int source, stored;
  bool has_image;      /* The store has an image of the object.  The loader
                          looks for the image, and sets HAS_IMAGE, only if the
                          cap does not allow all blocks of the process or if
                          the program opens the object by dlopen.  */
  uintptr_t copy_text; /* The minimum number of bytes of text that a block must
                          have to be worth a copy (hugetext_copy_text).  */
  /* The number of blocks with text, and the number of blocks that each backing
     has made huge.  */
  size_t wanted, made[HUGETEXT_WAYS];
};

/* A group: at most HUGETEXT_RUN_MAX adjacent blocks of one object that have
   the same protection, and for which the loader decides alike because their
   other properties are equal too.  */
struct hugetext_group
{
  struct hugetext_block first;
  size_t nblocks;
  int prot;
  bool name;        /* The group is one block that must not be a copy, because
                       tools look for the object's name at this block's
                       addresses in /proc/PID/maps.  The block has the ELF
                       header or a function by which tools recognize the
                       object.  */
  bool spare;       /* The group is one block that the loader spares for the
                       object's name.  If no other text of the object stays
                       mapped from the object's file, this block must stay
                       mapped from it, so that /proc/PID/maps still shows the
                       file's name.  */
  bool unstored;    /* No image in the store contains the blocks.  The loader
                       looks for the blocks in the image, and sets UNSTORED,
                       only if the cap does not allow all blocks of the
                       process.  */
  bool not_in_file; /* The trial has found that the blocks are not huge pages
                       of the object's file.  The loader sets NOT_IN_FILE only
                       if the cap does not allow all blocks of the process.  If
                       the cap allows all blocks, NOT_IN_FILE stays false, and
                       the loader tries again to map the blocks as huge pages
                       of the file.  */
  bool cold;   /* The text in the blocks is executed too rarely to be worth a
                  copy.  */
  bool little; /* The blocks have too little text to be worth a copy.  */
};

/* Return true if hugetext_is_free says that the blocks of GROUP, a group of
   JOB's object, need no memory of the process.  */
extern bool
_dl_hugetext_is_free (struct hugetext_job *job,
                      const struct hugetext_group *group) attribute_hidden;

/* Return HUGETEXT_TAKE if the loader may try at least one backing for the
   blocks of GROUP, otherwise the reason why it may try none.  GROUP is a
   group of adjacent blocks of JOB's object.  */
extern enum hugetext_reason _dl_hugetext_judge_backings (
    struct hugetext_job *job,
    const struct hugetext_group *group) attribute_hidden;

/* Try to make the blocks of GROUP huge.  Count the huge blocks towards the
   cap of the process, and record all blocks of the group.  GROUP is a group
   of blocks of JOB's object.  Each block becomes huge as a whole or not at
   all.  */
extern void
_dl_hugetext_install (struct hugetext_job *job,
                      const struct hugetext_group *group) attribute_hidden;

/* How the text of some blocks is mapped, after the loader has dealt with
   them.  */
enum hugetext_text_mapping
{
  HUGETEXT_PLAIN_TEXT, /* The text is mapped as the stock loader has mapped
                          it.  */
  HUGETEXT_FILE_TEXT,  /* As huge pages of the object's file.  */
  HUGETEXT_OTHER_TEXT  /* The text is a copy or an image, or it is on small
                          pages because of the cap.  */
};

/* The text of JOB's object from START to END is now mapped as MAPPING says.
   Map small text next to huge pages of the file like the huge pages: from the
   same open file, and with the same advice (madvise).  The kernel then joins
   their mappings, and tools that look at the beginning of a mapping
   (hugetext_shows_text) find one mapping for all of the text, as under the
   stock loader.  Text beyond the cap has a mapping of its own, because the
   advice would make the kernel read and cache 2 MiB of the file for each page
   that the program uses.  Call this function for all blocks of the object, in
   ascending order.  */
extern void
_dl_hugetext_join_text (struct hugetext_job *job, uintptr_t start,
                        uintptr_t end,
                        enum hugetext_text_mapping mapping) attribute_hidden;

/* Return true if LD_DEBUG=files is set.  If LD_DEBUG=files is not set, the
   reporting functions below print nothing.  */

static inline bool
_dl_hugetext_debug_files (void)
{
  return __glibc_unlikely ((GLRO (dl_debug_mask) & DL_DEBUG_FILES) != 0);
}

/* Report that the loader skips object L for the reason WHY.  */
extern void _dl_hugetext_report_skipped (const struct link_map *l,
                                         const char *why) attribute_hidden;

/* A block of JOB is small because of REASON.  Return the reason that the
   loader should report for this block: a more exact reason than REASON if the
   loader knows one, otherwise REASON.  The more exact reason may be a setting
   of the process, a filter that refuses a call, or the loader's failure to
   find out whether the process has a tracer or a filter.  */
extern enum hugetext_reason
_dl_hugetext_find_cause (const struct hugetext_job *job,
                         enum hugetext_reason reason) attribute_hidden;

/* Record REASON for the block at BLOCK of JOB's object, count the block, and
   report REASON in the debug output.  */
extern void
_dl_hugetext_note_reason (struct hugetext_job *job, uintptr_t block,
                          enum hugetext_reason reason) attribute_hidden;

/* Print for each backing how many blocks of JOB's object it has made huge.  */
extern void
_dl_hugetext_report_object (const struct hugetext_job *job) attribute_hidden;

#endif /* dl-hugetext-work.h */
