/* Conditions for tests, and messages about failures.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For each group of cases that has passed, a program prints a line "ok NAME:
   COUNT cases", which unit.exp converts to a PASS.  The first condition that
   is false is printed together with the object that it is about.  Then the
   program ends with status 1.  */

#ifndef PLAN_TEST_H
#define PLAN_TEST_H 1

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dl-hugetext-placement.h"

/* By default, the sanitizer for undefined behaviour would continue after its
   message.  */
extern const char *__ubsan_default_options (void);

const char *
__ubsan_default_options (void)
{
  return "halt_on_error=1:print_stacktrace=1";
}

/* The letters that stand for choices in tables: the first letter of each, and
   "l" for hugetlb.  */
static const char choice_letters[] = "aftls";

/* Return true if a row of a table applies to CHOICE and INPUT.  INPUT has a
   bit for each column.  CHOICES has letters.  For each column, COLUMNS has
   '0', '1', or '-' if the row applies to both; blanks are ignored.  */
static inline bool
row_matches (const char *choices, const char *columns,
             enum hugetext_choice choice, unsigned int input)
{
  if (strchr (choices, choice_letters[choice]) == NULL)
    return false;
  for (; *columns != '\0'; ++columns)
    {
      if (*columns == ' ')
        continue;
      if (*columns != '-' && *columns != '0' + (int) (input & 1))
        return false;
      input >>= 1;
    }
  return true;
}

/* The object that the conditions are about, for the message.  It may be
   NULL.  */
static const struct hugetext_object *test_object;
static const struct hugetext_geometry *test_geo;
static uintptr_t test_threshold;

static inline void
print_object (FILE *stream, const struct hugetext_object *object)
{
  fprintf (stream,
           "  align %#" PRIxPTR " bias %#" PRIxPTR " low %#" PRIxPTR
           " high %#" PRIxPTR " relro %#" PRIxPTR "-%#" PRIxPTR "\n",
           object->align, object->bias, object->low, object->high,
           object->relro_start, object->relro_end);
  for (size_t i = 0; i < object->nsegments && i < HUGETEXT_SEGMENTS_MAX; ++i)
    {
      const struct hugetext_segment *s = &object->segment[i];
      fprintf (stream,
               "  %c%c%c %#" PRIxPTR "-%#" PRIxPTR " file to %#" PRIxPTR
               " data %#" PRIxPTR "-%#" PRIxPTR " offset %#" PRIx64 "\n",
               s->read ? 'r' : '-', s->write ? 'w' : '-', s->exec ? 'x' : '-',
               s->start, s->end, s->fileend, s->datastart, s->dataend,
               s->offset);
    }
}

static inline _Noreturn void
test_failed (const char *file, int line, const char *what, uintmax_t left,
             uintmax_t right)
{
  fprintf (stderr, "%s:%d: not so: %s (%#jx, %#jx)\n", file, line, what, left,
           right);
  if (test_geo != NULL)
    fprintf (stderr,
             "  page %#" PRIxPTR " block %#" PRIxPTR " threshold %#" PRIxPTR
             "\n",
             test_geo->page, test_geo->block, test_threshold);
  if (test_object != NULL)
    print_object (stderr, test_object);
  exit (1);
}

#define EXPECT(condition) \
  ((condition) ? (void) 0 : test_failed (__FILE__, __LINE__, #condition, 0, 0))

#define EXPECT_EQUAL(left, right)                                            \
  ((left) == (right) ? (void) 0                                              \
                     : test_failed (__FILE__, __LINE__, #left " == " #right, \
                                    (left), (right)))

static inline void
group_done (const char *name, unsigned long int count)
{
  printf ("ok %s: %lu cases\n", name, count);
  fflush (stdout);
}

/* Compute the place that the loader chooses for OBJECT if it may leave a block
   on small pages of the file for the object's name, where this costs little
   text.  */
static inline bool
place (struct hugetext_object *object, const struct hugetext_geometry *geo,
       uintptr_t threshold, struct hugetext_placement *placement)
{
  const struct hugetext_site site = {
    .object = object, .geo = geo, .pad_threshold = threshold, .names = true
  };
  struct hugetext_place_room room;
  return hugetext_place (&site, &room, placement);
}

/* A random generator that gives the same sequence on every machine (xorshift,
   with one of the triples of shifts that give the full period).  */
static inline uint64_t
next_random (uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

#endif /* plan-test.h */
