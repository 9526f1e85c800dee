/* The loader's state: the current attempt and the objects.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An *attempt* is the current program start or dlopen.  An attempt begins with
   the first object that can gain from huge pages, and ends when the blocks of
   all its objects have been made huge or left small, or when the objects are
   closed.  In each attempt the loader finds out once what the kernel, a tracer
   or a filter permits.  If the kernel refuses a request of the loader, the
   loader never makes this request again in this process.  */

#ifndef _DL_HUGETEXT_STATE_H
#define _DL_HUGETEXT_STATE_H 1

#include "dl-hugetext-ledger.h"
#include "dl-hugetext-placement.h"
#include "dl-hugetext-plan.h"
#include "dl-hugetext-reopen.h"
#include "dl-hugetext-settings.h"
#include "dl-hugetext-sys.h"

/* A range of addresses.  */
struct hugetext_span
{
  uintptr_t start, end;
};

/* The hint for an object's address: the load bias that the loader proposes to
   the kernel, and the range from LOW to HIGH, which contains the object and
   its slack (free address space before and after the object).  */
struct hugetext_hint
{
  ElfW (Addr) bias; /* The member is 0 if the loader passes the kernel no
                       hint.  */
  uintptr_t low, high;
};

/* The results of the examination of an object before glibc maps it.  */
struct hugetext_examined
{
  bool small; /* Even with the text of the examined object, the process has too
                 little text to gain from huge pages.  */
  bool gains; /* The examined object can have blocks at PLACEMENT.  */
  struct hugetext_placement placement;
  uint64_t digest;           /* If GAINS is true, the digest of the object's
                                program headers.  */
  struct hugetext_hint hint; /* The hint for the object's address.  The hint's
                                load bias is 0 if SMALL is false.  */
};

/* Scratch memory for one purpose at a time.  The loader uses SITE, ROOM and
   EXAMINED when it chooses the address of an object.  The arrays are buffers
   for data that the loader reads from the kernel or from files.  */
struct hugetext_scratch
{
  union
  {
    struct
    {
      struct hugetext_site site;
      struct hugetext_place_room room;
      struct hugetext_examined examined;
    };
    char text[4096];
    uint64_t entry[512]; /* Entries of /proc/self/pagemap.  */
    ElfW (Phdr) phdr[HUGETEXT_PHDRS_MAX];
    struct sys_region region[128];
  };
};

/* Facts about the process that do not change until it ends.  The loader asks
   the kernel for each fact only once, because each refusal may be logged as an
   audit record.  */
struct hugetext_findings
{
  enum hugetext_answer
      anonymous_text; /* HUGETEXT_YES if the kernel lets memory that
                         was writable become executable.  */
  enum hugetext_answer file_text; /* HUGETEXT_YES if the kernel lets the
                                     process map a memfd executable.  */
  enum hugetext_answer space; /* HUGETEXT_YES if address space was unlimited
                                 when the loader last checked.  */
  /* The kernel has refused to open the file pagemap, mem, status or limits of
     /proc/self.  */
  bool no_pagemap, no_memory, no_status, no_limits;
  bool no_scan;         /* The kernel does not support PAGEMAP_SCAN, or has
                           refused it.  */
  unsigned int filters; /* The number of seccomp filters that the process had
                           at its start, or 0 if the loader did not need this
                           number then.  */
  bool tried;           /* The loader has tested whether the seccomp filters
                           allow the calls that each copy needs.  */
  bool no_madvise, no_mremap; /* The seccomp filters of the process refuse
                                 madvise or mremap.  */
  struct hugetext_small_file small[HUGETEXT_SMALL_FILES];
  unsigned int nsmall; /* The number of files that the loader has found to
                          have no huge pages.  */
};

