/* The keeping of profiles: they are made of counted samples, and written to a
   folder.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sample/sample.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The samples of its processes that it takes to call an object without samples
   cold.  */
#define COLD 300

/* Turn the numbers of samples in PROFILE to weights.  */
static void
weigh (struct profile *profile)
{
  const uint64_t all = profile->process_samples;
  if (profile->weights == NULL)
    profile->count = 0;
  for (size_t i = 0; i < profile->count; ++i)
    if (profile->weights[i] > 0)
      {
        uint64_t weight
            = (profile->weights[i] * (uint64_t) PROFILE_WEIGHTS + all / 2)
              / all;
        profile->weights[i] = weight > 0 ? weight : 1;
      }
}

/* Write OBJECT's profile to FOLDER, open as DIR, merged with the one that is
   there.  Return NULL, or why not.  */
static const char *
keep (struct sampled_object *object, const char *folder, int dir,
      void (*say) (const char *name, const char *problem))
{
  static char text[256];
  char file[NAME_MAX];
  struct profile old, *profile = &object->profile;
  if (object->problem != NULL)
    return object->problem;
  if (profile->nnames == 0)
    return "its name cannot be printed";
  if (profile->process_samples == 0
      || (profile->samples == 0 && profile->process_samples < COLD))
    return "there are too few samples";
  profile->when = time (NULL);
  weigh (profile);
  snprintf (file, sizeof file, "%s.profile", profile->build_id);
  const char *problem = profile_read (&old, dir, file);
  if (problem == NULL)
    profile_merge (profile, &old);
  else if (errno != ENOENT)
    say (file, problem);
  profile_free (&old);
  if (profile_write (profile, folder))
    return NULL;
  snprintf (text, sizeof text, "it cannot be written: %s", strerror (errno));
  return text;
}

static int
by_samples (const void *a, const void *b)
{
  const struct sampled_object *x = *(struct sampled_object *const *) a;
  const struct sampled_object *y = *(struct sampled_object *const *) b;
  return (x->profile.samples < y->profile.samples)
         - (x->profile.samples > y->profile.samples);
}

bool
sample_keep (struct sampling *sampling, const char *folder, int dir,
             FILE *stream)
{
  bool good = true;
  fprintf (stream,
           "%" PRIu64 " samples of text in %.1f s, by %s; %" PRIu64
           " in the kernel, %" PRIu64 " outside of files\n",
           sampling->text, sampling->time, sampling->event, sampling->kernel,
           sampling->outside);
  if (sampling->nobjects > 0)
    qsort (sampling->objects, sampling->nobjects, sizeof *sampling->objects,
           by_samples);
  for (size_t i = 0; i < sampling->nobjects; ++i)
    {
      struct sampled_object *object = sampling->objects[i];
      /* Merging changes the numbers.  */
      const double share
          = sampling->samples == 0
                ? 0
                : 100.0 * object->profile.samples / sampling->samples;
      const char *problem = keep (object, folder, dir, sampling->say);
      good &= problem == NULL || share < 1;
      if (share >= 1)
        fprintf (stream, "%5.1f %%  %s%s%s\n", share,
                 object->profile.nnames > 0 ? object->profile.names[0]
                                            : "an object",
                 problem != NULL ? ": no profile: " : "",
                 problem != NULL ? problem : "");
    }
  if (sampling->lost > 0)
    fprintf (stderr,
             "hugetext profile: %" PRIu64 " records were lost: the machine"
             " was too busy\n",
             sampling->lost);
  return good;
}
