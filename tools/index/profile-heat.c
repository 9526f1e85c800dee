/* The heat in the index, from the profiles in a folder.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A profile belongs to a build of an object, and the loader knows files.  So
   the command looks at each file that a profile names: either the file is of
   that build, or the profile is left out.  */

#include "index/profile-heat.h"
#include "heat/profile.h"
#include "object/elfobject.h"
#include "trust/identity.h"
#include "trust/trusted.h"
#include "util/allocate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
profile_heat_path (const char *index, char path[static PATH_MAX])
{
  char dir[PATH_MAX];
  if (strcmp (index, INDEX_PATH) == 0)
    snprintf (path, PATH_MAX, "%s", PROFILES_PATH);
  else
    {
      snprintf (dir, sizeof dir, "%s", index);
      if (snprintf (path, PATH_MAX, "%s/profiles", dirname (dir)) >= PATH_MAX)
        path[0] = '\0';
    }
}

/* Return PROFILE's heat, in the index's form.  */
static struct index_heat
make_heat (const struct profile *profile)
{
  uint16_t *weights = allocate (profile->count * sizeof *weights);
  const struct index_heat heat
      = { .record = { .head = { .kind = HUGETEXT_RECORD_HEAT },
                      .first = profile->first,
                      .granules = profile->count },
          .weight = weights };
  for (size_t i = 0; i < profile->count; ++i)
    {
      const uint64_t weight = profile->weights[i];
      weights[i] = weight * UINT16_MAX / PROFILE_WEIGHTS;
      if (weight > 0 && weights[i] == 0)
        weights[i] = 1;
    }
  return heat;
}

/* Set HEAT's object to the file FD.  False if the file is not of PROFILE's
   build.  */
static bool
identify (struct index_heat *heat, const struct profile *profile, int fd)
{
  char build_id[2 * PROFILE_BUILD_ID_MAX + 1];
  struct elf_object elf;
  struct stat status;
  if (profile_build_id (fd, build_id) != NULL
      || strcmp (build_id, profile->build_id) != 0
      || elfobject_read (fd, &elf) != NULL || fstat (fd, &status) != 0
      || !S_ISREG (status.st_mode))
    return false;
  heat->record.object = identity_of (&status);
  heat->record.digest = hugetext_object_digest (&elf.object);
  return true;
}

/* Whether HEATS have a heat of OBJECT.  */
static bool
is_known (const struct index_heats *heats,
          const struct hugetext_identity *object)
{
  for (size_t i = 0; i < heats->count; ++i)
    if (hugetext_same_file (&heats->list[i].record.object, object))
      return true;
  return false;
}

/* Add the heat of the file NAME by PROFILE to HEATS, if the file is of that
   build.  */
static void
add_file (struct index_heats *heats, const struct profile *profile,
          const char *name)
{
  const char *problem;
  int fd = (geteuid () == 0 ? trusted_open : readable_open) (name, &problem);
  if (fd < 0)
    return;
  posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  struct index_heat heat = make_heat (profile);
  if (identify (&heat, profile, fd) && !is_known (heats, &heat.record.object))
    {
      struct index_heat *list
          = allocate_more ((void *) heats->list, heats->count, sizeof heat);
      list[heats->count++] = heat;
      heats->list = list;
    }
  else
    free ((void *) heat.weight);
  close (fd);
}

bool
profile_heat_read (struct index_heats *heats, const char *folder,
                   config_say *say, void *closure)
{
  *heats = (struct index_heats){ .count = 0 };
  DIR *dir = opendir (folder);
  if (dir == NULL)
    return errno == ENOENT || errno == ENOTDIR;
  for (struct dirent *entry; (entry = readdir (dir)) != NULL;)
    {
      struct profile profile;
      if (entry->d_name[0] == '.')
        continue;
      const char *problem
          = profile_read (&profile, dirfd (dir), entry->d_name);
      if (problem == NULL && profile.count > HUGETEXT_HEAT_GRANULES)
        problem = "its addresses are more than 512 MiB apart";
      if (problem != NULL)
        config_tell (say, closure, false, "%s/%s: %s: left out", folder,
                     entry->d_name, problem);
      for (size_t i = 0; problem == NULL && i < profile.nnames; ++i)
        add_file (heats, &profile, profile.names[i]);
      profile_free (&profile);
    }
  closedir (dir);
  return true;
}

void
profile_heat_free (struct index_heats *heats)
{
  for (size_t i = 0; i < heats->count; ++i)
    free ((void *) heats->list[i].weight);
  free ((void *) heats->list);
  *heats = (struct index_heats){ .count = 0 };
}
