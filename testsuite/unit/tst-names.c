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
  /* An eighth of the text is not too much, but more is.  */
  { "rrrrxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "", "--------t", "--------t" },
  { "rrrrxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "", "-------t", "--------" },
  { "rrrrxxxxxxxx"
    "xxxxxxxxx...",
    "", "-----t", "-----t" },
  /* Other text stays anyway, next to writable data.  */
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

static void
check_row (const struct row *row)
{
  struct hugetext_object object = make_object (row->layout);
  uint16_t weights[64 * BLOCK / HUGETEXT_GRANULE];
  const size_t each = BLOCK / HUGETEXT_GRANULE;
  struct hugetext_heat heat = { .weight = NULL };
  if (row->heat[0] != '\0')
    {
      heat = (struct hugetext_heat){ .granules = strlen (row->heat) * each,
                                     .weight = weights };
      for (size_t i = 0; i < heat.granules; ++i)
        weights[i] = (row->heat[i / each] - '0') * 10;
    }
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
  check_setting ();
  group_done ("the setting of names", 4 * HUGETEXT_CHOICES);
  return 0;
}
