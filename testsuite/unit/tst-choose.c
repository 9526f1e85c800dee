/* Tests of the choice of an object's place: for the most text, for its heat,
   for its image in the store, or for huge pages of its file.  Some tests are
   for special cases: copies will be refused; the loader may not reserve slack;
   or copies of blocks with little text are not worth their memory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "plan-test.h"

#define BLOCK (UINT64_C (2) << 20)
#define MIB (UINT64_C (1) << 20)
#define KIB UINT64_C (1024)

static const struct hugetext_geometry geo = { .page = 4096, .block = BLOCK };

/* The facts that a row depends on.  */
enum
{
  HEAT,
  IMAGE,
  TRACED,
  FILE_BLOCK,
  FILE_BLOCKS,
  INPUTS
};

/* The reasons, known before an object is placed, for which copies will be
   refused.  */
enum refusal
{
  GRANTED,
  NO_ROOM,
  NEEDS_PATH,
  THP_OFF,
  NOT_EXECUTABLE,
  NOT_READABLE,
  REFUSALS
};

/* The facts for the function "answer": the columns of a row, the reason why
   copies will be refused (if they will), and the least text of a block that
   may be a copy.  */
struct facts
{
  unsigned int input;
  enum refusal refusal;
  uintptr_t copy_text; /* See struct hugetext_site.  */
};

/* A row of a table.  The columns of INPUT are the facts described above; "-"
   means that the fact may be true or false.  PLACE is "B" for the place with
   the most text (the image's place), "H" for the place that is best by heat,
   and "C" for the place where huge pages of the file fit; "+" says that the
   object can use huge pages of the file.  */
struct row
{
  const char *choices; /* The first letters of the choices, and "l" for
                          hugetlb.  */
  const char *input;
  const char *place;
};

/* Huge pages of the file can hold as much text as any other backing.  */
static const struct row equal[] = {
  /* hitbs */
  { "tl", "0----", "B" },
  { "tl", "1----", "H" },
  { "f", "--01-", "C+" },
  { "f", "0-1--", "B" },
  { "f", "0-00-", "B" },
  { "f", "1-1--", "H" },
  { "f", "1-00-", "H" },
  { "as", "0001-", "C+" },
  { "as", "001--", "B" },
  { "as", "0000-", "B" },
  /* With copies, another place would have more heat; without copies this does
     not matter.  */
  { "a", "10---", "H" },
  { "s", "1001-", "C+" },
  { "s", "101--", "H" },
  { "s", "1000-", "H" },
  /* An image only fits at the place for which it was made, so heat does not
     count.  */
  { "as", "-1011", "C+" },
  { "as", "-1010", "B" },
  { "as", "-11--", "B" },
  { "as", "-100-", "B" },
};

/* In the congruent placement, too, the heat is in one block.  */
static const struct row concentrated[] = {
  { "tl", "0----", "B" },  { "tl", "1----", "H" },  { "f", "--01-", "C+" },
  { "f", "0-1--", "B" },   { "f", "0-00-", "B" },   { "f", "1-1--", "H" },
  { "f", "1-00-", "H" },   { "as", "-001-", "C+" }, { "as", "001--", "B" },
  { "as", "0000-", "B" },  { "as", "101--", "H" },  { "as", "1000-", "H" },
  { "as", "-1011", "C+" }, { "as", "-1010", "B" },  { "as", "-11--", "B" },
  { "as", "-100-", "B" },
};

/* The file's huge pages hold less text, and copies cannot replace the rest.
   At another place, more than a quarter more text can be huge,  */
static const struct row worse[] = {
  { "tl", "0----", "B" }, { "tl", "1----", "H" }, { "f", "--01-", "C+" },
  { "f", "0-1--", "B" },  { "f", "0-00-", "B" },  { "f", "1-1--", "H" },
  { "f", "1-00-", "H" },  { "a", "00---", "B" },  { "a", "10---", "H" },
  { "s", "0001-", "C+" }, { "s", "0000-", "B" },  { "s", "001--", "B" },
  { "s", "1001-", "C+" }, { "s", "1000-", "H" },  { "s", "101--", "H" },
  { "as", "-1---", "B" },
};

