/* Declarations of the optional modules of the loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   "configure --disable-modules" builds a loader without the optional modules
   (doc/glibc-maintainers).  In this build, macros in dl-hugetext-core.h
   replace the modules.  */

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

/* The module "record" shows the loader's decisions to other processes.  Make
   the root (_dl_hugetext_root) point to STATE's record.  */
extern void
_dl_hugetext_publish_record (struct hugetext_state *state) attribute_hidden;

/* If the runs of STATE's record (struct hugetext_record_run) are in memory
   outside of STATE, unmap this memory.  */
extern void
_dl_hugetext_drop_runs (struct hugetext_state *state) attribute_hidden;

/* Record REASON for the block at address BLOCK of RECORD's object.  If the
   process has no memory for the reason, record nothing.  The caller passes the
   blocks of an object in ascending order.  */
extern void
_dl_hugetext_record_reason (struct hugetext_state *state,
                            struct hugetext_record *record, uintptr_t block,
                            enum hugetext_reason reason) attribute_hidden;

/* Add to the entry of RECORD's object the circumstances in which the loader
   has populated or skipped the object (enum hugetext_circumstance), and make
   the entry visible to other processes.  CHANGED is true if the loader has
   skipped the object because its program headers have changed.  */
extern void _dl_hugetext_close_record (struct hugetext_state *state,
                                       struct hugetext_record *record,
                                       bool changed) attribute_hidden;

/* If other processes can see the entry of RECORD's object, remove the entry
   from the list that they read.  */
extern void _dl_hugetext_forget_record (struct hugetext_state *state,
                                        const struct hugetext_record *record)
    attribute_hidden;

/* The module "index" finds the settings of a program.  */

/* Look up the program in the index; the loader calls this function once in a
   process.  PHDR and AUXV are the parameters of _dl_hugetext_read_settings.
   The function may leave the index open.  */
extern struct hugetext_contents _dl_hugetext_lookup (
    const ElfW (Phdr) * phdr,
    const ElfW (auxv_t) * auxv) attribute_hidden attribute_every_start;

/* Return true if the tunable that lists programs (hugetext_only) has no words,
   or names the program that is being started.  PHDR and AUXV are the
   parameters of _dl_hugetext_read_settings.  */
extern bool _dl_hugetext_is_meant (const ElfW (Phdr) * phdr,
                                   const ElfW (auxv_t)
                                       * auxv) attribute_hidden;

/* Unmap ADVICE, unless it is NULL, and close the index.  The loader calls
   this function when huge text is off.  */
extern void _dl_hugetext_forget_advice (const struct hugetext_advice *advice)
    attribute_hidden attribute_every_start;

/* Return the value of the setting KEY in ADVICE.  */
extern uint64_t _dl_hugetext_advised (const struct hugetext_advice *advice,
                                      enum hugetext_key key) attribute_hidden;

/* Return true if the settings ADVICE allow huge pages for the object NAME; ""
   means the program.  If ADVICE is NULL, all objects may have huge pages.  */
extern bool _dl_hugetext_allows (const struct hugetext_advice *advice,
                                 const char *name) attribute_hidden;

/* After the lookup, keep the index open if it has facts about objects, because
   the loader soon needs them.  Close the index if the process has no other
   free descriptor, because the loader needs one to open libraries.  */
extern void _dl_hugetext_keep_index (void) attribute_hidden;

/* Close the index if it is open.  The loader calls this function before code
   of the program runs.  */
extern void
_dl_hugetext_close_index (void) attribute_hidden attribute_every_start;

/* Forget the open index without closing its descriptor.  The loader calls
   this function in a forked child, where the descriptor may be closed or
   reused.  */
extern void _dl_hugetext_leave_index (void) attribute_hidden;

/* The following functions of the module "index" are also for the modules
   "heat" and "store":  */

/* Return the index, and open it if necessary.  Return NULL if there is no
   index that the loader trusts.  If the index fits into BUFFER, of SIZE bytes,
   the function reads the whole index, and later queries use BUFFER until the
   end of the attempt.  (Reading the whole index takes as long as two queries
   that read from the file.)  If a larger index stays open, its slots stay in
   BUFFER.  */
