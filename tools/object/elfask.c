/* Questions about ELF files: an unprivileged process reads the headers of the
   files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A file may be malformed even if it belongs to root, like the files of
   packages.  A file that "hugetext prime" is to read may belong to another
   user.  */

#include "object/elfask.h"
#include "host/mapped.h"
#include "host/reader.h"
#include "object/loader.h"
#include "object/maps-reader.h"
#include "util/problem.h"
#include "util/regular.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* In the unprivileged process: write the description of the ELF file FILE to
   ANSWER.  */
static void
elfask_read_object (const struct reader_file *file, const void *none,
                    struct message *answer)
{
  static struct elf_object elf;
  struct problem problem = { 0 };
  (void) none;
  const bool good = elfobject_read (file->fd, &elf, &problem);
  message_put_result (answer, good, &problem);
  if (good)
    elfobject_put (answer, &elf);
}

/* Read ELF, and *SIZE unless SIZE is NULL, from ANSWER, and free ANSWER.  */
static bool
elfask_take_object (struct message *answer, struct elf_object *elf,
                    uint64_t *size, struct problem *problem)
{
  bool good = message_get_result (answer, problem);
  if (good)
    elfobject_get (answer, elf);
  if (good && size != NULL)
    *size = message_get_number (answer, INT64_MAX);
  if (!message_is_done (answer))
    good = problem_unknown (problem, READER_MAKES_NO_SENSE);
  message_free (answer);
  return good;
}

bool
elfask_read (int fd, struct elf_object *elf, struct problem *problem)
{
  struct message answer;
  *elf = (struct elf_object){ .fixed = false };
  return (reader_ask_opened (fd, elfask_read_object, NULL, &answer, problem)
          && elfask_take_object (&answer, elf, NULL, problem));
}

/* A question about the file PATH, which must be the file with DEVICE and INODE
   in /proc/PID/maps unless INODE is 0.  */
struct path_question
{
  const char *path;
  dev_t device;
  ino_t inode;
  bool root; /* True if the command runs as root.  */
};

/* In the unprivileged process: write to ANSWER the description and the size of
   the ELF file whose path is in ASKED, a struct path_question.  */
static void
read_path (const struct reader_file *none, const void *asked,
           struct message *answer)
{
  static struct elf_object elf;
  const struct path_question *question = asked;
  struct problem problem = { 0 };
  (void) none;
  const int fd = regular_open (question->path);
  /* Root may be able to read a file that this process cannot read, so
     "permission denied" does not say what the file is.  */
  if (fd < 0 && errno == EACCES && question->root)
    problem_unknown (&problem, "%s", strerror (errno));
  else if (fd < 0)
    regular_problem (&problem, errno);
  else if (question->inode != 0
           && !mapped_is (fd, question->device, question->inode))
    problem_set (&problem, MAPPED_OTHER);
  const bool good
      = !problem_is (&problem) && elfobject_read (fd, &elf, &problem);
  message_put_result (answer, good, &problem);
  if (!good)
    return;
  elfobject_put (answer, &elf);
  message_put_number (answer, lseek (fd, 0, SEEK_END));
}

bool
elfask_read_path (const char *path, dev_t device, ino_t inode,
                  struct elf_object *elf, uint64_t *size,
                  struct problem *problem)
{
  const struct path_question question
      = { path, device, inode, geteuid () == 0 };
  struct message answer;
  *elf = (struct elf_object){ .fixed = false };
  return (reader_ask_about (path, read_path, &question, &answer, problem)
          && elfask_take_object (&answer, elf, size, problem));
}

/* In the unprivileged process: write to ANSWER whether FILE is a dynamic
   loader.  ASKED is the path of FILE.  */
static void
elfask_read_loader (const struct reader_file *file, const void *asked,
                    struct message *answer)
{
  message_put_number (answer, loader_is_loader (asked, file->fd));
}

struct truth
elfask_is_loader (const char *path, int fd)
{
  return reader_says (fd, path, elfask_read_loader, path);
}

/* In the unprivileged process: write to ANSWER whether FILE is a dynamic
   loader, and whether FILE is ld-hugetext.so.  */
static void
read_kind (const struct reader_file *file, const void *none,
           struct message *answer)
{
  static struct loader loader;
  (void) none;
  const bool good = file->fd >= 0 && loader_read_fd (file->fd, &loader);
  message_put_number (answer, !good || !loader.loads ? ELFASK_NONE
                              : loader.ours          ? ELFASK_OURS
                                                     : ELFASK_OTHER);
}

enum elfask_loader
elfask_loader (const char *path)
{
  struct problem problem;
  struct message answer;
  if (!reader_ask (path, read_kind, NULL, &answer, &problem))
    return ELFASK_UNKNOWN;
  const enum elfask_loader kind = message_get_number (&answer, ELFASK_OURS);
  const bool good = message_is_done (&answer);
  message_free (&answer);
  return good ? kind : ELFASK_UNKNOWN;
}

struct maps_question
{
  const char *path;
  const struct hugetext_object *object;
};

/* In the unprivileged process: write to ANSWER whether FILE may search for its
   own path in /proc/PID/maps.  ASKED is a struct maps_question.  */
static void
check_maps (const struct reader_file *file, const void *asked,
            struct message *answer)
{
  const struct maps_question *question = asked;
  struct problem problem = { 0 };
  const bool good = maps_reader_check (file->fd, question->path,
                                       question->object, &problem);
  message_put_result (answer, good, &problem);
}

bool
elfask_check_maps (int fd, const char *path,
                   const struct hugetext_object *object,
                   struct problem *problem)
{
  const struct maps_question question = { path, object };
  struct message answer;
  if (!reader_ask_opened (fd, check_maps, &question, &answer, problem))
    return false;
  bool good = message_get_result (&answer, problem);
  if (!message_is_done (&answer))
    good = problem_unknown (problem, READER_MAKES_NO_SENSE);
  message_free (&answer);
  return good;
}
