/* Tests of profiles: reading, writing and merging.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-profile [ROUNDS [SEED]] tries ROUNDS random profiles.  */

#include "profile-check.h"

static void
test_read (void)
{
  struct profile profile;
  EXPECT (read_bytes (&profile, profile_text, strlen (profile_text)));
  check_profile (&profile);
  check_written (&profile);
  EXPECT (strcmp (profile.build_id, "3ba9ea1bcbfb9b6c1bbf04607cf788096edde6f2")
          == 0);
  EXPECT_EQUAL (profile.nnames, 2);
  EXPECT (strcmp (profile.names[0], "/usr/bin/x") == 0);
  EXPECT (strcmp (profile.names[1], "/opt/a \"b\"") == 0);
  EXPECT_EQUAL (profile.when, 1795309323);
  EXPECT_EQUAL (profile.samples, 70);
  EXPECT_EQUAL (profile.process_samples, 100);
  EXPECT_EQUAL (profile.first, 0x10000);
  EXPECT_EQUAL (profile.count, 0x7f);
  EXPECT_EQUAL (profile.weights[1], 650000);
  EXPECT_EQUAL (profile.weights[2], 0);
  profile_free (&profile);
  /* A profile that is cut short at any byte is refused.  */
  for (size_t size = 0; size < strlen (profile_text); ++size)
    EXPECT (!read_bytes (&profile, profile_text, size));
  EXPECT (!read_bytes (&profile, profile_text, strlen (profile_text) + 1));
  group_done ("read and written", strlen (profile_text) + 2);
}

/* Test wrong profiles.  Each one is profile_text with FROM replaced by
   TO.  */
static void
test_wrong (void)
{
  static const struct
  {
    const char *from, *to, *problem;
  } cases[] = {
    { "profile 2", "profile 1", "version 2" },
    { "profile 2", "profile 3", "version 2" },
    { "hugetext profile 2", "{", "not a profile" },
    { "3ba9ea", "3BA9EA", "a line is wrong" },
    { "3ba9ea1bcbfb9b6c1bbf04607cf788096edde6f2", "3ba9ea",
      "a line is wrong" },
    { "3ba9ea1b", "3ba9ea1b3ba9ea1b3ba9ea1b3ba9ea1b00", "a line is wrong" },
    { "3ba9ea1bcbfb9b6c1bbf04607cf788096edde6f2", "headers-3ba9ea1bcbfb9b6",
      "a line is wrong" },
    { "3ba9ea1bcbfb9b6c1bbf04607cf788096edde6f2", "headers-3ba9ea1bcbfb9b6c00",
      "a line is wrong" },
    { "3ba9ea1bcbfb9b6c1bbf04607cf788096edde6f2", "../3ba9ea1bcbfb9b6c",
      "a line is wrong" },
    { "build 3ba9ea1bcbfb9b6c1bbf04607cf788096edde6f2\n", "", "must have" },
    { "name /usr/bin/x\nname /opt/a \"b\"\n", "", "must have" },
    { "/usr/bin/x", "x", "a line is wrong" },
    { "/usr/bin/x", "/x\t", "a line is wrong" },
    { "/usr/bin/x", "/opt/a \"b\"", "a line is wrong" },
    { "2026-11-22T01:02:03Z", "yesterday", "a line is wrong" },
    { "2026-11-22T01:02:03Z", "1926-11-22T01:02:03Z", "a line is wrong" },
    { "samples 70", "samples -1", "a line is wrong" },
    { "samples 70", "samples 7e1", "a line is wrong" },
    { "samples 70", "samples +70", "a line is wrong" },
    { "samples 70", "samples -18446744073709551546", "a line is wrong" },
    { "of 100", "of  100", "a line is wrong" },
    { "of 100", "of 0", "a line is wrong" },
    { "of 100", "to 100", "a line is wrong" },
    { "100", "99999999999999999999999", "a line is wrong" },
    { "0x20000", "0x20001", "a line is wrong" },
    { "0x20000", "131072", "a line is wrong" },
    { "0x20000", "0x2000g", "a line is wrong" },
    { "0x20000", "0x 20000", "a line is wrong" },
    { "0x20000", "0x0x20000", "a line is wrong" },
    { "0x20000", "0x-fffffffffffe0000", "a line is wrong" },
    { "650000", "-18446744073708901616", "a line is wrong" },
    { "0x20000 650000", "0x20000", "a line is wrong" },
    { "0x20000 650000", "0x20000 0", "a line is wrong" },
    { "0x20000 650000", "0x20000 1000001", "a line is wrong" },
    { "0x20000 650000", "0xfff0000000010000 1", "a line is wrong" },
    { "0x20000", "0x10000", "a line is wrong" },
    { "0x20000", "0x800000", "a line is wrong" },
    { "0x7f0000", "0x100010000", "a line is wrong" },
    { "650000", "990000", "heat: the sum" },
    { "heat 0x10000 1", "hot 0x10000 1", "a line is wrong" },
    { "heat 0x10000 1", "end", "a line is wrong" },
    { "end\n", "", "the last line" },
    { "end\n", "end\n\n", "a line is wrong" },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      struct profile profile;
      char text[sizeof profile_text + 256];
      const char *from = strstr (profile_text, cases[i].from);
      EXPECT (from != NULL);
      snprintf (text, sizeof text, "%.*s%s%s", (int) (from - profile_text),
                profile_text, cases[i].to, from + strlen (cases[i].from));
      struct problem problem = { 0 };
      const bool good
          = profile_parse (&profile, text, strlen (text), &problem);
      if (good || strstr (problem.text, cases[i].problem) == NULL)
        fprintf (stderr, "%s: %s\n", cases[i].to,
                 good ? "is taken" : problem.text);
      EXPECT (!good && strstr (problem.text, cases[i].problem) != NULL);
    }
  group_done ("messages about wrong profiles", count);
}

