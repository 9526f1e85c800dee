/* The files of a service that are worth priming.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "prime.h"
#include "budget.h"
#include "elfobject.h"
#include "mapped.h"
#include "process.h"
#include "regular.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Add NAME to FILES if it has a block's worth of text and is not there
   yet.  */
static void
add_large (struct file_list *files, const char *name)
{
  for (size_t i = 0; i < files->count; i++)
    if (strcmp (files->names[i], name) == 0)
      return;
  if (elfobject_file_text (name) >= procmaps_block ())
    file_list_add (files, name);
}

/* Whether the file NAME is still the one that MAP shows.  */
static bool
is_there (const char *name, const struct mapping *map)
{
  int fd = open (name, O_PATH | O_CLOEXEC);
  bool same = fd >= 0 && mapped_is (fd, map->device, map->inode);
  if (fd >= 0)
    close (fd);
  return same;
}

/* Add what process PID executes.  */
static void
add_mapped (struct file_list *files, pid_t pid)
{
  struct procmaps maps;
  struct process process;
  if (!process_read (pid, &process))
    return;
  budget_begin (process.uid);
  int unread = procmaps_read (pid, &maps);
  budget_end ();
  if (unread < 0)
    return;
  for (size_t i = 0; i < maps.count; i++)
    {
      const struct mapping *map = &maps.list[i];
      char name[PATH_MAX];
      if (!map->executable || map->inode == 0 || map->name[0] != '/'
          || map->deleted)
        continue;
      /* Names are those of its own root.  */
      snprintf (name, sizeof name, "/proc/%d/root", (int)pid);
      char *root = realpath (name, NULL);
      if (root != NULL
          && snprintf (name, sizeof name, "%s%s",
                       strcmp (root, "/") == 0 ? "" : root, map->name)
                 < (int)sizeof name
          && is_there (name, map))
        add_large (files, name);
      free (root);
    }
  procmaps_free (&maps);
}

/* Add what PROGRAM needs, or opens as soon as it runs.  */
static const char *
add_program (struct file_list *files, const char *program)
{
  struct file_list all = { 0 };
  const char *problem = NULL;
  if (!file_list_add (&all, program))
    return strerror (ENOMEM);
  struct elf_object elf;
  int fd = regular_open (program, 0);
  if (fd < 0)
    problem = strerror (errno);
  else
    {
      problem = elfobject_read (fd, &elf);
      close (fd);
      if (problem == NULL && !elf.statically_linked)
        problem = file_list_dependencies (&all, readable_open);
    }
  if (problem == NULL)
    file_list_opened (&all);
  for (size_t i = 0; problem == NULL && i < all.count; i++)
    add_large (files, all.names[i]);
  file_list_free (&all);
  return problem;
}

/* Add to FILES those of UNIT.  */
static const char *
add_unit (struct file_list *files, const struct unit *unit)
{
  static char text[PATH_MAX + 256];
  pid_t *list;
  size_t n = unit_processes (unit, &list);
  for (size_t i = 0; i < n; i++)
    add_mapped (files, list[i]);
  free (list);
  if (n > 0)
    return NULL;
  if (unit->command[0] == '\0')
    return "it does not run, and starts no program";
  if (unit->root[0] != '\0')
    return "it does not run, and has a root directory of its own: name its"
           " files";
  const char *problem = add_program (files, unit->command);
  if (problem == NULL)
    return NULL;
  snprintf (text, sizeof text, "%s: %s", unit->command, problem);
  return text;
}

const char *
prime_service (const char *name, struct file_list *files)
{
  struct unit unit;
  size_t before = files->count;
  const char *full = unit_name (name);
  if (full == NULL)
    return "it cannot be the name of a unit";
  const char *problem = unit_read (full, &unit);
  if (problem != NULL)
    return problem;
  problem = add_unit (files, &unit);
  unit_free (&unit);
  return problem != NULL || files->count > before
             ? problem
             : "none of its files has a huge page's worth of text";
}
