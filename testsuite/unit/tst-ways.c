/* Test the policy for backings: all cases, by comparison with tables.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "dl-hugetext-ways.h"
#include "plan-test.h"

/* The facts that the policy knows besides the choice, one bit each, in the
   order of the columns below.  */
enum
{
  CONGRUENT,
  RULED_OUT,
  COLD,
  NAME,
  IMAGES,
  UNSTORED,
  LITTLE,
  SPARE,
  FACTS, /* From here on, the values of enum hugetext_fact that are about
            backings.  */
  INPUTS = FACTS + HUGETEXT_HAS_FILE_BLOCK
};

/* A row of a table.  INPUT has a column for each fact, in this order:
   congruent, ruled out, cold, name, images, unstored, little, spare; then
   traced, readable, looks for its path, has an image, may collapse, may become
   executable in anonymous memory, may become executable in a memory file.  "-"
   means that the fact may be true or false.  */
struct row
{
  const char *choices; /* The first letters of the choices; "l" is
                          hugetlb.  */
  const char *input;
  const char *ways;         /* The letters of the backings: file, store,
                               hugetLb, memory file, thp.  */
  enum hugetext_reason why; /* The reason if there is no backing.  */
};

static const char way_letters[] = "FSLMT";

static const struct row shared[] = {
  /* cocniuls trpicam */
  { "as", "10---0-- 01-1---", "FS", 0 },
  { "as", "10---0-- 01-0---", "F", 0 },
  { "as", "10---1-- 01-----", "F", 0 },
  { "f", "10------ 01-----", "F", 0 },
  /* The file is not congruent, has no huge pages, or cannot be used.  */
  { "as", "0----0-- ---1---", "S", 0 },
  { "as", "11---0-- ---1---", "S", 0 },
  { "as", "10---0-- 1--1---", "S", 0 },
  { "as", "10---0-- 00-1---", "S", 0 },
  /* No backing can serve the block.  */
  { "as", "-----0-- -0-0---", "", HUGETEXT_NOT_OPENED },
  { "as", "0----0-- -1-0---", "", HUGETEXT_NOT_STORED },
  { "as", "11---0-- -1-0---", "", HUGETEXT_NOT_STORED },
  { "as", "10---0-- 11-0---", "", HUGETEXT_NOT_STORED },
  /* The store may have an image of the object, but the image lacks these
     blocks.  */
  { "as", "-----1-- -0-----", "", HUGETEXT_NOT_OPENED },
  { "as", "0----1-- -1-----", "", HUGETEXT_NOT_STORED },
  { "as", "11---1-- -1-----", "", HUGETEXT_NOT_STORED },
  { "as", "10---1-- 11-----", "", HUGETEXT_NOT_STORED },
  { "f", "0------- -------", "", HUGETEXT_NOT_CONGRUENT },
  { "f", "11------ -------", "", HUGETEXT_FILE_SMALL },
  { "f", "10------ 1------", "", HUGETEXT_TRACED },
  { "f", "10------ 00-----", "", HUGETEXT_NOT_OPENED },
  /* These choices do not ask for shared backings.  */
  { "tl", "-------- -------", "", HUGETEXT_MADE },
};

/* The rows for copies that no condition rules out in advance, for CHOICE and
   WISH.  COLLAPSE is the column of HUGETEXT_MAY_COLLAPSE.  */
#define COPIES(choice, wish, collapse)                                  \
  { choice, wish "0 -10-" collapse "11", "T", 0 },                      \
      { choice, wish "0 -10-" collapse "10", "T", 0 },                  \
      { choice, wish "0 -10-" collapse "01", "M", 0 },                  \
      { choice, wish "1 -10-" collapse "1-", "", HUGETEXT_KEEPS_NAME }, \
      { choice, wish "1 -10-" collapse "01", "", HUGETEXT_KEEPS_NAME }, \
      { choice, wish "- -11-" collapse "1-", "", HUGETEXT_NEEDS_PATH }, \
      { choice, wish "- -11-" collapse "01", "", HUGETEXT_NEEDS_PATH }, \
  {                                                                     \
    choice, wish "- -1--" collapse "00", "", HUGETEXT_PROTECT           \
  }