/* The rows for copies that must have a minimum of text.  If copies can hold
   the text that is not in huge pages of the file, the result is the same.  An
   image contains all the text.  */
static const struct row less[] = {
  { "tl", "0----", "B" }, { "tl", "1----", "H" },  { "f", "--01-", "C+" },
  { "f", "0-1--", "B" },  { "f", "0-00-", "B" },   { "f", "1-1--", "H" },
  { "f", "1-00-", "H" },  { "as", "0001-", "C+" }, { "as", "001--", "B" },
  { "as", "0000-", "B" }, { "a", "10---", "H" },   { "s", "1001-", "C+" },
  { "s", "1000-", "H" },  { "s", "101--", "H" },   { "as", "-1---", "B" },
};

/* The object must not be at the address where the file's huge pages would
   fit.  */
static const struct row never[] = {
  { "aftls", "0----", "B" },
};

/* Make an object that begins with 64 KiB of data at FIRST_OFFSET of its file,
   followed by LENGTH bytes of text.  */
static struct hugetext_object
make_object (uint64_t first_offset, uint64_t length, uintptr_t align)
{
  struct hugetext_object object = { .nsegments = 2, .align = align };
  object.segment[0] = (struct hugetext_segment){ .end = 64 * KIB,
                                                 .fileend = 64 * KIB,
                                                 .dataend = 64 * KIB,
                                                 .offset = first_offset,
                                                 .read = true };
  const uintptr_t end = 64 * KIB + length;
  object.segment[1] = (struct hugetext_segment){ .start = 64 * KIB,
                                                 .end = end,
                                                 .fileend = end,
                                                 .datastart = 64 * KIB,
                                                 .dataend = end,
                                                 .offset = MIB + 64 * KIB,
                                                 .read = true,
                                                 .exec = true };
  return object;
}

/* The heat is around 2 MiB of text and around 3 MiB.  One block can contain
   both hot parts.  But a block that begins at the beginning of the text, or 1
   MiB after it, cannot.  */
static const uint16_t weights[18]
    = { [0] = 1000, [1] = 1000, [16] = 1000, [17] = 1000 };
static struct hugetext_heat heat
    = { .first = 2 * MIB, .granules = 18, .weight = weights };

static bool
answer (void *closure, enum hugetext_fact fact)
{
  const struct facts *facts = closure;
  switch (fact)
    {
    case HUGETEXT_IS_TRACED:
      return (facts->input >> TRACED & 1) != 0;
    case HUGETEXT_HAS_IMAGE:
      return (facts->input >> IMAGE & 1) != 0;
    case HUGETEXT_HAS_FILE_BLOCK:
      return (facts->input >> FILE_BLOCK & 1) != 0;
    case HUGETEXT_HAS_FILE_BLOCKS:
      EXPECT ((facts->input >> FILE_BLOCK & 1) != 0);
      return (facts->input >> FILE_BLOCKS & 1) != 0;
    case HUGETEXT_HAS_ROOM:
      return facts->refusal != NO_ROOM;
    case HUGETEXT_LOOKS_FOR_PATH:
      return facts->refusal == NEEDS_PATH;
    case HUGETEXT_MAY_COLLAPSE:
      return facts->refusal != THP_OFF;
    case HUGETEXT_MAY_ANONYMOUS:
      return facts->refusal != NOT_EXECUTABLE;
    case HUGETEXT_MAY_MEMORY_FILE:
      return false;
    case HUGETEXT_IS_READABLE:
      return facts->refusal != NOT_READABLE;
    default:
      EXPECT (false);
      return false;
    }
}

/* The possible places of an object.  */
struct places
{
  struct hugetext_placement best, heat, congruent;
};

