/* Declarations of the optional modules of the loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   "configure --disable-modules" builds a loader without the optional modules
   (doc/glibc-maintainers), with the macros of dl-hugetext-core.h instead.  */

#ifndef _DL_HUGETEXT_MODULES_H
#define _DL_HUGETEXT_MODULES_H 1

#include <link.h>

#include "dl-hugetext-names.h"

struct hugetext_state;
struct hugetext_advice;
struct hugetext_contents;
struct hugetext_geometry;
struct hugetext_object;
struct hugetext_placement;
struct hugetext_record;
struct hugetext_run;
struct hugetext_site;

#ifdef HUGETEXT_CORE
#  include "dl-hugetext-core.h"
#else

#  include "dl-hugetext-index.h"
#  include "dl-hugetext-record.h"

/* The module record tells other processes the decisions of the loader.  Make
   the root point to STATE's record.  */
extern void
_dl_hugetext_publish_record (struct hugetext_state *state) attribute_hidden;

/* Record REASON for the block at BLOCK of RECORD's object, unless the record
   is full.  Callers must pass the blocks of an object in ascending order.  */
extern void
_dl_hugetext_record_reason (struct hugetext_state *state,
                            struct hugetext_record *record, uintptr_t block,
                            enum hugetext_reason reason) attribute_hidden;

/* Record the circumstances in which RECORD's object was populated or skipped,
   and make the object's entry visible to other processes.  CHANGED says that
   the object was skipped because its program headers have changed.  */
extern void _dl_hugetext_close_record (struct hugetext_state *state,
                                       struct hugetext_record *record,
                                       bool changed) attribute_hidden;

/* Remove RECORD's object from the record if it is in the record.  */
extern void _dl_hugetext_forget_record (struct hugetext_state *state,
                                        const struct hugetext_record *record)
    attribute_hidden;

/* The module index finds the settings of a program.  */

/* Look up the program in the index; the loader calls this function once.  PHDR
   and AUXV are as in _dl_hugetext_read_settings.  The index may stay open.  */
extern struct hugetext_contents _dl_hugetext_lookup (
    const ElfW (Phdr) * phdr,
    const ElfW (auxv_t) * auxv) attribute_hidden attribute_every_start;

/* Unmap ADVICE, unless it is NULL, and close the index, because huge text is
   off.  */
extern void _dl_hugetext_forget_advice (const struct hugetext_advice *advice)
    attribute_hidden attribute_every_start;

/* Return the value of KEY in ADVICE.  */
extern uint64_t _dl_hugetext_advised (const struct hugetext_advice *advice,
                                      enum hugetext_key key) attribute_hidden;

/* Whether ADVICE allows blocks for the object NAME; "" names the program.
   Without ADVICE (NULL) all objects may have blocks.  */
extern bool _dl_hugetext_allows (const struct hugetext_advice *advice,
                                 const char *name) attribute_hidden;

/* Keep the index open if it has facts about objects, which the loader needs
   next, and if the lookup has left it open.  Close the index if the process
   may have no other free descriptor.  */
extern void _dl_hugetext_keep_index (void) attribute_hidden;

/* Close the index if it is open, before code of the program runs.  */
extern void
_dl_hugetext_close_index (void) attribute_hidden attribute_every_start;

/* Forget the index without closing it, because another process owns the
   descriptor.  */
extern void _dl_hugetext_leave_index (void) attribute_hidden;

/* The modules heat and store also use these functions of the module index:  */

/* Return the index, and open it if necessary.  Return NULL if there is no
   index that the loader trusts.  An index that fits into BUFFER, of SIZE
   bytes, is read as a whole and stays in memory until the end of the attempt.
   Reading the whole index costs as much as two queries.  Of a larger index
   that stays open, the slots stay in BUFFER.  */
extern const struct hugetext_index *
_dl_hugetext_index (char *buffer, size_t size) attribute_hidden;

/* Close the index after a query, unless the lookup has left it open.  The
   descriptor of the index may be the last one, and libraries remain to be
   opened.  */
extern void _dl_hugetext_release_index (void) attribute_hidden;

/* Set FILE to the identity of the file FD.  Return false if a user other than
   root may have written the file.  */
extern bool _dl_hugetext_identify_trusted (
    int fd, struct hugetext_identity *file) attribute_hidden;

/* The module heat reads from the index how often blocks are executed.  Return
   the heat of RECORD's object, which is valid until the next call.  A user
   other than root may have written the profile.  Heat only decides which
   blocks come first, so a wrong heat does no harm.  */
