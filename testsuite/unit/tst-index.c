/* Tests of the index: the written data is read again, and a damaged index (cut
   short, changed, or random) does no harm.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The first argument is the number of random indexes, the second one is the
   seed.  */

#define _GNU_SOURCE 1
#include "index-check.h"

/* Settings with all kinds of sections.  */
static struct config_section sections[] = {
  { .pattern = (char *) "/opt/x/bin/server",
    .given = 0x1f,
    .value = { 1, 2, 4096, 8 },
    .objects = (char *) "libone.so !*two*",
    .source = "/etc/hugetext.conf:3" },
  { .pattern = (char *) "/opt/*/bin/server",
    .given = 1,
    .value = { 3 },
    .source = "/etc/hugetext.conf:9" },
  { .pattern = (char *) "/opt/**/python3*",
    .given = 1u << HUGETEXT_KEY_MAX,
    .value = { [HUGETEXT_KEY_MAX] = 77 },
    .source = "/etc/hugetext.d/a:1" },
  { .pattern = (char *) "/**",
    .given = 1u << HUGETEXT_KEY_PAD,
    .value = { 0 },
    .source = "/etc/hugetext.d/b:1" },
};
static const struct config config = { .sections = sections, .count = 4 };

static const char path[] = "/opt/x/bin/server";

static void
build (const struct config *from, char **bytes, size_t *size)
{
  struct problem problem;
  EXPECT (index_build (from, &store_one, &heats_one, bytes, size, &problem));
}

/* Read an index that the test wrote.  */
static void
test_read (void)
{
  static const char *const paths[] = { path,
                                       "/opt/y/bin/server",
                                       "/opt/python3.11",
                                       "/opt/a/b/python3",
                                       "/opt/x/y/bin/server",
                                       "/server",
                                       "/",
                                       "/opt/x/bin/server2",
                                       "" };
  char *bytes;
  size_t size;
  build (&config, &bytes, &size);
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i)
    compare (&config, bytes, size, paths[i]);
  EXPECT (check_image (bytes, size, path));
  free (bytes);
  group_done ("read as written", sizeof paths / sizeof paths[0]);
}

/* An image belongs to exactly one file, and never to a file on an anonymous
   device.  */
static void
test_identity (void)
{
  const struct hugetext_identity *object = &stored_one.image.note.object;
  const uint64_t block = stored_one.image.note.block;
  struct hugetext_index_image record;
  struct content image = { .bytes = NULL };
  struct hugetext_index index;
  size_t size;
  build (&config, &image.bytes, &size);
  image.size = size;
  EXPECT (content_open (&image, &index));
  EXPECT (hugetext_index_image (&index, object, block, &record));
  EXPECT (hugetext_same_file (object, &record.object));
  EXPECT (hugetext_same_file (&stored_one.image.identity, &record.image));
  size_t count = sizeof *object / sizeof (uint64_t);
  for (size_t i = 0; i < count; ++i)
    {
      struct hugetext_identity other = *object;
      ++((uint64_t *) &other)[i];
      EXPECT (!hugetext_same_file (object, &other));
      EXPECT (!hugetext_index_image (&index, &other, block, &record));
    }
  /* Device numbers as the kernel gives them to fstat: 12 bits of the major
     number above 8 bits of the minor number.  */
  EXPECT (!hugetext_is_anonymous (object));
  for (uint64_t minor = 0; minor < 1 << 20; minor += 255)
    {
      struct hugetext_identity other
          = { .device = (minor & 0xff) | (minor & ~0xffULL) << 12 };
      EXPECT (hugetext_is_anonymous (&other));
      other.device |= 0x700;
      EXPECT (!hugetext_is_anonymous (&other));
    }
  free (image.bytes);
  group_done ("the very file", count);
}

/* Heat is read as it was written, for objects with any number of granules, up
   to the maximum and more, and only for exactly the same file.  */
