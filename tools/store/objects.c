/* The objects that are to have images.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store/parts.h"
#include "host/looker.h"
#include "host/procmaps.h"
#include "object/program.h"
#include "trust/identity.h"
#include "util/allocate.h"
#include "util/budget.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
work_say (struct store_work *work, const char *what, const char *problem)
{
  ++work->problems;
  fflush (stdout);
  if (work->who != NULL)
    fprintf (stderr, "%s: %s: %s\n", work->who, what, problem);
}

bool
work_is_late (struct store_work *work)
{
  work->late |= work->end != 0 && store_clock () >= work->end;
  return work->late;
}

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
  objects->seen = allocate_more (objects->seen, count, sizeof identity);
  objects->seen[count] = identity;
  file_list_add (&objects->files, path);
}

const char *
objects_add (struct objects *objects, const char *path, uint64_t inode)
{
  const char *problem;
  struct stat status;
  if (work_is_late (objects->work))
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
  else if (inode == 0 || status.st_ino == inode)
    add_once (objects, real, &status);
  free (real);
  close (fd);
  return problem;
}

const char *
objects_add_file (struct objects *objects, const char *name)
{
  char *found = strchr (name, '/') == NULL && access (name, F_OK) != 0
                    ? program_find (name)
                    : NULL;
  char *real = realpath (found != NULL ? found : name, NULL);
  const char *problem
      = real != NULL ? objects_add (objects, real, 0) : strerror (errno);
  free (real);
  free (found);
  objects->named = objects->files.count;
  return problem;
}

/* A look at the mappings of process PID.  */
struct maps_look
{
  pid_t pid;
  struct procmaps maps;
};

static void
look (void *closure)
{
  struct maps_look *look = closure;
  budget_begin ();
  procmaps_read (look->pid, &look->maps);
  budget_end ();
}

static void
pass (struct parcel *parcel, void *closure)
{
  struct procmaps *maps = &((struct maps_look *) closure)->maps;
  parcel_list (parcel, &maps->list, maps->count * sizeof *maps->list);
  for (size_t i = 0; i < maps->count; ++i)
    parcel_text (parcel, &maps->list[i].name);
  if (parcel_is_sent (parcel))
    procmaps_free (maps);
}

/* Add the files that are mapped, not only text: text may be an image's by now.
   A process may have mapped any file, and have a root of its own: so the file
   of the same name in root's own view is added, if it is the mapped file.  */
void
objects_add_process (struct objects *objects, pid_t pid)
{
  struct maps_look seen = { .pid = pid };
  if (looker_ask (pid, look, pass, &seen, sizeof seen) != NULL)
    return;
  budget_begin ();
  for (size_t i = 0; i < seen.maps.count && budget_spend (0); ++i)
    {
      const struct mapping *map = &seen.maps.list[i];
      if (map->name[0] == '/' && !map->deleted && !map->shared
          && map->inode != 0
          && (i == 0 || strcmp (map->name, map[-1].name) != 0))
        objects_add (objects, map->name, map->inode);
    }
  budget_end ();
  procmaps_free (&seen.maps);
}

bool
objects_add_needed (struct objects *objects)
{
  size_t count = objects->files.count;
  for (size_t i = 0; i < count; ++i)
    {
      struct file_list needed = { 0 };
      const char *path = objects->files.names[i];
      /* A file that cannot be read is reported when its image is made.  */
      file_list_add (&needed, path);
      if (file_list_dependencies (&needed, trusted_open) == NULL)
        file_list_opened (&needed);
      for (size_t k = 1; k < needed.count; ++k)
        objects_add (objects, needed.names[k], 0);
      file_list_free (&needed);
    }
  return !work_is_late (objects->work);
}

void
objects_free (struct objects *objects)
{
  file_list_free (&objects->files);
  free (objects->seen);
}
