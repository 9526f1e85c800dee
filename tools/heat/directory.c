/* The directory of profiles, which has one file for each build of an object.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "heat/profile.h"
#include "host/reader.h"
#include "object/elfhead.h"
#include "trust/rewrite.h"
#include "trust/trusted.h"
#include "util/allocate.h"
#include "util/budget.h"
#include "util/problem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Add the SIZE bytes at DATA to DIGEST (FNV-1a).  */
static uint64_t
digest (uint64_t digest, const void *data, size_t size)
{
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; ++i)
    digest = (digest ^ bytes[i]) * UINT64_C (0x100000001b3);
  return digest;
}

/* Return a digest of the headers of the file FD, whose program headers are in
   HEAD: the positions and sizes of all segments and sections.  Another build
   has the same digest only by chance or on purpose, and a profile of the wrong
   build does no harm.  */
static uint64_t
digest_headers (int fd, const struct elf_head *head)
{
  enum
  {
    SECTIONS_MOST = 256, /* The maximum number of sections that the digest
                            includes.  Most libraries have about 30
                            sections.  */
  };
  Elf64_Ehdr header = { .e_shnum = 0 };
  Elf64_Shdr sections[SECTIONS_MOST];
  uint64_t sum = UINT64_C (0xcbf29ce484222325);
  elfhead_bytes (fd, &header, sizeof header, 0);
  sum = digest (sum, &header, sizeof header);
  sum = digest (sum, head->phdr, head->count * sizeof *head->phdr);
  const size_t n
      = (header.e_shnum < SECTIONS_MOST ? header.e_shnum : SECTIONS_MOST);
  return digest (
      sum, sections,
      elfhead_bytes (fd, sections, n * sizeof *sections, header.e_shoff));
}

bool
profile_build_id (int fd, char build_id[static 2 * PROFILE_BUILD_ID_MAX + 1],
                  struct problem *problem)
{
  struct elf_head head;
  unsigned char id[PROFILE_BUILD_ID_MAX];
  uint32_t type = NT_GNU_BUILD_ID;
  build_id[0] = '\0';
  if (!elfhead_read (fd, &head, problem))
    return problem->code == PROBLEM_PLAIN
               ? problem_set (problem, "the file is not a readable ELF file")
               : false;
  errno = 0;
  const size_t size = elfhead_note (fd, &head, "GNU", &type, id, sizeof id);
  const bool named = size >= PROFILE_BUILD_ID_MIN && size <= sizeof id;
  const uint64_t sum = named ? 0 : digest_headers (fd, &head);
  /* If some note or header cannot be read, it is unknown whether the file has
     a build ID.  */
  const int error = named ? 0 : errno;
  elfhead_free (&head);
  if (error != 0)
    return budget_check (problem) && problem_system (problem, error);
  if (!named)
    sprintf (build_id, PROFILE_HEADERS "%016" PRIx64, sum);
  for (size_t i = 0; named && i < size; ++i)
    sprintf (build_id + 2 * i, "%02x", id[i]);
  return true;
}

/* The suffixes of the file names of profiles.  */
#define ENDING ".profile"
#define SECRET_ENDING ".secret" ENDING

void
profile_name (const char *build_id, bool everybody, char name[static NAME_MAX])
{
  snprintf (name, NAME_MAX, "%s%s", build_id,
            everybody ? ENDING : SECRET_ENDING);
}

bool
profile_is_secret (const char *name)
{
  const size_t length = strlen (name), ending = strlen (SECRET_ENDING);
  return (length > ending
          && strcmp (name + length - ending, SECRET_ENDING) == 0);
}

/* Read the file FD, which has STATUS, and parse its text into PROFILE.  */
static bool
heat_directory_read_text (struct profile *profile, int fd,
                          const struct stat *status, struct problem *problem)
{
  if (status->st_size > PROFILE_SIZE_MAX)
    return problem_set (problem, "the profile is too large");
  char *text = allocate (status->st_size + 1);
  ssize_t n = pread (fd, text, status->st_size, 0);
  const bool good = n < 0 ? problem_system (problem, errno)
                          : profile_parse (profile, text, n, problem);
  free (text);
  return good;
}

/* Read the profile that is open on descriptor FD and has the file name BASE.
   The caller of the command is the user CALLER.  */
