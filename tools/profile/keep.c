/* Make profiles of what was counted, and keep them in a folder.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "profile/profile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many samples of its processes it takes to know that an object without
   any is cold.  */
#define COLD 300

/* Make PROFILE of COUNTED, as of now.  False if there is no memory.  */
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

/* Write PROFILE to FOLDER, merged with what is there; *MERGED is set if so.
   Returns NULL, or why not.  */
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
  /* As they were found, else.  */
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

static int
by_name (const void *a, const void *b)
{
  const struct profile *x = a, *y = b;
  int order = strcmp (x->names[0], y->names[0]);
  return order != 0 ? order : strcmp (x->build_id, y->build_id);
}

/* Read what is in the folder DIR into *LIST.  Returns how many there are;
 *GOOD is made false if a file is wrong, or there is no memory.  */
static size_t
read_folder (DIR *dir, struct profile **list, bool *good, profile_say *say)
{
  size_t count = 0;
  struct dirent *entry;
  *list = NULL;
  while ((entry = readdir (dir)) != NULL)
    {
      if (entry->d_name[0] == '.')
        continue;
      struct profile *longer = reallocarray (*list, count + 1, sizeof *longer);
      if (longer != NULL)
        *list = longer;
      const char *problem = longer != NULL
                                ? profile_read (&longer[count], dirfd (dir),
                                                entry->d_name, false)
                                : strerror (ENOMEM);
      if (problem == NULL)
        ++count;
      else
        {
          say (entry->d_name, problem);
          *good = false;
        }
    }
  if (count > 0)
    qsort (*list, count, sizeof **list, by_name);
  return count;
}

bool
profile_list (const char *folder, profile_say *say)
{
  struct profile *list = NULL;
  bool good = true;
  DIR *dir = opendir (folder);
  if (dir == NULL)
    {
      say (folder,
           errno == ENOENT ? "there are no profiles in it" : strerror (errno));
      return false;
    }
  size_t count = read_folder (dir, &list, &good, say);
  closedir (dir);
  if (count > 0)
    puts ("when              samples  of all  build ID          object");
  else
    say (folder, "there are no profiles in it");
  for (size_t i = 0; i < count; ++i)
    {
      char when[32];
      struct tm time;
      strftime (when, sizeof when, "%Y-%m-%d %H:%M",
                localtime_r (&list[i].when, &time));
      printf ("%s %8" PRIu64 " %5.1f %%  %.16s  %s\n", when, list[i].samples,
              100.0 * list[i].samples / list[i].process_samples,
              list[i].build_id, list[i].names[0]);
      profile_free (&list[i]);
    }
  free (list);
  return good && count > 0;
}
