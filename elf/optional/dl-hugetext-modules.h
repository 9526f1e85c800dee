/* Declarations of the optional modules of the loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   "configure --disable-modules" builds the core alone (doc/glibc-maintainers);
   dl-hugetext-core.h replaces the modules there.  */

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

/* The module record tells other processes what the loader has decided.
   Make the root point to STATE's record.  */
extern void
_dl_hugetext_publish_record (struct hugetext_state *state) attribute_hidden;

/* Record REASON for the block at BLOCK of RECORD's object, if the record is
   not full.  Callers pass the blocks of an object in ascending order.  */
extern void
_dl_hugetext_record_reason (struct hugetext_state *state,
                            struct hugetext_record *record, uintptr_t block,
                            enum hugetext_reason reason) attribute_hidden;

/* Record the circumstances in which RECORD's object was populated, or skipped
   because its program headers have CHANGED, and make the object's entry
   visible to other processes.  */
extern void _dl_hugetext_close_record (struct hugetext_state *state,
                                       struct hugetext_record *record,
                                       bool changed) attribute_hidden;

/* Remove RECORD's object from the record, if it is there.  */
extern void _dl_hugetext_forget_record (struct hugetext_state *state,
                                        const struct hugetext_record *record)
    attribute_hidden;

/* The module index finds the settings of a program.  */

/* Look the program up in the index; the loader calls this function once.  PHDR
   and AUXV are as in _dl_hugetext_read_settings.  The index may stay open.  */
extern struct hugetext_contents _dl_hugetext_lookup (
    const ElfW (Phdr) * phdr,
    const ElfW (auxv_t) * auxv) attribute_hidden attribute_every_start;

/* Unmap ADVICE, if any, and close the index, because huge text is off.  */
extern void _dl_hugetext_forget_advice (const struct hugetext_advice *advice)
    attribute_hidden attribute_every_start;

/* Return the value that ADVICE gives KEY.  */
extern uint64_t _dl_hugetext_advised (const struct hugetext_advice *advice,
                                      enum hugetext_key key) attribute_hidden;

/* Whether ADVICE, if any, allows blocks for object NAME ("": the program).  */
extern bool _dl_hugetext_allows (const struct hugetext_advice *advice,
                                 const char *name) attribute_hidden;

/* Keep the index open if the lookup has left it open because it has facts
   about objects, which are needed next.  Close it if the process may have no
   other descriptor then.  */
extern void _dl_hugetext_keep_index (void) attribute_hidden;

/* Close the index if it is open, before code of the program runs.  */
extern void
_dl_hugetext_close_index (void) attribute_hidden attribute_every_start;

/* Forget the index without closing it: another process owns the
   descriptor.  */
extern void _dl_hugetext_leave_index (void) attribute_hidden;

/* The modules heat and store also use the module index:  */

/* Return the index, and open it if necessary.  NULL if there is no index that
   the loader trusts.  An index that fits into the SIZE bytes at BUFFER is read
   as a whole, at the cost of two objects' queries, and then used from memory
   until the end of the attempt.  Of a larger index that stays open, BUFFER
   keeps the slots.  */
extern const struct hugetext_index *
_dl_hugetext_index (char *buffer, size_t size) attribute_hidden;

/* Close the index after a query, unless the lookup has left it open: its
   descriptor may be the last, and libraries remain to be opened.  */
extern void _dl_hugetext_release_index (void) attribute_hidden;

/* Set FILE to the identity of the file FD.  False if a user other than root
   may have written the file.  */
extern bool _dl_hugetext_identify_trusted (
    int fd, struct hugetext_identity *file) attribute_hidden;

/* The module heat reads from the index which blocks are executed.
   Return the heat of RECORD's object, valid until the next call.  A user other
   than root may have written the profile: heat only decides which blocks come
   first, so a wrong heat does no harm.  */
extern struct hugetext_heat
_dl_hugetext_heat (const struct hugetext_state *state,
                   const struct hugetext_record *record) attribute_hidden;