extern const struct hugetext_index *
_dl_hugetext_index (char *buffer, size_t size) attribute_hidden;

/* Close the index after a query, unless the loader has chosen to keep the
   index open.  If the index stayed open, the process might have no free
   descriptor for the libraries that the loader still has to open.  */
extern void _dl_hugetext_release_index (void) attribute_hidden;

/* Set FILE to the identity of the file on descriptor FD.  Return false if a
   user other than root may have written the file.  */
extern bool _dl_hugetext_identify_trusted (
    int fd, struct hugetext_identity *file) attribute_hidden;

/* The module "heat" reads from the index how often the parts of an object's
   text are executed.  Return the heat of RECORD's object; the result is valid
   until the next call.  The heat may come from a profile that a user other
   than root has written.  A profile by another user is harmless, because heat
   only decides which blocks become huge first.  */
extern struct hugetext_heat
_dl_hugetext_heat (const struct hugetext_state *state,
                   const struct hugetext_record *record) attribute_hidden;

/* Unmap the heat that was read last.  The loader calls this function at the
   end of the attempt.  */
extern void _dl_hugetext_forget_heat (void) attribute_hidden;

/* Forget the heat in a forked child, so that the loader reads heat into new
   memory.  The child shares the old memory for heat with the parent, which may
   overwrite the heat at any time.  The old memory stays mapped in the child:
   if a signal handler has forked in the middle of a dlopen, the interrupted
   dlopen in the child still reads from the old memory.  */
extern void _dl_hugetext_leave_heat (void) attribute_hidden;

/* The maximum heat: the heat of a block that has all samples of the profiled
   process.  */
#  define HUGETEXT_HEAT_MAX 65535

/* The minimum heat of a hot block: 256/65536, that is, 1/256 of all samples.
   The loader may rank a block with less heat below a block of unknown
   heat.  */
#  define HUGETEXT_HEAT_HOT 256

/* Return the heat of the block at BLOCK of OBJECT, computed from HEAT.  Return
   0 if HEAT has no samples of the block.  */
extern uint32_t hugetext_block_heat (const struct hugetext_object *object,
                                     const struct hugetext_geometry *geo,
                                     const struct hugetext_heat *heat,
                                     uintptr_t block);

/* Return the value that a block has in the ranking (dl-hugetext-plan.h) if its
   heat is HEAT.  HEAT must be known and not 0.  */
extern uint32_t hugetext_heat_value (uint32_t heat);

/* The module "store" uses images of text.  Look up the image of RECORD's
   object, which STATE describes, and read the image's record into STATE.
   Return false if the store has no image of exactly the file that is
   mapped.  */
extern bool _dl_hugetext_find_image (struct hugetext_state *state,
                                     const struct hugetext_record *record)
    attribute_hidden;

/* Look up and open the image of RECORD's object.  Return the image's
   descriptor, or -1 if the store has no image of the object.  */
extern int _dl_hugetext_open_image (struct hugetext_state *state,
                                    const struct hugetext_record *record)
    attribute_hidden;

/* Close the image on descriptor FD now, or later together with other images in
   _dl_hugetext_close_images.  */
extern void _dl_hugetext_close_image (struct hugetext_state *state,
                                      int fd) attribute_hidden;

/* Return true if the image in STATE contains the block that is at address
   BLOCK in the process.  Set SIZE to the image's size in bytes, and OFFSET to
   the block's offset in the image.  */
extern bool _dl_hugetext_image_block (const struct hugetext_state *state,
                                      uintptr_t block, uint64_t *size,
                                      uint64_t *offset) attribute_hidden;

/* The module "memory" finds out how much memory is left.  Return how many more
   bytes the process may use.  If COPIES is true, return how many more bytes
   the process may use for copies of text.  The result is the smaller of the
   memory that the limits of the process's control groups leave free and the
   machine's available memory, or SIZE_MAX if both are unknown.  For copies,
   two reserves are subtracted first: half of each control group's limit from
   the memory that the group may still use, and an eighth of the machine's
   memory from its available memory.  The function uses BUFFER, of SIZE bytes
   (a page is enough), as scratch space.  */
