/* Make profiles from the counted samples, and write them to a directory.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sample/sample.h"
#include "host/mapped.h"
#include "host/unprivileged.h"
#include "image/public.h"
#include "object/reason.h"
#include "service/service.h"
#include "trust/trusted.h"
#include "util/output.h"
#include "util/count.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Convert the weights in PROFILE from numbers of samples to the unit of
   profile files, which is 1/PROFILE_WEIGHTS of the samples of all processes
   that use the object.  */
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

/* Return true if every user may read the file NAME; if not, set PROBLEM to the
   reason and return false.  Set *SAME to true if NAME leads to OBJECT's own
   file, and to false if NAME leads to another file with the same build ID.  */
static bool
is_public (const struct sampled_object *object, const char *name, bool *same,
           struct problem *problem)
{
  const int fd = geteuid () == 0
                     ? public_open (name, problem)
                     : trusted_find (name, TRUST_READABLE, problem);
  if (fd < 0)
    return false;
  *same |= mapped_is (fd, object->device, object->inode);
  close (fd);
  return true;
}

/* Return true if every user may read OBJECT's profile, because one of the
   object's names is a file that every user can read.  If every user may read
   the profile, remove from the profile the names of files that not every user
   may read.  If some users cannot read the profile, set WHY to the reason.  */
static bool
make_public (struct sampled_object *object, struct problem *why)
{
  struct profile *profile = &object->profile;
  bool open[PROFILE_NAMES_MAX], any = false;
  size_t count = 0;
  *why = (struct problem){ 0 };
  for (size_t i = 0; i < profile->nnames; ++i)
    open[i] = is_public (object, profile->names[i], &any, why);
  for (size_t i = 0; any && i < profile->nnames; ++i)
    if (open[i])
      profile->names[count++] = profile->names[i];
    else
      free (profile->names[i]);
  if (any)
    {
      profile->nnames = count;
      *why = (struct problem){ 0 };
    }
  else if (!problem_is (why))
    problem_set (why, "the file at the path is no longer the sampled file");
  return any;
}

/* Write OBJECT's profile to the directory DIR.  A profile is readable either
   by every user or only by this user.  If DIR already contains a profile of
   the object with the same readers, merge both.  If only this user may read
   the profile, set SECRET to the reason.  */
static bool
sample_keep_write_profile (struct sampled_object *object, int dir,
                           void (*say) (const char *name,
                                        const struct problem *problem),
                           struct problem *secret, struct problem *problem)
{
  struct profile old, *profile = &object->profile;
  struct problem now;
  const size_t before = unprivileged_failures ();
  if (problem_is (&object->problem))
    {
      *problem = object->problem;
      return false;
    }
  if (object->is_loader)
    return reason_set (problem, REASON_IS_LOADER);
  if (profile->nnames == 0)
    return problem_set (problem,
                        "the name of the object has unprintable characters");
  if (profile->process_samples == 0)
    return problem_set (
        problem, "no sample was taken in the processes that have the object "
                 "mapped");
  profile->when = time (NULL);
  weigh (profile);
  const bool everybody = make_public (object, secret);
  bool changed = false;
  if (profile_ask (&old, dir, profile->build_id, everybody, problem))
    {
      profile_merge (profile, &old);
      /* Check the names again, because users may no longer be allowed to read
         some files that the old profile names.  */
      changed = everybody && !make_public (object, &now);
    }
  else if (errno != ENOENT)
    {
      char file[NAME_MAX];
      profile_name (profile->build_id, everybody, file);
      say (file, problem);
    }
  profile_free (&old);
  if (changed)
    return problem_set (problem,
                        "the file is no longer readable by every user");
  /* The helper process that reads files on behalf of root may have been killed
     by the kernel because memory was short.  In a user namespace in which
     UNPRIVILEGED_REAL_ID is not mapped, another process of the user nobody may
     have killed the helper.  */
  if (unprivileged_failures () != before)
    return problem_set (
        problem,
        "the profile was not changed: hugetext's helper process that reads "
        "the old profile and the file was killed, or did not answer");
  return profile_write (profile, dir, everybody)
         || problem_errno (problem, "the profile cannot be written");
}

static int
by_samples (const void *a, const void *b)
{
  const struct sampled_object *x = *(struct sampled_object *const *) a;
  const struct sampled_object *y = *(struct sampled_object *const *) b;
  return (x->profile.samples < y->profile.samples)
         - (x->profile.samples > y->profile.samples);
}