/* Test what numbers of samples mean.  An object or block without samples
   counts as cold only if the whole profile has enough samples: with a
   confidence of 95 %, the object's share is then below that of a hot
   block.  */
static void
test_judge (void)
{
  static const struct
  {
    uint64_t samples, of;
    enum profile_verdict verdict;
  } cases[] = { { 0, 1, PROFILE_TOO_FEW },   { 1, 1, PROFILE_TOO_FEW },
                { 0, 767, PROFILE_TOO_FEW }, { 767, 767, PROFILE_TOO_FEW },
                { 0, 768, PROFILE_COLD },    { 0, UINT64_MAX, PROFILE_COLD },
                { 1, 768, PROFILE_HEAT },    { 768, 768, PROFILE_HEAT },
                { 1, 1000000, PROFILE_HEAT } };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      const struct profile profile
          = { .samples = cases[i].samples, .process_samples = cases[i].of };
      EXPECT_EQUAL (profile_judge (&profile), cases[i].verdict);
    }
  double none = 1;
  for (int i = 0; i < PROFILE_SAMPLES_LEAST; ++i)
    none *= 1 - HUGETEXT_HEAT_HOT / 65536.0;
  EXPECT (none < 0.05 && none > 0.045);
  group_done ("judged by the number of samples", count + 1);
}

/* A file without build ID is identified by its headers.  */
static void
test_headers (void)
{
  struct profile profile;
  char text[sizeof profile_text + 16];
  const char *id = strchr (profile_text, 'b');
  const char *rest = strchr (id, '\n');
  snprintf (text, sizeof text, "%.*sbuild headers-0123456789abcdef%s",
            (int) (id - profile_text), profile_text, rest);
  EXPECT (read_bytes (&profile, text, strlen (text)));
  EXPECT (strcmp (profile.build_id, "headers-0123456789abcdef") == 0);
  check_profile (&profile);
  check_written (&profile);
  profile_free (&profile);
  group_done ("without a build ID", 1);
}

/* Make a profile with one granule at ADDRESS, which has all SAMPLES, or
   none.  */
static struct profile
make (uint64_t address, uint64_t samples, time_t when)
{
  struct profile profile = { .build_id = "3ba9ea1bcbfb9b6c",
                             .when = when,
                             .samples = samples,
                             .process_samples = samples,
                             .first = address,
                             .count = address != 0,
                             .weights = allocate (sizeof *profile.weights) };
  profile.weights[0] = PROFILE_WEIGHTS;
  profile_add_name (&profile, "/x");
  return profile;
}