static const struct row copies[] = {
  /* cocniuls trpicam */
  { "fs", "-------- -------", "", HUGETEXT_MADE },
  { "atl", "--1----- -------", "", HUGETEXT_NOT_WORTH },
  { "a", "--0---1- -------", "", HUGETEXT_LITTLE_TEXT },
  { "a", "--01--0- -------", "", HUGETEXT_KEEPS_NAME },
  { "tl", "--01---- -------", "", HUGETEXT_KEEPS_NAME },
  { "a", "--00--0- -0-----", "", HUGETEXT_NOT_OPENED },
  { "tl", "--00---- -0-----", "", HUGETEXT_NOT_OPENED },
  /* A debugger could not set breakpoints in huge pages of hugetlb.  */
  { "l", "--00---- 11-----", "", HUGETEXT_TRACED },
  { "l", "--00---0 010--1-", "L", 0 },
  { "l", "--00---1 010--1-", "", HUGETEXT_KEEPS_NAME },
  { "l", "--00---- 011--1-", "", HUGETEXT_NEEDS_PATH },
  { "l", "--00---- 01---0-", "", HUGETEXT_PROTECT },
  { "a", "--001-0- -1--0--", "", HUGETEXT_THP_OFF },
  COPIES ("a", "--001-0", "1"),
  COPIES ("a", "--000-0", "-"),
  COPIES ("t", "--00---", "-"),
};

/* The input from which answers are made, and the facts that the policy has
   asked for.  */
struct asked
{
  unsigned int input;
  unsigned int facts;
};

static bool
answer (void *closure, enum hugetext_fact fact)
{
  struct asked *asked = closure;
  EXPECT (fact < HUGETEXT_HAS_FILE_BLOCK);
  asked->facts |= 1u << fact;
  return (asked->input >> (FACTS + fact) & 1) != 0;
}

static char
column (const struct row *row, int i)
{
  return row->input[i + (i >= FACTS)];
}

/* Check the backings from FIRST to LAST against TABLE, which has N rows.  Each
   case is in exactly one row.  */
static void
check_table (const char *name, const struct row table[], size_t n,
             enum hugetext_way first, enum hugetext_way last,
             unsigned int may_ask)
{
  unsigned long int count = 0;
  for (enum hugetext_choice choice = 0; choice < HUGETEXT_CHOICES; ++choice)
    for (unsigned int input = 0; input < 1u << INPUTS; ++input)
      {
        struct asked asked = { .input = input };
        const struct hugetext_wish wish
            = { .choice = choice,
                .images = (input >> IMAGES & 1) != 0,
                .congruent = (input >> CONGRUENT & 1) != 0,
                .file_ruled_out = (input >> RULED_OUT & 1) != 0,
                .unstored = (input >> UNSTORED & 1) != 0,
                .little = (input >> LITTLE & 1) != 0,
                .cold = (input >> COLD & 1) != 0,
                .name = (input >> NAME & 1) != 0,
                .spare = (input >> SPARE & 1) != 0,
                .ask = answer,
                .closure = &asked };
        const struct row *row = NULL;
        for (size_t i = 0; i < n; ++i)
          if (row_matches (table[i].choices, table[i].input, choice, input))
            {
              EXPECT (row == NULL);
              row = &table[i];
            }
        EXPECT (row != NULL);
        size_t ways = 0;
        enum hugetext_reason why = HUGETEXT_MADE, said;
        for (enum hugetext_way way = first; way <= last; ++way)
          if (hugetext_may_try (&wish, way, &said))
            EXPECT_EQUAL (way_letters[way], row->ways[ways++]);
          else if (said != HUGETEXT_MADE)
            why = said;
        EXPECT_EQUAL (ways, strlen (row->ways));
        if (ways == 0)
          EXPECT_EQUAL (why, row->why);
        /* The policy must not ask for a fact that makes no difference to any
           case, because every answer takes time.  */
        EXPECT_EQUAL (asked.facts & ~may_ask, 0);
        for (int fact = 0; fact < HUGETEXT_HAS_FILE_BLOCK; ++fact)
          if (column (row, FACTS + fact) != '-')
            continue;
          else if (fact == HUGETEXT_HAS_IMAGE || fact == HUGETEXT_MAY_COLLAPSE)
            EXPECT_EQUAL (asked.facts >> fact & 1, 0);
        ++count;
      }
  group_done (name, count);
}

