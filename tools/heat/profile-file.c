/* A profile: the heat of one build of an object, in a file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "heat/profile-file.h"
#include "util/printable.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Limits above all addresses of Linux programs, and above all numbers of
   samples.  */
#define ADDRESS_MAX (UINT64_C (1) << 56)
#define SAMPLES_MAX (UINT64_C (1) << 53)

/* The most samples for which one run of the sampler counts, so that a long run
   does not drown others; 300 samples were within two points of all of them in
   the share of hot blocks.  The existing profile counts for four such runs at
   most.  */
#define RUN_SAMPLES 10000
#define OLD_SAMPLES 40000

static const char first_line[] = "hugetext profile 1";
static const char time_format[] = "%Y-%m-%dT%H:%M:%SZ";
static const char no_memory[] = "there is no memory for it";

void
profile_free (struct profile *profile)
{
  for (size_t i = 0; i < profile->nnames; ++i)
    free (profile->names[i]);
  free (profile->granules);
  *profile = (struct profile){ .nnames = 0 };
}

static bool
is_build_id (const char *text)
{
  size_t length = strlen (text);
  return (length % 2 == 0 && length >= 2 * PROFILE_BUILD_ID_MIN
          && length <= 2 * PROFILE_BUILD_ID_MAX
          && strspn (text, "0123456789abcdef") == length);
}

/* Whether NAME can be printed on a terminal, and is a path.  */
static bool
is_name (const char *name)
{
  return (name[0] == '/' && strlen (name) < PATH_MAX && is_printable (name));
}

/* Return the index of NAME among the names of PROFILE, or their number.  */
static size_t
find_name (const struct profile *profile, const char *name)
{
  size_t i = 0;
  while (i < profile->nnames && strcmp (profile->names[i], name) != 0)
    ++i;
  return i;
}

bool
profile_add_name (struct profile *profile, const char *name)
{
  size_t i = find_name (profile, name);
  if (!is_name (name))
    return true;
  char *found = i < profile->nnames ? profile->names[i] : strdup (name);
  if (found == NULL)
    return false;
  profile->nnames += i == profile->nnames;
  memmove (profile->names + 1, profile->names, i * sizeof *profile->names);
  profile->names[0] = found;
  if (profile->nnames > PROFILE_NAMES_MAX)
    free (profile->names[--profile->nnames]);
  return true;
}

/* Take the number in BASE at *TEXT, which AFTER ends, and move *TEXT behind
   it.  False if there is none, or one above MAX.  */
static bool
take_number (const char **text, int base, char after, uint64_t max,
             uint64_t *number)
{
  const char *digits = base == 16 ? "0123456789abcdef" : "0123456789";
  size_t length = strspn (*text, digits);
  if (length == 0 || length > 16 || (*text)[length] != after)
    return false;
  *number = strtoull (*text, NULL, base);
  *text += length + (after != '\0');
  return *number <= max;
}

static const char *
parse_heat (struct profile *profile, const char *text)
{
  uint64_t address, weight;
  const char *digits = text + 2;
  const size_t n = profile->ngranules;
  if (n == PROFILE_GRANULES_MAX)
    return "heat: must be 65536 lines at most";
  if (strncmp (text, "0x", 2) != 0
      || !take_number (&digits, 16, ' ', ADDRESS_MAX - 1, &address)
      || address % PROFILE_GRANULE != 0
      || !take_number (&digits, 10, '\0', PROFILE_WEIGHTS, &weight)
      || weight == 0)
    return "heat: must be an address 0x..., a multiple of 65536, and a weight"
           " from 1 to 1000000";
  if (n > 0 && address <= profile->granules[n - 1].address)
    return "heat: addresses must be in order, and each there once";
  /* The list's room is doubled whenever its length is a power of two.  */
  if ((n & (n - 1)) == 0)
    {
      struct profile_granule *longer = reallocarray (
          profile->granules, n > 0 ? 2 * n : 1, sizeof *longer);
      if (longer == NULL)
        return no_memory;
      profile->granules = longer;
    }
  profile->granules[profile->ngranules++]
      = (struct profile_granule){ address, weight };
  return NULL;
}

static const char *
parse_samples (struct profile *profile, const char *text)
{
  static const char of[] = "of ";
  bool good = take_number (&text, 10, ' ', SAMPLES_MAX, &profile->samples);
  if (good && strncmp (text, of, strlen (of)) == 0)
    {
      text += strlen (of);
      if (take_number (&text, 10, '\0', SAMPLES_MAX, &profile->process_samples)
          && profile->process_samples > 0
          && profile->samples <= profile->process_samples)
        return NULL;
    }
  return "samples: must be N of M, N not larger than M, M not 0";
}

static const char *
parse_name (struct profile *profile, const char *text)
{
  if (!is_name (text) || profile->nnames == PROFILE_NAMES_MAX
      || find_name (profile, text) < profile->nnames)
    return "name: must be 1 to 16 absolute paths, each there once";
  char *name = strdup (text);
  if (name == NULL)
    return no_memory;
  profile->names[profile->nnames++] = name;
  return NULL;
}

static const char *
parse_build (struct profile *profile, const char *text)
{
  if (!is_build_id (text))
    return "build: must be 16 to 64 hexadecimal digits, in small letters";
  strcpy (profile->build_id, text);
  return NULL;
}

static const char *
parse_when (struct profile *profile, const char *text)
{
  struct tm time = { .tm_isdst = 0 };
  const char *end = strptime (text, time_format, &time);
  if (end != NULL && *end == '\0')
    profile->when = timegm (&time);
  return (end != NULL && *end == '\0' && profile->when > 0
              ? NULL
              : "when: must be a time like 2026-11-22T02:10:00Z");
}