/* Test that all samples count alike when profiles are merged, except that
   long runs, and profiles of many runs, count less.  The merged profile has
   the date of the new run, even if the old profile's date is later because the
   clock was ahead.  */
static void
test_merge (void)
{
  static const struct
  {
    uint64_t mine, old;
    int days;
    uint32_t weight; /* The expected weight of the old granule.  */
    uint64_t samples;
  } cases[] = {
    { 1000, 1000, 0, 500000, 2000 },      { 3000, 1000, 0, 250000, 4000 },
    { 1000, 1000, -60, 500000, 2000 },    { 1000000, 1000, 0, 90909, 11000 },
    { 10000, 1000000, 0, 800000, 50000 }, { 10000000, 1, 30, 100, 10001 },
  };
  const time_t now = 1795309323;
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      struct profile mine = make (0x20000, cases[i].mine, now);
      struct profile old
          = make (0x10000, cases[i].old, now - cases[i].days * 86400);
      profile_merge (&mine, &old);
      check_profile (&mine);
      EXPECT_EQUAL (mine.count, 2);
      EXPECT_EQUAL (mine.first, 0x10000);
      EXPECT_EQUAL (mine.weights[0], cases[i].weight);
      EXPECT_EQUAL (mine.samples, cases[i].samples);
      EXPECT_EQUAL (mine.when, now);
      profile_free (&mine);
      profile_free (&old);
    }
  group_done ("merged", count);
}

/* An object without heat has a profile, too.  In the merged list of names, new
   names come first.  Each name is there once, and names beyond the list's
   limit are left out.  */
static void
test_cold (void)
{
  struct profile mine = make (0, 1000, 1000), old = make (0, 1000, 1000);
  check_written (&mine);
  for (int i = 0; i < 3 * PROFILE_NAMES_MAX; ++i)
    {
      char name[32];
      snprintf (name, sizeof name, "/old%d", i / 2);
      profile_add_name (&old, name);
      profile_add_name (&old, i % 2 == 0 ? "relative" : "/a\nb");
    }
  EXPECT_EQUAL (old.nnames, PROFILE_NAMES_MAX);
  profile_add_name (&mine, "/old3");
  profile_merge (&mine, &old);
  check_profile (&mine);
  EXPECT_EQUAL (mine.nnames, PROFILE_NAMES_MAX);
  EXPECT (strcmp (mine.names[1], "/old3") == 0);
  EXPECT (strcmp (mine.names[2], "/old0") == 0);
  struct profile hot = make (0x30000, 1000, 1000);
  profile_merge (&mine, &hot);
  EXPECT (mine.count == 1 && mine.first == 0x30000
          && mine.weights[0] == PROFILE_WEIGHTS / 3);
  profile_free (&mine);
  profile_free (&old);
  profile_free (&hot);
  group_done ("without heat, and names", 3 * PROFILE_NAMES_MAX);
}

static void
test_random (unsigned long int rounds, uint64_t state)
{
  unsigned long int good = 0;
  for (unsigned long int round = 0; round < rounds; ++round)
    {
      uint8_t data[64];
      size_t size = next_random (&state) % sizeof data;
      for (size_t i = 0; i < size; ++i)
        data[i] = next_random (&state) >> 32;
      /* Half of the rounds use only characters that occur in profiles, since
         the parser then reads more of the input before it refuses.  */
      for (size_t i = 5; round % 2 == 0 && i < size; ++i)
        data[i] = "0123456789abcdef \nxhet/:"[data[i] % 24];
      good += check_profile_bytes (data, size);
    }
  /* If hardly any input is accepted, the test has tested nothing.  */
  EXPECT (good > rounds / 256);
  group_done ("random bytes", rounds);
}

int
main (int argc, char **argv)
{
  unsigned long int rounds = argc > 1 ? strtoul (argv[1], NULL, 0) : 20000;
  uint64_t state = argc > 2 ? strtoul (argv[2], NULL, 0) : 1;
  test_read ();
  test_wrong ();
  test_judge ();
  test_headers ();
  test_cold ();
  test_merge ();
  test_random (rounds, state != 0 ? state : 1);
  return 0;
}