struct hugetext_attempt
{
  bool begun;
  int thread;    /* The ID of the thread that has begun the attempt, or 0
                    before the program runs.  */
  bool start;    /* The attempt is the start of the process, and no auditor has
                    been loaded yet.  During the start there is only one
                    thread, and mmap does not fill new mappings with pages,
                    because no code has called mlockall.  */
  bool asked;    /* In this attempt, the loader has already read whether the
                    process has a tracer or seccomp filters.  */
  bool mattered; /* A decision about text depended on whether the process has a
                    tracer or filters.  (The choice between prlimit64 and
                    /proc/self/limits is no decision about text.)  */
  bool traced;   /* A debugger traces the process.  The debugger may have set
                    breakpoints in text, and relies on the addresses of
                    objects, so the loader does not move the program, and uses
                    neither huge pages of the object's file nor the hugetlb
                    pool.  */
  bool told;     /* The kernel has reported whether the process has a tracer or
                    filters.  If TOLD is false, the loader assumes that the
                    process has both a tracer and filters.  */
  enum hugetext_reason refused; /* The reason that the loader reports for
                                   blocks that stay small because a seccomp
                                   filter refuses a call; HUGETEXT_NONE if no
                                   filter is known to refuse a call.  */
  bool foreign;       /* A sandbox makes another process open files on behalf
                         of this thread.  */
  bool thp_disabled;  /* Transparent huge pages are disabled for the process
                         by prctl (PR_SET_THP_DISABLE).  */
  bool exec_has_read; /* The loader is placing the program, and exec had to
                         read the program's file from the disk for this
                         start.  */
  bool no_slack;      /* Address space is limited, or the loader does not know
                         whether it is.  If the member NO_SLACK is true, the
                         loader uses no more address space than the stock
                         loader.  */
  bool little_data; /* RLIMIT_DATA is set, or the loader does not know whether
                       it is set.  If RLIMIT_DATA may be set, the loader leaves
                       memory for other threads, to which this limit also
                       applies.  */
  unsigned int failures;        /* The number of successive blocks that did not
                                   become huge.  */
  enum hugetext_answer thp_off; /* HUGETEXT_YES if the administrator has
                                   switched transparent huge pages off.  */
  bool untouched;               /* A new anonymous mapping has no pages until
                                   the process accesses the mapping.  After
                                   mlockall, the kernel fills a new mapping
                                   with pages at once.  No code calls mlockall
                                   during a start, so the loader tests only one
                                   mapping in each start for pages.  */
  int pagemap;          /* The descriptor of /proc/self/pagemap, or a negative
                           number if the file is not open.  */
  int memory;           /* The descriptor of /proc/self/mem, or a negative
                           number if the file is not open.  */
  int pid;              /* The ID of this process, or 0 if unknown.  */
  unsigned int nimages; /* The number of valid elements of the state's array
                           IMAGES.  */
  int first_open; /* The images that are still open have NOPEN consecutive
                     descriptors; FIRST_OPEN is the lowest.  */
  unsigned int nopen;
  enum hugetext_answer looked; /* HUGETEXT_YES if the state's array PLACE lists
                                  all pages of the objects that were private to
                                  the process when this start scanned the
                                  objects.  */
  unsigned int nplaces;        /* The number of valid elements of the state's
                                  array PLACE.  */
  size_t batch; /* The number of blocks in the next batch of copies.  BATCH is
                   0 before the first batch; the first batch of an attempt has
                   one block.  After a block of a batch has stayed small, BATCH
                   is 1.  */
};

/* Blocks of an object's file that the loader has mapped in a staging area
   before it mapped the object, to find out whether the page cache holds them
   as huge pages (the trial in dl-hugetext-trial.c).  The blocks stay mapped
   until the loader moves them over the text.  */
struct hugetext_kept
{
  uintptr_t staging;
  size_t nblocks;  /* The number of blocks that are still mapped at
                      STAGING.  */
  uint64_t offset; /* The file offset of the block at STAGING.  */
};

/* The loader's record of an object.  An object has a record only if one of
   its blocks might become huge.  */
struct hugetext_record
{
  struct hugetext_entry entry;  /* The entry of the object, which other
                                   processes may read.  */
  struct hugetext_record *next; /* The next record in the list of the
                                   state.  */
  struct link_map *map; /* The object's link map.  The member is NULL if the
                           object is the program and has no link map yet.  */
  /* With the following members, the loader can open the object's file
     again.  */
  const char *path;              /* The path by which the loader opened the
                                    file, or NULL if the kernel has mapped the
                                    object.  The string with the path belongs
                                    to the object's link map.  */
  struct hugetext_identity file; /* The file's identity when it was mapped.
                                    The identity shows whether the path still
                                    leads to the same file, and is the key of
                                    the file's image in the store.  */
  uint64_t digest;               /* A digest of the object's program headers,
                                    computed when the object was placed.  */
  ElfW (Addr) hint; /* A load bias that the loader has only proposed to the
                       kernel as a hint, or 0.  While HINT is not 0, the range
                       from LOW to HIGH of the entry is not reserved yet.  */
  struct hugetext_charge charge;
  uint64_t small_in_file; /* A bit for each of the first 64 blocks of the file,
                             counted from the file's beginning.  A bit is set
                             if the page cache does not hold the block as a
                             huge page (dl-hugetext-trial.c).  */
  struct hugetext_kept kept;
  bool file_ruled_out; /* No block can be a huge page of the object's file.
                          Either the page cache has no huge page of the file,
                          or the object's addresses are not congruent to the
                          file offsets modulo the block size, or the file
                          cannot be opened.  */
  bool hopeless;       /* No block can be huge: because a running program
                          opened the object, only huge pages of the object's
                          file are allowed, and the file has none for the
                          object.  */
  enum hugetext_answer looks_for_path; /* The answer to the question
                                          HUGETEXT_LOOKS_FOR_PATH.  */
  bool unopened;  /* The loader has not opened the program's file yet.  */
  bool populated; /* The loader has decided about each block of the object, and
                     has made blocks huge where possible.  */
  bool lost; /* The kernel has unmapped a part of the object's text, and the
                loader could not map this part again.  The program may have
                mapped other memory at the addresses of the lost text.  */
};

