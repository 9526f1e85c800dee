/* Checks that any bytes can be read as an index without harm, and functions
   that make indexes for these checks.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The bytes come from a fuzzer or are random.  The bytes are used in three
   ways: as an index, as an index after its header has been corrected, or as
   settings from which the command's own code compiles an index that is then
   damaged.  */

#ifndef INDEX_CHECK_H
#define INDEX_CHECK_H 1

#include <string.h>

#include "dl-hugetext-index.h"
#include "plan-test.h"

/* Include the command's own source.  */
#include "index/build.c"

/* Follow links as for a user other than root.  */
bool
trusted_resolve (const char *path, char real[static PATH_MAX])
{
  return realpath (path, real) != NULL;
}

/* A store with one image, which has blocks 0 and 2 of its object.  */
static struct stored stored_one
    = { .path = (char *) "/var/store/libx",
        .image = { .note = { .object = { 0x100, 2, 3, 4, 5 },
                             .digest = 5,
                             .block = 2 << 20,
                             .first = -0x31000ULL,
                             .offset = 2 << 20,
                             .has = { 5 } },
                   .identity = { 0x100, 9, 8 << 20, 6, 7 } } };
static const struct store store_one = { .files = &stored_one, .count = 1 };

/* The heat of one object.  */
static const uint16_t weights_one[] = { 65535, 0, 1, 400, 7 };
static const struct index_heat heat_one
    = { .record = { .head = { .kind = HUGETEXT_RECORD_HEAT },
                    .object = { 5, 6, 7, 8, 9 },
                    .digest = 9,
                    .first = 3 * HUGETEXT_GRANULE,
                    .granules = 5 },
        .weight = weights_one };
static const struct index_heats heats_one = { &heat_one, 1 };

/* An index in memory.  */
struct content
{
  char *bytes; /* The memory has exactly this size, so that AddressSanitizer
                  notices any access beyond it.  */
  uint64_t size;
};

static bool
content_read (void *closure, void *buffer, size_t length, uint64_t offset)
{
  const struct content *image = closure;
  bool inside = (offset <= image->size && length <= image->size - offset);
  if (inside)
    memcpy (buffer, image->bytes + offset, length);
  return inside;
}

/* Open IMAGE in the same way as the loader.  */
static bool
content_open (struct content *image, struct hugetext_index *index)
{
  *index = (struct hugetext_index){ .read = content_read, .closure = image };
  return (hugetext_index_begin (index) && index->header.size == image->size);
}

/* Check that everything that INDEX says about the program PATH is within
   range.  Return true if INDEX says anything about the program.  */
static bool
check_program (const struct hugetext_index *index, const char *path)
{
  struct hugetext_advice advice = { .given = 0 };
  bool known = hugetext_index_may_know (index, hugetext_base_name (path));
  bool found = hugetext_index_find (index, path, &advice);

  EXPECT (known || !found || index->header.general == 0);
  EXPECT (found == (advice.given != 0));
  EXPECT (advice.given >> HUGETEXT_KEYS == 0);
  if (!found)
    return false;
  EXPECT (strnlen (advice.objects, sizeof advice.objects)
          < sizeof advice.objects);
  hugetext_objects_allow (advice.objects, path);
  for (int key = 0; key < HUGETEXT_KEYS; ++key)
    {
      EXPECT (strnlen (advice.source[key], HUGETEXT_SOURCE_MAX)
              < HUGETEXT_SOURCE_MAX);
      if ((advice.given & 1u << key) == 0)
        EXPECT (advice.source[key][0] == '\0');
    }
  return true;
}

/* Check that what INDEX says about store_one's object is within range.  Return
   true if INDEX contains an image of this object.  */
static bool
check_stored (const struct hugetext_index *index)
{
  struct hugetext_index_image image;
  uint64_t offset;
  memset (&image, 'x', sizeof image);
  if (!hugetext_index_image (index, &stored_one.image.note.object,
                             stored_one.image.note.block, &image))
    return false;
  EXPECT (strnlen (image.name, HUGETEXT_SOURCE_MAX) < HUGETEXT_SOURCE_MAX);
  for (uint64_t i = 0; i < HUGETEXT_IMAGE_BLOCKS + 2; ++i)
    if (hugetext_image_block (&image, image.first + i * image.block, &offset))
      {
        EXPECT (i < HUGETEXT_IMAGE_BLOCKS);
        EXPECT (offset < image.image.size
                && image.image.size - offset >= image.block);
      }
  EXPECT (!hugetext_image_block (&image, image.first + 1, &offset));
  return true;
}

/* Check that what INDEX says about heat_one's object is within range, and
   that nothing is written beyond the array.  */
static void
check_heat (const struct hugetext_index *index)
{
  struct hugetext_index_heat record;
  enum
  {
    MODULE = 64
  };
  uint16_t *weight = malloc (MODULE * sizeof *weight);
  EXPECT (weight != NULL);
  if (hugetext_index_heat (index, &heat_one.record.object, &record, weight,
                           MODULE))
    EXPECT (record.granules <= MODULE);
  free (weight);
}

/* Read the index BYTES, of SIZE bytes, for PATH.  Return true if it says
   anything.  */
static bool
check_image (const char *bytes, size_t size, const char *path)
{
  struct hugetext_index index;
  struct content image = { .bytes = malloc (size), .size = size };
  EXPECT (image.bytes != NULL || size == 0);
  memcpy (image.bytes, bytes, size);
  bool said = false;
  if (content_open (&image, &index))
    {
      said = check_program (&index, path);
      check_stored (&index);
      check_heat (&index);
    }
  free (image.bytes);
  return said;
}