/* The number of objects with each verdict.  */
struct verdicts
{
  size_t few, cold, hot;
  /* Of the profiles with too few samples, the one with the most: its samples,
     those of this run, and its object.  */
  uint64_t most, of_run;
  const char *most_name;
  size_t secret;    /* The number of objects whose profiles only this user may
                       read.  */
  const char *name; /* The name of the first object whose profile only this
                       user may read.  */
  struct problem why;
};

/* If only this user may read OBJECT's profile, count the profile in the member
   SECRET of VERDICTS.  WHY is the reason why only this user may read the
   profile, or empty.  */
static void
add_secret (struct verdicts *verdicts, const struct sampled_object *object,
            const struct problem *why)
{
  if (!problem_is (why))
    return;
  if (verdicts->secret++ > 0)
    return;
  verdicts->name = object->profile.names[0];
  verdicts->why = *why;
}

/* The remedies that let every user read the profile of a file.  */
static const char *const public_remedies[PROBLEM_FAULTS] = {
  [FAULT_OTHER] = "profile again, and do not replace the file before the "
                  "command ends",
  [FAULT_MOUNT]
  = "copy the file to a local filesystem that is mounted without "
    "nosuid, then profile the copy",
  [FAULT_READERS] = "let every user read the file, then profile again",
  [FAULT_WRITERS]
  = "give the file and all its parent directories to root, remove the write "
    "permission of other users, then profile again",
};

/* Some profiles can be read only by this user, so the loader ignores them.
   Set PROBLEM to a message that says so.  VERDICTS counts these profiles in
   the member SECRET, and contains the name of the first object with such a
   profile.  */
static void
describe_secret (const struct verdicts *verdicts, struct problem *problem)
{
  char more[48] = "";
  const size_t others = verdicts->secret - 1;
  if (others > 0)
    snprintf (more, sizeof more, " (and of " COUNT_FORMAT ")",
              COUNT (others, "other object"));
  problem_from (problem, &verdicts->why,
                "%.150s; therefore other users cannot read the profile of "
                "this file%s, and the loader ignores the profile. Remedy: %s",
                verdicts->why.text, more,
                public_remedies[verdicts->why.fault]);
}

/* Count PROFILE in VERDICTS.  OF_RUN of its samples are from this run.  */
static void
add_verdict (struct verdicts *verdicts, const struct profile *profile,
             uint64_t of_run)
{
  switch (profile_judge (profile))
    {
    case PROFILE_TOO_FEW:
      ++verdicts->few;
      if (profile->process_samples <= verdicts->most)
        break;
      verdicts->most = profile->process_samples;
      verdicts->of_run = of_run;
      verdicts->most_name = profile->names[0];
      break;
    case PROFILE_COLD:
      ++verdicts->cold;
      break;
    case PROFILE_HEAT:
      ++verdicts->hot;
      break;
    }
}

/* Return true if all profiles in VERDICTS have too few samples.  */
static bool
is_unusable (const struct verdicts *verdicts)
{
  return verdicts->few > 0 && verdicts->hot == 0 && verdicts->cold == 0;
}

/* Print that no profile of SAMPLING is usable, how many samples are missing
   for the best of them, and how long to sample.  */
static void
print_unusable (FILE *stream, const struct verdicts *verdicts,
                const struct sampling *sampling)
{
  const double seconds = survey_seconds (
      sampling, verdicts->of_run, PROFILE_SAMPLES_LEAST - verdicts->most,
      PROFILE_SECONDS_MOST);
  fprintf (stream,
           "no profile of this run is usable yet: %s has the most samples, "
           "%" PRIu64 " of the %d that are needed from all processes that map "
           "it; ",
           verdicts->most_name, verdicts->most, PROFILE_SAMPLES_LEAST);
  if (sampling->seconds > 0)
    fprintf (stream, "profile with --seconds=%.0f while the program works\n",
             seconds);
  else
    fprintf (stream, "let the program work for about %.0f seconds\n", seconds);
}

/* For each verdict (no samples, too few samples, enough samples), print how
   many of the saved profiles have got it.  */
static void
print_verdicts (FILE *stream, const struct verdicts *verdicts,
                const struct sampling *sampling)
{
  if (verdicts->cold > 0)
    fprintf (stream,
             COUNT_FORMAT
             " %s cold: a process has mapped %s, but no sample is "
             "in the object's text\n",
             COUNT (verdicts->cold, "object"),
             count_word (verdicts->cold, "is", "are"),
             count_word (verdicts->cold, "the object", "each of the objects"));
  if (is_unusable (verdicts))
    print_unusable (stream, verdicts, sampling);
  else if (verdicts->few > 0)
    fprintf (
        stream,
        COUNT_FORMAT
        " %s too few samples, so the loader ignores %s. At least " COUNT_FORMAT
        " from all processes that map the object are needed; profile for "
        "longer, or again\n",
        COUNT (verdicts->few, "object"),
        count_word (verdicts->few, "has", "have"),
        count_word (verdicts->few, "its profile", "their profiles"),
        COUNT (PROFILE_SAMPLES_LEAST, "sample"));
  if (verdicts->secret > 0)
    {
      struct problem problem;
      describe_secret (verdicts, &problem);
      fprintf (stream, "%s: %s\n", verdicts->name, problem.text);
    }
}

