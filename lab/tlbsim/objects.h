/* Objects: the mappings of a traced process, and the loader's places for them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJECTS_H
#define OBJECTS_H

#include "store/stored.h"
#include "host/procmaps.h"

#include <sys/types.h>

/* The value of hugetext_max with which all blocks may be huge.  */
#define MAX_ALL SIZE_MAX

/* A trial: the settings of one simulation.  */
struct trial
{
  size_t pad; /* The threshold hugetext_pad_threshold in bytes.  */
  size_t max; /* The maximum hugetext_max in blocks.  0 stands for the stock
                 loader, with all text on small pages.  */
};

/* A block of one object.  */
struct object_block
{
  uintptr_t start; /* The address that the loader would choose.  */
  size_t text;
  bool *taken; /* Whether the block is taken, for each maximum.  */
};

/* An object under one threshold.  */
struct placed
{
  uintptr_t bias;
  struct object_block *blocks;
  size_t nblocks;
};

struct object
{
  char *name;
  dev_t device;
  ino_t inode;
  uintptr_t bias, start, end; /* The first and the last address of the object
                                 in the traced process.  */
  uintptr_t entry;            /* The address of the entry in the traced
                                 process, or 0 if the object is no
                                 program.  */
  struct elf_object elf;
  struct heat heat;      /* The object's heat from the index.  */
  bool plain;            /* No plan can be made for the object.  */
  struct placed *placed; /* The plans for each threshold; NULL if there are
                            none yet.  */
};

/* A range of addresses of the traced process that is on huge pages in the
   simulation.  It stays at these addresses.  */
struct huge_range
{
  uintptr_t start, end;
};

struct objects
{
  pid_t pid; /* The process, 0 if there are no objects.  */
  const size_t *pads, *maxes;
  size_t npads, nmaxes;
  const struct huge_range *ranges;
  size_t nranges;
  const char *index; /* The path of an index with profiles, or NULL.  If there
                        is an index, the second half of PADS is for trials that
                        rank blocks by their samples.  */

  struct object *list;
  size_t count;
  char *loader;       /* The loader's own file, NULL if it is not known
                         yet.  */
  uintptr_t *cursors; /* The address for the next object, for each
                         threshold.  */
  size_t *used;       /* The number of blocks so far, for each threshold and
                         maximum.  */
  size_t text;        /* Bytes of text of all objects.  */
  size_t *huge;       /* Bytes of huge text, for each threshold and
                         maximum.  */
};

/* Return true if the trials with the threshold at index PAD rank blocks by
   heat.  */
static inline bool
objects_by_heat (const struct objects *objects, size_t pad)
{
  return objects->index != NULL && pad >= objects->npads / 2;
}

/* Begin with no objects.  The caller frees PADS, MAXES and RANGES.  */
extern void objects_init (struct objects *objects, const size_t *pads,
                          size_t npads, const size_t *maxes, size_t nmaxes,
                          const struct huge_range *ranges, size_t nranges);

/* Read the mappings of the process again, and add new objects without a plan.
   Return false if the mappings cannot be read because the process has
   ended.  */
extern bool objects_look (struct objects *objects);

/* Plan all objects without a plan, as the loader plans objects that it has
   loaded together.  */
extern void objects_plan (struct objects *objects);

/* Return the object at ADDRESS of the traced process, or NULL.  */
extern struct object *objects_find (struct objects *objects,
                                    uintptr_t address);

/* Return the address to which ADDRESS of the traced process moves with the
   threshold at index PAD and the cap at index MAX.  OBJECT contains ADDRESS,
   or is NULL.  Set *HUGE to whether the address is on a huge page.  */
extern uintptr_t objects_move (const struct objects *objects,
                               const struct object *object, uintptr_t address,
                               size_t pad, size_t max, bool *huge);

#endif
