/* The heat in the index, from the profiles in a folder.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A profile belongs to a build of an object, and the loader knows files.  So
   the command looks at each file that a profile names: either the file is of
   that build, or the profile is left out.  */

#include "index/profile-heat.h"
#include "heat/profile-object.h"
#include "object/elfobject.h"
#include "trust/identity.h"
#include "trust/trusted.h"

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

/* Return PROFILE's weights from its first granule to its last, in the index's
   form; NULL if there is no memory.  */
static uint16_t *
make_weights (const struct profile *profile, size_t count)
{
  const uint64_t all = UINT16_MAX;
  uint16_t *weights = calloc (count + 1, sizeof *weights);
  for (size_t i = 0; weights != NULL && i < profile->ngranules; ++i)
    {
      const struct profile_granule *granule = &profile->granules[i];
      uint64_t weight = granule->weight * all / PROFILE_WEIGHTS;
      weights[(granule->address - profile->granules[0].address)
              / PROFILE_GRANULE]
          = weight > 0 ? weight : 1;
    }
  return weights;
}

/* Set the build ID of HEAT to TEXT.  */
static void
set_build_id (struct index_heat *heat, const char *text)
{
  heat->build_id_length = strlen (text) / 2;
  for (uint32_t i = 0; i < heat->build_id_length; ++i)
    {
      const char digits[] = { text[2 * i], text[2 * i + 1], '\0' };
      heat->build_id[i] = strtoul (digits, NULL, 16);
    }
}

/* Set HEAT's object to the file FD.  False if the file is not of PROFILE's
   build.  */
static bool
identify (struct index_heat *heat, const struct profile *profile, int fd)
{
  struct profile_object object;
  struct elf_object elf;
  struct stat status;
  profile_object_describe (&object, fd);
  bool good = (strcmp (object.build_id, profile->build_id) == 0
               && elfobject_read (fd, &elf) == NULL && fstat (fd, &status) == 0
               && S_ISREG (status.st_mode));
  profile_object_free (&object);
  if (good)
    {
      heat->object = identity_of (&status);
      heat->digest = hugetext_object_digest (&elf.object);
    }
  return good;
}

/* Whether HEATS have a heat of OBJECT.  */
static bool
is_known (const struct index_heats *heats,
          const struct hugetext_identity *object)
{
  for (size_t i = 0; i < heats->count; ++i)
    if (hugetext_same_file (&heats->list[i].object, object))
      return true;
  return false;
}

/* Add HEAT to HEATS.  */
static bool
add_heat (struct index_heats *heats, const struct index_heat *heat)
{
  struct index_heat *list = reallocarray ((struct index_heat *) heats->list,
                                          heats->count + 1, sizeof *list);
  if (list == NULL)
    return false;
  heats->list = list;
  list[heats->count++] = *heat;
  return true;
}

/* Add the heat of the file NAME by PROFILE to HEATS, if the file is of that
   build.  */
static bool
add_file (struct index_heats *heats, const struct profile *profile,
          const char *name, size_t granules)
{
  struct index_heat heat = { .time = profile->when, .granules = granules };
  bool good = true;
  const char *problem;
  int fd = (geteuid () == 0 ? trusted_open : readable_open) (name, &problem);
  if (fd < 0)
    return true;
  posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  if (identify (&heat, profile, fd) && !is_known (heats, &heat.object))
    {
      set_build_id (&heat, profile->build_id);
      if (granules > 0)
        heat.first = profile->granules[0].address;
      heat.weight = make_weights (profile, granules);
      good = heat.weight != NULL && add_heat (heats, &heat);
      if (!good)
        free ((uint16_t *) heat.weight);
    }
  close (fd);
  return good;
}

/* Add the heat in the profile NAME in the folder DIR to HEATS.  */
static bool
add_profile (struct index_heats *heats, int dir, const char *name,
             const char *folder, config_say *say, void *closure)
{
  struct profile profile;
  bool good = true;
  size_t granules = 0;
  const char *problem = profile_read (&profile, dir, name, true);
  if (problem == NULL && profile.ngranules > 0)
    {
      const struct profile_granule *last
          = &profile.granules[profile.ngranules - 1];
      uint64_t count
          = (last->address - profile.granules[0].address) / PROFILE_GRANULE
            + 1;
      granules = count;
      if (count > HUGETEXT_HEAT_GRANULES)
        problem = "its addresses are more than 512 MiB apart";
    }
  if (problem != NULL)
    config_tell (say, closure, false, "%s/%s: %s: left out", folder, name,
                 problem);
  else
    for (size_t i = 0; good && i < profile.nnames; ++i)
      good = add_file (heats, &profile, profile.names[i], granules);
  profile_free (&profile);
  return good;
}

bool
profile_heat_read (struct index_heats *heats, const char *folder,
                   config_say *say, void *closure)
{
  *heats = (struct index_heats){ .count = 0 };
  DIR *dir = opendir (folder);
  if (dir == NULL)
    return errno == ENOENT || errno == ENOTDIR;
  bool good = true;
  for (struct dirent *entry; good && (entry = readdir (dir)) != NULL;)
    if (entry->d_name[0] != '.')
      good = add_profile (heats, dirfd (dir), entry->d_name, folder, say,
                          closure);
  closedir (dir);
  if (!good)
    errno = ENOMEM;
  return good;
}

void
profile_heat_free (struct index_heats *heats)
{
  for (size_t i = 0; i < heats->count; ++i)
    free ((uint16_t *) heats->list[i].weight);
  free ((struct index_heat *) heats->list);
  *heats = (struct index_heats){ .count = 0 };
}
