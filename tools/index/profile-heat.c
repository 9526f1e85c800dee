/* Read the profiles in a directory, and compute the heat for the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A profile belongs to one build of an object, but the loader identifies
   objects by their files.  So the command checks each file that a profile
   names, and ignores the profile if the file is from another build.  An
   unprivileged process (host/reader) reads the profiles and the objects'
   files.  Therefore root's index, which everybody can read, does not contain
   the heat of a file that some users cannot read.

   The unprivileged process may end without an answer: it may be killed
   (host/reader), and it exits if memory or descriptors run out, or if it
   cannot read the directory.  In these cases the new index keeps the heat from
   the old index.  If a file cannot be read for another reason, such as a disk
   error, the new index contains no heat for this file.  */

#include "index/profile-heat.h"
#include "heat/profile.h"
#include "host/reader.h"
#include "index/file.h"
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

/* Return the heat of PROFILE's object, in the format of the index.  */
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

/* Set the object in HEAT to the file FD.  Return false if the file cannot be
   read, or if PROFILE belongs to another build.  */
static bool
identify (struct index_heat *heat, const struct profile *profile, int fd,
          struct problem *problem)
{
  char build_id[2 * PROFILE_BUILD_ID_MAX + 1];
  struct elf_object elf;
  struct stat status;
  if (!profile_build_id (fd, build_id, problem))
    return false;
  if (strcmp (build_id, profile->build_id) != 0)
    return problem_set (problem,
                        "the profile and the file have different build IDs");
  if (!elfobject_read (fd, &elf, problem))
    return false;
  if (fstat (fd, &status) != 0)
    return problem_system (problem, errno);
  if (!S_ISREG (status.st_mode))
    return problem_set (problem, "the file is not a regular file");
  heat->record.object = identity_of (&status);
  heat->record.digest = hugetext_object_digest (&elf.object);
  return true;
}

/* Return true if HEATS already contain the heat of OBJECT.  */
static bool
is_known (const struct index_heats *heats,
          const struct hugetext_identity *object)
{
  for (size_t i = 0; i < heats->count; ++i)
    if (hugetext_same_file (&heats->list[i].record.object, object))
      return true;
  return false;
}

/* Add HEAT to HEATS.  */
static void
add_heat (struct index_heats *heats, const struct index_heat *heat)
{
  struct index_heat *list
      = allocate_more ((void *) heats->list, heats->count, sizeof *heat);
  list[heats->count++] = *heat;
  heats->list = list;
}

/* The question for the unprivileged process.  */
struct question
{
  const char *directory;
  uid_t caller; /* The user who has called the command.  */
};

/* The messages about files that were skipped.  */
struct lines
{
  struct message all;
  size_t count;
};

/* Add to LINES the message that FILE is skipped because of PROBLEM.  If the
   cause of PROBLEM may be temporary, exit without an answer.  */
static void
add_line (struct lines *lines, const char *file, const struct problem *problem)
{
  char line[PATH_MAX + NAME_MAX + 256];
  if (problem->code == PROBLEM_MOMENTARY)
    reader_give_up ();
  snprintf (line, sizeof line, "%s: %.200s: left out", file, problem->text);
  message_put_text (&lines->all, line);
  ++lines->count;
}

/* If the file NAME is the build of the object to which PROFILE belongs, add
   PROFILE's heat to HEATS.  Do not report a file that is missing, is not
   readable, or belongs to another build: the profile may be older than the
   file.  */
static void
add_file (struct index_heats *heats, const struct profile *profile,
          const char *name, bool root, struct lines *lines)
{
  struct problem problem;
  int fd = (root ? trusted_open : readable_open) (name, &problem);
  if (fd >= 0)
    posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  struct index_heat heat = make_heat (profile);
  const bool good = fd >= 0 && identify (&heat, profile, fd, &problem);
  if (good && !is_known (heats, &heat.record.object))
    add_heat (heats, &heat);
  else
    free ((void *) heat.weight);
  if (!good && problem.code != PROBLEM_PLAIN)
    add_line (lines, name, &problem);
  if (fd >= 0)
    close (fd);
}

/* Answer, in the unprivileged process, the question ASKED with the heats, and
   with messages about invalid profiles.  */
