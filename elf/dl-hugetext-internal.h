/* What the parts of ld-hugetext inside the loader share.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _DL_HUGETEXT_INTERNAL_H
#define _DL_HUGETEXT_INTERNAL_H 1

#include <ldsodefs.h>

#include "dl-hugetext.h"

/* Values of glibc.mem.hugetext_backing.  */
enum hugetext_backing
{
  HUGETEXT_AUTO,
  HUGETEXT_FILE,
  HUGETEXT_THP,
  HUGETEXT_HUGETLB,
  HUGETEXT_STORE
};

/* What we keep about an object: only objects with a candidate block have
   one.  A free slot has no MAP.  */
struct hugetext_record
{
  struct link_map *map;
  const char *path;             /* By which it was opened, NULL if the kernel
                                   mapped it.  Owned by the link map.  */
  struct r_file_id id;          /* The file's identity, to check that the
                                   path still leads to it.  */
  ElfW(Addr) low, high;         /* Reserved address range, slack included;
                                   both 0 if nothing was reserved.  */
  size_t blocks;                /* Blocks made, charged to the cap.  */
  bool hopeless;                /* Its file is not cached in huge pages, or
                                   it was placed where they do not fit.  */
};

/* What the tunables say.  */
struct hugetext_settings
{
  struct hugetext_geometry geo;
  enum hugetext_backing backing;
  uintptr_t pad_threshold;      /* Bytes.  */
  size_t cap;                   /* Blocks per process.  */
  bool lock;                    /* Keep blocks in memory.  */
  bool no_thp;                  /* The administrator switched transparent
                                   huge pages off, and nothing else will do.
                                   Not known before there is a state.  */
};

/* Who watches the process.  */
struct hugetext_watch
{
  bool known;
  bool traced;                  /* A debugger may have set breakpoints.  */
  bool filtered;                /* A seccomp filter may kill for a system
                                   call.  Then only those are made that
                                   mapping a library or malloc makes, too.  */
};

/* Records that the state has room for.  Few programs need more.  */
#define HUGETEXT_RECORDS 24

/* The settings, the budget and what was learnt about the machine.  One
   mapping of its own, made when the first object that can gain is found, so
   that nobody else pays for it.  Guarded by the loader's lock, like the link
   maps.  */
struct hugetext_state
{
  struct hugetext_settings set;
  size_t used;                  /* Blocks made.  */
  struct hugetext_watch watch;  /* For the current start or dlopen.  */
  unsigned int failures;        /* Blocks that got no huge page, likewise.  */
  bool no_slack;                /* Address space is limited: take none but
                                   what the stock loader takes.  */
  bool asked_for_room;          /* ROOM is known.  */
  size_t room;                  /* Bytes that copies may still take.  */
  int pagemap;                  /* /proc/self/pagemap while it is open.  */
  bool no_scan;                 /* PAGEMAP_SCAN is not there.  */
  bool no_anonymous_text;       /* Memory that was writable may not become
                                   executable.  */
  bool no_file_collapse;        /* MADV_COLLAPSE does not gather files.  */
  bool cold_start;              /* The program is being placed, and exec has
                                   had to read it from the disk.  */
  struct hugetext_records *more;        /* When RECORD is full.  */
  struct hugetext_record record[HUGETEXT_RECORDS];
  struct hugetext_ranking ranking;      /* Scratch.  */
  /* All so far fits in a page.  This is seldom touched.  */
  char scratch[4096];           /* To read files into.  */
};

/* The settings, NULL if huge text is off in this process.  */
extern const struct hugetext_settings *_dl_hugetext_settings (void)
  attribute_hidden;

/* The state, made if there is none yet; NULL if there is no memory for it,
   or if no object can gain from it.  Only to be called when huge text is
   on.  */
extern struct hugetext_state *_dl_hugetext_state (void) attribute_hidden;

/* The state if there is one already.  */
extern struct hugetext_state *_dl_hugetext_old_state (void) attribute_hidden;

/* Whether the settings allow the backing file.  The store comes after the
   file itself, and is not built yet.  */
