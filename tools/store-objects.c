/* Which objects are to have images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store-objects.h"
#include "elfobject.h"
#include "identity.h"
#include "process.h"
#include "procmaps.h"
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether the file PATH begins as an ELF file does.  Sets IDENTITY.  */
static bool
is_elf (const char *path, struct hugetext_identity *identity)
{
  char magic[SELFMAG];
  struct stat status;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return false;
  bool good = (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
               && pread (fd, magic, SELFMAG, 0) == SELFMAG
               && memcmp (magic, ELFMAG, SELFMAG) == 0);
  *identity = identity_of (&status);
  close (fd);
  return good;
}

/* Add the file PATH if it is ELF, and not there yet.  */
static void
add (struct objects *objects, const char *path)
{
  struct hugetext_identity identity;
  char *real = realpath (path, NULL);
  if (real == NULL || !is_elf (real, &identity))
    {
      free (real);
      return;
    }
  size_t count = objects->files.count;
  for (size_t i = 0; i < count; i++)
    if (hugetext_same_file (&objects->seen[i], &identity))
      {
        free (real);
        return;
      }
  struct hugetext_identity *seen
      = reallocarray (objects->seen, count + 1, sizeof *seen);
  if (seen != NULL)
    {
      objects->seen = seen;
      seen[count] = identity;
      file_list_add (&objects->files, real);
    }
  free (real);
}

void
objects_add_path (struct objects *objects, const char *path)
{
  add (objects, path);
}

void
objects_add_file (struct objects *objects, const char *name, objects_say *say)
{
  struct hugetext_identity identity;
  char *found = NULL;
  if (strchr (name, '/') == NULL && access (name, F_OK) != 0)
    found = program_find (name);
  const char *path = found != NULL ? found : name;
  struct program program;
  if (is_elf (path, &identity))
    add (objects, path);
  else if (access (path, R_OK) != 0)
    say (name, strerror (errno));
  else if (program_read (path, &program) && program.kind != PROGRAM_OTHER)
    /* What a script is for.  */
    add (objects, program.file);
  else
    say (name, "it is neither a program nor a library");
  free (found);
  objects->named = objects->files.count;
}

/* Add what MAPS have.  */
static void
add_maps (struct objects *objects, const struct procmaps *maps)
{
  struct stat status;
  for (size_t i = 0; i < maps->count; i++)
    {
      /* All of them, not only text: text may be an image's by now.  */
      const struct mapping *map = &maps->list[i];
      if (map->name[0] == '/' && !map->deleted && !map->shared
          && map->inode != 0
          && (i == 0 || strcmp (map->name, maps->list[i - 1].name) != 0)
          && stat (map->name, &status) == 0
          && status.st_ino == map->inode)
        add (objects, map->name);
    }
}

void
objects_add_process (struct objects *objects, pid_t pid, objects_say *say)
{
  struct procmaps maps;
  struct process process = { .pid = pid };
  char name[32];
  if (procmaps_read (pid, &maps) == 0)
    {
      add_maps (objects, &maps);
      procmaps_free (&maps);
    }
  else if (say != NULL)
    {
      int error = errno;
      snprintf (name, sizeof name, "process %d", (int)pid);
      say (name, process_read (pid, &process)
                     ? process_problem (&process, error)
                     : strerror (error));
    }
}

void
objects_add_running (struct objects *objects)
{
  pid_t *list;
  ssize_t count = process_list (NULL, &list);
  for (ssize_t i = 0; i < count; i++)
    if (list[i] != getpid ())
      objects_add_process (objects, list[i], NULL);
  free (list);
}

void
objects_add_config (struct objects *objects, const struct config *config)
{
  const uint32_t mode = 1u << HUGETEXT_KEY_MODE;
  for (size_t i = 0; i < config->count; i++)
    {
      const struct config_section *section = &config->sections[i];
      glob_t found = { 0 };
      if ((section->given & mode) == 0
          || (section->value[HUGETEXT_KEY_MODE] & 1) == 0
          || strstr (section->pattern, "**") != NULL
          || glob (section->pattern, GLOB_NOSORT, NULL, &found) != 0)
        continue;
      for (size_t k = 0; k < found.gl_pathc; k++)
        add (objects, found.gl_pathv[k]);
      globfree (&found);
    }
}

void
objects_add_store (struct objects *objects, const struct store *store)
{
  for (size_t i = 0; i < store->count; i++)
    if (store->files[i].image.note.version != 0)
      add (objects, store->files[i].image.object);
}

/* Whether the loader can list what PATH needs.  */
static bool
may_need (const char *path)
{
  struct elf_object object;
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  bool good = (elfobject_read (fd, &object) == NULL
               && !object.statically_linked);
  close (fd);
  return good;
}

void
objects_add_needed (struct objects *objects, objects_say *say)
{
  size_t count = objects->files.count;
  for (size_t i = 0; i < count; i++)
    {
      struct file_list needed = { 0 };
      const char *path = objects->files.names[i];
      const char *problem = NULL;
      if (!file_list_add (&needed, path))
        problem = strerror (ENOMEM);
      else if (may_need (path))
        {
          problem = file_list_dependencies (&needed);
          file_list_opened (&needed);
        }
      if (problem != NULL && i < objects->named)
        say (path, problem);
      for (size_t k = 1; k < needed.count; k++)
        add (objects, needed.names[k]);
      file_list_free (&needed);
    }
}

void
objects_free (struct objects *objects)
{
  file_list_free (&objects->files);
  free (objects->seen);
}