static void
test_heat (void)
{
  static const uint32_t numbers[] = { 0,
                                      1,
                                      2,
                                      3,
                                      4,
                                      1000,
                                      4095,
                                      HUGETEXT_HEAT_GRANULES,
                                      HUGETEXT_HEAT_GRANULES + 1 };
  const size_t count = sizeof numbers / sizeof numbers[0];
  struct index_heat list[count];
  static uint16_t weight[HUGETEXT_HEAT_GRANULES + 1];
  static uint16_t back[HUGETEXT_HEAT_GRANULES];
  for (size_t i = 0; i < sizeof weight / sizeof weight[0]; ++i)
    weight[i] = 7 * i;
  for (size_t i = 0; i < count; ++i)
    list[i]
        = (struct index_heat){ .record
                               = { .head = { .kind = HUGETEXT_RECORD_HEAT },
                                   .object = { 1, i, 3, 4, 5 },
                                   .digest = 100 + i,
                                   .first = i * HUGETEXT_GRANULE,
                                   .granules = numbers[i] },
                               .weight = weight };
  const struct index_heats heats = { list, count };
  struct content image = { .bytes = NULL };
  struct hugetext_index index;
  struct hugetext_index_heat record;
  struct problem problem;
  size_t size;
  EXPECT (index_build (&config, &store_one, &heats, &image.bytes, &size,
                       &problem));
  image.size = size;
  EXPECT (content_open (&image, &index));
  EXPECT_EQUAL (count - 1, index.header.heats);
  for (size_t i = 0; i < count; ++i)
    {
      const struct hugetext_index_heat *heat = &list[i].record;
      uint32_t n = heat->granules;
      memset (back, 0xff, sizeof back);
      bool fits = n <= HUGETEXT_HEAT_GRANULES;
      EXPECT (hugetext_index_heat (&index, &heat->object, &record, back,
                                   HUGETEXT_HEAT_GRANULES)
              == fits);
      if (!fits)
        continue;
      EXPECT_EQUAL (heat->digest, record.digest);
      EXPECT_EQUAL (heat->first, record.first);
      EXPECT_EQUAL (n, record.granules);
      EXPECT (memcmp (weight, back, n * sizeof *weight) == 0);
      /* Another version of the file, and an array that is too short.  */
      for (size_t k = 0; k < sizeof heat->object / sizeof (uint64_t); ++k)
        {
          struct hugetext_identity other = heat->object;
          ((uint64_t *) &other)[k] ^= UINT64_C (1) << 40;
          EXPECT (!hugetext_index_heat (&index, &other, &record, back,
                                        HUGETEXT_HEAT_GRANULES));
        }
      EXPECT (n == 0
              || !hugetext_index_heat (&index, &heat->object, &record, back,
                                       n - 1));
    }
  /* Programs are found in the same index.  */
  compare (&config, image.bytes, image.size, path);
  free (image.bytes);
  group_done ("heat", count);
}

/* Cut the index after each byte, and change each byte to many other values:
   nothing outside is read, and no value is out of range.  */
static void
test_changed (void)
{
  char *bytes;
  size_t size;
  unsigned long int count = 0;
  build (&config, &bytes, &size);
  char *copy = malloc (size);
  EXPECT (copy != NULL);
  for (size_t at = 0; at < size; ++at)
    EXPECT (!check_image (bytes, at, path));
  for (size_t at = 0; at < size; ++at)
    for (unsigned int change = 1; change < 256; change += change < 8 ? 1 : 31)
      {
        memcpy (copy, bytes, size);
        copy[at] ^= change;
        check_image (copy, size, path);
        ++count;
      }
  free (copy);
  free (bytes);
  group_done ("each byte changed, or missing", count + size);
}

/* If a read fails at any moment, the result is no advice, or a part of
   it.  */
struct failing
{
  struct content image;
  unsigned int left;
};

static bool
failing_read (void *closure, void *buffer, size_t length, uint64_t offset)
{
  struct failing *failing = closure;
  if (failing->left == 0)
    return false;
  --failing->left;
  return content_read (&failing->image, buffer, length, offset);
}

static void
test_failing (void)
{
  char *bytes;
  size_t size;
  unsigned int count = 0;
  build (&config, &bytes, &size);
  bool whole = false;
  for (; !whole; ++count)
    {
      struct failing failing
          = { .image = { .bytes = bytes, .size = size }, .left = count };
      struct hugetext_index index
          = { .read = failing_read, .closure = &failing };
      struct hugetext_advice advice = { .given = 0 };
      whole = (hugetext_index_begin (&index)
               && hugetext_index_find (&index, path, &advice)
               && advice.given == 0x1f);
      EXPECT (count < 100);
    }
  EXPECT (count > 3);
  free (bytes);
  group_done ("reads that fail", count);
}

/* Make COUNT sections, all with the same base name if SAME is true, otherwise
   each with a different one.  Look up the section in the middle.  */
static void
many (size_t count, bool same)
{
  struct config_section *list = calloc (count, sizeof *list);
  EXPECT (list != NULL);
  for (size_t i = 0; i < count; ++i)
    {
      EXPECT (asprintf (&list[i].pattern, "/opt/v%zu/bin/program%zu", i,
                        same ? 0 : i)
              > 0);
      list[i].given = 1u << HUGETEXT_KEY_MAX;
      list[i].value[HUGETEXT_KEY_MAX] = i + 1;
      snprintf (list[i].source, sizeof list[i].source, "f:%zu", i);
    }
  struct config all = { .sections = list, .count = count };
  char *bytes;
  size_t size;
  build (&all, &bytes, &size);
  struct content image = { .bytes = bytes, .size = size };
  struct hugetext_index index;
  struct hugetext_advice advice;
  EXPECT (content_open (&image, &index));
  EXPECT (check_stored (&index));
  for (size_t i = 0; i < count; ++i)
    {
      advice = (struct hugetext_advice){ .given = 0 };
      EXPECT (hugetext_index_find (&index, list[i].pattern, &advice));
      EXPECT_EQUAL (advice.given, 1u << HUGETEXT_KEY_MAX);
      EXPECT_EQUAL (advice.value[HUGETEXT_KEY_MAX], i + 1);
    }
  advice = (struct hugetext_advice){ .given = 0 };
  EXPECT (!hugetext_index_find (&index, "/opt/v0/bin/other", &advice));
  for (size_t i = 0; i < count; ++i)
    free (list[i].pattern);
  free (list);
  free (bytes);
}

