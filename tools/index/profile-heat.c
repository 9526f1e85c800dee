/* Read the profiles in a directory, and compute the heat for the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command checks each file that a profile names, and ignores the profile
   if the file is from another build, because a profile belongs to one build of
   an object, but the loader identifies objects by their files.  An
   unprivileged process (host/reader) reads the profiles and the objects'
   files.  Therefore root's index, which everybody can read, does not contain
   the heat of a file that some users cannot read.

   The unprivileged process may end without an answer: it may be killed
   (host/reader), and it exits if memory or descriptors run out, or if it
   cannot read the directory.  If the unprivileged process ends without an
   answer, the new index keeps the heat from the old index.  If a file cannot
   be read for another reason, such as a disk error, the new index contains no
   heat for this file.

   If there is not enough time to read all profiles, the unprivileged process
   answers with those that it has read.  For files whose profiles the process
   has not read, the new index keeps the heat from the old index.  */

#include "index/profile-heat.h"
#include "heat/profile.h"
#include "host/reader.h"
#include "host/unprivileged.h"
#include "index/config.h"
#include "index/file.h"
#include "object/elfobject.h"
#include "trust/identity.h"
#include "trust/trusted.h"
#include "util/allocate.h"
#include "util/clock.h"
#include "util/count.h"

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

/* Store the identity of the file FD in HEAT.  Return false if the file cannot
   be read, or if PROFILE belongs to another build.  */
