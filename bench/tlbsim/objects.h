/* What a traced process has mapped, and where the loader would have put it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJECTS_H
#define OBJECTS_H

#include "store/heat.h"
#include "host/procmaps.h"

#include <sys/types.h>

/* hugetext_max as an option understands it; all blocks.  */
#define MAX_ALL SIZE_MAX

/* What is to be tried.  */
struct trial
{
  size_t pad; /* hugetext_pad_threshold, bytes.  */
  size_t max; /* hugetext_max, blocks; 0: stock placement, all small.  */
};

/* A block of one object.  */
struct object_block
{
  uintptr_t start; /* Where the loader would put it.  */
  size_t text;
  bool *taken; /* By max.  */
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
  uintptr_t bias, start, end; /* In the traced process.  */
  uintptr_t entry;            /* There, 0: it is no program.  */
  struct elf_object elf;
  struct heat heat;      /* What the index knows.  */
  bool plain;            /* There can be no plan for it.  */
  struct placed *placed; /* By threshold; NULL: not planned yet.  */
};

/* A range of addresses of the traced process that is to be huge where it
   is.  */
struct huge_range
{
  uintptr_t start, end;
};

struct objects
{
  pid_t pid; /* 0: no process, no objects.  */
  const size_t *pads, *maxes;
  size_t npads, nmaxes;
  const struct huge_range *ranges;
  size_t nranges;
  const char *index; /* Where heat is known from, or NULL.  Then the second
                        half of PADS is that of trials that rank by it.  */

  struct object *list;
  size_t count;
  char *loader;       /* The loader's own file, NULL: not known yet.  */
  uintptr_t *cursors; /* By threshold: where to put the next object.  */
  size_t *used;       /* By threshold and max: blocks so far.  */
  size_t text;        /* Bytes, of all objects.  */
  size_t *huge;       /* By threshold and max: bytes of text huge.  */
};

/* Whether trials with threshold number PAD rank blocks by heat.  */
static inline bool
objects_by_heat (const struct objects *objects, size_t pad)
{
  return objects->index != NULL && pad >= objects->npads / 2;
}

/* Begin with no objects.  PADS and MAXES, and RANGES, stay the caller's.  */
extern void objects_init (struct objects *objects, const size_t *pads,
                          size_t npads, const size_t *maxes, size_t nmaxes,
                          const struct huge_range *ranges, size_t nranges);

/* Look at the mappings of the process again; what is new is not planned.
   False if they cannot be read: the process has ended.  */
extern bool objects_look (struct objects *objects);

/* Plan all objects that are not planned yet, as the loader does with those it
   has loaded together.  */
extern void objects_plan (struct objects *objects);

/* The object at ADDRESS of the traced process, or NULL.  */
extern struct object *objects_find (struct objects *objects,
                                    uintptr_t address);

/* Where ADDRESS of the traced process, which lies in OBJECT (may be NULL),
   would be with threshold number PAD and maximum number MAX.  Sets *HUGE.  */
extern uintptr_t objects_move (const struct objects *objects,
                               const struct object *object, uintptr_t address,
                               size_t pad, size_t max, bool *huge);

#endif