/* Unmap the last heat at the end of the attempt.  */
extern void _dl_hugetext_forget_heat (void) attribute_hidden;

/* The heat of a block that has all samples of its process.  */
#  define HUGETEXT_HEAT_MAX 65535

/* The heat, in 1/65536, below which a block of unknown heat may be worth more
   than this block: 1 in 256.  */
#  define HUGETEXT_HEAT_HOT 256

/* Return the heat of BLOCK of OBJECT according to HEAT, 0 without samples.  */
extern uint32_t hugetext_block_heat (const struct hugetext_object *object,
                                     const struct hugetext_geometry *geo,
                                     const struct hugetext_heat *heat,
                                     uintptr_t block);

/* Return the value (dl-hugetext-plan.c) of a block with HEAT, which is known
   and not 0.  */
extern uint32_t hugetext_heat_value (uint32_t heat);

/* The module store uses images of text.
   Read the record of the image of RECORD's object, which STATE describes, into
   STATE.  False if the store has no image of the very file that was
   mapped.  */
extern bool _dl_hugetext_find_image (struct hugetext_state *state,
                                     const struct hugetext_record *record)
    attribute_hidden;

/* Find the image likewise and open it; -1 if there is none.  */
extern int _dl_hugetext_open_image (struct hugetext_state *state,
                                    const struct hugetext_record *record)
    attribute_hidden;

/* Close the image FD, now or later, by _dl_hugetext_close_images.  */
extern void _dl_hugetext_close_image (struct hugetext_state *state,
                                      int fd) attribute_hidden;

/* Whether STATE's image has the block at run-time address BLOCK of the object.
   Set SIZE to the image's size, and OFFSET to the block's offset there.  */
extern bool _dl_hugetext_image_block (const struct hugetext_state *state,
                                      uintptr_t block, uint64_t *size,
                                      uint64_t *offset) attribute_hidden;

/* The module memory reads how much memory is left.
   Return how many more bytes copies may use: the bytes left in the process's
   control groups, minus half of each limit, and in the machine, minus an
   eighth of its memory, whichever is less.  SIZE_MAX if neither is known.
   BUFFER, of SIZE bytes (a page is enough), is scratch space.  */
extern size_t _dl_hugetext_memory_left (char *buffer,
                                        size_t size) attribute_hidden;

/* The module cache changes the page cache so that it holds text in huge pages.
   Prepare to place the program, STATE's object, which the kernel has mapped
   with its headers at HEADERS, unless it is traced: unmap its touched pages,
   and note whether exec has read it from the disk.  */
extern void _dl_hugetext_prepare_program (struct hugetext_state *state,
                                          uintptr_t headers) attribute_hidden;

/* Whether a block of SITE's object, at its present load bias, is or can be
   cached as a huge page of RECORD's file, which is open on FD.  */
extern bool
_dl_hugetext_try_file (struct hugetext_state *state, int fd,
                       struct hugetext_record *record,
                       const struct hugetext_site *site) attribute_hidden;

/* Cache all these blocks except cold ones as huge pages, up to the cap.  False
   if some are not cached so.  */
extern bool
_dl_hugetext_cache_file (struct hugetext_state *state, int fd,
                         struct hugetext_record *record,
                         const struct hugetext_site *site) attribute_hidden;

/* Fault in the blocks of RUN, which map a file, and note the blocks that had
   to be read.  False, with nothing touched, if the kernel cannot count
   reads.  */
extern bool
_dl_hugetext_touch_counting (struct hugetext_run *run) attribute_hidden;

/* Try to cache those blocks of RUN as huge pages that are not HUGE: evict
   blocks that are small because of this start, read them again, then ask the
   kernel to collapse pages.  */
extern void
_dl_hugetext_retry_file (struct hugetext_run *run) attribute_hidden;

/* The module memfile makes copies in memory files, where anonymous memory
   cannot become executable.
   Whether a memory file may become executable; tested once in a process.  */
extern bool
_dl_hugetext_may_memory_file (struct hugetext_state *state) attribute_hidden;

