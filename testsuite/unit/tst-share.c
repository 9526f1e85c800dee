/* Test a start without a profile: how much of the cap each object gets.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One test is a truth table of a single ranking.  The other test replays
   recorded starts.  Each start has a program's objects in the order of
   loading, with their text and the positions of their samples.  */

#include "plan-test.h"

static const struct hugetext_geometry geo
    = { .page = 4096, .block = 0x200000 };

static struct hugetext_ranking ranking;

enum
{
  OBJECTS_MAX = 8,
};

/* An object with BLOCKS blocks that are full of text.  */
struct object
{
  const char *name;
  size_t blocks;
  bool free;     /* True if the blocks take no memory.  */
  uint32_t heat; /* The heat of each block, HUGETEXT_HEAT_UNKNOWN if it is not
                    known.  */
};

static struct hugetext_candidate
block_of (const struct object *object)
{
  return (struct hugetext_candidate){ .text = geo.block,
                                      .heat = object->heat,
                                      .free = object->free };
}

/* Load the N OBJECTS together with a budget of BUDGET blocks, as libraries
   opened later if LATE.  Set GOT to the number of blocks that each one gets.
   Return the sum.  */
static size_t
load (const struct object *objects, size_t n, size_t budget, bool late,
      size_t got[])
{
  size_t sum = 0;
  hugetext_ranking_init (&ranking);
  ranking.late = late;
  if (late)
    hugetext_ranking_keep_free (&ranking, &geo, 0, budget);
  for (size_t i = 0; i < n; ++i)
    {
      const struct hugetext_candidate block = block_of (&objects[i]);
      hugetext_ranking_next_object (&ranking);
      for (size_t k = 0; k < objects[i].blocks; ++k)
        hugetext_ranking_add (&ranking, &geo, &block);
    }
  hugetext_ranking_cut (&ranking, budget);
  for (size_t i = 0; i < n; ++i)
    {
      const struct hugetext_candidate block = block_of (&objects[i]);
      hugetext_ranking_next_object (&ranking);
      got[i] = 0;
      for (size_t k = 0; k < objects[i].blocks; ++k)
        got[i]
            += hugetext_ranking_take (&ranking, &geo, &block) == HUGETEXT_TAKE;
      sum += got[i];
    }
  EXPECT (sum <= budget);
  return sum;
}

#define UNKNOWN HUGETEXT_HEAT_UNKNOWN