/* A block needs no memory of its own if a shared backing can serve it.  An
   image that does not contain this block does not count.  The decision depends
   only on the struct hugetext_wish.  */
static void
check_free (void)
{
  static const struct
  {
    const char *choices;
    bool congruent, ruled_out, unstored, free;
  } cases[] = {
    { "as", false, false, false, true }, { "as", true, true, false, true },
    { "as", false, true, true, false },  { "as", false, false, true, false },
    { "as", true, true, true, false },   { "asf", true, false, true, true },
    { "f", true, true, false, false },   { "f", false, false, false, false },
    { "tl", true, false, false, false },
  };
  const size_t count = sizeof cases / sizeof *cases;
  for (size_t i = 0; i < count; ++i)
    for (enum hugetext_choice choice = 0; choice < HUGETEXT_CHOICES; ++choice)
      {
        const struct hugetext_wish wish
            = { .choice = choice,
                .congruent = cases[i].congruent,
                .file_ruled_out = cases[i].ruled_out,
                .unstored = cases[i].unstored };
        if (strchr (cases[i].choices, choice_letters[choice]) != NULL)
          EXPECT_EQUAL (hugetext_is_free (&wish), cases[i].free);
      }
  group_done ("blocks whose huge pages need no additional memory", count);
}

/* The word and the number of each choice can be converted back to the choice;
   other words and numbers give no choice.  */
static void
check_choices (void)
{
  static const char *const words[HUGETEXT_CHOICES]
      = { "auto", "file", "thp", "hugetlb", "store" };
  static const char *const others[]
      = { "", "5", "00", "-1", "aut", "autoo", "AUTO", "file ", "thp,file" };
  unsigned long int count = 0;
  for (enum hugetext_choice choice = 0; choice < HUGETEXT_CHOICES; ++choice)
    {
      const char *const name = hugetext_choice_name (choice);
      const char number = '0' + choice;
      EXPECT_EQUAL (strcmp (name, words[choice]), 0);
      EXPECT_EQUAL (hugetext_choice_of (name, strlen (name)), choice);
      EXPECT_EQUAL (hugetext_choice_of (&number, 1), choice);
      ++count;
    }
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i, ++count)
    EXPECT_EQUAL (hugetext_choice_of (others[i], strlen (others[i])),
                  HUGETEXT_CHOICES);
  group_done ("words of choices", count);
}

/* If no process can gain anything, the loader does not even make its state.
   The loader allocates its state if the user has made a choice, or if the
   store has images.  */
static void
check_needs_thp (void)
{
  for (enum hugetext_choice choice = 0; choice < HUGETEXT_CHOICES; ++choice)
    {
      EXPECT_EQUAL (hugetext_needs_thp (choice, false),
                    choice == HUGETEXT_AUTO);
      EXPECT (!hugetext_needs_thp (choice, true));
    }
  group_done ("choices that need transparent huge pages",
              2 * HUGETEXT_CHOICES);
}

/* Each number of a reason is of exactly one kind, and each reason that
   LD_DEBUG prints has words.  */