extern struct hugetext_heat
_dl_hugetext_heat (const struct hugetext_state *state,
                   const struct hugetext_record *record) attribute_hidden;

/* Unmap the heat that was read last, at the end of the attempt.  */
extern void _dl_hugetext_forget_heat (void) attribute_hidden;

/* In a forked child, use other memory for the next heat, because the parent
   writes to this memory, too.  Leave it mapped: if a signal handler has forked
   in the middle of a dlopen, the caller still reads from it.  */
extern void _dl_hugetext_leave_heat (void) attribute_hidden;

/* The heat of a block that has all samples of its process.  */
#  define HUGETEXT_HEAT_MAX 65535

/* The least heat of a hot block, in 1/65536: 1 in 256.  A block of unknown
   heat may be worth more than a block with less heat.  */
#  define HUGETEXT_HEAT_HOT 256

/* Return the heat of BLOCK of OBJECT according to HEAT, or 0 without
   samples.  */
extern uint32_t hugetext_block_heat (const struct hugetext_object *object,
                                     const struct hugetext_geometry *geo,
                                     const struct hugetext_heat *heat,
                                     uintptr_t block);

/* Return the value in the ranking (dl-hugetext-plan.h) of a block with HEAT.
   HEAT is known and not 0.  */
extern uint32_t hugetext_heat_value (uint32_t heat);

/* The module store uses images of text.  Read the record of the image of
   RECORD's object, which STATE describes, into STATE.  Return false if the
   store has no image of the very file that was mapped.  */
extern bool _dl_hugetext_find_image (struct hugetext_state *state,
                                     const struct hugetext_record *record)
    attribute_hidden;

/* Find the image of RECORD's object and open it.  Return -1 if the object has
   no image.  */
extern int _dl_hugetext_open_image (struct hugetext_state *state,
                                    const struct hugetext_record *record)
    attribute_hidden;

/* Close the image FD now, or later by _dl_hugetext_close_images.  */
extern void _dl_hugetext_close_image (struct hugetext_state *state,
                                      int fd) attribute_hidden;

/* Whether STATE's image has the block at run-time address BLOCK of the object.
   Set SIZE to the image's size, and OFFSET to the block's offset in the
   image.  */
extern bool _dl_hugetext_image_block (const struct hugetext_state *state,
                                      uintptr_t block, uint64_t *size,
                                      uint64_t *offset) attribute_hidden;

/* The module memory finds out how much memory is left.  Return how many more
   bytes copies may use: the smaller of the following numbers, or SIZE_MAX if
   neither is known.  The process's control groups leave the bytes below their
   limits, minus half of each limit.  The machine leaves its available memory,
   minus an eighth of all its memory.  BUFFER, of SIZE bytes (a page is
   enough), is scratch space.  */
extern size_t _dl_hugetext_memory_left (char *buffer,
                                        size_t size) attribute_hidden;

/* The module cache changes the page cache so that it holds text in huge pages.
   Prepare to place the program, STATE's object, which the kernel has mapped
   with its program headers at HEADERS.  Unless the process is traced, unmap
   the touched pages of the program, and note whether exec has read it from the
   disk.  */
extern void _dl_hugetext_prepare_program (struct hugetext_state *state,
                                          uintptr_t headers) attribute_hidden;

/* Whether a block of SITE's object, at its present load bias, is or can be
   cached as a huge page of RECORD's file.  The file is open on FD.  */
extern bool
_dl_hugetext_try_file (struct hugetext_state *state, int fd,
                       struct hugetext_record *record,
                       const struct hugetext_site *site) attribute_hidden;

/* Cache the blocks of SITE's object, except cold ones, as huge pages of
   RECORD's file, up to the cap.  Return false if some of the blocks are not
   cached as huge pages.  */
extern bool
_dl_hugetext_cache_file (struct hugetext_state *state, int fd,
                         struct hugetext_record *record,
                         const struct hugetext_site *site) attribute_hidden;

/* Fault in the blocks of RUN, which map a file, and note the blocks that had
   to be read from the disk.  If the kernel cannot count reads, touch nothing
   and return false.  */
extern bool
_dl_hugetext_touch_counting (struct hugetext_run *run) attribute_hidden;

/* Try to get those blocks of RUN cached as huge pages that are not yet (HUGE
   of RUN is false for them).  First evict the blocks that are small because of
   this start, and read them again; then ask the kernel to collapse the pages
   of blocks that are still small.  */
extern void
_dl_hugetext_retry_file (struct hugetext_run *run) attribute_hidden;