static struct places
find_places (struct hugetext_object *object, bool fits)
{
  struct places places = { .congruent = { .modulus = 0 } };
  const struct hugetext_site site = { .object = object,
                                      .geo = &geo,
                                      .pad_threshold = HUGETEXT_DEFAULT_PAD,
                                      .heat = heat };
  struct hugetext_place_room room;
  EXPECT (hugetext_place (&site, &room, &places.best));
  places.heat = places.best;
  hugetext_place_by_heat (&site, &places.heat);
  EXPECT_EQUAL (hugetext_place_congruent (&site, &places.congruent), fits);
  return places;
}

static const struct hugetext_placement *
place_of (const struct places *places, char letter)
{
  return (letter == 'B'   ? &places->best
          : letter == 'H' ? &places->heat
                          : &places->congruent);
}

/* Whether CHOICE allows huge pages of the file.  */
static bool
may_use_file (enum hugetext_choice choice)
{
  return strchr ("afs", choice_letters[choice]) != NULL;
}

/* Return the place that is expected for an object with ROW if the loader may
   not reserve slack.  Set *FILE to true if the object can use huge pages of
   its file, and *STAYS to true if it stays where the kernel puts it.  If the
   best place needs slack, the object can have neither an image nor copies at
   that place, so only huge pages of the file count.  */
static const struct hugetext_placement *
expect_no_slack (const struct places *places, bool fits,
                 enum hugetext_choice choice, unsigned int input,
                 const struct row *row, bool *file, bool *stays)
{
  const bool image = ((input >> IMAGE & 1) != 0
                      && strchr ("as", choice_letters[choice]) != NULL
                      && !hugetext_has_slack (&places->best));
  const struct hugetext_placement *place
      = (input >> HEAT & 1) != 0 && !image ? &places->heat : &places->best;
  const bool file_decides
      = (may_use_file (choice) && (input >> TRACED & 1) == 0
         && (input >> FILE_BLOCK & 1) != 0);
  if (fits && !hugetext_has_slack (&places->congruent)
      && (hugetext_has_slack (place) ? file_decides : row->place[1] == '+'))
    place = &places->congruent;
  *stays = hugetext_has_slack (place);
  *file = place == &places->congruent && !*stays;
  return place;
}

/* Choose a place for OBJECT with FACTS, and compare it with ROW.  If FIXED,
   check that the object stays where it is.  */
static void
check_case (struct hugetext_object *object, const struct places *places,
            bool fits, enum hugetext_choice choice, struct facts facts,
            const struct row *row, bool fixed, bool no_slack)
{
  struct hugetext_site site = { .object = object,
                                .geo = &geo,
                                .pad_threshold = HUGETEXT_DEFAULT_PAD,
                                .choice = choice,
                                .copy_text = facts.copy_text,
                                .images = true,
                                .fixed = fixed,
                                .no_slack = no_slack,
                                .ask = answer,
                                .closure = &facts };
  if ((facts.input >> HEAT & 1) != 0)
    site.heat = heat;
  struct hugetext_placement placement = places->best;
  const struct hugetext_placement *right = place_of (places, row->place[0]);
  bool stays = false, file = row->place[1] == '+';
  if (fixed)
    {
      right = &places->best;
      stays = true;
      file = (may_use_file (choice) && (facts.input >> TRACED & 1) == 0
              && (facts.input >> FILE_BLOCK & 1) != 0);
    }
  else if (no_slack)
    right = expect_no_slack (places, fits, choice, facts.input, row, &file,
                             &stays);
  const struct hugetext_site_verdict verdict
      = hugetext_choose (&site, &placement);
  EXPECT_EQUAL (placement.residue, right->residue);
  EXPECT_EQUAL (placement.blocks, right->blocks);
  EXPECT_EQUAL (placement.before, right->before);
  EXPECT_EQUAL (verdict.stays, stays);
  EXPECT_EQUAL (verdict.file, file);
}

/* Return the row of TABLE, which has N rows, for CHOICE and INPUT, or NULL if
   no row matches.  */
static const struct row *
find_row (const struct row table[], size_t n, enum hugetext_choice choice,
          unsigned int input)
{
  const struct row *row = NULL;
  for (size_t i = 0; i < n; ++i)
    if (row_matches (table[i].choices, table[i].input, choice, input))
      {
        EXPECT (row == NULL);
        row = &table[i];
      }
  return row;
}

