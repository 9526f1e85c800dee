/* Empty versions of the loader's optional rooms, for a loader that is built
   without them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The header of each room includes this file instead of declaring
   functions.  */

#ifndef _DL_HUGETEXT_CORE_H
#define _DL_HUGETEXT_CORE_H 1

#include <link.h>
#include <stdbool.h>

#include "dl-hugetext-index.h"
#include "dl-hugetext-plan.h"

struct hugetext_attempt;
struct hugetext_backing;
struct hugetext_contents;
struct hugetext_object;
struct hugetext_open_index;
struct hugetext_program;

/* Without the room code, code made at run time stays on small pages.  */

static inline void
_dl_hugetext_offer_code (const ElfW (Phdr) * phdr, ElfW (Word) phnum,
                         const char *name)
{
}

static inline void
_dl_hugetext_check_offer (const struct link_map *l)
{
}

static inline void
_dl_hugetext_link_code (struct link_map *root)
{
}

/* Without the room move, a program stays where the kernel has mapped it.  */

struct hugetext_placement;

static inline ElfW (Addr)
    _dl_hugetext_move_program (struct hugetext_object *object, uintptr_t page,
                               const struct hugetext_placement *placement,
                               int fd, ElfW (auxv_t) * auxv, uintptr_t *low)
{
  return 0;
}

/* Without the room handover, a program of another libc is refused.  */

static inline const char *
_dl_hugetext_hand_over (struct link_map *program)
{
  return "this one is built without that";
}

/* Without the room index, the loader knows no program, file or object.  */

static inline struct hugetext_memory *
_dl_hugetext_lookup (const struct hugetext_program *program,
                     struct hugetext_advice *advice,
                     struct hugetext_contents *contents,
                     struct hugetext_open_index *open)
{
  return NULL;
}

static inline void
_dl_hugetext_close_index (struct hugetext_open_index *open)
{
}

static inline bool
_dl_hugetext_find_image (struct hugetext_attempt *attempt,
                         const struct hugetext_object *object,
                         const struct hugetext_identity *file,
                         union hugetext_index_buffer *record)
{
  return false;
}

static inline int
_dl_hugetext_open_image (struct hugetext_attempt *attempt,
                         const struct hugetext_object *object,
                         const struct hugetext_identity *file,
                         union hugetext_index_buffer *record)
{
  return -1;
}

/* Without images, the loader never calls this function.  */
static inline void
_dl_hugetext_store (struct hugetext_backing *backing)
{
}

/* Without the rooms groups and reread, the loader reads no control group and
   leaves the page cache as it is.  */

static inline size_t
_dl_hugetext_groups_left (char *buffer, size_t size)
{
  return SIZE_MAX;
}

struct hugetext_run;

static inline void
_dl_hugetext_prepare_program (struct hugetext_attempt *attempt,
                              const struct hugetext_object *object)
{
}

static inline bool
_dl_hugetext_touch_counting (struct hugetext_run *run)
{
  return false;
}

static inline bool
_dl_hugetext_read_again (struct hugetext_run *run)
{
  return false;
}

static inline bool
_dl_hugetext_write_back (struct hugetext_attempt *attempt, int fd)
{
  return false;
}

struct hugetext_heats;

static inline uint32_t
_dl_hugetext_learn_heat (struct hugetext_attempt *attempt,
                         struct hugetext_heats **heats,
                         const struct hugetext_identity *file, uint64_t digest)
{
  return 0;
}

static inline struct hugetext_heat
_dl_hugetext_heat (const struct hugetext_heats *heats, uint32_t number)
{
  return (struct hugetext_heat){ .weight = NULL };
}

static inline void
_dl_hugetext_forget_heats (struct hugetext_heats **heats)
{
}

#endif /* dl-hugetext-core.h */
