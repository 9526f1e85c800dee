/* Empty replacements for the loader's optional modules.  A loader that is
   built without modules uses these empty functions.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   dl-hugetext-modules.h includes this file instead of declaring the modules'
   functions.  */

#ifndef _DL_HUGETEXT_CORE_H
#define _DL_HUGETEXT_CORE_H 1

/* Without the module "record", other processes cannot see the loader's
   decisions.  In a loader without modules, only the core itself uses struct
   hugetext_entry.  */
struct hugetext_entry
{
  uint64_t low, high; /* The addresses that the loader has reserved for the
                         object and its slack.  */
};
struct hugetext_record_head
{
};
#define _dl_hugetext_publish_record(state) ((void) 0)
#define _dl_hugetext_drop_runs(state) ((void) 0)
#define _dl_hugetext_record_reason(state, record, block, reason) ((void) 0)
#define _dl_hugetext_close_record(state, record, changed) ((void) 0)
#define _dl_hugetext_forget_record(state, record) ((void) 0)

/* Without the module "code", code that a program makes at run time stays on
   small pages.  */
#define _dl_hugetext_link_code(root) ((void) (root))

/* Without the module "move", a program stays at the address that the kernel
   has chosen for the program.  */
#define _dl_hugetext_may_move(state) false
#define _dl_hugetext_move_program(state, record, placement, fd, auxv) \
  ((void) (auxv), 0)

/* Without the module "handover", the loader does what the stock loader does:
   it accepts a libc of any release.  */
#define _dl_hugetext_match_loaded(l) ((void) (l))
#define _dl_hugetext_match_open(l) ((void) (l))

/* Without the module "rehearsal", the loader has no dry runs: a start that
   should be a dry run runs the program.  */
#define _dl_hugetext_rehearsed() ((void) 0)
#define _dl_hugetext_open_late() ((struct link_map *) NULL)

/* Without the module "index", the loader knows neither settings of programs
   nor images nor execution profiles.  */
struct hugetext_index_image
{
};
#define _dl_hugetext_lookup(phdr, auxv) \
  ((void) (phdr), (void) (auxv), (struct hugetext_contents){ .error = 0 })
#define _dl_hugetext_is_meant(phdr, auxv) true
#define _dl_hugetext_forget_advice(advice) ((void) (advice))
#define _dl_hugetext_advised(advice, key) 0
#define _dl_hugetext_allows(advice, name) true
#define _dl_hugetext_keep_index() ((void) 0)
#define _dl_hugetext_close_index() ((void) 0)
#define _dl_hugetext_leave_index() ((void) 0)
#define _dl_hugetext_find_image(state, record) false
#define _dl_hugetext_open_image(state, record) (-1)
#define _dl_hugetext_close_image(state, fd) ((void) (fd))
#define _dl_hugetext_image_block(state, block, size, offset) \
  ((void) (size), (void) (offset), false)
#define _dl_hugetext_heat(state, record) \
  ((void) (record), (struct hugetext_heat){ .weight = NULL })
#define _dl_hugetext_forget_heat() ((void) 0)
#define _dl_hugetext_leave_heat() ((void) 0)
#define hugetext_block_heat(object, geo, heat, block) \
  ((void) (heat), HUGETEXT_HEAT_UNKNOWN)
#define hugetext_heat_value(heat) 0

/* Without the module "memory", the cap alone limits copies.  */
#define _dl_hugetext_memory_left(buffer, size, copies) \
  ((void) (buffer), (void) (size), (void) (copies), SIZE_MAX)

/* Without the module "cache", the loader does not change the page cache.  The
   loader learns whether the page cache has huge pages for a block only by
   mapping the block.  */
#define _dl_hugetext_try_file(state, fd, record, site) ((void) (fd), true)
#define _dl_hugetext_cache_file(state, fd, record, site) true
#define _dl_hugetext_is_small_in_file(record, geo, offset) \
  ((void) (geo), (void) (offset), false)
#define _dl_hugetext_prepare_program(state, headers) ((void) (state))
#define _dl_hugetext_touch_counting(run) false
#define _dl_hugetext_retry_file(run) ((void) 0)

/* Without the module "own-path", the loader copies even objects that search
   for their own path in /proc/self/maps.  */
#define _dl_hugetext_looks_for_path(state, record, fd) \
  ((void) (state), (void) (record), false)

#define _dl_hugetext_looked_up(l) 0

/* Without the module "memfile", copies are always anonymous memory, never in a
   memfd.  */
#define _dl_hugetext_may_memory_file(state) ((void) (state), false)
#define _dl_hugetext_map_memory_file(run) HUGETEXT_NO_SPACE
#define _dl_hugetext_seal_memory_file(run, first, last) HUGETEXT_PROTECT
#define _dl_hugetext_close_memory_file(run) ((void) 0)

#endif /* dl-hugetext-core.h */
