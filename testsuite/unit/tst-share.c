/* Tests of a start without a profile: what each object gets of the cap.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A truth table of one ranking, and recorded starts that are replayed: the
   objects of a program in the order of loading, with their text, and where it
   was sampled.  */

#include "plan-test.h"

static const struct hugetext_geometry geo
    = { .page = 4096, .block = 0x200000 };

static struct hugetext_ranking ranking;

enum
{
  OBJECTS_MAX = 8,
};

/* An object with so many blocks full of text.  */
struct object
{
  const char *name;
  size_t blocks;
  bool free;     /* They take no memory.  */
  uint32_t heat; /* Of each, HUGETEXT_HEAT_UNKNOWN if it is not known.  */
};

static struct hugetext_candidate
block_of (const struct object *object)
{
  return (struct hugetext_candidate){ .text = geo.block,
                                      .heat = object->heat,
                                      .free = object->free };
}

/* Load the N OBJECTS together with BUDGET places, late ones if LATE.  Set GOT
   to how many blocks each gets; return the sum.  */
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
    /* All come.  */
    { 8,
      false,
      { { "", 4, false, UNKNOWN }, { "", 4, false, UNKNOWN } },
      { 4, 4 } },
    { 8,
      true,
      { { "", 4, false, UNKNOWN }, { "", 4, false, UNKNOWN } },
      { 4, 4 } },
    /* Equal numbers, and the rest for the first.  */
    { 8,
      false,
      { { "", 9, false, UNKNOWN }, { "", 9, false, UNKNOWN } },
      { 4, 4 } },
    { 9,
      false,
      { { "", 9, false, UNKNOWN }, { "", 9, false, UNKNOWN } },
      { 5, 4 } },
    /* Small ones come whole.  */
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
    /* One alone has the start's places, and seven eighths of those for
       libraries that are opened.  */
    { 64, false, { { "", 190, false, UNKNOWN } }, { 64 } },
    { 64, true, { { "", 190, false, UNKNOWN } }, { 56 } },
    { 3, true, { { "", 190, false, UNKNOWN } }, { 3 } },
    /* What takes no memory comes first, but for the first blocks of each.  */
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
    /* Heat decides before, and takes what is left of all.  */
    { 8,
      true,
      { { "", 99, true, UNKNOWN }, { "", 8, false, HUGETEXT_HEAT_HOT } },
      { 0, 8 } },
    { 8,
      true,
      { { "", 99, true, UNKNOWN }, { "", 1, false, HUGETEXT_HEAT_HOT } },
      { 7, 1 } },
    /* Cold ones come last: those first that take no memory.  */
    { 8,
      false,
      { { "", 99, false, 0 },
        { "", 3, true, 0 },
        { "", 2, false, 1 },
        { "", 2, false, UNKNOWN } },
      { 1, 3, 2, 2 } },
    /* Of libraries that are opened not even these.  */
    { 8,
      true,
      { { "", 99, false, 0 },
        { "", 3, true, 0 },
        { "", 2, false, 1 },
        { "", 2, false, UNKNOWN } },
      { 0, 0, 2, 2 } },
    /* Beyond the levels that are counted.  */
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
  group_done ("shares of one start", count);
}

/* No object takes all, whatever comes: each has as many as another that could
   have more, or one more.  */
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
  group_done ("no object takes all", 3000);
}

/* Objects of a recorded start.  The samples are in the first blocks, as far as
   is known.  */
struct recorded
{
  size_t step; /* 0 for the start, then the calls of dlopen.  */
  struct object object;
  double samples; /* Share of those of the process, per cent.  */
  size_t hot;     /* The blocks that have them.  */
};

/* Return the share of samples on huge pages that the N objects of START, a
   program with CAP, have in the end.  If the first object, which is always
   hot, has a heat, all heats are known.  */
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

/* What was seen of real programs, and what is expected of each at a cap.
   Samples in objects that are not named do not count.  */
static void
recorded_starts (void)
{
  /* torch 2.15, CPU inference: of libtorch_cpu 93.7 % of the samples are in
     the first 52 blocks.  While the first object took all it was 47.4 %.  */
  static const struct recorded torch[] = {
    { 0, { .name = "libpython", .blocks = 2 }, 47.4, 2 },
    { 0, { .name = "libc and others", .blocks = 5 }, 0, 1 },
    { 1, { .name = "libcublasLt", .blocks = 190 }, 0, 1 },
    { 2, { .name = "libtorch_python", .blocks = 8 }, 3.6, 8 },
    { 2, { .name = "libtorch_cpu", .blocks = 140 }, 32.7, 52 },
  };
  /* The same in a program that is linked with all of them.  */
  static const struct recorded linked[] = {
    { 0, { .name = "libpython", .blocks = 2 }, 47.4, 2 },
    { 0, { .name = "libcublasLt", .blocks = 190 }, 0, 1 },
    { 0, { .name = "libtorch_python", .blocks = 8 }, 3.6, 8 },
    { 0, { .name = "libtorch_cpu", .blocks = 140 }, 32.7, 52 },
  };
  /* With an image of libtorch_cpu in the store.  */
  static const struct recorded stored[] = {
    { 0, { .name = "libpython", .blocks = 2 }, 47.4, 2 },
    { 0, { .name = "libcublasLt", .blocks = 190 }, 0, 1 },
    { 0, { .name = "libtorch_cpu", .blocks = 140, .free = true }, 32.7, 52 },
  };
  /* firefox: libxul, 130 MB, has 84 % of the samples and comes late.  */
  static const struct recorded firefox[] = {
    { 0, { .name = "50 small libraries", .blocks = 10 }, 0, 1 },
    { 1, { .name = "libxul", .blocks = 65 }, 84, 65 },
  };
  /* Made up: a program and its library, as hot as each other.  */
  static const struct recorded pair[] = {
    { 0, { .name = "program", .blocks = 20 }, 50, 20 },
    { 0, { .name = "library", .blocks = 30 }, 50, 30 },
  };
  /* torch with a profile: CUDA's libraries are cold, and their files are
     cached in huge pages.  While cold ones counted it was 51 %.  */
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