static inline bool
_dl_hugetext_may_use_file (const struct hugetext_state *state)
{
  return (state->set.backing == HUGETEXT_AUTO
          || state->set.backing == HUGETEXT_FILE
          || state->set.backing == HUGETEXT_STORE);
}

/* The record of L, or NULL.  */
extern struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state, const struct link_map *l)
  attribute_hidden;

/* A new record for L, NULL if there is no memory for one.  */
extern struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state, struct link_map *l)
  attribute_hidden;

/* Forget RECORD; its blocks return to the budget.  */
extern void _dl_hugetext_forget (struct hugetext_state *state,
                                 struct hugetext_record *record)
  attribute_hidden;

/* Describe in OBJECT what is mapped at load bias BIAS.  */
extern void _dl_hugetext_describe (struct hugetext_object *object,
                                   const ElfW(Phdr) *phdr, size_t phnum,
                                   ElfW(Addr) bias, uintptr_t page)
  attribute_hidden;

/* Reserve SIZE bytes at ADDRESS if nothing is there.  */
extern bool _dl_hugetext_reserve_at (uintptr_t address, size_t size)
  attribute_hidden;

/* Whether PLACEMENT has room that the object itself does not need.  */
static inline bool
_dl_hugetext_has_slack (const struct hugetext_placement *placement)
{
  return placement->before != 0 || placement->after != 0;
}

/* Reserve address space for PLACEMENT of an object of LENGTH bytes whose
   first page has link-time address START, below run-time address NEAR if
   that is not 0 and there is room.  Returns the lowest address of the
   reservation, slack included, or 0.  */
extern uintptr_t
_dl_hugetext_reserve_space (const struct hugetext_placement *placement,
                            uintptr_t page, uintptr_t start, size_t length,
                            uintptr_t near) attribute_hidden;

/* Whether text of OBJECT, open on FD, can be huge pages of the file at
   PLACEMENT or, if that is NULL, at its fixed address.  Has them cached in
   huge pages as far as possible.  */
extern bool
_dl_hugetext_file_fits (struct hugetext_state *state, int fd,
                        struct hugetext_object *object,
                        const struct hugetext_placement *placement)
  attribute_hidden;

/* If OBJECT, open on FD, is better placed where its text can be huge pages
   of the file, and the file is cached in such, change PLACEMENT and return
   true.  */
extern bool
_dl_hugetext_place_for_file (struct hugetext_state *state, int fd,
                             struct hugetext_object *object,
                             struct hugetext_placement *placement)
  attribute_hidden;

/* A program that the kernel has mapped.  */
struct hugetext_program
{
  bool seen;                    /* It has a block that may be taken.  */
  bool hopeless;                /* As in its record, later.  */
  ElfW(Addr) low, high;         /* Likewise.  */
};

/* What is known of the program, NULL if it was not the kernel that mapped
   it or it has no block to take.  */
extern struct hugetext_program *_dl_hugetext_moved_program (void)
  attribute_hidden;

/* Open the file of the program that the kernel has mapped, if it is still
   the one with headers PHDR; -1 otherwise.  */
extern int _dl_hugetext_open_program (const ElfW(Phdr) *phdr, size_t phnum)
  attribute_hidden;

/* Map all segments of OBJECT, open on FD, with load bias BIAS, as the kernel
   does.  */
extern bool _dl_hugetext_map_segments (const struct hugetext_object *object,
                                       uintptr_t page, int fd,
                                       ElfW(Addr) bias) attribute_hidden;

/* Give PROGRAM, of which nothing has been relocated, to the system's own
   loader.  Returns only if that is not possible, with the reason.  */
extern const char *_dl_hugetext_hand_over (struct link_map *program)
  attribute_hidden;

/* Where the contents of a copy come from: the file FD, -1 if there is none.
   VERIFY says that what is in memory must be the same: breakpoints, of a
   debugger or of the kernel, are only there.  */
struct hugetext_source
{
  int fd;
  bool verify;
};

/* What a segment has of a range of run-time addresses.  */
struct hugetext_piece
{
  uintptr_t start, end;
  uint64_t offset;              /* In the file.  */
  const struct hugetext_segment *segment;
};

