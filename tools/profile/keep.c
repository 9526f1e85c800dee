/* The keeping of profiles: they are made of counted samples, and written to a
   folder.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The samples of its processes that it takes to call an object without samples
   cold.  */
#define COLD 300

/* Make PROFILE of COUNTED, with the present time.  False if there is no
   memory.  */
static bool
make_profile (const struct profile_counted *counted, struct profile *profile)
{
  const struct profile_object *object = &counted->object;
  *profile = (struct profile){ .when = time (NULL),
                               .samples = counted->samples,
                               .process_samples = counted->process_samples };
  strcpy (profile->build_id, object->build_id);
  for (size_t i = counted->names.nnames; i-- > 0;)
    if (!profile_add_name (profile, counted->names.names[i]))
      return false;
  if (counted->counts == NULL)
    return true;
  profile->granules = calloc (object->ngranules, sizeof *profile->granules);
  if (profile->granules == NULL)
    return false;
  for (size_t i = 0; i < object->ngranules; ++i)
    if (counted->counts[i] > 0)
      {
        uint64_t weight = (counted->counts[i] * (uint64_t) PROFILE_WEIGHTS
                           + counted->process_samples / 2)
                          / counted->process_samples;
        struct profile_granule *granule
            = &profile->granules[profile->ngranules++];
        granule->address = object->low + i * PROFILE_GRANULE;
        granule->weight = weight > 0 ? weight : 1;
      }
  return true;
}

/* Write PROFILE to FOLDER, merged with the existing profile; *MERGED is set if
   there is one.  Return NULL, or why not.  */
static const char *
keep_profile (struct profile *profile, const char *folder, bool *merged,
              profile_say *say)
{
  static char text[256];
  char file[PATH_MAX];
  struct profile old;
  if (snprintf (file, sizeof file, "%s/%s.profile", folder, profile->build_id)
      < PATH_MAX)
    {
      errno = 0;
      const char *problem = profile_read (&old, AT_FDCWD, file, false);
      if (problem == NULL)
        {
          *merged = profile_merge (profile, &old);
          profile_free (&old);
          if (!*merged)
            return strerror (ENOMEM);
        }
      else if (errno != ENOENT)
        say (file, problem);
    }
  if (profile_write (profile, folder))
    return NULL;
  snprintf (text, sizeof text, "it cannot be written: %s", strerror (errno));
  return text;
}

static int
by_samples (const void *a, const void *b)
{
  const struct profile_kept *x = a, *y = b;
  if (x->counted->samples != y->counted->samples)
    return x->counted->samples < y->counted->samples ? 1 : -1;
  /* Else sort by the order in which they were found.  */
  return x->counted < y->counted ? -1 : x->counted > y->counted;
}

/* Keep KEPT's object.  */
static void
keep_object (struct profile_kept *kept, const char *folder, profile_say *say)
{
  const struct profile_counted *counted = kept->counted;
  struct profile profile;
  if (counted->object.problem != NULL)
    kept->problem = counted->object.problem;
  else if (counted->names.nnames == 0)
    kept->problem = "its name cannot be printed";
  else if (counted->process_samples == 0
           || (counted->samples == 0 && counted->process_samples < COLD))
    kept->problem = "there are too few samples";
  else
    {
      kept->problem = make_profile (counted, &profile)
                          ? keep_profile (&profile, folder, &kept->merged, say)
                          : strerror (ENOMEM);
      profile_free (&profile);
    }
}

bool
profile_keep (const struct profile_counts *counts, const char *folder,
              struct profile_kept **kept, profile_say *say)
{
  *kept = calloc (counts->nobjects + 1, sizeof **kept);
  if (*kept == NULL)
    return false;
  for (size_t i = 0; i < counts->nobjects; ++i)
    (*kept)[i].counted = counts->objects[i];
  qsort (*kept, counts->nobjects, sizeof **kept, by_samples);
  for (size_t i = 0; i < counts->nobjects; ++i)
    keep_object (&(*kept)[i], folder, say);
  return true;
}