/* Write the header of an index of this size to the beginning of the SIZE
   bytes at BYTES.  */
static void
mend (char *bytes, size_t size)
{
  struct hugetext_index_header *header = (void *) bytes;
  if (size < sizeof *header)
    return;
  memcpy (header->magic, HUGETEXT_INDEX_MAGIC, sizeof header->magic);
  header->version = HUGETEXT_INDEX_VERSION;
  header->size = size;
}

/* Bytes that decide what to do.  */
struct choices
{
  const uint8_t *data;
  size_t size;
};

static unsigned int
pick (struct choices *choices)
{
  if (choices->size == 0)
    return 0;
  --choices->size;
  return *choices->data++;
}

/* Write a path, or a pattern if PATTERN, to BUFFER, as CHOICES decide.  There
   are few different paths and patterns, so that many match.  */
static const char *
pick_path (struct choices *choices, bool pattern, char buffer[static 64])
{
  static const char *const parts[]
      = { "a", "b",  "ab", "ba", "a b", "*",   "**",
          "?", "a*", "*b", "?a", "**b", "a**", "a?*" };
  unsigned int depth = 1 + pick (choices) % 3;
  buffer[0] = '\0';
  for (unsigned int i = 0; i < depth; ++i)
    {
      strcat (buffer, "/");
      strcat (buffer, parts[pick (choices)
                            % (pattern ? sizeof parts / sizeof parts[0] : 5)]);
    }
  return buffer;
}

/* Return a valid value for KEY.  */
static uint64_t
pick_value (struct choices *choices, int key)
{
  uint64_t value = pick (choices);
  switch (key)
    {
    case HUGETEXT_KEY_MODE:
      return value % 8;
    case HUGETEXT_KEY_BACKING:
      return value % 5;
    default:
      return value;
    }
}

/* Add a section to CONFIG.  The section's strings are in the memory of CHOICES
   and STRINGS.  */
static void
pick_section (struct choices *choices, struct config *config,
              char strings[static 64])
{
  struct config_section *section = &config->sections[config->count++];
  *section = (struct config_section){
    .given = pick (choices) & ((1u << HUGETEXT_KEYS) - 1),
    .objects = (char *) ((pick (choices) & 1) != 0 ? "a !b" : "!a*"),
  };
  section->pattern = (char *) pick_path (choices, true, strings);
  for (int key = 0; key < HUGETEXT_VALUES; ++key)
    section->value[key] = pick_value (choices, key);
  snprintf (section->source, sizeof section->source, "f:%zu", config->count);
}

/* Compute in the simplest way what CONFIG says about PATH, and check that the
   index, SIZE bytes at BYTES, says the same.  */
static void
compare (const struct config *config, const char *bytes, size_t size,
         const char *path)
{
  struct content image = { .bytes = (char *) bytes, .size = size };
  struct hugetext_index index;
  struct hugetext_advice advice = { .given = 0 };
  EXPECT (content_open (&image, &index));
  hugetext_index_find (&index, path, &advice);
  bool named = false;
  for (size_t i = 0; i < config->count; ++i)
    named |= (config->sections[i].given != 0
              && hugetext_names (config->sections[i].pattern)
              && hugetext_match (config->sections[i].pattern,
                                 strlen (config->sections[i].pattern), path));
  EXPECT_EQUAL (named, advice.named);
  for (int key = 0; key < HUGETEXT_KEYS; ++key)
    {
      const struct config_section *best = NULL;
      for (size_t i = 0; i < config->count; ++i)
        if ((config->sections[i].given & 1u << key) != 0
            && hugetext_match (config->sections[i].pattern,
                               strlen (config->sections[i].pattern), path))
          best = &config->sections[i];
      EXPECT_EQUAL (best != NULL, (advice.given & 1u << key) != 0);
      if (best == NULL)
        continue;
      EXPECT (strcmp (advice.source[key], best->source) == 0);
      if (key < HUGETEXT_VALUES)
        EXPECT_EQUAL (advice.value[key], best->value[key]);
      else
        EXPECT (strcmp (advice.objects, best->objects) == 0);
    }
}

/* Make an index as CHOICES decide, damage it, and read it for PATH.  */
static bool
check_built (struct choices *choices, const char *path, bool mended)
{
  struct config_section sections[32];
  char strings[32][64];
  struct config config = { .sections = sections };
  unsigned int count = 1 + pick (choices) % 32;
  for (unsigned int i = 0; i < count; ++i)
    pick_section (choices, &config, strings[i]);

  char *bytes;
  size_t size;
  struct problem problem;
  EXPECT (
      index_build (&config, &store_one, &heats_one, &bytes, &size, &problem));
  compare (&config, bytes, size, path);
  while (choices->size > 0)
    {
      unsigned int place = pick (choices);
      place = (place * 256 + pick (choices)) % size;
      bytes[place] = pick (choices);
    }
  if (mended)
    mend (bytes, size);
  bool said = check_image (bytes, size, path);
  free (bytes);
  return said;
}

/* Try the SIZE bytes at DATA.  Return true if the bytes were a valid index
   that says anything about a program.  */
static inline bool
check_index_bytes (const uint8_t *data, size_t size)
{
  struct choices choices = { data, size };
  char path[64];
  unsigned int how = pick (&choices);
  pick_path (&choices, false, path);
  if (how % 4 >= 2)
    return check_built (&choices, path, how % 4 == 3);

  char *bytes = malloc (choices.size + 1);
  EXPECT (bytes != NULL);
  memcpy (bytes, choices.data, choices.size);
  if (how % 4 == 1)
    mend (bytes, choices.size);
  bool said = check_image (bytes, choices.size, path);
  free (bytes);
  return said;
}

#endif /* index-check.h */