static void
truth_table (void)
{
  static const struct
  {
    size_t budget;
    bool late;
    struct object objects[OBJECTS_MAX];
    size_t got[OBJECTS_MAX];
  } cases[] = {
    /* All blocks are taken.  */
    { 8,
      false,
      { { "", 4, false, UNKNOWN }, { "", 4, false, UNKNOWN } },
      { 4, 4 } },
    { 8,
      true,
      { { "", 4, false, UNKNOWN }, { "", 4, false, UNKNOWN } },
      { 4, 4 } },
    /* The objects get equal numbers of blocks, and the first one gets the
       rest.  */
    { 8,
      false,
      { { "", 9, false, UNKNOWN }, { "", 9, false, UNKNOWN } },
      { 4, 4 } },
    { 9,
      false,
      { { "", 9, false, UNKNOWN }, { "", 9, false, UNKNOWN } },
      { 5, 4 } },
    /* Small objects get all of their blocks.  */
    { 9,
      false,
      { { "", 99, false, UNKNOWN },
        { "", 1, false, UNKNOWN },
        { "", 3, false, UNKNOWN },
        { "", 99, false, UNKNOWN } },
      { 3, 1, 3, 2 } },
    { 2,
      false,
      { { "", 5, false, UNKNOWN },
        { "", 1, false, UNKNOWN },
        { "", 3, false, UNKNOWN } },
      { 1, 1, 0 } },
    { 0, false, { { "", 5, false, UNKNOWN } }, { 0 } },
    /* A single object at the start gets all blocks of the cap.  A single
       library that is opened later gets only seven eighths of them.  */
    { 64, false, { { "", 190, false, UNKNOWN } }, { 64 } },
    { 64, true, { { "", 190, false, UNKNOWN } }, { 56 } },
    { 3, true, { { "", 190, false, UNKNOWN } }, { 3 } },
    /* The first blocks of each object come first, and then the blocks that
       take no memory.  */
    { 32,
      false,
      { { "", 99, false, UNKNOWN },
        { "", 99, true, UNKNOWN },
        { "", 2, false, UNKNOWN } },
      { 8, 22, 2 } },
    { 8,
      false,
      { { "", 99, false, UNKNOWN }, { "", 6, true, UNKNOWN } },
      { 4, 4 } },
    { 8,
      false,
      { { "", 99, false, UNKNOWN },
        { "", 6, true, UNKNOWN },
        { "", 6, true, UNKNOWN } },
      { 3, 3, 2 } },
    { 8, false, { { "", 99, true, 0 }, { "", 6, false, UNKNOWN } }, { 2, 6 } },
    /* Heat decides before the shares of objects, and hot blocks may take all
       that is left.  */
    { 8,
      true,
      { { "", 99, true, UNKNOWN }, { "", 8, false, HUGETEXT_HEAT_HOT } },
      { 0, 8 } },
    { 8,
      true,
      { { "", 99, true, UNKNOWN }, { "", 1, false, HUGETEXT_HEAT_HOT } },
      { 7, 1 } },
    /* Cold blocks come last; those that take no memory come first among
       them.  */
    { 8,
      false,
      { { "", 99, false, 0 },
        { "", 3, true, 0 },
        { "", 2, false, 1 },
        { "", 2, false, UNKNOWN } },
      { 1, 3, 2, 2 } },
    /* A library that is opened later gets no cold blocks, even if these need
       no memory of their own.  */
    { 8,
      true,
      { { "", 99, false, 0 },
        { "", 3, true, 0 },
        { "", 2, false, 1 },
        { "", 2, false, UNKNOWN } },
      { 0, 0, 2, 2 } },
    /* There are objects with more full blocks than the ranking counts levels
       (HUGETEXT_LEVELS).  */
    { 1000,
      false,
      { { "", 900, false, UNKNOWN }, { "", 900, false, UNKNOWN } },
      { 900, 100 } },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      size_t got[OBJECTS_MAX];
      load (cases[i].objects, OBJECTS_MAX, cases[i].budget, cases[i].late,
            got);
      for (size_t k = 0; k < OBJECTS_MAX; ++k)
        {
          if (got[k] != cases[i].got[k])
            fprintf (stderr, "case %zu, object %zu\n", i, k);
          EXPECT_EQUAL (got[k], cases[i].got[k]);
        }
    }
  group_done (
      "objects that are loaded at the start of a process share the cap",
      count);
}

/* Each object gets as many blocks as any other object that has text for more
   blocks, or one block more.  No object takes all blocks of the cap, whatever
   objects follow.  */
static void
fair (void)
{
  uint64_t state = 7;
  for (unsigned int round = 0; round < 3000; ++round)
    {
      struct object objects[OBJECTS_MAX] = { { .blocks = 0 } };
      size_t got[OBJECTS_MAX], all = 0;
      const size_t budget = next_random (&state) % 100;
      const bool late = next_random (&state) % 2;
      for (size_t i = 0; i < OBJECTS_MAX; ++i)
        {
          objects[i].blocks = next_random (&state) % 60;
          objects[i].heat = UNKNOWN;
          all += objects[i].blocks;
        }
      const size_t sum = load (objects, OBJECTS_MAX, budget, late, got);
      EXPECT_EQUAL (sum, all <= budget ? all
                         : late        ? budget - budget / 8
                                       : budget);
      for (size_t i = 0; i < OBJECTS_MAX; ++i)
        for (size_t k = 0; k < OBJECTS_MAX; ++k)
          EXPECT (got[i] == objects[i].blocks || got[k] <= got[i] + 1);
    }
  group_done ("no object uses up the whole cap", 3000);
}

/* Objects of a recorded start.  The test assumes that the samples are in the
   first blocks of an object.  */
struct recorded
{
  size_t step; /* 0 for the start, 1 and more for the calls of dlopen.  */
  struct object object;
  double samples; /* The object's share of all samples of the process, in per
                     cent.  */
  size_t hot;     /* The number of blocks that have these samples.  */
};

/* Load all N objects of START, a program with the cap CAP.  Return the share
   of the samples that are then on huge pages.  The first object is always hot.
   If it has a heat, the heat of all objects is known.  */
