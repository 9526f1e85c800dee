/* Find the objects that should have images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store/parts.h"
#include "text/inspect.h"
#include "host/mapped.h"
#include "host/reader.h"
#include "host/unprivileged.h"
#include "image/public.h"
#include "object/elfhead.h"
#include "object/program.h"
#include "trust/identity.h"
#include "util/allocate.h"
#include "util/budget.h"
#include "util/clock.h"
#include "util/path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The maximum number of files that one file may need.  */
#define NEEDED_MAX 8192

void
work_say (struct store_work *work, const char *what, const char *problem)
{
  ++work->problems;
  fflush (stdout);
  if (work->who != NULL)
    fprintf (stderr, "%s: %s%s%s\n", work->who, what != NULL ? what : "",
             what != NULL ? ": " : "", problem);
}

bool
work_is_late (struct store_work *work)
{
  work->late |= work->end != 0 && clock_milliseconds () >= work->end;
  return work->late;
}

/* Add PATH to OBJECTS, unless OBJECTS already contain the same file.  PATH
   contains no symbolic links, and STATUS is the status of the file at
   PATH.  */
static void
add_once (struct objects *objects, const char *path, const struct stat *status)
{
  const struct hugetext_identity identity = identity_of (status);
  size_t count = objects->files.count;
  for (size_t i = 0; i < count; ++i)
    if (hugetext_same_file (&objects->seen[i], &identity))
      return;
  objects->seen = allocate_more (objects->seen, count, sizeof identity);
  objects->seen[count] = identity;
  file_list_add (&objects->files, path);
}

int
objects_open (const char *path, const struct mapping *map,
              struct problem *problem)
{
  bool elf;
  int fd = public_open_object (path, &elf, problem);
  if (fd < 0)
    return -1;
  if (!elf)
    problem_set (problem, ELFHEAD_NOT_ELF);
  else if (map != NULL && !mapped_is (fd, map->device, map->inode))
    problem_set (problem, MAPPED_OTHER);
  else
    return fd;
  close (fd);
  return -1;
}

/* Add the file FD to OBJECTS, unless OBJECTS already contain it.  */
static bool
add_opened (struct objects *objects, int fd, struct problem *problem)
{
  char real[PATH_MAX];
  struct stat status;
  if (!path_of (fd, real) || fstat (fd, &status) < 0)
    return problem_system (problem, errno);
  add_once (objects, real, &status);
  return true;
}

bool
objects_add (struct objects *objects, const char *path,
             const struct mapping *map, struct problem *problem)
{
  const size_t before = unprivileged_failures ();
  if (work_is_late (objects->work))
    return problem_set (problem, "the time limit was reached");
  int fd = objects_open (path, map, problem);
  objects->unknown |= unprivileged_failures () != before;
  if (fd < 0)
    return false;
  const bool good = add_opened (objects, fd, problem);
  close (fd);
  return good;
}

bool
objects_add_file (struct objects *objects, const char *name,
                  struct problem *problem)
{
  char *found = strchr (name, '/') == NULL && access (name, F_OK) != 0
                    ? program_find (name)
                    : NULL;
  char path[PATH_MAX];
  /* Before accessing the directories of the path, check that they are
     trusted.  */
  const bool good = path_absolute (found != NULL ? found : name, path)
                        ? objects_add (objects, path, NULL, problem)
                        : problem_system (problem, errno);
  free (found);
  objects->named = objects->fixed = objects->files.count;
  return good;
}

/* Add all mapped files, not only those with mapped text, because text may
   already be mapped from an image.  Look up the path of a mapping below the
   command's own root directory.  Add the file only if it is the mapped file: a
   process may map any file, and may have another root directory than the
   command.  */
bool
objects_add_process (struct objects *objects, pid_t pid,
                     const struct file_list *programs)
{
  char exe[PATH_MAX];
  struct procmaps maps;
  struct problem problem;
  if (!inspect_maps (pid, exe, &maps))
    return false;
  const bool runs = file_list_has (programs, exe);
  budget_begin ();
  for (size_t i = 0; runs && i < maps.count && budget_spend (0); ++i)
    {
      const struct mapping *map = &maps.list[i];
      if (map->name[0] == '/' && !map->deleted && !map->shared
          && map->inode != 0
          && (i == 0 || strcmp (map->name, map[-1].name) != 0))
        objects_add (objects, map->name, map, &problem);
    }
  budget_end ();
  procmaps_free (&maps);
  return true;
}

/* The question for an unprivileged process: which files does the file at PATH
   need?  */
struct needed_question
{
  const char *path;
  file_opener *opener;
};

/* In the unprivileged process: write to ANSWER which libraries the file in
   ASKED needs.  ASKED is a struct needed_question.  */
static void
read_needed (const struct reader_file *none, const void *asked,
             struct message *answer)
{
  struct problem problem;
  const struct needed_question *question = asked;
  struct file_list needed = { 0 };
  (void) none;
  /* Do not report a file that cannot be read.  The command reports an
     unreadable file later, when it tries to make an image of the file.  */
  file_list_add (&needed, question->path);
  if (file_list_dependencies (&needed, question->opener, &problem))
    file_list_opened (&needed);
  message_put_number (answer, needed.count);
  for (size_t k = 0; k < needed.count; ++k)
    message_put_text (answer, needed.names[k]);
}

void
objects_find_needed (const char *path, file_opener *opener,
                     struct file_list *needed)
{
  struct problem problem;
  const struct needed_question question = { path, opener };
  char name[PATH_MAX];
  struct message answer;
  if (!reader_ask_about (path, read_needed, &question, &answer, &problem))
    return;
  const size_t count = message_get_count (&answer, sizeof (uint64_t));
  for (size_t i = 0; i < count && i < NEEDED_MAX; ++i)
    {
      message_get_text (&answer, name, sizeof name);
      if (i > 0 && name[0] == '/')
        file_list_add (needed, name);
    }
  message_free (&answer);
}

/* Add the libraries that the file at PATH needs to OBJECTS.  */
static void
add_needed (struct objects *objects, const char *path)
{
  struct file_list needed = { 0 };
  struct problem problem;
  const size_t before = unprivileged_failures ();
  objects_find_needed (path, public_open, &needed);
  objects->unknown |= unprivileged_failures () != before;
  for (size_t i = 0; i < needed.count; ++i)
    objects_add (objects, needed.names[i], NULL, &problem);
  file_list_free (&needed);
}

void
objects_add_needed (struct objects *objects)
{
  size_t count = objects->files.count;
  dependencies_prepare ();
  for (size_t i = objects->searched; i < count; ++i)
    add_needed (objects, objects->files.names[i]);
  objects->searched = objects->files.count;
}

void
objects_free (struct objects *objects)
{
  file_list_free (&objects->files);
  free (objects->seen);
}