/* Map the staging area of RUN from a new memory file.  */
extern enum hugetext_reason
_dl_hugetext_map_memory_file (struct hugetext_run *run) attribute_hidden;

/* Make blocks [FIRST, LAST) of RUN executable.  */
extern enum hugetext_reason
_dl_hugetext_seal_memory_file (struct hugetext_run *run, size_t first,
                               size_t last) attribute_hidden;

/* Close the memory file of RUN, after which no process can change it.  No part
   of the staging area is writable any more.  */
extern void _dl_hugetext_close_memory_file (const struct hugetext_run *run)
    attribute_hidden;

/* The module own-path finds out whether STATE's object, which has RECORD and
   is open on FD, may look for its own path in /proc/self/maps, and would not
   find its files without it.  */
extern bool _dl_hugetext_looks_for_path (struct hugetext_state *state,
                                         const struct hugetext_record *record,
                                         int fd) attribute_hidden;

/* Return the address of the function by which tools look up the mapping of L's
   text, which is mapped, but not relocated; 0 if L has none.  */
extern uintptr_t _dl_hugetext_looked_up (struct link_map *l) attribute_hidden;

/* The module move changes the address of a program that the kernel mapped.
   Whether it may move the program, STATE's object.  */
extern bool
_dl_hugetext_may_move (struct hugetext_state *state) attribute_hidden;

/* Move the program, STATE's object, which has RECORD and is open on FD, to
   PLACEMENT, and update AUXV and the kernel's addresses.  Return the distance,
   0 if the program stays.  Set RECORD's range to the space reserved for the
   program.  */
extern ElfW (Addr)
    _dl_hugetext_move_program (struct hugetext_state *state,
                               struct hugetext_record *record,
                               const struct hugetext_placement *placement,
                               int fd, ElfW (auxv_t) * auxv) attribute_hidden;

/* Map the segments of OBJECT, open on FD, with load bias BIAS over the
   reservation there, as the kernel would map them.  */
extern bool _dl_hugetext_map_segments (const struct hugetext_object *object,
                                       uintptr_t page, int fd,
                                       ElfW (Addr) bias) attribute_hidden;

/* The module handover checks that libc is of this loader's release.
   L is mapped, but neither relocated nor in a list yet.  If L is the libc of
   the program that starts, or is that program and itself a libc, and is of
   another release, refuse the program or hand it over to the system's loader.
   Then the function does not return.  */
extern void _dl_hugetext_match_loaded (struct link_map *l)
    attribute_hidden attribute_every_start;

/* Signal an error if the libc of L, which dlopen or dlmopen has mapped, is of
   another release than the loader.  */
extern void _dl_hugetext_match_open (struct link_map *l) attribute_hidden;

/* The module code follows code made at run time, if the settings say so, in
   ROOT and all its dependencies.  ROOT is the program, or an object that
   dlopen opens; all of them are mapped but not yet relocated.  */
extern void _dl_hugetext_link_code (struct link_map *root)
    attribute_hidden attribute_every_start;

/* The module rehearsal ends a start that is a rehearsal
   (HUGETEXT_MODE_REHEARSAL) before the program runs.  The loader maps and
   populates as in any start, writes one byte to standard output, and exits at
   the end of its standard input.  Meanwhile the command can inspect the
   process.  Nothing in the process is relocated, so no code of the program has
   run: no constructor, no IFUNC, no auditor.  The values of the byte:  */
#  define HUGETEXT_REHEARSED 1 /* All objects are populated.  */
#  define HUGETEXT_AUDITED                           \
    2 /* The program has an auditor, which would run \
         first.  */

/* Write SAID, wait for the end of standard input and end this rehearsal.  */
extern void _dl_hugetext_end_rehearsal (unsigned char said)
    __attribute__ ((visibility ("hidden"), noreturn));

/* End this start with HUGETEXT_REHEARSED if it is a rehearsal.  Called after
   _dl_hugetext_populate, when ROOT is the program.  */
extern void
_dl_hugetext_rehearsed (void) attribute_hidden attribute_every_start;

#endif

#endif /* dl-hugetext-modules.h */