extern size_t _dl_hugetext_memory_left (char *buffer, size_t size,
                                        bool copies) attribute_hidden;

/* The module "cache" changes the page cache so that it holds text in huge
   pages.  Prepare to place the program, which is STATE's object.  Unmap the
   pages of the program that this start has touched, so that the kernel can
   evict them and read them again as huge pages.  Unmap nothing if the process
   is traced.  Note whether exec has read the program from the disk.  HEADERS
   is the address of the program headers.  */
extern void _dl_hugetext_prepare_program (struct hugetext_state *state,
                                          uintptr_t headers) attribute_hidden;

/* SITE and RECORD describe the same object.  Return true if the page cache can
   hold a block of the object, at its present load bias, as a huge page of the
   object's file.  FD is the open file.  To find out, the function maps one
   block, and may thereby make the kernel cache the block as a huge page.  */
extern bool
_dl_hugetext_try_file (struct hugetext_state *state, int fd,
                       struct hugetext_record *record,
                       const struct hugetext_site *site) attribute_hidden;

/* Make the kernel cache the blocks of SITE's object as huge pages of RECORD's
   file, as many as the cap allows.  Give up if as many blocks have stayed
   small as the cap allows huge blocks.  Leave out cold blocks.  Return false
   if a block that should be huge is not cached as a huge page.  */
extern bool
_dl_hugetext_cache_file (struct hugetext_state *state, int fd,
                         struct hugetext_record *record,
                         const struct hugetext_site *site) attribute_hidden;

/* Return true if the file of RECORD ends inside the block at OFFSET, or if the
   trial (dl-hugetext-trial.c) has found that the page cache does not hold the
   block as a huge page.  GEO contains the size of a block.  */
extern bool
_dl_hugetext_is_small_in_file (const struct hugetext_record *record,
                               const struct hugetext_geometry *geo,
                               uint64_t offset) attribute_hidden;

/* Fault in the blocks of RUN, which map a file, and note which of them had to
   be read from the disk.  If the loader may not call getrusage, which counts
   reads from the disk, fault in nothing and return false.  */
extern bool
_dl_hugetext_touch_counting (struct hugetext_run *run) attribute_hidden;

/* Try to make the kernel cache the remaining small blocks of RUN (whose
   element of HUGE is false) as huge pages.  First evict the small blocks that
   this start has read and the small blocks of images, and read them again.
   Afterwards ask the kernel to collapse blocks that are still small.  */
extern void
_dl_hugetext_retry_file (struct hugetext_run *run) attribute_hidden;

/* The module "memfile" puts copies in memfds if anonymous memory cannot become
   executable.  Return true if the kernel lets a memfd be mapped executable;
   the loader tests one memfd in each process.  */
extern bool
_dl_hugetext_may_memory_file (struct hugetext_state *state) attribute_hidden;

/* Make a memfd, and map it as the staging area of RUN.  */
extern enum hugetext_reason
_dl_hugetext_map_memory_file (struct hugetext_run *run) attribute_hidden;

/* Make blocks [FIRST, LAST) of RUN, which are in a memfd, executable.  */
extern enum hugetext_reason
_dl_hugetext_seal_memory_file (struct hugetext_run *run, size_t first,
                               size_t last) attribute_hidden;

/* Seal the memfd of RUN, so that no process can change it, and close it.
   After this function, the staging area is not writable.  */
extern void _dl_hugetext_close_memory_file (const struct hugetext_run *run)
    attribute_hidden;

/* The module "own-path" finds objects that must not be copied, because they
   may look for their own path in /proc/self/maps.  Return whether STATE's
   object, whose record is RECORD, must not be copied. *FD is the descriptor of
   the object's file, or HUGETEXT_NOT_OPEN.  If the function must search the
   file, it opens the file and sets *FD.  */
extern bool _dl_hugetext_looks_for_path (struct hugetext_state *state,
                                         struct hugetext_record *record,
                                         int *fd) attribute_hidden;

/* Some tools recognize the mapping of an object's text by one of the object's
   functions.  If the object L has a function by which tools recognize it,
   return the address of this function.  Otherwise return 0.  L is mapped but
   not relocated.  */
