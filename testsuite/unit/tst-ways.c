/* Tests of the policy for backings: all cases, by tables.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "dl-hugetext-ways.h"
#include "plan-test.h"

/* What is known besides the choice: a bit each, in the order of the columns
   below.  */
enum
{
  CONGRUENT,
  RULED_OUT,
  HEADER,
  COLD,
  IMAGES,
  FACTS, /* From here on, enum hugetext_fact, as far as
            it is about backings.  */
  INPUTS = FACTS + HUGETEXT_HAS_FILE_BLOCK
};

/* A row of a table.  The columns of INPUT are those above: congruent, ruled
   out, header, cold, images; then traced, readable, has an image, may
   collapse, may become executable in anonymous memory, in a memory file.  "-"
   is either.  */
struct row
{
  const char *choices; /* First letters, and "l" for hugetlb.  */
  const char *input;
  const char *ways;          /* File, store, hugetLb, memory file, thp.  */
  enum hugetext_outcome why; /* If there are none.  */
};

static const char way_letters[] = "FSLMT";

static const struct row shared[] = {
  /* cohci tricam */
  { "as", "10--- 011---", "FS", 0 },
  { "as", "10--- 010---", "F", 0 },
  { "f", "10--- 01----", "F", 0 },
  /* Its file does not suit, has no huge pages, or cannot be used.  */
  { "as", "0---- --1---", "S", 0 },
  { "as", "11--- --1---", "S", 0 },
  { "as", "10--- 1-1---", "S", 0 },
  { "as", "10--- 001---", "S", 0 },
  /* Nothing.  */
  { "as", "----- -00---", "", HUGETEXT_NOT_OPENED },
  { "ftl", "----- -0----", "", HUGETEXT_NOT_OPENED },
  { "s", "0---- -10---", "", HUGETEXT_NOT_STORED },
  { "s", "11--- -10---", "", HUGETEXT_NOT_STORED },
  { "s", "10--- 110---", "", HUGETEXT_NOT_STORED },
  { "a", "0---- -10---", "", HUGETEXT_NOT_CONGRUENT },
  { "ftl", "0---- -1----", "", HUGETEXT_NOT_CONGRUENT },
  { "a", "11--- -10---", "", HUGETEXT_FILE_SMALL },
  { "a", "10--- 110---", "", HUGETEXT_FILE_SMALL },
  { "f", "11--- -1----", "", HUGETEXT_FILE_SMALL },
  { "f", "10--- 11----", "", HUGETEXT_FILE_SMALL },
  { "tl", "1---- -1----", "", HUGETEXT_FILE_SMALL },
};

static const struct row copies[] = {
  /* cohci tricam */
  { "fs", "----- ------", "", HUGETEXT_MADE },
  { "atl", "---1- ------", "", HUGETEXT_NOT_WORTH },
  { "atl", "---0- -0----", "", HUGETEXT_NOT_OPENED },
  /* Whoever sets breakpoints could not write to them.  */
  { "l", "---0- 11----", "", HUGETEXT_TRACED },
  { "l", "---0- 01--1-", "L", 0 },
  { "l", "---0- 01--0-", "", HUGETEXT_PROTECT },
  { "a", "---01 -1-0--", "", HUGETEXT_THP_OFF },
  { "a", "--101 -1-111", "MT", 0 },
  { "a", "--001 -1-111", "T", 0 },
  { "a", "---01 -1-110", "T", 0 },
  { "a", "---01 -1-101", "M", 0 },
  { "a", "---01 -1-100", "", HUGETEXT_PROTECT },
  { "a", "--100 -1--11", "MT", 0 },
  { "a", "--000 -1--11", "T", 0 },
  { "a", "---00 -1--10", "T", 0 },
  { "a", "---00 -1--01", "M", 0 },
  { "a", "---00 -1--00", "", HUGETEXT_PROTECT },
  { "t", "--10- -1--11", "MT", 0 },
  { "t", "--00- -1--11", "T", 0 },
  { "t", "---0- -1--10", "T", 0 },
  { "t", "---0- -1--01", "M", 0 },
  { "t", "---0- -1--00", "", HUGETEXT_PROTECT },
};

/* Who answers, and what has been asked.  */
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

/* Check the ways from FIRST to LAST by TABLE, of N rows, of which every case
   is in one.  */
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
                .header = (input >> HEADER & 1) != 0,
                .cold = (input >> COLD & 1) != 0,
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
        enum hugetext_outcome why = HUGETEXT_MADE, said;
        for (enum hugetext_way way = first; way <= last; ++way)
          if (hugetext_may_try (&wish, way, &said))
            EXPECT_EQUAL (way_letters[way], row->ways[ways++]);
          else if (said != HUGETEXT_MADE)
            why = said;
        EXPECT_EQUAL (ways, strlen (row->ways));
        if (ways == 0)
          EXPECT_EQUAL (why, row->why);
        /* What makes no difference to any case is not asked, for every answer
           takes its time.  */
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

/* Words and numbers lead back to what they are for; others to nothing.  */
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

/* Where nobody can gain, the state is not even made: not so where a user's
   choice, or the store, has something to say.  */
static void
check_needs_thp (void)
{
  for (enum hugetext_choice choice = 0; choice < HUGETEXT_CHOICES; ++choice)
    {
      EXPECT_EQUAL (hugetext_needs_thp (choice, false),
                    choice == HUGETEXT_AUTO);
      EXPECT (!hugetext_needs_thp (choice, true));
    }
  group_done ("who needs transparent huge pages", 2 * HUGETEXT_CHOICES);
}

int
main (void)
{
  check_table ("shared backings", shared, sizeof shared / sizeof *shared,
               HUGETEXT_WAY_FILE, HUGETEXT_WAY_STORE,
               (1u << HUGETEXT_IS_TRACED | 1u << HUGETEXT_IS_READABLE
                | 1u << HUGETEXT_HAS_IMAGE));
  check_table ("copies", copies, sizeof copies / sizeof *copies,
               HUGETEXT_WAY_HUGETLB, HUGETEXT_WAY_THP,
               ~(1u << HUGETEXT_HAS_IMAGE));
  check_choices ();
  check_needs_thp ();
  return 0;
}
