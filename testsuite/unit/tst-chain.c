/* Tests of the chain of backings: all cases, by tables.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "dl-hugetext-chain.h"
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
  const char *ways;          /* File, store, thp, memory file, hugetLb.  */
  enum hugetext_outcome why; /* If there are none.  */
};

static const char choice_letters[] = "aftls";
static const char way_letters[] = "FSTML";

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
  { "atl", "---0- -0----", "", HUGETEXT_MADE },
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

static bool
matches (const struct row *row, enum hugetext_choice choice,
         unsigned int input)
{
  if (strchr (row->choices, choice_letters[choice]) == NULL)
    return false;
  for (int i = 0; i < INPUTS; ++i)
    if (column (row, i) != '-'
        && column (row, i) != '0' + (int) (input >> i & 1))
      return false;
  return true;
}

/* Whether CHAIN has WAY.  */
static bool
has_way (const struct hugetext_chain *chain, enum hugetext_way way)
{
  bool has = false;
  for (size_t i = 0; i < chain->n; ++i)
    has |= chain->way[i] == way;
  return has;
}

/* Check FUNCTION by TABLE, of N rows, of which every case is in one.  */
static void
check_table (const char *name, const struct row table[], size_t n,
             struct hugetext_chain (*function) (const struct hugetext_wish *),
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
        const struct hugetext_chain chain = function (&wish);
        const struct row *row = NULL;
        for (size_t i = 0; i < n; ++i)
          if (matches (&table[i], choice, input))
            {
              EXPECT (row == NULL);
              row = &table[i];
            }
        EXPECT (row != NULL);
        EXPECT_EQUAL (chain.n, strlen (row->ways));
        for (size_t i = 0; i < chain.n; ++i)
          EXPECT_EQUAL (way_letters[chain.way[i]], row->ways[i]);
        for (enum hugetext_way way = 0; way < HUGETEXT_WAYS; ++way)
          EXPECT_EQUAL (has_way (&chain, way),
                        strchr (row->ways, way_letters[way]) != NULL);
        if (chain.n == 0)
          EXPECT_EQUAL (chain.why, row->why);
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
               hugetext_chain_of_shared,
               (1u << HUGETEXT_IS_TRACED | 1u << HUGETEXT_IS_READABLE
                | 1u << HUGETEXT_HAS_IMAGE));
  check_table ("copies", copies, sizeof copies / sizeof *copies,
               hugetext_chain_of_copies, ~(1u << HUGETEXT_HAS_IMAGE));
  check_choices ();
  check_needs_thp ();
  return 0;
}
