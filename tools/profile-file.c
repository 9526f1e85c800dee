/* A profile: where in one build of an object its processes spend their time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "profile-file.h"
#include "printable.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Above these no program of Linux has addresses, nor samples anybody.  */
#define ADDRESS_MAX (UINT64_C (1) << 56)
#define SAMPLES_MAX (INT64_C (1) << 53)

/* How merging weighs.  A run counts for as many samples at most, so that a
   long one does not drown others; 300 were within two points of all of them in
   the share of hot blocks.  What is there already counts for as many runs at
   most.  After 30 days it counts for a half.  */
#define RUN_SAMPLES 10000
#define OLD_SAMPLES 40000
#define HALF_LIFE (30 * 86400)

static const char time_format[] = "%Y-%m-%dT%H:%M:%SZ";

static const char no_memory[] = "there is no memory for it";

void
profile_free (struct profile *profile)
{
  for (size_t i = 0; i < profile->nnames; i++)
    free (profile->names[i]);
  free (profile->names);
  free (profile->granules);
  *profile = (struct profile){ .nnames = 0 };
}

/* The string that OBJECT has as KEY, NULL if there is none.  */
static const char *
get_string (struct json_object *object, const char *key)
{
  struct json_object *value;
  if (!json_object_object_get_ex (object, key, &value)
      || !json_object_is_type (value, json_type_string)
      || strlen (json_object_get_string (value))
             != (size_t)json_object_get_string_len (value))
    return NULL;
  return json_object_get_string (value);
}

/* The number that VALUE is, 0 to MAX; -1 if it is none.  */
static int64_t
number (struct json_object *value, int64_t max)
{
  if (!json_object_is_type (value, json_type_int))
    return -1;
  int64_t n = json_object_get_int64 (value);
  return n >= 0 && n <= max ? n : -1;
}

static int64_t
get_number (struct json_object *object, const char *key, int64_t max)
{
  struct json_object *value;
  return (json_object_object_get_ex (object, key, &value)
              ? number (value, max)
              : -1);
}

/* The array that OBJECT has as KEY if its length is at most MAX, or NULL.  */
static struct json_object *
get_array (struct json_object *object, const char *key, size_t max)
{
  struct json_object *value;
  return (json_object_object_get_ex (object, key, &value)
                  && json_object_is_type (value, json_type_array)
                  && json_object_array_length (value) <= max
              ? value
              : NULL);
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
  return (name[0] == '/' && strlen (name) < PATH_MAX
          && is_printable (name));
}

bool
profile_add_name (struct profile *profile, const char *name)
{
  size_t i = 0;
  if (!is_name (name))
    return true;
  while (i < profile->nnames && strcmp (profile->names[i], name) != 0)
    i++;
  char *found = NULL;
  if (i < profile->nnames)
    found = profile->names[i];
  else
    {
      char **names = reallocarray (profile->names, i + 1, sizeof *names);
      if (names == NULL)
        return false;
      profile->names = names;
      found = strdup (name);
      if (found == NULL)
        return false;
      profile->nnames++;
    }
  memmove (profile->names + 1, profile->names, i * sizeof *profile->names);
  profile->names[0] = found;
  if (profile->nnames > PROFILE_NAMES_MAX)
    free (profile->names[--profile->nnames]);
  return true;
}

static const char *
parse_names (struct profile *profile, struct json_object *names)
{
  static const char wrong[] = "names: must be 1 to 16 absolute paths";
  if (names == NULL || json_object_array_length (names) == 0)
    return wrong;
  /* The last is added first.  */
  for (size_t i = json_object_array_length (names); i-- > 0;)
    {
      struct json_object *name = json_object_array_get_idx (names, i);
      if (!json_object_is_type (name, json_type_string)
          || !is_name (json_object_get_string (name)))
        return wrong;
      if (!profile_add_name (profile, json_object_get_string (name)))
        return no_memory;
    }
  return NULL;
}

/* Set *ADDRESS to what VALUE, "0x...", is.  */
static bool
parse_address (struct json_object *value, uint64_t *address)
{
  if (!json_object_is_type (value, json_type_string))
    return false;
  const char *text = json_object_get_string (value);
  size_t length = strlen (text);
  if (length < 3 || length > 18 || strncmp (text, "0x", 2) != 0
      || text[2 + strspn (text + 2, "0123456789abcdef")] != '\0')
    return false;
  *address = strtoull (text, NULL, 16);
  return *address < ADDRESS_MAX && *address % PROFILE_GRANULE == 0;
}