static bool
heat_directory_read_profile (struct profile *profile, int fd, const char *base,
                             uid_t caller, struct problem *problem)
{
  struct stat status;
  char name[NAME_MAX];
  if (fstat (fd, &status) != 0)
    return problem_system (problem, errno);
  if (!S_ISREG (status.st_mode))
    return problem_set (problem, "the file is not a regular file");
  if ((status.st_uid != 0 && status.st_uid != caller)
      || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return problem_set (
        problem,
        "users other than root have write permission; a profile must belong "
        "to root, and no other user may have write permission");
  if (!heat_directory_read_text (profile, fd, &status, problem))
    return false;
  profile_name (profile->build_id, !profile_is_secret (base), name);
  if (strcmp (name, base) == 0)
    return true;
  profile_free (profile);
  return problem_set (problem,
                      "the name of the file must be the build ID that the "
                      "file contains, with .profile appended");
}

/* Return true if only root can read the profile FD, although its file is not
   called BUILD.secret.profile.  (Older releases called all profiles
   BUILD.profile, including profiles that only root can read.)  */
static bool
is_kept_secret (int fd)
{
  struct stat status;
  return (geteuid () == 0 && fstat (fd, &status) == 0
          && (status.st_mode & S_IROTH) == 0);
}

/* Open the file NAME in the directory with the descriptor DIR.  On failure set
   PROBLEM and errno, and return -1.  */
static int
open_profile (int dir, const char *name, struct problem *problem)
{
  int fd = openat (dir, name,
                   O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd < 0)
    {
      const int error = errno;
      if (error == ELOOP)
        problem_set (problem, "it is a link");
      else
        problem_system (problem, error);
      errno = error;
    }
  return fd;
}

bool
profile_read (struct profile *profile, int dir, const char *name, uid_t caller,
              struct problem *problem)
{
  *profile = (struct profile){ .nnames = 0 };
  int fd = open_profile (dir, name, problem);
  if (fd < 0)
    return false;
  const bool good
      = heat_directory_read_profile (profile, fd, name, caller, problem);
  close (fd);
  errno = 0;
  return good;
}

/* The question for the unprivileged process.  */
struct question
{
  const char *name; /* The file name of the profile.  */
  uid_t caller;     /* The user who has called the command.  */
};

/* In an unprivileged process: parse the profile FILE, and write its contents
   to ANSWER.  ASKED is a struct question.  */
static void
heat_directory_read_opened (const struct reader_file *file, const void *asked,
                            struct message *answer)
{
  static struct profile profile;
  const struct question *question = asked;
  struct problem problem = { 0 };
  const bool good = heat_directory_read_profile (
      &profile, file->fd, question->name, question->caller, &problem);
  message_put_result (answer, good, &problem);
  if (!good)
    return;
  message_put_number (answer, profile.nnames);
  for (size_t i = 0; i < profile.nnames; ++i)
    message_put_text (answer, profile.names[i]);
  message_put_number (answer, profile.when);
  message_put_number (answer, profile.samples);
  message_put_number (answer, profile.process_samples);
  message_put_number (answer, profile.first);
  message_put_number (answer, profile.count);
  for (size_t i = 0; i < profile.count; ++i)
    message_put_number (answer, profile.weights[i]);
}

/* Read the contents of PROFILE, the profile of the build BUILD_ID, from
   ANSWER.  */
static void
get_profile (struct message *answer, const char *build_id,
             struct profile *profile)
{
  char name[PATH_MAX];
  snprintf (profile->build_id, sizeof profile->build_id, "%s", build_id);
  const size_t names = message_get_number (answer, PROFILE_NAMES_MAX);
  for (size_t i = 0; i < names; ++i)
    {
      message_get_text (answer, name, sizeof name);
      profile_add_name (profile, name);
    }
  profile->when = message_get_number (answer, PROFILE_WHEN_MAX);
  const uint64_t samples = message_get_number (answer, PROFILE_SAMPLES_MAX);
  profile->process_samples = message_get_number (answer, PROFILE_SAMPLES_MAX);
  profile->samples = samples;
  answer->bad |= samples > profile->process_samples;
  /* The weights are shares of the samples, so a profile without samples is
     invalid.  */
  answer->bad |= profile->process_samples == 0;
  profile->first = message_get_number (answer, PROFILE_ADDRESS_MAX);
  answer->bad |= profile->first % PROFILE_GRANULE != 0;
  const size_t count = message_get_number (answer, PROFILE_GRANULES_MAX);
  profile->weights = allocate (count * sizeof *profile->weights);
  profile->count = count;
  for (size_t i = 0; i < count; ++i)
    profile->weights[i] = message_get_number (answer, PROFILE_WEIGHTS);
}

/* If ANSWER contains the profile of the build BUILD_ID, set PROFILE to this
   profile.  If ANSWER contains a problem, set PROBLEM to this problem.  */
static bool
take_answer (struct message *answer, const char *build_id,
             struct profile *profile, struct problem *problem)
{
  const bool good = message_get_result (answer, problem);
  if (good)
    get_profile (answer, build_id, profile);
  if (message_is_done (answer))
    return good;
  profile_free (profile);
  return problem_unknown (problem, READER_MAKES_NO_SENSE);
}

bool
profile_ask (struct profile *profile, int dir, const char *build_id,
             bool everybody, struct problem *problem)
{
  char name[NAME_MAX];
  struct message answer;
  *profile = (struct profile){ .nnames = 0 };
  profile_name (build_id, everybody, name);
  int fd = open_profile (dir, name, problem);
  if (fd < 0)
    return false;
  if (everybody && is_kept_secret (fd))
    {
      close (fd);
      errno = ENOENT;
      return problem_system (problem, ENOENT);
    }
  const struct question question = { name, geteuid () };
  bool good = reader_ask_opened (fd, heat_directory_read_opened, &question,
                                 &answer, problem);
  close (fd);
  if (good)
    {
      good = take_answer (&answer, build_id, profile, problem);
      message_free (&answer);
    }
  errno = 0;
  return good;
}

int
profile_directory (const char *directory, struct problem *problem)
{
  int made = 0;
  struct problem why;
  const int dir = trusted_directory (directory, &made, &why);
  if (dir >= 0 && faccessat (dir, ".", W_OK | X_OK, AT_EACCESS) == 0)
    return dir;
  if (dir >= 0)
    {
      problem_system (&why, errno);
      close (dir);
    }
  problem_from (problem, &why,
                "%s: %s; to keep profiles in another directory, use "
                "--output=DIR",
                directory, why.text);
  return -1;
}

bool
profile_write (const struct profile *profile, int dir, bool everybody)
{
  char name[NAME_MAX], *text = NULL;
  size_t size;
  profile_name (profile->build_id, everybody, name);
  FILE *stream = open_memstream (&text, &size);
  if (stream == NULL)
    return false;
  profile_print (stream, profile);
  bool good = (fclose (stream) == 0
               && rewrite_in (dir, name, everybody, text, size));
  free (text);
  return good;
}