/* The module memfile makes copies in memfds, where anonymous memory cannot
   become executable.  Return whether a memfd may become executable; this is
   tested once in a process.  */
extern bool
_dl_hugetext_may_memory_file (struct hugetext_state *state) attribute_hidden;

/* Map the staging area of RUN from a new memfd.  */
extern enum hugetext_reason
_dl_hugetext_map_memory_file (struct hugetext_run *run) attribute_hidden;

/* Make blocks [FIRST, LAST) of RUN, which are in a memfd, executable.  */
extern enum hugetext_reason
_dl_hugetext_seal_memory_file (struct hugetext_run *run, size_t first,
                               size_t last) attribute_hidden;

/* Close the memfd of RUN and seal it, so that no process can change it.  No
   part of the staging area is writable any more.  */
extern void _dl_hugetext_close_memory_file (const struct hugetext_run *run)
    attribute_hidden;

/* The module own-path finds out whether an object may look for its own path in
   /proc/self/maps, and would not find its files without this path.  The object
   is STATE's object, with RECORD.  *FD is the descriptor of its file, or
   HUGETEXT_NOT_OPEN; if the file must be searched, it is opened.  */
extern bool _dl_hugetext_looks_for_path (struct hugetext_state *state,
                                         struct hugetext_record *record,
                                         int *fd) attribute_hidden;

/* Return the address of the function by which tools look up the mapping of L's
   text, which is mapped, but not relocated; 0 if L has none.  */
extern uintptr_t _dl_hugetext_looked_up (struct link_map *l) attribute_hidden;

/* The module move changes the address of a program that the kernel mapped.
   Return whether it may move the program, STATE's object.  */
extern bool
_dl_hugetext_may_move (struct hugetext_state *state) attribute_hidden;

/* Move the program, STATE's object with RECORD, whose file is open on FD, to
   PLACEMENT.  Update AUXV and the kernel's addresses, and set RECORD's range
   to the space reserved for the program.  Return the distance, or 0 if the
   program stays.  */
extern ElfW (Addr)
    _dl_hugetext_move_program (struct hugetext_state *state,
                               struct hugetext_record *record,
                               const struct hugetext_placement *placement,
                               int fd, ElfW (auxv_t) * auxv) attribute_hidden;

/* Map the segments of OBJECT, whose file is open on FD, over the reservation
   at the load bias BIAS, as the kernel would map them.  */
extern bool _dl_hugetext_map_segments (const struct hugetext_object *object,
                                       uintptr_t page, int fd,
                                       ElfW (Addr) bias) attribute_hidden;

/* The module handover checks that libc has the release of this loader.  L is
   mapped, but neither relocated nor in a list yet.  If L is the libc of a
   starting program and has another release, refuse the program or hand it over
   to the system's loader.  The program itself may be the libc.  The function
   does not return after a refusal or handover.  */
extern void _dl_hugetext_match_loaded (struct link_map *l)
    attribute_hidden attribute_every_start;

/* Signal an error if the libc of L has another release than the loader.
   dlopen or dlmopen has mapped L.  */
extern void _dl_hugetext_match_open (struct link_map *l) attribute_hidden;

/* The module code tracks code made at run time, if the settings ask for it, in
   ROOT and all its dependencies.  ROOT is the program, or an object that
   dlopen opens.  ROOT and its dependencies are mapped but not yet
   relocated.  */
extern void _dl_hugetext_link_code (struct link_map *root)
    attribute_hidden attribute_every_start;

/* The module rehearsal ends a dry run (HUGETEXT_MODE_REHEARSAL) before the
   program runs.  The loader maps and populates objects as in any start, writes
   one byte to standard output, and exits at the end of its standard input.
   Before the exit, the command can inspect the process.  Nothing in the
   process is relocated, so no code of the program has run: no constructor, no
   IFUNC, no auditor.  The values of the byte:  */
#  define HUGETEXT_REHEARSED 1 /* All objects are populated.  */
#  define HUGETEXT_AUDITED                           \
    2 /* The program has an auditor, which would run \
         first.  */

/* Write SAID, wait for the end of standard input, and end this dry run.  */
extern void _dl_hugetext_end_rehearsal (unsigned char said)
    __attribute__ ((visibility ("hidden"), noreturn));

/* If this start is a dry run, end it with HUGETEXT_REHEARSED.  The loader
   calls this function after _dl_hugetext_populate for the program.  */
extern void
_dl_hugetext_rehearsed (void) attribute_hidden attribute_every_start;

#endif

#endif /* dl-hugetext-modules.h */