static void
read_directory (const struct reader_file *none, const void *asked,
                struct message *answer)
{
  const struct question *question = asked;
  const bool root = question->caller == 0;
  struct index_heats heats = { .count = 0 };
  struct lines lines = { .count = 0 };
  char path[PATH_MAX + NAME_MAX + 2];
  struct problem problem;
  (void) none;
  DIR *dir = opendir (question->directory);
  if (dir == NULL && errno != ENOENT && errno != ENOTDIR)
    {
      problem_system (&problem, errno);
      if (problem.code != PROBLEM_PLAIN)
        reader_give_up ();
      add_line (&lines, question->directory, &problem);
    }
  for (struct dirent *entry;
       dir != NULL && (errno = 0, entry = readdir (dir)) != NULL;)
    {
      struct profile profile;
      if (entry->d_name[0] == '.' || profile_is_secret (entry->d_name))
        continue;
      errno = 0;
      bool good = profile_read (&profile, dirfd (dir), entry->d_name,
                                question->caller, &problem);
      /* If root's unprivileged process may not open a profile, the profile is
         of a file that not every user may read (sample/keep).  */
      if (!good && errno == EACCES && root)
        continue;
      if (good && profile.count > HUGETEXT_HEAT_GRANULES)
        good = problem_set (
            &problem,
            "the addresses in the profile are more than 512 MiB apart");
      if (!good)
        {
          snprintf (path, sizeof path, "%s/%s", question->directory,
                    entry->d_name);
          add_line (&lines, path, &problem);
        }
      /* Do not report that a profile has too few samples, because "hugetext
         profile" has already reported this.  */
      const bool few = good && profile_judge (&profile) == PROFILE_TOO_FEW;
      for (size_t i = 0; good && !few && i < profile.nnames; ++i)
        add_file (&heats, &profile, profile.names[i], root, &lines);
      profile_free (&profile);
    }
  if (dir != NULL && errno != 0)
    reader_give_up ();
  message_put_number (answer, lines.count);
  message_put_bytes (answer, lines.all.data, lines.all.size);
  message_put_number (answer, heats.count);
  for (size_t i = 0; i < heats.count; ++i)
    {
      const struct hugetext_index_heat *record = &heats.list[i].record;
      message_put_bytes (answer, &record->object, sizeof record->object);
      message_put_number (answer, record->digest);
      message_put_number (answer, record->first);
      message_put_number (answer, record->granules);
      message_put_bytes (answer, heats.list[i].weight,
                         record->granules * sizeof *heats.list[i].weight);
    }
}

/* Read the heat of one file from ANSWER, and add it to HEATS.  */
static void
get_heat (struct message *answer, struct index_heats *heats)
{
  struct index_heat heat
      = { .record = { .head = { .kind = HUGETEXT_RECORD_HEAT } } };
  message_get_bytes (answer, &heat.record.object, sizeof heat.record.object);
  heat.record.digest = message_get_number (answer, UINT64_MAX);
  heat.record.first = message_get_number (answer, UINT64_MAX);
  heat.record.granules = message_get_number (answer, HUGETEXT_HEAT_GRANULES);
  const size_t size = heat.record.granules * sizeof *heat.weight;
  uint16_t *weight = allocate (size);
  message_get_bytes (answer, weight, size);
  heat.weight = weight;
  add_heat (heats, &heat);
}

/* Read HEATS from ANSWER, and let SAY report the messages in ANSWER.  Return
   false if the answer is malformed.  */
static bool
get_directory (struct message *answer, struct index_heats *heats,
               config_say *say, void *closure)
{
  char line[PATH_MAX + NAME_MAX + 256];
  const size_t lines = message_get_count (answer, sizeof (uint64_t));
  for (size_t i = 0; i < lines; ++i)
    {
      message_get_printable (answer, line, sizeof line);
      config_tell (say, closure, false, "%s", line);
    }
  const size_t count
      = message_get_count (answer, sizeof (struct hugetext_identity));
  for (size_t i = 0; i < count && !answer->bad; ++i)
    get_heat (answer, heats);
  if (message_is_done (answer))
    return true;
  profile_heat_free (heats);
  return false;
}

/* Add the heats in the index FILE to HEATS.  Return false if FILE exists, but
   is an index that the loader would not use.  */
static bool
keep_heats (struct index_heats *heats, const char *file)
{
  struct index_file old;
  struct problem ignored;
  struct hugetext_index_slot slot;
  struct index_heat heat;
  uint16_t weight[HUGETEXT_HEAT_GRANULES];
  const int fd
      = (geteuid () == 0 ? trusted_open : readable_open) (file, &ignored);
  if (!index_file_open (&old, fd, geteuid (), &ignored))
    return false;
  const struct hugetext_index *index = &old.index;
  for (size_t i = 0; i < index->header.nslots
                     && index->read (index->closure, &slot, sizeof slot,
                                     index->header.slots + i * sizeof slot);
       ++i)
    if (slot.record != 0
        && index->read (index->closure, &heat.record, sizeof heat.record,
                        slot.record)
        && heat.record.head.kind == HUGETEXT_RECORD_HEAT
        && hugetext_index_heat (index, &heat.record.object, &heat.record,
                                weight, HUGETEXT_HEAT_GRANULES))
      {
        const size_t size = heat.record.granules * sizeof *weight;
        heat.weight = memcpy (allocate (size), weight, size);
        add_heat (heats, &heat);
      }
  index_file_close (&old);
  return true;
}

void
profile_heat_read (struct index_heats *heats, const char *directory,
                   const char *file, config_say *say, void *closure)
{
  const struct question question = { directory, geteuid () };
  struct message answer;
  struct problem problem;
  *heats = (struct index_heats){ .count = 0 };
  /* If there is no directory of profiles, there is nothing to read.  */
  if (access (directory, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return;
  bool good = reader_ask_about (directory, read_directory, &question, &answer,
                                &problem);
  if (good)
    {
      good = get_directory (&answer, heats, say, closure);
      message_free (&answer);
      if (good)
        return;
      problem_unknown (&problem, READER_MAKES_NO_SENSE);
    }
  config_tell (say, closure, false, "%s: %s: the new index %s", directory,
               problem.text,
               keep_heats (heats, file)
                   ? "keeps the data of profiles that the old index has"
                   : "has no data of profiles");
}

void
profile_heat_free (struct index_heats *heats)
{
  for (size_t i = 0; i < heats->count; ++i)
    free ((void *) heats->list[i].weight);
  free ((void *) heats->list);
  *heats = (struct index_heats){ .count = 0 };
}