/* Call SAY once to report that the loader ignores profiles that only this user
   may read.  VERDICTS says how many profiles only this user may read.  */
static void
report_secret (const struct verdicts *verdicts,
               void (*say) (const char *name, const struct problem *problem))
{
  static bool said;
  struct problem problem;
  if (verdicts->secret == 0 || said)
    return;
  said = true;
  describe_secret (verdicts, &problem);
  say (verdicts->name, &problem);
}

static void
sample_keep_print_head (FILE *stream, const struct sampling *sampling)
{
  fprintf (stream,
           COUNT_FORMAT " of text in %.1f s, by %s; %" PRIu64
                        " in the kernel, %" PRIu64 " outside of files\n",
           COUNT (sampling->text, "sample"), sampling->time, sampling->event,
           sampling->kernel, sampling->outside);
}

/* Print to STREAM that SHARE per cent of the samples are in OBJECT.  If
   PROBLEM is set, also print why there is no profile of OBJECT.  If STREAM is
   NULL, only report PROBLEM by calling SAY.  */
static void
sample_keep_print_share (FILE *stream, const struct sampled_object *object,
                         double share, const struct problem *problem,
                         void (*say) (const char *name,
                                      const struct problem *problem))
{
  const char *name
      = object->profile.nnames > 0 ? object->profile.names[0] : "an object";
  struct problem none = { 0 };
  if (problem_is (problem))
    problem_from (&none, problem, "no profile: %s", problem->text);
  if (stream != NULL)
    fprintf (stream, "%5.1f %%  %s%s%s\n", share, name,
             problem_is (&none) ? ": " : "", none.text);
  else if (problem_is (&none))
    say (name, &none);
}

bool
sample_keep (struct sampling *sampling, const char *caller, int dir,
             FILE *stream)
{
  bool good = true;
  struct verdicts verdicts = { 0 };
  if (stream != NULL)
    sample_keep_print_head (stream, sampling);
  if (sampling->nobjects > 0)
    qsort (sampling->objects, sampling->nobjects, sizeof *sampling->objects,
           by_samples);
  for (size_t i = 0; i < sampling->nobjects; ++i)
    {
      struct sampled_object *object = sampling->objects[i];
      /* Compute the share before merging the profiles, because merging changes
         the numbers.  */
      const double share
          = sampling->samples == 0
                ? 0
                : 100.0 * object->profile.samples / sampling->samples;
      const uint64_t of_run = object->profile.process_samples;
      struct problem problem, secret = { 0 };
      const bool kept = sample_keep_write_profile (object, dir, sampling->say,
                                                   &secret, &problem);
      good &= kept || share < 1 || object->is_loader;
      if (kept)
        {
          add_verdict (&verdicts, &object->profile, of_run);
          add_secret (&verdicts, object, &secret);
          problem = (struct problem){ 0 };
        }
      if (share >= 1)
        sample_keep_print_share (stream, object, share, &problem,
                                 sampling->say);
    }
  sampling->unusable = is_unusable (&verdicts);
  if (stream != NULL)
    print_verdicts (stream, &verdicts, sampling);
  else
    report_secret (&verdicts, sampling->say);
  if (sampling->lost > 0)
    fprintf (stderr,
             "%s: " COUNT_FORMAT
             " of samples %s lost, because the machine was too busy\n",
             caller, COUNT (sampling->lost, "record"),
             count_word (sampling->lost, "was", "were"));
  return good;
}

bool
sample_tell_loader (const char *caller, const char *directory)
{
  struct problem problem;
  if (strcmp (directory, PROFILES_PATH) != 0)
    return true;
  const bool told = service_lock (&problem) && service_index (&problem);
  /* Release the lock on the index now, because the sampled command may run for
     days.  */
  service_unlock ();
  if (told)
    return true;
  output_flush ();
  fprintf (stderr,
           "%s: the index does not have the new profiles: %s; remove the "
           "cause, then run hugetext index\n",
           caller, problem.text);
  return false;
}