/* Return true if, with FACTS, copies cannot make another place better than the
   place for the file.  This is the case if the loader will refuse copies, or
   if copies must have a minimum of text and the heat is unknown.  */
static bool
lacks_copies (const struct facts *facts)
{
  return (facts->refusal != GRANTED
          || (facts->copy_text != 0 && (facts->input >> HEAT & 1) == 0));
}

/* Check all cases of OBJECT with TABLE, which has N rows.  Each case must be
   in exactly one row.  If the loader will refuse copies, for any reason, the
   choice "auto" must give the same result as "store", which allows no copies.
   The same holds if copies must have COPY_TEXT bytes of text, unless COPY_TEXT
   is 0.  */
static void
check_table (const char *name, struct hugetext_object object, bool fits,
             uintptr_t copy_text, const struct row table[], size_t n)
{
  unsigned long int count = 0;
  test_object = &object;
  test_geo = &geo;
  test_threshold = HUGETEXT_DEFAULT_PAD;
  EXPECT (hugetext_object_check (&object, &geo) == NULL);
  const struct places places = find_places (&object, fits);
  if (fits)
    {
      /* Otherwise the test would not show anything.  */
      EXPECT (places.best.residue != places.heat.residue);
      EXPECT (places.best.residue != places.congruent.residue);
      EXPECT (places.heat.residue != places.congruent.residue);
    }
  for (enum hugetext_choice choice = 0; choice < HUGETEXT_CHOICES; ++choice)
    for (unsigned int input = 0; input < 1u << INPUTS; ++input)
      {
        const struct row *row = find_row (table, n, choice, input);
        if (row == NULL && !fits)
          continue;
        EXPECT (row != NULL);
        for (enum refusal refusal = 0; refusal < REFUSALS; ++refusal)
          for (int how = 0; how < 4; ++how, ++count)
            {
              const struct facts facts = { input, refusal, copy_text };
              check_case (&object, &places, fits, choice, facts,
                          choice == HUGETEXT_AUTO && lacks_copies (&facts)
                              ? find_row (table, n, HUGETEXT_STORE, input)
                              : row,
                          how & 1, how & 2);
            }
      }
  group_done (name, count);
}

#define TABLE(rows) rows, sizeof rows / sizeof *rows

int
main (void)
{
  check_table (
      "the congruent placement has as much text as the best placement",
      make_object (MIB, 6 * MIB, 4096), true, 0, TABLE (equal));
  check_table (
      "the congruent placement has 1/6 less text; the rest can be copied",
      make_object (0, 6 * MIB, 4096), true, 0, TABLE (less));
  check_table (
      "the congruent placement has 1/40 less text; the rest can be copied",
      make_object (0, 40 * MIB, 4096), true, 0, TABLE (less));
  struct hugetext_object object = make_object (0, 3 * MIB, 4096);
  object.segment[0].write = true;
  check_table (
      "the congruent placement has 1/3 less text; the rest cannot be copied",
      object, true, 0, TABLE (worse));
  check_table ("the congruent placement has 1/3 less text; only blocks full "
               "of text can be copied",
               object, true, BLOCK, TABLE (worse));
  /* Only the congruent placement needs no slack.  */
  object = make_object (0, 3 * MIB - 64 * KIB, 4096);
  object.segment[0].write = true;
  check_table ("the congruent placement has 1/3 less text, but needs no slack",
               object, true, 0, TABLE (worse));
  object = make_object (0, 6 * MIB, 4096);
  object.segment[0].write = true;
  check_table (
      "the congruent placement has 1/6 less text; the rest cannot be copied",
      object, true, 0, TABLE (less));
  /* Now the heat is only around 2 MiB.  */
  heat.granules = 2;
  check_table ("the congruent placement has as much text and heat as the best "
               "placement",
               make_object (MIB, 6 * MIB, 4096), true, 0,
               TABLE (concentrated));
  check_table ("no placement is congruent",
               make_object (0, 6 * MIB, 2 * BLOCK), false, 0, TABLE (never));
  return 0;
}