/* Set *GRANULE to what PAIR says.  */
static bool
parse_granule (struct json_object *pair, struct profile_granule *granule)
{
  if (!json_object_is_type (pair, json_type_array)
      || json_object_array_length (pair) != 2)
    return false;
  int64_t weight
      = number (json_object_array_get_idx (pair, 1), PROFILE_WEIGHTS);
  granule->weight = weight;
  return (weight > 0
          && parse_address (json_object_array_get_idx (pair, 0),
                            &granule->address));
}

static const char *
parse_heat (struct profile *profile, struct json_object *heat)
{
  if (heat == NULL)
    return "heat: must be a list of at most 65536 granules";
  size_t count = json_object_array_length (heat);
  uint64_t sum = 0;
  profile->granules = calloc (count + 1, sizeof *profile->granules);
  if (profile->granules == NULL)
    return no_memory;
  for (size_t i = 0; i < count; i++)
    {
      struct profile_granule *granule = &profile->granules[i];
      if (!parse_granule (json_object_array_get_idx (heat, i), granule))
        return "heat: each element must be an address \"0x...\", a multiple of"
               " 65536, and a weight from 1 to 1000000";
      if (i > 0 && granule->address <= granule[-1].address)
        return "heat: addresses must be in order, and each there once";
      sum += granule->weight;
    }
  /* Each may have been rounded up.  */
  if (sum > PROFILE_WEIGHTS + count)
    return "heat: the sum of all weights must be at most 1000000";
  profile->ngranules = count;
  return NULL;
}

/* Set *WHEN to the time that TEXT is.  */
static bool
parse_time (const char *text, time_t *when)
{
  struct tm time = { .tm_isdst = 0 };
  const char *end = text != NULL ? strptime (text, time_format, &time) : NULL;
  if (end == NULL || *end != '\0')
    return false;
  *when = timegm (&time);
  return *when >= 0;
}

static const char *
parse_counts (struct profile *profile, struct json_object *object)
{
  int64_t samples = get_number (object, "samples", SAMPLES_MAX);
  int64_t all = get_number (object, "process_samples", SAMPLES_MAX);
  if (samples < 0 || all < 1 || samples > all)
    return "samples and process_samples: must be numbers, the first not larger"
           " than the second";
  profile->samples = samples;
  profile->process_samples = all;
  if (!parse_time (get_string (object, "when"), &profile->when))
    return "when: must be a time like 2026-11-22T02:10:00Z";
  return NULL;
}

static const char *
parse_object (struct profile *profile, struct json_object *object)
{
  if (!json_object_is_type (object, json_type_object))
    return "it is no profile: must be an object of JSON";
  int64_t version = get_number (object, "version", INT32_MAX);
  if (version < 0)
    return "it is no profile: it has no version";
  if (version != PROFILE_VERSION)
    return "it is of another version of hugetext; must have version 1";
  const char *id = get_string (object, "build_id");
  if (id == NULL || !is_build_id (id))
    return "build_id: must be 16 to 64 hexadecimal digits, in small letters";
  strcpy (profile->build_id, id);
  if (get_number (object, "granule", INT32_MAX) != PROFILE_GRANULE)
    return "granule: must be 65536";
  const char *problem = parse_names (
      profile, get_array (object, "names", PROFILE_NAMES_MAX));
  if (problem == NULL)
    problem = parse_counts (profile, object);
  if (problem == NULL)
    problem = parse_heat (profile,
                          get_array (object, "heat", PROFILE_GRANULES_MAX));
  return problem;
}

const char *
profile_parse (struct profile *profile, const char *text, size_t size)
{
  enum
  {
    DEPTH = 4, /* The object, heat, a granule.  */
  };
  *profile = (struct profile){ .nnames = 0 };
  if (size > PROFILE_SIZE_MAX)
    return "it is too large";
  struct json_tokener *tokener = json_tokener_new_ex (DEPTH);
  if (tokener == NULL)
    return no_memory;
  struct json_object *object = json_tokener_parse_ex (tokener, text, size);
  /* What is behind it.  */
  size_t end = json_tokener_get_parse_end (tokener);
  bool whole = json_tokener_get_error (tokener) == json_tokener_success;
  while (end < size && strchr (" \t\r\n", text[end]) != NULL
         && text[end] != '\0')
    end++;
  json_tokener_free (tokener);
  const char *problem = whole && end == size
                            ? parse_object (profile, object)
                            : "it is not JSON, or not all of it is there";
  json_object_put (object);
  if (problem != NULL)
    profile_free (profile);
  return problem;
}

/* How much of OLD's samples counts at the time NOW.  */
static double
old_part (const struct profile *old, time_t now)
{
  double part = 1;
  if (old->process_samples > OLD_SAMPLES)
    part = (double)OLD_SAMPLES / old->process_samples;
  for (time_t age = now - old->when; age > 0; age -= HALF_LIFE)
    part *= age >= HALF_LIFE ? 0.5 : 1 - 0.5 * age / HALF_LIFE;
  return part;
}