/* The number of records that the state itself contains.  Few programs need
   more records than the state itself contains.  */
#define HUGETEXT_RECORDS 8

/* The number of images that the array IMAGES of the state can list.  */
#define HUGETEXT_IMAGES 16

/* The maximum number of ranges of private pages that the loader remembers in
   a start.  */
#define HUGETEXT_PLACES 64

/* The loader's state between the hooks in glibc: the records of objects, the
   ledger of huge blocks, and what the loader has found out about the machine.
   The state is one mapping of memory, which the loader makes for the first
   object, and only if huge text is on.  Therefore programs without huge text
   do not pay for the state.  A small program releases the state at the end of
   its start.  The lock with which glibc protects the link maps also protects
   the state.  */
struct hugetext_state
{
  /* The description of the object that the loader is working on, and the
     record of the object's image.  This description of the object is too
     large for the stack.  A thread that opens a library may have as little
     stack as PTHREAD_STACK_MIN (16 KiB), and glibc needs most of this
     stack.  */
  struct hugetext_object object;
  const struct hugetext_index_image *image;
  struct hugetext_record_head head;
  struct hugetext_settings set;
  struct hugetext_ledger ledger;
  struct hugetext_findings findings;
  struct hugetext_attempt attempt;
  struct hugetext_record record[HUGETEXT_RECORDS];
  struct hugetext_record *records; /* The list of the records of objects, and
                                      the list of unused records.  */
  struct hugetext_record *spare;
  struct hugetext_record *more; /* A list of further pages of memory, which the
                                   loader has mapped for records of objects.
                                   In each page of this list, the first record
                                   describes no object, but links to the next
                                   page.  */
  uintptr_t below;              /* The address below which the loader puts
                                   the next object (dl-hugetext-stretch.h),
                                   or 0 if unknown.  */
  bool examined; /* OBJECT and SCRATCH.EXAMINED describe the object that glibc
                    maps next.  */
  uint8_t nfree; /* During a dlopen, the number of blocks of the process that
                    are huge or may become huge without additional memory
                    (weigh_copies), but at most HUGETEXT_COPY_SHARE.  NFREE is
                    0 if no dlopen is in progress.  From NFREE,
                    hugetext_copy_text computes how much text a block must have
                    to be worth a copy.  */
  struct hugetext_ranking ranking; /* Scratch space.  */
  /* The members before this comment fit in two pages, except the part of
     RANKING for blocks with an execution profile (heat).  The number of pages
     matters, because each page that a program start touches costs a
     microsecond.  The following members are on further pages, which few
     program starts touch.  A start that needs PLACE and IMAGES usually touches
     only one further page, because the first elements of both arrays are in
     the same page.  */
  struct hugetext_span place[HUGETEXT_PLACES] /* Ranges of pages that were
                                                 private to the process when
                                                 the loader last scanned
                                                 the objects.  */
      __attribute__ ((aligned (4096)));
  /* The index's records of the images that the loader has looked up during
     this attempt.  The loader uses the record of an image twice: to place the
     object, and to make its blocks huge.  With the array IMAGES, the loader
     looks up each image in the index only once.  */
  struct hugetext_index_image images[HUGETEXT_IMAGES];
  /* The whole index if the index is small, or the last bytes of a larger
     index.  */
  char index[8192] __attribute__ ((aligned (4096)));
  struct hugetext_scratch scratch;
};

/* The kernel counts the memory of this struct towards the program's
   RLIMIT_DATA.  If the maximum size of this struct changes, correct the size
   in the manual.  */