extern uintptr_t _dl_hugetext_looked_up (struct link_map *l) attribute_hidden;

/* The module "move" maps the program at an address other than the one that the
   kernel has chosen.  STATE's object is the program.  Return true if the
   loader may move the program.  */
extern bool
_dl_hugetext_may_move (struct hugetext_state *state) attribute_hidden;

/* Move the program to PLACEMENT.  The program is STATE's object, and RECORD is
   its record.  FD is the open file of the program.  Correct AUXV and the
   addresses that the kernel has noted for the process.  Set RECORD's range to
   the space that is now reserved for the program.  Return the distance of the
   move in bytes, or 0 if the program stays at its address.  */
extern ElfW (Addr)
    _dl_hugetext_move_program (struct hugetext_state *state,
                               struct hugetext_record *record,
                               const struct hugetext_placement *placement,
                               int fd, ElfW (auxv_t) * auxv) attribute_hidden;

/* Map the segments of OBJECT at the load bias BIAS, over a reservation.  Map
   the segments in the same way as the kernel would map them.  FD is the
   object's open file.  */
extern bool _dl_hugetext_map_segments (const struct hugetext_object *object,
                                       uintptr_t page, int fd,
                                       ElfW (Addr) bias) attribute_hidden;

/* The module "handover" checks that libc has the same release as this loader.
   L is mapped, but neither relocated nor in a list of objects yet.  L may be
   the libc of a starting program, or the program itself if the user executes a
   libc.  If L is a libc of another release than the loader, do not return:
   hand the program over to the system's loader, or exit with an error
   message.  */
extern void _dl_hugetext_match_loaded (struct link_map *l)
    attribute_hidden attribute_every_start;

/* If the libc of L has another release than the loader, signal an error.  L
   was mapped by dlopen or dlmopen.  */
extern void _dl_hugetext_match_open (struct link_map *l) attribute_hidden;

/* The module "code" tracks code made at run time.  If the settings ask for
   huge code, make ROOT and all its dependencies use hugetext-code.so.  ROOT is
   the program, or an object that dlopen opens.  ROOT and its dependencies are
   mapped but not yet relocated.  */
extern void _dl_hugetext_link_code (struct link_map *root)
    attribute_hidden attribute_every_start;

/* The module "rehearsal" ends a dry run (HUGETEXT_MODE_REHEARSAL) before the
   program runs.  In a dry run, the loader maps and populates objects as in any
   start, and writes one byte to standard output.  The loader then waits for
   the end of standard input, and exits.  While the process waits for the end
   of standard input, the command hugetext can inspect it.  Nothing in the
   process is relocated, so no code of the program has run: no constructor, no
   IFUNC, no auditor.  The environment variable HUGETEXT_OPENED may be the path
   of a library that the program opens while it runs.  The loader maps and
   populates the library that HUGETEXT_OPENED names as dlopen would, but does
   not relocate it.  A dry run writes a byte with one of the following
   values.  */
#  define HUGETEXT_OPENED "HUGETEXT_OPENED"
#  define HUGETEXT_REHEARSED 1 /* The loader has populated all objects.  */
/* The dry run ends early, because an auditor (LD_AUDIT) is loaded, and in a
   real start the auditor's code would now run.  */
#  define HUGETEXT_AUDITED 2

/* Write SAID to standard output, wait for the end of standard input, and end
   this dry run.  */
extern void _dl_hugetext_end_rehearsal (unsigned char said)
    __attribute__ ((visibility ("hidden"), noreturn));

/* If this start is a dry run, and HUGETEXT_OPENED names a library, map this
   library as dlopen would map it in the running program, and return the
   library's link map.  Otherwise return NULL.  If the library, or an object
   that the library needs, cannot be opened, the dry run ends with the stock
   loader's message.  */
extern struct link_map *
_dl_hugetext_open_late (void) attribute_hidden attribute_every_start;

/* If this start is a dry run, write HUGETEXT_REHEARSED to standard output, and
   end the dry run.  The loader calls this function after _dl_hugetext_populate
   for the program.  */
extern void
_dl_hugetext_rehearsed (void) attribute_hidden attribute_every_start;

#endif

#endif /* dl-hugetext-modules.h */