/* The next piece of OBJECT in [FROM, END); false if there is none.  */
extern bool _dl_hugetext_next_piece (const struct hugetext_object *object,
                                     uintptr_t from, uintptr_t end,
                                     struct hugetext_piece *piece)
  attribute_hidden;

/* Map what no segment of OBJECT has of [START, END) without access.  False if
   something else is there; then nothing is mapped.  */
extern bool _dl_hugetext_claim_holes (const struct hugetext_object *object,
                                      uintptr_t start, uintptr_t end)
  attribute_hidden;

/* Undo that.  */
extern void _dl_hugetext_release_holes (const struct hugetext_object *object,
                                        uintptr_t start, uintptr_t end)
  attribute_hidden;

/* How an attempt to make a block ended.  */
enum hugetext_outcome
{
  HUGETEXT_MADE,
  HUGETEXT_NOT_CONGRUENT,       /* The file cannot lie at this address.  */
  HUGETEXT_FILE_SMALL,          /* The file is not cached in huge pages.  */
  HUGETEXT_HOLE_TAKEN,          /* Another mapping lies in a hole.  */
  HUGETEXT_NO_SPACE,            /* No address space or memory to stage.  */
  HUGETEXT_POOL_SHORT,          /* hugetlb pool exhausted.  */
  HUGETEXT_UNREADABLE,          /* Contents could not be read.  */
  HUGETEXT_MODIFIED,            /* Memory differs from the file.  */
  HUGETEXT_NOT_HUGE,            /* The kernel gave small pages.  */
  HUGETEXT_THP_NEVER,           /* The administrator switched THP off.  */
  HUGETEXT_PROTECT,             /* Could not be made executable.  */
  HUGETEXT_MOVE,                /* Could not be moved into place.  */
  HUGETEXT_TRACED,              /* A debugger could not write to it.  */
  HUGETEXT_NO_ROOM,             /* Too near to a memory limit.  */
  HUGETEXT_GAVE_UP              /* Too many blocks failed before.  */
};

/* Blocks to one run; the outcomes live on the stack.  */
#define HUGETEXT_RUN_MAX 64

/* Replace the NBLOCKS (at most HUGETEXT_RUN_MAX) blocks of OBJECT from
   run-time address START by copies on huge pages from BACKING (thp or
   hugetlb), each wholly or not at all.  OWNED says that holes are mapped and
   ours, PROGRAM that it is the program's.  Sets OUTCOME for each.  */
extern void _dl_hugetext_copy (struct hugetext_state *state,
                               const struct hugetext_object *object,
                               const struct hugetext_source *source,
                               enum hugetext_backing backing, bool owned,
                               bool program, uintptr_t start, size_t nblocks,
                               enum hugetext_outcome outcome[])
  attribute_hidden;

/* Back the NBLOCKS (at most HUGETEXT_RUN_MAX) blocks of OBJECT from run-time
   address START, all of the same protection and with successive file
   offsets, with huge pages of the file.  Reads what is not cached.  Sets
   OUTCOME for each.  */
extern void _dl_hugetext_file (struct hugetext_state *state,
                               const struct hugetext_object *object,
                               const struct hugetext_source *source,
                               uintptr_t start, size_t nblocks,
                               enum hugetext_outcome outcome[])
  attribute_hidden;

/* Have the NBLOCKS (at most HUGETEXT_RUN_MAX) blocks from OFFSET of the file
   FD cached in huge pages as far as possible, reading what is not cached.
   Returns how many are.  */
extern size_t _dl_hugetext_file_wake (struct hugetext_state *state, int fd,
                                      uint64_t offset, size_t nblocks)
  attribute_hidden;

/* Map LENGTH bytes at a block boundary.  Returns the address or an error. */
extern long int
_dl_hugetext_map_aligned (const struct hugetext_geometry *geo, size_t length,
                          int prot, int flags, int fd, uint64_t offset)
  attribute_hidden;

/* Ask the kernel to gather the block at ADDRESS into a huge page.  Returns 0
   or an error.  */
