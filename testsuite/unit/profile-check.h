/* Checks that any bytes can be read as a profile without harm.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The bytes come from a fuzzer or are random.  The bytes are used as a
   profile, or as changes to one.  */

#ifndef PROFILE_CHECK_H
#define PROFILE_CHECK_H 1

#define _GNU_SOURCE 1
#include <string.h>

#include "plan-test.h"

/* Include the command's own source.  */
#include "heat/profile.c"

static const char profile_text[]
    = "hugetext profile 2\n"
      "build 3ba9ea1bcbfb9b6c1bbf04607cf788096edde6f2\n"
      "name /usr/bin/x\nname /opt/a \"b\"\n"
      "when 2026-11-22T01:02:03Z\nsamples 70 of 100\n"
      "heat 0x10000 1\nheat 0x20000 650000\nheat 0x7f0000 50000\nend\n";

/* Read the SIZE bytes at DATA, in memory of exactly this size.  */
static bool
read_bytes (struct profile *profile, const void *data, size_t size)
{
  char *bytes = allocate (size + 1);
  memcpy (bytes, data, size);
  struct problem problem = { 0 };
  const bool good = profile_parse (profile, bytes, size, &problem);
  free (bytes);
  EXPECT (good || (profile->nnames == 0 && profile->weights == NULL));
  EXPECT (good
          || (problem_is (&problem) && strchr (problem.text, '\n') == NULL));
  return good;
}

/* Check that PROFILE is valid.  */
static void
check_profile (const struct profile *profile)
{
  uint64_t sum = 0;
  EXPECT (profile_is_build_id (profile->build_id));
  EXPECT (profile->nnames >= 1 && profile->nnames <= PROFILE_NAMES_MAX);
  for (size_t i = 0; i < profile->nnames; ++i)
    EXPECT (is_name (profile->names[i]));
  EXPECT (profile->samples <= profile->process_samples);
  EXPECT (profile->process_samples > 0 && profile->when >= 0);
  EXPECT (profile->count <= PROFILE_GRANULES_MAX);
  EXPECT_EQUAL (profile->first % PROFILE_GRANULE, 0);
  EXPECT ((profile_judge (profile) == PROFILE_TOO_FEW)
          == (profile->process_samples < PROFILE_SAMPLES_LEAST));
  EXPECT (profile_judge (profile) != PROFILE_COLD || profile->samples == 0);
  for (size_t i = 0; i < profile->count; ++i)
    {
      EXPECT (profile->weights[i] <= PROFILE_WEIGHTS);
      sum += profile->weights[i];
    }
  EXPECT (sum <= PROFILE_WEIGHTS + profile->count);
}

/* Check that A and B are equal.  */
static void
check_same (const struct profile *a, const struct profile *b)
{
  EXPECT (strcmp (a->build_id, b->build_id) == 0);
  EXPECT_EQUAL (a->nnames, b->nnames);
  for (size_t i = 0; i < a->nnames; ++i)
    EXPECT (strcmp (a->names[i], b->names[i]) == 0);
  EXPECT_EQUAL (a->samples, b->samples);
  EXPECT_EQUAL (a->process_samples, b->process_samples);
  EXPECT_EQUAL (a->when, b->when);
  for (size_t i = 0; i < a->count; ++i)
    EXPECT_EQUAL (a->weights[i],
                  weight_at (b, a->first + i * PROFILE_GRANULE));
}

/* Check that PROFILE, when it is written and read again, is the same.  */
static void
check_written (const struct profile *profile)
{
  struct profile again;
  char *text;
  size_t size;
  FILE *stream = open_memstream (&text, &size);
  EXPECT (stream != NULL);
  profile_print (stream, profile);
  EXPECT (fclose (stream) == 0);
  EXPECT (read_bytes (&again, text, size));
  check_same (profile, &again);
  profile_free (&again);
  free (text);
}

/* Read the SIZE bytes at DATA.  Return true if these bytes are a profile.  */
static bool
check_text (const void *data, size_t size)
{
  struct profile profile, mine, old;
  if (!read_bytes (&profile, data, size))
    return false;
  check_profile (&profile);
  check_written (&profile);
  /* Merge the profile as the new one and as the old one.  */
  EXPECT (read_bytes (&mine, profile_text, strlen (profile_text)));
  profile_merge (&mine, &profile);
  check_profile (&mine);
  check_written (&mine);
  EXPECT (read_bytes (&old, profile_text, strlen (profile_text)));
  profile_merge (&profile, &old);
  check_profile (&profile);
  profile_free (&profile);
  profile_free (&mine);
  profile_free (&old);
  return true;
}

/* Use the SIZE bytes at DATA as a profile, or as changes to one.  A change
   consists of the position, the numbers of old and new bytes, and the new
   bytes.  Return true if the result is a profile.  */
static bool
check_profile_bytes (const uint8_t *data, size_t size)
{
  char text[sizeof profile_text + 256];
  size_t length = strlen (profile_text);
  if (size < 5 || data[0] % 4 == 0)
    return check_text (data, size);
  memcpy (text, profile_text, length);
  size_t at = (data[1] | data[2] << 8) % length;
  size_t gone = data[3] % 16, more = data[4] % 64;
  if (gone > length - at)
    gone = length - at;
  if (more > size - 5)
    more = size - 5;
  memmove (text + at + more, text + at + gone, length - at - gone);
  memcpy (text + at, data + 5, more);
  return check_text (text, length - gone + more);
}

#endif /* profile-check.h */
