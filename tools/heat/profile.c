/* The format of profiles: reading, writing and merging.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "heat/profile.h"
#include "util/allocate.h"
#include "util/printable.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* One run of the sampler counts as at most this number of samples, so that a
   long run does not outweigh other runs.  With 300 samples, the share of hot
   blocks was within two percentage points of the share with all samples.  When
   samples are added to an existing profile, its weight is at most that of four
   runs with the maximum number of samples.  */
#define RUN_SAMPLES 10000
#define OLD_SAMPLES 40000

static const char first_line[] = "hugetext profile 2";
static const char when_line[] = "when %Y-%m-%dT%H:%M:%SZ";

void
profile_free (struct profile *profile)
{
  for (size_t i = 0; i < profile->nnames; ++i)
    free (profile->names[i]);
  free (profile->weights);
  *profile = (struct profile){ .nnames = 0 };
}

bool
profile_is_build_id (const char *text)
{
  static const char digits[] = "0123456789abcdef";
  const char *id = text;
  if (strncmp (text, PROFILE_HEADERS, strlen (PROFILE_HEADERS)) == 0)
    id += strlen (PROFILE_HEADERS);
  const size_t length = strlen (id);
  return (strspn (id, digits) == length && length % 2 == 0
          && (id != text ? length == 2 * sizeof (uint64_t)
                         : (length >= 2 * PROFILE_BUILD_ID_MIN
                            && length <= 2 * PROFILE_BUILD_ID_MAX)));
}

enum profile_verdict
profile_judge (const struct profile *profile)
{
  return (profile->process_samples < PROFILE_SAMPLES_LEAST ? PROFILE_TOO_FEW
          : profile->samples == 0                          ? PROFILE_COLD
                                                           : PROFILE_HEAT);
}

/* Return true if NAME is a path that can be printed on a terminal.  */
static bool
is_name (const char *name)
{
  return (name[0] == '/' && strlen (name) < PATH_MAX && is_printable (name));
}

static bool
heat_profile_has_name (const struct profile *profile, const char *name)
{
  size_t i = 0;
  while (i < profile->nnames && strcmp (profile->names[i], name) != 0)
    ++i;
  return i < profile->nnames;
}

void
profile_add_name (struct profile *profile, const char *name)
{
  if (is_name (name) && profile->nnames < PROFILE_NAMES_MAX
      && !heat_profile_has_name (profile, name))
    profile->names[profile->nnames++] = allocate_text (name);
}

/* Set the WEIGHT of PROFILE's granule at ADDRESS.  ADDRESS must be higher than
   the addresses in earlier calls.  */
static bool
heat_profile_add_heat (struct profile *profile, uint64_t address,
                       uint64_t weight)
{
  if (profile->count == 0)
    profile->first = address;
  uint64_t at = (address - profile->first) / PROFILE_GRANULE;
  if (address >= PROFILE_ADDRESS_MAX || address % PROFILE_GRANULE != 0
      || address < profile->first || at < profile->count
      || at >= PROFILE_GRANULES_MAX || weight == 0 || weight > PROFILE_WEIGHTS)
    return false;
  while (profile->count <= at)
    {
      profile->weights = allocate_more (profile->weights, profile->count,
                                        sizeof *profile->weights);
      profile->weights[profile->count++] = 0;
    }
  profile->weights[at] = weight;
  return true;
}

/* Return true if LINE is exactly what printf prints for FORMAT and the values
   that sscanf has read from LINE.  The comparison finds lines that sscanf
   alone would accept: numbers with a sign, with leading spaces, with "0x"
   twice, or with more than 64 bits.  */
static bool __attribute__ ((format (printf, 2, 3)))
is_line (const char *line, const char *format, ...)
{
  char exact[128];
  va_list arguments;
  va_start (arguments, format);
  const int length = vsnprintf (exact, sizeof exact, format, arguments);
  va_end (arguments);
  return length < (int) sizeof exact && strcmp (line, exact) == 0;
}

/* Add LINE to PROFILE.  Parse LINE, a line of a profile other than the first
   line, into PROFILE.  Return false if LINE is invalid.  */
static bool
heat_profile_parse_line (struct profile *profile, const char *line)
{
  uint64_t address, weight;
  struct tm time = { .tm_isdst = 0 };
  const int length = strlen (line);
  const size_t names = profile->nnames;
  int end = -1;
  if (strncmp (line, "name ", strlen ("name ")) == 0)
    {
      profile_add_name (profile, line + strlen ("name "));
      return profile->nnames > names;
    }
  if (sscanf (line, "build %64[-0-9a-z]%n", profile->build_id, &end) == 1)
    return end == length && profile_is_build_id (profile->build_id);
  if (sscanf (line, "samples %" SCNu64 " of %" SCNu64, &profile->samples,
              &profile->process_samples)
      == 2)
    return (is_line (line, "samples %" PRIu64 " of %" PRIu64, profile->samples,
                     profile->process_samples)
            && profile->process_samples > 0
            && profile->process_samples <= PROFILE_SAMPLES_MAX
            && profile->samples <= profile->process_samples);
  if (sscanf (line, "heat 0x%" SCNx64 " %" SCNu64, &address, &weight) == 2)
    return (is_line (line, "heat 0x%" PRIx64 " %" PRIu64, address, weight)
            && heat_profile_add_heat (profile, address, weight));
  const char *rest = strptime (line, when_line, &time);
  profile->when = rest != NULL && *rest == '\0' ? timegm (&time) : 0;
  return profile->when > 0;
}