static void
check_reasons (void)
{
  EXPECT (HUGETEXT_NONE != HUGETEXT_TAKE && HUGETEXT_NONE != HUGETEXT_MADE
          && HUGETEXT_TAKE != HUGETEXT_MADE);
  for (unsigned int i = 0; i <= UINT8_MAX; ++i)
    {
      const enum hugetext_reason reason = (enum hugetext_reason) i;
      const bool outcome = i >= HUGETEXT_OUTCOMES && i < HUGETEXT_FINDINGS;
      const bool finding = i >= HUGETEXT_FINDINGS && i < HUGETEXT_REASONS;
      const bool unused = i >= HUGETEXT_REASONS && i < HUGETEXT_HUGE;
      EXPECT_EQUAL ((i < HUGETEXT_VERDICTS) + hugetext_is_verdict (reason)
                        + outcome + finding + unused
                        + hugetext_is_made (reason),
                    1);
      EXPECT_EQUAL (hugetext_reason_text (reason)[0] != '\0',
                    hugetext_is_verdict (reason) || outcome);
    }
  for (enum hugetext_way way = 0; way < HUGETEXT_WAYS; ++way)
    {
      EXPECT (hugetext_is_made (hugetext_huge_by (way)));
      EXPECT_EQUAL (hugetext_way_of (hugetext_huge_by (way)), way);
    }
  group_done ("each reason is of exactly one kind", UINT8_MAX + 1);
}

/* The loader keeps the kernel from using huge pages of the file for a block
   only if the block is beyond a cap that the user has set.  */
static void
check_kept_small (void)
{
  for (unsigned int i = 0; i <= UINT8_MAX; ++i)
    {
      const enum hugetext_reason reason = (enum hugetext_reason) i;
      EXPECT (!hugetext_is_kept_small (reason, 0));
      for (uint64_t max = 1; max != 0; max <<= 1)
        EXPECT_EQUAL (hugetext_is_kept_small (reason, max),
                      (reason == HUGETEXT_OVER_CAP
                       || reason == HUGETEXT_KEPT_FREE
                       || reason == HUGETEXT_COLD));
    }
  group_done ("blocks that the kernel must not make huge",
              (UINT8_MAX + 1) * 65);
}

/* Test when the loader asks the page cache about one more block.  */
static const struct
{
  size_t places, huge, small;
  bool asks;
} asking[] = {
  { 0, 0, 0, false }, { 1, 0, 0, true },  { 1, 1, 0, false },
  { 1, 0, 1, false }, { 2, 1, 0, true },  { 2, 0, 1, true },
  { 2, 1, 1, true },  { 2, 2, 0, false }, { 2, 0, 2, false },
  { 2, 1, 2, false }, { 2, 2, 1, false }, { SIZE_MAX, 99, 99, true },
};

static void
check_asking (void)
{
  const size_t n = sizeof asking / sizeof *asking;
  for (size_t i = 0; i < n; ++i)
    EXPECT_EQUAL (hugetext_asks_cache (asking[i].places, asking[i].huge,
                                       asking[i].small),
                  asking[i].asks);
  group_done (
      "the loader asks the page cache only while the cap allows another block",
      n);
}

int
main (void)
{
  check_asking ();
  check_table ("shared backings", shared, sizeof shared / sizeof *shared,
               HUGETEXT_WAY_FILE, HUGETEXT_WAY_STORE,
               (1u << HUGETEXT_IS_TRACED | 1u << HUGETEXT_IS_READABLE
                | 1u << HUGETEXT_HAS_IMAGE));
  check_table ("copies", copies, sizeof copies / sizeof *copies,
               HUGETEXT_WAY_HUGETLB, HUGETEXT_WAY_THP,
               ~(1u << HUGETEXT_HAS_IMAGE));
  check_free ();
  check_choices ();
  check_needs_thp ();
  check_reasons ();
  check_kept_small ();
  return 0;
}
