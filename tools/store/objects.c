/* The objects that are to have images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store/objects.h"
#include "object/program.h"
#include "host/process.h"
#include "host/procmaps.h"
#include "trust/identity.h"
#include "util/budget.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether FD begins as an ELF file does.  */
static bool
is_elf (int fd)
{
  char magic[SELFMAG];
  return (pread (fd, magic, SELFMAG, 0) == SELFMAG
          && memcmp (magic, ELFMAG, SELFMAG) == 0);
}

/* Add PATH, without links, a file of STATUS, if it is not there yet.  */
static void
add_once (struct objects *objects, const char *path, const struct stat *status)
{
  const struct hugetext_identity identity = identity_of (status);
  size_t count = objects->files.count;
  for (size_t i = 0; i < count; ++i)
    if (hugetext_same_file (&objects->seen[i], &identity))
      return;
  struct hugetext_identity *seen
      = reallocarray (objects->seen, count + 1, sizeof *seen);
  if (seen != NULL)
    {
      objects->seen = seen;
      seen[count] = identity;
      file_list_add (&objects->files, path);
    }
}

/* Whether the time for OBJECTS is over.  */
static bool
is_over (const struct objects *objects)
{
  return objects->end != 0 && store_clock () >= objects->end;
}

/* Add the file PATH if it is ELF and root's, and not there yet.  Return NULL,
   or why it is not added.  */
static const char *
add (struct objects *objects, const char *path)
{
  const char *problem;
  struct stat status;
  if (is_over (objects))
    return "the time is over";
  int fd = trusted_open (path, &problem);
  if (fd < 0)
    return problem;
  /* Only root can change the target of the path.  */
  char *real = realpath (path, NULL);
  if (real == NULL || fstat (fd, &status) < 0)
    problem = strerror (errno);
  else if (!is_elf (fd))
    problem = "it is neither a program nor a library";
  else
    add_once (objects, real, &status);
  free (real);
  close (fd);
  return problem;
}

void
objects_add_path (struct objects *objects, const char *path)
{
  add (objects, path);
}

void
objects_add_file (struct objects *objects, const char *name, objects_say *say)
{
  char *found = NULL;
  if (strchr (name, '/') == NULL && access (name, F_OK) != 0)
    found = program_find (name);
  const char *path = found != NULL ? found : name;
  struct program program;
  if (access (path, R_OK) != 0)
    say (name, strerror (errno));
  else
    {
      /* The interpreter of a script.  */
      bool script
          = (program_read (path, &program) && program.kind != PROGRAM_OTHER
             && program.script[0] != '\0');
      char *real = realpath (script ? program.file : path, NULL);
      const char *problem
          = real != NULL ? add (objects, real) : strerror (errno);
      if (problem != NULL)
        say (name, problem);
      free (real);
    }
  free (found);
  objects->named = objects->files.count;
}

/* Add the files in MAPS, not only text: text may be an image's by now.  A
   process may have mapped any file, and have a root of its own: so the file of
   the same name in root's own view is added, if it is the mapped file.  */
static void
add_maps (struct objects *objects, const struct procmaps *maps)
{
  struct stat status;
  for (size_t i = 0; i < maps->count && !is_over (objects) && budget_spend (0);
       ++i)
    {
      const struct mapping *map = &maps->list[i];
      const char *problem;
      if (map->name[0] != '/' || map->deleted || map->shared || map->inode == 0
          || (i > 0 && strcmp (map->name, maps->list[i - 1].name) == 0))
        continue;
      int fd = trusted_open (map->name, &problem);
      if (fd < 0)
        continue;
      if (fstat (fd, &status) == 0 && status.st_ino == map->inode)
        add (objects, map->name);
      close (fd);
    }
}

void
objects_add_process (struct objects *objects, pid_t pid, objects_say *say)
{
  struct procmaps maps;
  struct process process = { .pid = pid };
  char name[32];
  int error = process_read (pid, &process) ? 0 : errno;
  budget_begin ();
  if (error == 0 && procmaps_read (pid, &maps) == 0)
    {
      add_maps (objects, &maps);
      procmaps_free (&maps);
    }
  else if (say != NULL)
    {
      const char *problem
          = error != 0 ? strerror (error) : process_problem (&process, errno);
      snprintf (name, sizeof name, "process %d", (int) pid);
      say (name, problem);
    }
  budget_end ();
}

const char *
objects_add_needed (struct objects *objects)
{
  size_t count = objects->files.count;
  for (size_t i = 0; i < count; ++i)
    {
      struct file_list needed = { 0 };
      const char *path = objects->files.names[i];
      /* A file that cannot be read is reported when its image is made.  */
      if (file_list_add (&needed, path)
          && file_list_dependencies (&needed, trusted_open) == NULL)
        file_list_opened (&needed);
      for (size_t k = 1; k < needed.count; ++k)
        add (objects, needed.names[k]);
      file_list_free (&needed);
    }
  return is_over (objects) ? "the time is over" : NULL;
}

void
objects_free (struct objects *objects)
{
  file_list_free (&objects->files);
  free (objects->seen);
}