/* Return true if PROFILE as a whole is valid.  */
static bool
heat_profile_check_profile (const struct profile *profile,
                            struct problem *problem)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < profile->count; ++i)
    sum += profile->weights[i];
  if (profile->build_id[0] == '\0' || profile->nnames == 0
      || profile->when == 0 || profile->process_samples == 0)
    return problem_set (
        problem,
        "a profile must have the lines build, name, when and samples");
  /* Each weight may have been rounded up, so the sum may be slightly
     higher.  */
  return (
      sum <= PROFILE_WEIGHTS + profile->count
      || problem_set (problem,
                      "heat: the sum of all weights must be at most 1000000"));
}

/* Parse TEXT into PROFILE.  The function modifies TEXT.  */
static bool
parse_lines (struct profile *profile, char *text, struct problem *problem)
{
  char *line = strsep (&text, "\n");
  if (strcmp (line, first_line) != 0)
    return problem_set (
        problem, "the file is not a profile of version 2: it must begin with "
                 "\"hugetext profile 2\"");
  /* The line "end" must be the last line.  */
  while ((line = strsep (&text, "\n")), text != NULL)
    if (strcmp (line, "end") == 0 && *text == '\0')
      return heat_profile_check_profile (profile, problem);
    else if (!heat_profile_parse_line (profile, line))
      return problem_set (
          problem, "a line is wrong (man hugetext-profile): %.60s", line);
  return problem_set (problem,
                      "the last line must be \"end\": the file is incomplete");
}

bool
profile_parse (struct profile *profile, char *text, size_t size,
               struct problem *problem)
{
  *profile = (struct profile){ .nnames = 0 };
  if (size > PROFILE_SIZE_MAX)
    return problem_set (problem, "the profile is too large");
  if (memchr (text, '\0', size) != NULL)
    return problem_set (problem,
                        "the file is not a profile: it has null bytes");
  if (parse_lines (profile, text, problem))
    return true;
  profile_free (profile);
  return false;
}

/* Return PROFILE's weight of the granule at ADDRESS.  */
static double
weight_at (const struct profile *profile, uint64_t address)
{
  uint64_t at = (address - profile->first) / PROFILE_GRANULE;
  return (address >= profile->first && at < profile->count
              ? profile->weights[at]
              : 0);
}

/* Mix the weights of OLD, which come from M samples, into the weights of
   PROFILE, which come from N samples.  */
static void
merge_weights (struct profile *profile, double n, const struct profile *old,
               double m)
{
  const struct profile *low = old->first < profile->first ? old : profile;
  const struct profile *high = low == old ? profile : old;
  /* A profile without weights has no address range, so use the range of the
     other profile.  */
  if (low->count == 0 || high->count == 0)
    low = high = old->count == 0 ? profile : old;
  const uint64_t first = low->first;
  const size_t skipped = (high->first - first) / PROFILE_GRANULE;
  size_t count = low->count;
  if (skipped + high->count > count)
    count = skipped + high->count;
  if (count > PROFILE_GRANULES_MAX)
    count = PROFILE_GRANULES_MAX;
  uint32_t *weights = allocate (count * sizeof *weights);
  for (size_t i = 0; i < count; ++i)
    {
      const uint64_t address = first + i * PROFILE_GRANULE;
      /* Each merge makes the weights of older samples smaller.  */
      weights[i]
          = (weight_at (profile, address) * n + weight_at (old, address) * m)
                / (n + m)
            + 0.5;
    }
  free (profile->weights);
  profile->weights = weights;
  profile->first = first;
  profile->count = count;
}

void
profile_merge (struct profile *profile, const struct profile *old)
{
  const double mine = profile->process_samples, theirs = old->process_samples;
  const double n = mine < RUN_SAMPLES ? mine : RUN_SAMPLES;
  const double m = theirs < OLD_SAMPLES ? theirs : OLD_SAMPLES;
  merge_weights (profile, n, old, m);
  profile->samples
      = profile->samples / mine * n + old->samples / theirs * m + 0.5;
  profile->process_samples = n + m;
  if (profile->samples > profile->process_samples)
    profile->samples = profile->process_samples;
  for (size_t i = 0; i < old->nnames; ++i)
    profile_add_name (profile, old->names[i]);
}

void
profile_print (FILE *stream, const struct profile *profile)
{
  char when[64];
  struct tm time;
  strftime (when, sizeof when, when_line, gmtime_r (&profile->when, &time));
  fprintf (stream, "%s\nbuild %s\n", first_line, profile->build_id);
  for (size_t i = 0; i < profile->nnames; ++i)
    fprintf (stream, "name %s\n", profile->names[i]);
  fprintf (stream, "%s\nsamples %" PRIu64 " of %" PRIu64 "\n", when,
           profile->samples, profile->process_samples);
  for (size_t i = 0; i < profile->count; ++i)
    if (profile->weights[i] > 0)
      fprintf (stream, "heat 0x%" PRIx64 " %" PRIu32 "\n",
               profile->first + i * PROFILE_GRANULE, profile->weights[i]);
  fputs ("end\n", stream);
}
