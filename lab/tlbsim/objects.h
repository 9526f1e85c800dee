/* Objects: the mappings of a traced process, and the loader's places for them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJECTS_H
#define OBJECTS_H

#include "store/stored.h"
#include "host/procmaps.h"

#include <sys/types.h>

/* The value of hugetext_max for all blocks.  */
#define MAX_ALL SIZE_MAX

/* A trial: the settings of one simulation.  */
struct trial
{
  size_t pad; /* hugetext_pad_threshold, bytes.  */
  size_t max; /* hugetext_max, blocks; 0: stock placement, all small.  */
};

/* A block of one object.  */
struct object_block
{
  uintptr_t start; /* The address that the loader would choose.  */
  size_t text;
  bool *taken; /* Whether the block is taken, by maximum.  */
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
  uintptr_t bias, start, end; /* Addresses in the traced process.  */
  uintptr_t entry;            /* The entry there, 0 if the object is no
                                 program.  */
  struct elf_object elf;
  struct heat heat;      /* The heat by the index.  */
  bool plain;            /* The object can have no plan.  */
  struct placed *placed; /* The plans by threshold; NULL if there are none
                            yet.  */
};

/* A range of addresses of the traced process that is huge in its place.  */
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
  const char *index; /* The index with heat, or NULL.  With it, the second half
                        of PADS is for trials that rank by heat.  */

  struct object *list;
  size_t count;
  char *loader;       /* The loader's own file, NULL if it is not known
                         yet.  */
  uintptr_t *cursors; /* The address for the next object, by threshold.  */
  size_t *used;       /* The blocks so far, by threshold and maximum.  */
  size_t text;        /* Bytes of text of all objects.  */
  size_t *huge;       /* Bytes of huge text, by threshold and maximum.  */
};

/* Whether trials with threshold number PAD rank blocks by heat.  */
static inline bool
objects_by_heat (const struct objects *objects, size_t pad)
{
  return objects->index != NULL && pad >= objects->npads / 2;
}

/* Begin with no objects.  The caller still owns PADS, MAXES and RANGES.  */
extern void objects_init (struct objects *objects, const size_t *pads,
                          size_t npads, const size_t *maxes, size_t nmaxes,
                          const struct huge_range *ranges, size_t nranges);

/* Look at the mappings of the process again; new objects are not planned.
   Return false if they cannot be read: the process has ended.  */
extern bool objects_look (struct objects *objects);

/* Plan all objects without a plan, as the loader plans objects that it has
   loaded together.  */
extern void objects_plan (struct objects *objects);

/* Return the object at ADDRESS of the traced process, or NULL.  */
extern struct object *objects_find (struct objects *objects,
                                    uintptr_t address);

/* Return the address that ADDRESS of the traced process, in OBJECT (may be
   NULL), would have with threshold number PAD and maximum number MAX.  Set
   *HUGE.  */
extern uintptr_t objects_move (const struct objects *objects,
                               const struct object *object, uintptr_t address,
                               size_t pad, size_t max, bool *huge);

#endif