static bool
profile_heat_identify_file (struct index_heat *heat,
                            const struct profile *profile, int fd,
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
profile_heat_add_heat (struct index_heats *heats,
                       const struct index_heat *heat)
{
  struct index_heat *list
      = allocate_more ((void *) heats->list, heats->count, sizeof *heat);
  list[heats->count++] = *heat;
  heats->list = list;
}

/* The unprivileged process reads no more profiles once the weights that it has
   read have this size in bytes.  */
#define SIZE_MOST (READERCHILD_MOST / 2)

/* The question for the unprivileged process.  */
struct question
{
  const char *directory;
  const struct config *config;
  uid_t caller; /* The user who has called the command.  */
  /* Points in time, in milliseconds of the monotonic clock.  At LOOK_UNTIL,
     the unprivileged process stops looking for the profiles of programs with
     settings; at READ_UNTIL, it stops reading profiles.  */
  int64_t look_until, read_until;
};

/* The messages about files that were skipped.  */
struct lines
{
  struct message all;
  size_t count;
};

/* Add a message to LINES which says that FILE is skipped, and why (PROBLEM).
   If the cause of PROBLEM may be temporary, exit without an answer.  */
static void
profile_heat_add_line (struct lines *lines, const char *file,
                       const struct problem *problem)
{
  char line[PATH_MAX + NAME_MAX + 256];
  if (problem->code == PROBLEM_MOMENTARY)
    reader_give_up ();
  snprintf (line, sizeof line, "%s: %.200s: left out", file, problem->text);
  message_put_text (&lines->all, line);
  ++lines->count;
}

/* If the build ID of the file NAME is that of PROFILE, add PROFILE's heat to
   HEATS.  Do not report a file that is missing, is not readable, or belongs to
   another build: the profile may be older than the file.  */
static void
profile_heat_add_file (struct index_heats *heats,
                       const struct profile *profile, const char *name,
                       bool root, struct lines *lines)
{
  struct problem problem;
  int fd = (root ? trusted_open : readable_open) (name, &problem);
  if (fd >= 0)
    posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  struct index_heat heat = make_heat (profile);
  const bool good
      = fd >= 0 && profile_heat_identify_file (&heat, profile, fd, &problem);
  if (good && !is_known (heats, &heat.record.object))
    profile_heat_add_heat (heats, &heat);
  else
    free ((void *) heat.weight);
  if (!good && problem.code != PROBLEM_PLAIN)
    profile_heat_add_line (lines, name, &problem);
  if (fd >= 0)
    close (fd);
}

/* A profile in the directory.  */
struct entry
{
  char *name;
  struct timespec changed;
  bool first; /* The profile belongs to a program with settings.  */
};

struct entries
{
  struct entry *list;
  size_t count;
};

/* Compare two profiles in a directory for sorting: the profiles of programs
   with settings come first.  Of two profiles that are equal in this respect,
   the newer one comes first.  */
static int
compare_entries (const void *left, const void *right)
{
  const struct entry *a = left, *b = right;
  if (a->first != b->first)
    return a->first ? -1 : 1;
  if (a->changed.tv_sec != b->changed.tv_sec)
    return a->changed.tv_sec > b->changed.tv_sec ? -1 : 1;
  if (a->changed.tv_nsec != b->changed.tv_nsec)
    return a->changed.tv_nsec > b->changed.tv_nsec ? -1 : 1;
  return strcmp (a->name, b->name);
}

/* Return true if CONFIG has settings for particular programs, and the object
   of PROFILE is one of these programs.  */
static bool
has_settings (const struct profile *profile, const struct config *config)
{
  for (size_t i = 0; i < config->count; ++i)
    {
      const char *pattern = config->sections[i].pattern;
      if (hugetext_names (pattern))
        for (size_t j = 0; j < profile->nnames; ++j)
          if (hugetext_match (pattern, strlen (pattern), profile->names[j]))
            return true;
    }
  return false;
}

/* Set ENTRIES to the profiles in DIR, in the order in which they should be
   read.  Give up if DIR cannot be read.  */
static void
list_entries (DIR *dir, const struct question *question,
              struct entries *entries)
{
  struct problem ignored;
  for (struct dirent *entry; (errno = 0, entry = readdir (dir)) != NULL;)
    {
      struct profile profile;
      struct stat status;
      if (entry->d_name[0] == '.' || profile_is_secret (entry->d_name))
        continue;
      struct entry new = { .name = allocate_text (entry->d_name) };
      if (fstatat (dirfd (dir), new.name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        new.changed = status.st_mtim;
      if (question->config->count > 0
          && clock_milliseconds () < question->look_until
          && profile_read (&profile, dirfd (dir), new.name, question->caller,
                           &ignored))
        {
          new.first = has_settings (&profile, question->config);
          profile_free (&profile);
        }
      entries->list
          = allocate_more (entries->list, entries->count, sizeof new);
      entries->list[entries->count++] = new;
    }
  if (errno != 0)
    reader_give_up ();
  if (entries->count > 0)
    qsort (entries->list, entries->count, sizeof *entries->list,
           compare_entries);
}

/* Read the profile NAME in the directory DIR, and add the heat of the files
   that the profile names to HEATS.  */
static void
add_profile (struct index_heats *heats, int dir, const char *name,
             const struct question *question, struct lines *lines)
{
  const bool root = question->caller == 0;
  char path[PATH_MAX + NAME_MAX + 2];
  struct profile profile;
  struct problem problem;
  errno = 0;
  bool good = profile_read (&profile, dir, name, question->caller, &problem);
  /* If root's unprivileged process is not allowed to open a profile, the
     profile belongs to a file that some users are not allowed to read
     (sample/keep).  */
  if (!good && errno == EACCES && root)
    return;
  if (good && profile.count > HUGETEXT_HEAT_GRANULES)
    good = problem_set (
        &problem, "the addresses in the profile are more than 512 MiB apart");
  if (!good)
    {
      snprintf (path, sizeof path, "%s/%s", question->directory, name);
      profile_heat_add_line (lines, path, &problem);
    }
  /* Do not report that a profile has too few samples, because "hugetext
     profile" has already reported this.  */
  const bool few = good && profile_judge (&profile) == PROFILE_TOO_FEW;
  for (size_t i = 0; good && !few && i < profile.nnames; ++i)
    profile_heat_add_file (heats, &profile, profile.names[i], root, lines);
  profile_free (&profile);
}

/* In the unprivileged process: write to ANSWER the heats that the question
   ASKED asks for, messages about invalid profiles, the number of all profiles,
   and the number of profiles that were read.  */
static void
profile_heat_read_directory (const struct reader_file *none, const void *asked,
                             struct message *answer)
{
  const struct question *question = asked;
  struct index_heats heats = { .count = 0 };
  struct lines lines = { .count = 0 };
  struct entries entries = { .count = 0 };
  struct problem problem;
  size_t done = 0;
  (void) none;
  DIR *dir = opendir (question->directory);
  if (dir == NULL && errno != ENOENT && errno != ENOTDIR)
    {
      problem_system (&problem, errno);
      if (problem.code != PROBLEM_PLAIN)
        reader_give_up ();
      profile_heat_add_line (&lines, question->directory, &problem);
    }
  if (dir != NULL)
    list_entries (dir, question, &entries);
  size_t seen = 0, size = 0;
  for (; done < entries.count && clock_milliseconds () < question->read_until
         && size < SIZE_MOST;
       ++done)
    {
      add_profile (&heats, dirfd (dir), entries.list[done].name, question,
                   &lines);
      for (; seen < heats.count; ++seen)
        size += heats.list[seen].record.granules
                * sizeof *heats.list[seen].weight;
    }
  message_put_number (answer, entries.count);
  message_put_number (answer, done);
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
  profile_heat_add_heat (heats, &heat);
}

/* Read HEATS from ANSWER, and let SAY report the messages in ANSWER.  Set ALL
   to the number of profiles in the directory, and DONE to the number of those
   that were read.  Return false if the answer is malformed.  */
static bool
get_directory (struct message *answer, struct index_heats *heats, size_t *all,
               size_t *done, config_say *say, void *closure)
{
  char line[PATH_MAX + NAME_MAX + 256];
  *all = message_get_number (answer, SIZE_MAX);
  *done = message_get_number (answer, *all);
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

/* Add the heats in the index FILE to HEATS, except those of objects that are
   in HEATS.  Return false if FILE exists, but is an index that the loader
   would not use.  */
static bool
keep_heats (struct index_heats *heats, const char *file)
{
  const struct index_heats known = *heats;
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
        && !is_known (&known, &heat.record.object)
        && hugetext_index_heat (index, &heat.record.object, &heat.record,
                                weight, HUGETEXT_HEAT_GRANULES))
      {
        const size_t size = heat.record.granules * sizeof *weight;
        heat.weight = memcpy (allocate (size), weight, size);
        profile_heat_add_heat (heats, &heat);
      }
  index_file_close (&old);
  return true;
}

void
profile_heat_read (struct index_heats *heats, const struct config *config,
                   const char *directory, const char *file, config_say *say,
                   void *closure)
{
  /* The unprivileged process may use the first quarter of the time limit to
     find the profiles of programs with settings, and the next two quarters to
     read profiles.  The last quarter is for sending the answer.  */
  const int64_t begin = clock_milliseconds ();
  const int quarter = unprivileged_patience () / 4;
  const struct question question = { .directory = directory,
                                     .config = config,
                                     .caller = geteuid (),
                                     .look_until = begin + quarter,
                                     .read_until = begin + 3 * quarter };
  size_t all, done;
  struct message answer;
  struct problem problem;
  *heats = (struct index_heats){ .count = 0 };
  /* If there is no directory of profiles, there is nothing to read.  */
  if (access (directory, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return;
  bool good = reader_ask_about (directory, profile_heat_read_directory,
                                &question, &answer, &problem);
  if (good)
    {
      good = get_directory (&answer, heats, &all, &done, say, closure);
      message_free (&answer);
      if (good && done == all)
        return;
      if (good)
        problem_set (
            &problem,
            "there was not enough time or memory to read %zu of " COUNT_FORMAT,
            all - done, COUNT (all, "profile"));
      else
        problem_unknown (&problem, READER_MAKES_NO_SENSE);
    }
  const bool kept = keep_heats (heats, file);
  config_tell (say, closure, false, "%s: %s: the new index %s", directory,
               problem.text,
               kept   ? "keeps the profile data of the old index"
               : good ? "contains no data of the profiles that were not read"
                      : "contains no data of any profile");
}

void
profile_heat_free (struct index_heats *heats)
{
  for (size_t i = 0; i < heats->count; ++i)
    free ((void *) heats->list[i].weight);
  free ((void *) heats->list);
  *heats = (struct index_heats){ .count = 0 };
}