static void
test_many (void)
{
  static const size_t counts[] = { 1, 2, 127, 128, 129, 300, 1000 };
  unsigned long int count = 0;
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
    {
      many (counts[i], false);
      many (counts[i], true);
      count += 2 * counts[i];
    }
  group_done (
      "many programs, all with the same base name or each with its own",
      count);
}

/* Look up PATH in the index CONTENT, and return how many reads this takes.
   The index must say that "max" is MAX for PATH or, if MAX is 0, nothing.  */
static unsigned int
count_reads (struct content content, const char *path, uint64_t max)
{
  enum
  {
    MANY = 10000
  };
  struct failing failing = { .image = content, .left = MANY };
  struct hugetext_index index = { .read = failing_read, .closure = &failing };
  struct hugetext_advice advice = { .given = 0 };
  EXPECT (hugetext_index_begin (&index));
  EXPECT (hugetext_index_find (&index, path, &advice) == (max != 0));
  EXPECT (max == 0
          || hugetext_index_may_know (&index, hugetext_base_name (path)));
  if (max != 0)
    EXPECT_EQUAL (advice.value[HUGETEXT_KEY_MAX], max);
  return MANY - failing.left;
}

/* A thousand patterns begin in the same way; their base names differ and
   contain a star.  A start reads only the patterns that match.  */
static void
test_stars (void)
{
  enum
  {
    COUNT = 1000
  };
  struct config_section *list = calloc (COUNT, sizeof *list);
  EXPECT (list != NULL);
  for (size_t i = 0; i < COUNT; ++i)
    {
      EXPECT (asprintf (&list[i].pattern, "/**/program%zu-*", i) > 0);
      list[i].given = 1u << HUGETEXT_KEY_MAX;
      list[i].value[HUGETEXT_KEY_MAX] = i + 1;
    }
  struct config all = { .sections = list, .count = COUNT };
  struct content content;
  size_t size;
  build (&all, &content.bytes, &size);
  content.size = size;
  unsigned int found = count_reads (content, "/opt/program500-a", 501);
  unsigned int none = count_reads (content, "/opt/other", 0);
  unsigned int alike = count_reads (content, "/opt/program500", 0);
  EXPECT (found <= 12 && none <= 8 && alike <= 8);
  for (size_t i = 0; i < COUNT; ++i)
    free (list[i].pattern);
  free (list);
  free (content.bytes);
  group_done ("a thousand patterns that begin alike, reads", found);
}

/* The longest allowed strings fit, and longer ones are refused.  */
static void
test_long (void)
{
  char pattern[HUGETEXT_PATTERN_MAX + 1], objects[HUGETEXT_OBJECTS_MAX + 1];
  struct config_section section
      = { .pattern = pattern, .objects = objects, .given = 0x1f };
  struct config one = { .sections = &section, .count = 1 };
  memset (pattern, 'p', sizeof pattern);
  memset (objects, 'o', sizeof objects);
  pattern[0] = '/';
  pattern[HUGETEXT_PATTERN_MAX - 1] = '\0';
  objects[HUGETEXT_OBJECTS_MAX - 1] = '\0';
  memset (section.source, 's', HUGETEXT_SOURCE_MAX - 1);
  char *bytes;
  size_t size;
  build (&one, &bytes, &size);
  compare (&one, bytes, size, pattern);
  EXPECT (check_image (bytes, size, pattern));
  free (bytes);
  /* Each of these strings is one character too long.  */
  memset (pattern, 'p', sizeof pattern);
  pattern[0] = '/';
  pattern[HUGETEXT_PATTERN_MAX] = '\0';
  build (&one, &bytes, &size);
  EXPECT (!check_image (bytes, size, pattern));
  free (bytes);
  pattern[9] = '\0';
  objects[HUGETEXT_OBJECTS_MAX - 1] = 'o';
  objects[HUGETEXT_OBJECTS_MAX] = '\0';
  build (&one, &bytes, &size);
  EXPECT (!check_image (bytes, size, pattern));
  free (bytes);
  group_done ("the longest strings", 3);
}

static void
test_random (unsigned long int rounds, uint64_t state)
{
  unsigned long int said = 0;
  for (unsigned long int round = 0; round < rounds; ++round)
    {
      uint8_t data[640];
      size_t size = next_random (&state) % sizeof data;
      for (size_t i = 0; i < size; ++i)
        data[i] = next_random (&state) >> 32;
      said += check_index_bytes (data, size);
    }
  /* If almost no index is valid, the test does not test anything.  */
  EXPECT (said > rounds / 16);
  group_done ("random bytes", rounds);
}

int
main (int argc, char **argv)
{
  unsigned long int rounds = argc > 1 ? strtoul (argv[1], NULL, 0) : 20000;
  uint64_t state = argc > 2 ? strtoul (argv[2], NULL, 0) : 1;
  test_read ();
  test_identity ();
  test_heat ();
  test_changed ();
  test_failing ();
  test_many ();
  test_stars ();
  test_long ();
  test_random (rounds, state != 0 ? state : 1);
  return 0;
}