static double
replay (const struct recorded *start, size_t n, size_t cap)
{
  const bool has_profile = start[0].object.heat > 0;
  size_t used = 0;
  double share = 0;
  for (size_t first = 0, last; first < n; first = last)
    {
      struct object objects[OBJECTS_MAX];
      size_t got[OBJECTS_MAX];
      for (last = first; last < n && start[last].step == start[first].step;
           ++last)
        {
          objects[last - first] = start[last].object;
          objects[last - first].heat
              = has_profile ? start[last].object.heat : UNKNOWN;
        }
      used += load (objects, last - first, cap - used, start[first].step > 0,
                    got);
      for (size_t i = first; i < last; ++i)
        {
          const size_t hit
              = got[i - first] < start[i].hot ? got[i - first] : start[i].hot;
          share += start[i].samples * hit / start[i].hot;
        }
    }
  return share;
}

/* Recorded starts of real programs, with the share that is expected at a cap.
   Samples in objects that are not in the record are left out.  */
static void
recorded_starts (void)
{
  /* torch 2.15, CPU inference: 93.7 % of the samples of libtorch_cpu are in
     its first 52 blocks.  When the first object took all blocks, the share on
     huge pages was 47.4 %.  */
  static const struct recorded torch[] = {
    { 0, { .name = "libpython", .blocks = 2 }, 47.4, 2 },
    { 0, { .name = "libc and others", .blocks = 5 }, 0, 1 },
    { 1, { .name = "libcublasLt", .blocks = 190 }, 0, 1 },
    { 2, { .name = "libtorch_python", .blocks = 8 }, 3.6, 8 },
    { 2, { .name = "libtorch_cpu", .blocks = 140 }, 32.7, 52 },
  };
  /* The objects of torch in a program that is linked with all of them.  */
  static const struct recorded linked[] = {
    { 0, { .name = "libpython", .blocks = 2 }, 47.4, 2 },
    { 0, { .name = "libcublasLt", .blocks = 190 }, 0, 1 },
    { 0, { .name = "libtorch_python", .blocks = 8 }, 3.6, 8 },
    { 0, { .name = "libtorch_cpu", .blocks = 140 }, 32.7, 52 },
  };
  /* The objects of torch, with an image of libtorch_cpu in the store.  */
  static const struct recorded stored[] = {
    { 0, { .name = "libpython", .blocks = 2 }, 47.4, 2 },
    { 0, { .name = "libcublasLt", .blocks = 190 }, 0, 1 },
    { 0, { .name = "libtorch_cpu", .blocks = 140, .free = true }, 32.7, 52 },
  };
  /* firefox: libxul, of 130 MB, has 84 % of the samples and is loaded
     late.  */
  static const struct recorded firefox[] = {
    { 0, { .name = "50 small libraries", .blocks = 10 }, 0, 1 },
    { 1, { .name = "libxul", .blocks = 65 }, 84, 65 },
  };
  /* An invented start: a program and its library, which are equally hot.  */
  static const struct recorded pair[] = {
    { 0, { .name = "program", .blocks = 20 }, 50, 20 },
    { 0, { .name = "library", .blocks = 30 }, 50, 30 },
  };
  /* torch with a profile: CUDA's libraries are cold, and their files are
     cached in huge pages.  When cold blocks counted as well, the share on
     huge pages was 51 %.  */
  static const struct recorded profiled[] = {
    { 0, { .name = "libpython", .blocks = 2, .heat = 30000 }, 47.4, 2 },
    { 1,
      { .name = "libcublasLt", .blocks = 190, .free = true, .heat = 0 },
      0,
      1 },
    { 2, { .name = "libtorch_python", .blocks = 8, .heat = 300 }, 3.6, 8 },
    { 2, { .name = "libtorch_cpu", .blocks = 52, .heat = 400 }, 32.7, 52 },
  };
  static const struct
  {
    const struct recorded *start;
    size_t n, cap;
    double least, most;
  } cases[] = {
    { profiled, 4, 64, 83, 84 }, { torch, 5, 64, 51, 52 },
    { torch, 5, 16, 47, 50 },    { linked, 4, 64, 67, 70 },
    { stored, 3, 64, 80, 81 },   { firefox, 2, 64, 61, 63 },
    { pair, 2, 64, 100, 100 },   { pair, 2, 16, 33, 34 },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      const double share = replay (cases[i].start, cases[i].n, cases[i].cap);
      if (share < cases[i].least || share > cases[i].most)
        fprintf (stderr, "start %zu: %.1f %%\n", i, share);
      EXPECT (share >= cases[i].least && share <= cases[i].most);
    }
  group_done ("recorded starts", count);
}

int
main (void)
{
  truth_table ();
  fair ();
  recorded_starts ();
  return 0;
}
