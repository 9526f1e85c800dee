/* Questions about ELF files, whose headers a process without rights reads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Files of packages belong to root, but may be malformed.  A file that the
   user asks the command to prime may belong to another user.  */

#include "object/elfask.h"
#include "host/reader.h"
#include "object/loader.h"
#include "object/maps-reader.h"
#include "util/problem.h"

#include <stdint.h>
#include <stdio.h>

/* Answer with the description of the ELF file FILE.  */
static void
read_object (const struct reader_file *file, const void *none,
             struct message *answer)
{
  static struct elf_object elf;
  const char *problem = elfobject_read (file->fd, &elf);
  (void) none;
  message_put_text (answer, problem != NULL ? problem : "");
  if (problem != NULL)
    return;
  elfobject_put (answer, &elf);
}

/* Take an error message from ANSWER; NULL if the answer has none.  */
static const char *
get_problem (struct message *answer)
{
  static struct problem problem;
  message_get_printable (answer, problem.text, sizeof problem.text);
  return problem.text[0] != '\0' ? problem.text : NULL;
}

const char *
elfask_read (int fd, struct elf_object *elf)
{
  struct message answer;
  *elf = (struct elf_object){ .fixed = false };
  const char *problem = reader_ask_opened (fd, read_object, NULL, &answer);
  if (problem != NULL)
    return problem;
  problem = get_problem (&answer);
  if (problem == NULL)
    elfobject_get (&answer, elf);
  if (!message_is_done (&answer))
    problem = READER_MAKES_NO_SENSE;
  message_free (&answer);
  return problem;
}

/* Answer whether FILE, whose path is ASKED, is a dynamic loader.  */
static void
read_loader (const struct reader_file *file, const void *asked,
             struct message *answer)
{
  message_put_number (answer, loader_is_loader (asked, file->fd));
}

bool
elfask_is_loader (const char *path, int fd)
{
  /* If the reader cannot answer, skip the file as if it were a loader.  */
  return reader_says (fd, path, read_loader, path, true);
}

/* Answer whether FILE is a loader, and whether it is ld-hugetext.so.  */
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
  struct message answer;
  if (reader_ask (path, read_kind, NULL, &answer) != NULL)
    return ELFASK_NONE;
  const enum elfask_loader kind = message_get_number (&answer, ELFASK_OURS);
  const bool good = message_is_done (&answer);
  message_free (&answer);
  return good ? kind : ELFASK_NONE;
}

struct maps_question
{
  const char *path;
  const struct hugetext_object *object;
};

/* Answer the question ASKED: whether FILE may search for its own path in the
   maps.  */
static void
read_maps_problem (const struct reader_file *file, const void *asked,
                   struct message *answer)
{
  const struct maps_question *question = asked;
  const char *problem
      = maps_reader_problem (file->fd, question->path, question->object);
  message_put_text (answer, problem != NULL ? problem : "");
}

const char *
elfask_maps_problem (int fd, const char *path,
                     const struct hugetext_object *object)
{
  const struct maps_question question = { path, object };
  struct message answer;
  const char *problem
      = reader_ask_opened (fd, read_maps_problem, &question, &answer);
  if (problem != NULL)
    return problem;
  problem = get_problem (&answer);
  if (!message_is_done (&answer))
    problem = READER_MAKES_NO_SENSE;
  message_free (&answer);
  return problem;
}