_Static_assert(sizeof (struct hugetext_state) <= 32768,
               "struct hugetext_state fits in eight small pages");

/* The files of objects (dl-hugetext-source.c).  */

/* If the stock loader is about to map the file FD as L, and FD is the last
   descriptor on which it has called fstat, return the file's identity.
   Otherwise return NULL.  The result is always NULL for the program, because
   the stock loader does not call fstat on the program's file.  */
extern const struct hugetext_identity *
_dl_hugetext_asked_file (const struct link_map *l, int fd) attribute_hidden;

/* Note in RECORD the facts by which the loader can open the object's file
   again later.  FD is the open file, or negative if it cannot be opened.  */
extern void _dl_hugetext_note_file (struct hugetext_record *record,
                                    int fd) attribute_hidden;

/* Open the file of RECORD's object again.  Return a descriptor, or -1 if the
   path of RECORD's object now leads to another file.  */
extern int
_dl_hugetext_open_file (struct hugetext_state *state,
                        const struct hugetext_record *record) attribute_hidden;

/* Open the file of the program that the kernel has mapped.  Return a
   descriptor, or -1 if the program headers in the file differ from those in
   memory at PHDR.  */
extern int _dl_hugetext_open_program (struct hugetext_state *state,
                                      const ElfW (Phdr) * phdr,
                                      size_t phnum) attribute_hidden;

/* The loader's state, which lasts from one call of the hooks in glibc to the
   next (dl-hugetext-state.c).  */

/* Return true if the program has been relocated.  After the relocation, code
   of the program may run.  */
static inline bool
_dl_hugetext_program_runs (void)
{
  const struct link_map *program = GL (dl_ns)[LM_ID_BASE]._ns_loaded;
  return program != NULL && program->l_relocated;
}

/* Return the state, and make it if necessary.  Return NULL if no object can
   gain from huge pages, or if there is no memory for the state.  Call this
   function only if huge text is on.  */
extern struct hugetext_state *_dl_hugetext_state (void) attribute_hidden;

/* Return the state, and make it if necessary, even if the process has too
   little text so far to gain from huge pages.  If the process never has enough
   text, _dl_hugetext_leave_state unmaps the state.  */
extern struct hugetext_state *_dl_hugetext_early_state (void) attribute_hidden;

/* Return the state, or NULL if the loader has not made a state.  */
extern struct hugetext_state *_dl_hugetext_old_state (void) attribute_hidden;

/* Unmap STATE if the program is small and none of its text is on huge pages.
   Without the state, the program uses no more memory than under the stock
   loader.  After the state is unmapped, other processes can still read in
   _dl_hugetext_root why no text is huge.  AT_START is true if no code of the
   program has run yet.  */
extern void _dl_hugetext_leave_state (struct hugetext_state *state,
                                      bool at_start) attribute_hidden;

/* Return true if the text that the process has mapped, plus MORE bytes, is too
   little text to gain from huge pages.  */
extern bool _dl_hugetext_is_small (uintptr_t more) attribute_hidden;

/* Make the next call of _dl_hugetext_is_small count the text of all objects
   anew.  Call this function before an object is unmapped, because glibc frees
   the link map of an unmapped object.  */
extern void _dl_hugetext_count_again (void) attribute_hidden;

/* Return the record of the object L, or NULL if it has no record.  */
extern struct hugetext_record *
_dl_hugetext_find (struct hugetext_state *state,
                   const struct link_map *l) attribute_hidden;

/* Return a new record for L, or NULL if there is no memory for one.  */
extern struct hugetext_record *
_dl_hugetext_remember (struct hugetext_state *state,
                       struct link_map *l) attribute_hidden;

/* Unmap the blocks of RECORD's file that the trial (dl-hugetext-trial.c) has
   left mapped in a staging area.  */
extern void
_dl_hugetext_drop_kept (struct hugetext_state *state,
                        struct hugetext_record *record) attribute_hidden;

/* Unmap the blocks of all objects' files that trials (dl-hugetext-trial.c)
   have left mapped in staging areas.  If the loader has no state, do
   nothing.  */
extern void _dl_hugetext_drop_all_kept (void) attribute_hidden;

/* Free RECORD, and tell the ledger that the object's blocks no longer count
   towards the cap.  */
extern void
_dl_hugetext_forget (struct hugetext_state *state,
                     struct hugetext_record *record) attribute_hidden;

#endif /* dl-hugetext-state.h */