/* The weight that both make together.  */
struct mixture
{
  double mine, theirs; /* The process_samples of each.  */
};

static uint32_t
mix (const struct mixture *mixture, uint32_t mine, uint32_t theirs)
{
  return (mine * mixture->mine + theirs * mixture->theirs)
             / (mixture->mine + mixture->theirs)
         + 0.5;
}

/* Mix OLD's granules into PROFILE's.  */
static bool
merge_granules (struct profile *profile, const struct profile *old,
                const struct mixture *mixture)
{
  struct profile_granule *all = calloc (
      profile->ngranules + old->ngranules + 1, sizeof *all);
  size_t count = 0, i = 0, j = 0;
  if (all == NULL)
    return false;
  while (i < profile->ngranules || j < old->ngranules)
    {
      const struct profile_granule *mine
          = i < profile->ngranules ? &profile->granules[i] : NULL;
      const struct profile_granule *theirs
          = j < old->ngranules ? &old->granules[j] : NULL;
      bool mine_first
          = (theirs == NULL
             || (mine != NULL && mine->address < theirs->address));
      uint64_t address = mine_first ? mine->address : theirs->address;
      uint32_t weights[2] = { 0, 0 };
      if (mine != NULL && mine->address == address)
        {
          weights[0] = mine->weight;
          i++;
        }
      if (theirs != NULL && theirs->address == address)
        {
          weights[1] = theirs->weight;
          j++;
        }
      uint32_t weight = mix (mixture, weights[0], weights[1]);
      /* What was hot once is forgotten in the end.  */
      if (weight > 0 && count < PROFILE_GRANULES_MAX)
        all[count++] = (struct profile_granule){ address, weight };
    }
  free (profile->granules);
  profile->granules = all;
  profile->ngranules = count;
  return true;
}

bool
profile_merge (struct profile *profile, const struct profile *old)
{
  time_t now = profile->when;
  double part = old_part (old, now), run = 1;
  if (profile->process_samples > RUN_SAMPLES)
    run = (double)RUN_SAMPLES / profile->process_samples;
  const struct mixture mixture = { run * profile->process_samples,
                                   part * old->process_samples };
  if (!merge_granules (profile, old, &mixture))
    return false;
  profile->samples = run * profile->samples + part * old->samples + 0.5;
  profile->process_samples = mixture.mine + mixture.theirs + 0.5;
  if (profile->samples > profile->process_samples)
    profile->samples = profile->process_samples;
  if (old->when > now)
    profile->when = old->when;

  /* Those of both, the latest in front.  */
  struct profile names = { .nnames = 0 };
  bool good = true;
  for (size_t i = old->nnames; good && i-- > 0;)
    good = profile_add_name (&names, old->names[i]);
  for (size_t i = profile->nnames; good && i-- > 0;)
    good = profile_add_name (&names, profile->names[i]);
  if (!good)
    {
      profile_free (&names);
      return false;
    }
  for (size_t i = 0; i < profile->nnames; i++)
    free (profile->names[i]);
  free (profile->names);
  profile->names = names.names;
  profile->nnames = names.nnames;
  return true;
}

void
profile_print (FILE *stream, const struct profile *profile)
{
  char when[64];
  struct tm time;
  strftime (when, sizeof when, time_format, gmtime_r (&profile->when, &time));
  fprintf (stream,
           "{\n"
           "  \"version\": %d,\n"
           "  \"build_id\": \"%s\",\n"
           "  \"names\": [",
           PROFILE_VERSION, profile->build_id);
  for (size_t i = 0; i < profile->nnames; i++)
    {
      struct json_object *name = json_object_new_string (profile->names[i]);
      fprintf (stream, "%s %s", i > 0 ? "," : "",
               json_object_to_json_string_ext (
                   name, JSON_C_TO_STRING_NOSLASHESCAPE));
      json_object_put (name);
    }
  fprintf (stream,
           " ],\n"
           "  \"when\": \"%s\",\n"
           "  \"samples\": %" PRIu64 ",\n"
           "  \"process_samples\": %" PRIu64 ",\n"
           "  \"granule\": %d,\n"
           "  \"heat\": [",
           when, profile->samples, profile->process_samples, PROFILE_GRANULE);
  for (size_t i = 0; i < profile->ngranules; i++)
    fprintf (stream, "%s\n    [ \"0x%" PRIx64 "\", %" PRIu32 " ]",
             i > 0 ? "," : "", profile->granules[i].address,
             profile->granules[i].weight);
  fputs (profile->ngranules > 0 ? "\n  ]\n}\n" : "]\n}\n", stream);
}
