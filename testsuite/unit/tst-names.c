/* Tests of the blocks that keep an object's name: all cases are in tables.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "dl-hugetext-ways.h"
#include "plan-test.h"

#define BLOCK (UINT64_C (2) << 20)
#define UNIT (BLOCK / 4)

static const struct hugetext_geometry geo = { .page = 4096, .block = BLOCK };

/* A row of a table.  LAYOUT has a letter for each quarter of a block: r is
   read-only data, x text, w writable data, and a dot a hole.  HEAT, if
   present, has a digit for each block.  The other members show which blocks
   keep the name for the setting's values 1 and 2 (ALL and CHEAP; for 0 none
   does): "h" marks the block that keeps the name because of the ELF header,
   "t" the one that does so because of a piece of text.  */
struct row
{
  const char *layout, *heat, *all, *cheap;
};

static const struct row rows[] = {
  /* The header is in no block with text.  A block is chosen for a piece of
     text: the one with the least text, or the last of several full ones.  */
  { "rrrrxxxxxxxx", "", "--t", "---" },
  { "rrrrxxxxxxx.", "", "--t", "---" },
  { "rrrr.xxxxxxx", "", "-t-", "---" },
  /* To keep the name, an object may leave up to an eighth of its text out of
     copies, but no more.  */
  { "rrrrxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "", "--------t", "--------t" },
  { "rrrrxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "", "-------t", "--------" },
  { "rrrrxxxxxxxx"
    "xxxxxxxxx...",
    "", "-----t", "-----t" },
  /* Other text stays mapped from the file anyway, next to writable data.  */
  { "rrrrxxxxxxxxxww", "", "----", "----" },
  { "wrrrxxxxxxxx", "", "--t", "---" },
  { "rrrwxxxxxxxxxxxw", "", "----", "----" },
  /* The header is in a block.  */
  { "rxxx", "", "h", "-" },
  { "rxxxxxxx", "", "h-", "--" },
  { "rxxxxxxxxxxxxxxxxxxxxxxxxxxx", "", "h------", "h------" },
  { "rxxxxxxxxxxxxxxxxxxxxxxx", "", "h-----", "------" },
  { "rxxxxxxxxxxxxxxxxxxx", "", "h----", "-----" },
  { "rxxxxxxxxxxxxxxxxxxxxxxxxxxw", "", "h------", "------" },
  /* If the heat is known, it decides.  */
  { "rxxxxxxx", "19", "h-", "h-" },
  { "rxxxxxxx", "28", "h-", "--" },
  { "rxxxxxxxxxxxxxxxxxxxxxxxxxxx", "9000000", "h------", "-------" },
  { "rrrrxxxxxxxxxxxx", "0990", "---t", "---t" },
  { "rrrrxxxxxxxxxxxx", "0019", "-t--", "-t--" },
  { "rrrrxxxxxxxx", "000", "--t", "--t" },
  /* Without text, no name is kept.  */
  { "rrrrwwww", "", "--", "--" },
};

/* The blocks that must stay small on pages of the file, so that unwinders find
   the text ("s"), by layout.  The letters are those of the blocks with text;
   the range between the first and the last such block counts.  */
static const struct row shown[] = {
  /* The text begins in the first block of the file.  */
  { "rxxxxxxx", "", "s-", "--" },
  { "rxxxxxxxxxxxxxxxxxxxxxxx", "", "s-----", "------" },
  /* The text begins on a boundary of blocks.  */
  { "rrrrxxxxxxxx", "", "---", "---" },
  { "xxxxxxxx", "", "--", "--" },
  /* The text begins in another block.  A quarter of the text is not too much,
     but more is.  */
  { "rrrrrrxxxxxxxx", "", "-s--", "-s--" },
  { "rrrrrxxxxxxx", "", "-s-", "---" },
  { "rrrrrxxxxxxxxxxxxxxx", "", "-s---", "-s---" },
  { "rrrrrxxx", "", "-s", "--" },
  /* A hole in front of the text, and another segment that begins with the
     block.  */
  { "rrrr.xxxxxxxxxxxxxxx", "", "-s---", "-s---" },
  { "wwwwrxxxxxxxxxxxxxxx", "", "-s---", "-----" },
  /* Two segments of text, in one block or far apart.  */
  { "xxrrxxxxxxxx", "", "---", "---" },
  { "xxxxrrrrrxxxxxxxxxxx", "", "--s--", "--s--" },
  /* Neither the end of the text nor a block that is not huge makes a
     difference.  */
  { "rrrrrrxxxxxxxxrr", "", "-s--", "-s--" },
  { "rrrrwxxxxxxxxxxx", "", "----", "----" },
  /* If the heat is known, it decides.  */
  { "rrrrrxxxxxxxxxxxxxxx", "09000", "-s---", "-----" },
  { "rrrrrxxx", "19", "-s", "--" },
  { "rrrrrxxxxxxx", "039", "-s-", "-s-" },
  { "rrrrrxxxxxxx", "038", "-s-", "---" },
};

static struct hugetext_object
make_object (const char *layout)
{
  struct hugetext_object object = { .align = 4096, .high = UINTPTR_MAX };
  for (size_t i = 0, end; layout[i] != '\0'; i = end)
    {
      for (end = i + 1; layout[end] == layout[i];)
        ++end;
      if (layout[i] == '.')
        continue;
      object.segment[object.nsegments++] = (struct hugetext_segment){
        .start = i * UNIT,
        .end = end * UNIT,
        .fileend = end * UNIT,
        .datastart = i * UNIT,
        .dataend = end * UNIT,
        .offset = i * UNIT,
        .read = true,
        .write = layout[i] == 'w',
        .exec = layout[i] == 'x',
      };
    }
  return object;
}

/* Return the heat in ROW, stored in WEIGHTS.  */
static struct hugetext_heat
make_heat (const struct row *row, uint16_t *weights)
{
  const size_t each = BLOCK / HUGETEXT_GRANULE;
  if (row->heat[0] == '\0')
    return (struct hugetext_heat){ .weight = NULL };
  const struct hugetext_heat heat
      = { .granules = strlen (row->heat) * each, .weight = weights };
  for (size_t i = 0; i < heat.granules; ++i)
    weights[i] = (row->heat[i / each] - '0') * 10;
  return heat;
}

static void
check_row (const struct row *row)
{
  struct hugetext_object object = make_object (row->layout);
  uint16_t weights[64 * BLOCK / HUGETEXT_GRANULE];
  const struct hugetext_heat heat = make_heat (row, weights);
  const char *want[] = { "", row->all, row->cheap };
  object.bias = 16 * BLOCK;
  for (enum hugetext_naming naming = HUGETEXT_NAMES_NO;
       naming <= HUGETEXT_NAMES_CHEAPLY; ++naming)
    {
      const struct hugetext_name name
          = hugetext_name_blocks (&object, &geo, 65536, &heat, naming);
      const char *h = strchr (want[naming], 'h');
      const char *t = strchr (want[naming], 't');
      EXPECT_EQUAL (name.header, h != NULL ? (16 + h - want[naming]) * BLOCK
                                           : HUGETEXT_NO_BLOCK);
      EXPECT_EQUAL (name.text, t != NULL ? (16 + t - want[naming]) * BLOCK
                                         : HUGETEXT_NO_BLOCK);
    }
}

/* Check which blocks of ROW, a row of SHOWN, stay small.  At an address that
   is not congruent to the file offset, no block stays small for this
   reason.  */
static void
check_shown (const struct row *row)
{
  struct hugetext_object object = make_object (row->layout);
  uint16_t weights[64 * BLOCK / HUGETEXT_GRANULE];
  const struct hugetext_heat heat = make_heat (row, weights);
  const char *want[] = { "", row->all, row->cheap };
  for (int away = 0; away < 2; ++away)
    for (enum hugetext_naming naming = HUGETEXT_NAMES_NO;
         naming <= HUGETEXT_NAMES_CHEAPLY; ++naming)
      {
        uintptr_t at;
        object.bias = 16 * BLOCK + (away ? UNIT : 0);
        const enum hugetext_naming shows
            = hugetext_shows_text (&object, &geo, 65536, &heat, naming);
        for (uintptr_t from = 0;
             hugetext_next_block (&object, &geo, from, &at); from = at + BLOCK)
          {
            const struct hugetext_block block
                = hugetext_block_judge (&object, &geo, 65536, at);
            const bool small = block.verdict == HUGETEXT_TAKE
                               && hugetext_hides_text (&object, &block, shows);
            EXPECT_EQUAL (small, !away && naming != HUGETEXT_NAMES_NO
                                     && want[naming][at / BLOCK - 16] == 's');
          }
      }
}

/* Check what the setting means for each choice of backings.  */
static void
check_setting (void)
{
  for (enum hugetext_choice choice = 0; choice < HUGETEXT_CHOICES; ++choice)
    for (uint64_t names = 0; names < 4; ++names)
      {
        const enum hugetext_naming naming
            = hugetext_keeps_names (choice, names);
        EXPECT_EQUAL (naming,
                      choice == HUGETEXT_FILE || choice == HUGETEXT_STORE
                          ? HUGETEXT_NAMES_NO
                          : hugetext_min (names, 2));
        EXPECT_EQUAL (hugetext_names_in_file (choice, names),
                      choice == HUGETEXT_THP || choice == HUGETEXT_HUGETLB
                          ? HUGETEXT_NAMES_NO
                          : hugetext_min (names, 2));
        EXPECT_EQUAL (hugetext_places_names (choice, names),
                      names != 0 || choice == HUGETEXT_AUTO
                          || choice == HUGETEXT_STORE);
      }
}

int
main (void)
{
  const size_t count = sizeof rows / sizeof rows[0];
  test_geo = &geo;
  for (size_t i = 0; i < count; ++i)
    {
      fprintf (stderr, "%s %s\n", rows[i].layout, rows[i].heat);
      check_row (&rows[i]);
    }
  group_done ("names by table", 3 * count);
  for (size_t i = 0; i < sizeof shown / sizeof shown[0]; ++i)
    {
      fprintf (stderr, "%s %s\n", shown[i].layout, shown[i].heat);
      check_shown (&shown[i]);
    }
  group_done ("text shown to unwinders, by table",
              6 * (sizeof shown / sizeof shown[0]));
  check_setting ();
  group_done ("the setting 'names' for each backing", 4 * HUGETEXT_CHOICES);
  return 0;
}