extern long int _dl_hugetext_collapse (const struct hugetext_geometry *geo,
                                       uintptr_t address) attribute_hidden;

/* Move LENGTH bytes of mapping from FROM over the text of OBJECT at TO.
   False if that failed; then the old text is in place.  */
extern bool _dl_hugetext_move (const struct hugetext_object *object,
                               const struct hugetext_source *source,
                               uintptr_t from, size_t length, uintptr_t to)
  attribute_hidden;

/* The protection that BLOCK of OBJECT needs.  */
extern int _dl_hugetext_text_prot (const struct hugetext_object *object,
                                   const struct hugetext_geometry *geo,
                                   uintptr_t block) attribute_hidden;

/* Read the beginning of the file PATH into BUFFER, of SIZE bytes, as a
   string.  False if it cannot be read.  */
extern bool _dl_hugetext_read_start (const char *path, char *buffer,
                                     size_t size) attribute_hidden;

/* What follows the first occurrence of KEY in TEXT, or NULL.  */
extern const char *_dl_hugetext_find_text (const char *text, const char *key)
  attribute_hidden;

/* How many bytes more the process may use before a limit of its control
   groups is reached; SIZE_MAX if there is none.  BUFFER, of SIZE bytes, is
   scratch space.  */
extern size_t _dl_hugetext_memory_room (char *buffer, size_t size)
  attribute_hidden;

/* True if the process's address space is limited (RLIMIT_AS).  */
extern bool _dl_hugetext_space_limited (void) attribute_hidden;

/* Who watches the process.  Asked once for each start or dlopen.  */
extern const struct hugetext_watch *
_dl_hugetext_watch (struct hugetext_state *state) attribute_hidden;

/* True if transparent huge pages are known to be switched off.  */
extern bool _dl_hugetext_thp_never (void) attribute_hidden;

/* Bytes of [START, END) that the kernel has mapped with huge pages, -1 if
   it cannot say (before Linux 6.7).  */
extern long int _dl_hugetext_kernel_huge (struct hugetext_state *state,
                                          uintptr_t start, uintptr_t end)
  attribute_hidden;

/* Set HUGE for each of the NBLOCKS blocks from START, which are one mapping:
   whether the kernel has mapped it with a huge page.  False if it cannot
   say.  */
extern bool _dl_hugetext_scan (struct hugetext_state *state, uintptr_t start,
                               size_t nblocks, bool huge[]) attribute_hidden;

/* End a series of scans.  */
extern void _dl_hugetext_scan_end (struct hugetext_state *state)
  attribute_hidden;

/* Counts for one object, or summed up over many.  */
struct hugetext_totals
{
  size_t objects;
  uintptr_t text;               /* Bytes.  */
  size_t wanted;                /* Blocks with any text.  */
  size_t made;                  /* Of these, blocks now made,  */
  size_t file;                  /* and of these, with the file itself.  */
};

/* Reports, each silent unless LD_DEBUG asks for it.  L is the object.  */
extern void _dl_hugetext_report_skipped (const struct link_map *l,
                                         const char *why) attribute_hidden;
extern void _dl_hugetext_report_verdict (const struct link_map *l,
                                         uintptr_t block, uintptr_t text,
                                         enum hugetext_verdict verdict,
                                         const struct hugetext_state *state)
  attribute_hidden;
extern void _dl_hugetext_report_outcome (const struct link_map *l,
                                         uintptr_t block,
                                         enum hugetext_outcome outcome)
  attribute_hidden;
extern void _dl_hugetext_report_unlocked (const struct link_map *l,
                                          uintptr_t start, size_t length)
  attribute_hidden;
extern void _dl_hugetext_report_object (const struct link_map *l,
                                        const struct hugetext_object *object,
                                        const struct hugetext_totals *totals,
                                        struct hugetext_state *state)
  attribute_hidden;
extern void _dl_hugetext_report_totals (const struct hugetext_totals *totals,
                                        const struct hugetext_state *state)
  attribute_hidden;

#endif /* dl-hugetext-internal.h */