/* Add LINE, not the first one, to PROFILE.  */
static const char *
parse_line (struct profile *profile, const char *line)
{
  static const struct
  {
    const char *key;
    const char *(*parse) (struct profile *profile, const char *text);
  } keys[] = {
    { "build ", parse_build }, { "name ", parse_name },
    { "when ", parse_when },   { "samples ", parse_samples },
    { "heat ", parse_heat },
  };
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
    if (strncmp (line, keys[i].key, strlen (keys[i].key)) == 0)
      return keys[i].parse (profile, line + strlen (keys[i].key));
  return "it has a line that is none of a profile";
}

/* Return the fault of PROFILE as a whole, or NULL.  */
static const char *
check (const struct profile *profile)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < profile->ngranules; ++i)
    sum += profile->granules[i].weight;
  if (profile->build_id[0] == '\0' || profile->nnames == 0
      || profile->when == 0 || profile->process_samples == 0)
    return "it must have build, name, when and samples";
  /* Each weight may have been rounded up.  */
  if (sum > PROFILE_WEIGHTS + profile->ngranules)
    return "heat: the sum of all weights must be at most 1000000";
  return NULL;
}

/* Parse TEXT, which is changed, into PROFILE.  */
static const char *
parse_lines (struct profile *profile, char *text)
{
  char *line = strsep (&text, "\n");
  const char *problem = NULL;
  if (strcmp (line, first_line) != 0)
    return strncmp (line, first_line, sizeof first_line - 2) == 0
               ? "it is of another version of hugetext; must have version 1"
               : "it is no profile: must begin with \"hugetext profile 1\"";
  while (problem == NULL)
    {
      line = strsep (&text, "\n");
      /* No line follows the last one.  */
      if (text == NULL || strcmp (line, "end") == 0)
        break;
      problem = parse_line (profile, line);
    }
  if (problem != NULL)
    return problem;
  return (text == NULL || *text != '\0'
              ? "its last line must be \"end\": not all of it is there"
              : check (profile));
}

const char *
profile_parse (struct profile *profile, const char *text, size_t size)
{
  *profile = (struct profile){ .nnames = 0 };
  if (size > PROFILE_SIZE_MAX)
    return "it is too large";
  if (memchr (text, '\0', size) != NULL)
    return "it is no profile: it has null bytes";
  char *copy = strndup (text, size);
  const char *problem = copy != NULL ? parse_lines (profile, copy) : no_memory;
  free (copy);
  if (problem != NULL)
    profile_free (profile);
  return problem;
}

/* Return the weight of a granule with the weights MINE of N samples and THEIRS
   of M samples.  */
static uint32_t
mix (double mine, double n, double theirs, double m)
{
  return (mine * n + theirs * m) / (n + m) + 0.5;
}

/* Mix OLD's granules, of M samples, into PROFILE's, of N samples.  */
static bool
merge_granules (struct profile *profile, double n, const struct profile *old,
                double m)
{
  const size_t room = profile->ngranules + old->ngranules;
  struct profile_granule *all = calloc (room + 1, sizeof *all);
  size_t count = 0, i = 0, j = 0;
  if (all == NULL)
    return false;
  while (i < profile->ngranules || j < old->ngranules)
    {
      struct profile_granule mine = { UINT64_MAX, 0 }, theirs = mine;
      if (i < profile->ngranules)
        mine = profile->granules[i];
      if (j < old->ngranules)
        theirs = old->granules[j];
      bool first = mine.address <= theirs.address;
      bool second = theirs.address <= mine.address;
      i += first;
      j += second;
      uint32_t weight
          = mix (first ? mine.weight : 0, n, second ? theirs.weight : 0, m);
      /* A granule that was hot once is forgotten in the end.  */
      if (weight > 0 && count < PROFILE_GRANULES_MAX)
        all[count++]
            = (struct profile_granule){ first ? mine.address : theirs.address,
                                        weight };
    }
  free (profile->granules);
  profile->granules = all;
  profile->ngranules = count;
  return true;
}

bool
profile_merge (struct profile *profile, const struct profile *old)
{
  const double mine = profile->process_samples, theirs = old->process_samples;
  const double n = mine < RUN_SAMPLES ? mine : RUN_SAMPLES;
  const double m = theirs < OLD_SAMPLES ? theirs : OLD_SAMPLES;
  if (!merge_granules (profile, n, old, m))
    return false;
  profile->samples
      = profile->samples / mine * n + old->samples / theirs * m + 0.5;
  profile->process_samples = n + m;
  if (profile->samples > profile->process_samples)
    profile->samples = profile->process_samples;
  if (old->when > profile->when)
    profile->when = old->when;
  for (size_t i = 0; i < old->nnames && profile->nnames < PROFILE_NAMES_MAX;
       i++)
    if (find_name (profile, old->names[i]) == profile->nnames)
      {
        char *name = strdup (old->names[i]);
        if (name == NULL)
          return false;
        profile->names[profile->nnames++] = name;
      }
  return true;
}

void
profile_print (FILE *stream, const struct profile *profile)
{
  char when[64];
  struct tm time;
  strftime (when, sizeof when, time_format, gmtime_r (&profile->when, &time));
  fprintf (stream, "%s\nbuild %s\n", first_line, profile->build_id);
  for (size_t i = 0; i < profile->nnames; ++i)
    fprintf (stream, "name %s\n", profile->names[i]);
  fprintf (stream, "when %s\nsamples %" PRIu64 " of %" PRIu64 "\n", when,
           profile->samples, profile->process_samples);
  for (size_t i = 0; i < profile->ngranules; ++i)
    fprintf (stream, "heat 0x%" PRIx64 " %" PRIu32 "\n",
             profile->granules[i].address, profile->granules[i].weight);
  fputs ("end\n", stream);
}
