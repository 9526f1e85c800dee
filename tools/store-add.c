/* Make the images that objects are to have.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store-add.h"
#include "identity.h"
#include "image-make.h"
#include "loader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What has been done.  */
struct adding
{
  const struct store *store;
  objects_say *say;
  size_t made, there;
  uint64_t size;   /* Of those made.  */
  bool full;       /* There is no room for more.  */
  bool terminal;   /* Somebody is looking on.  */
};

/* Say on a terminal what is being done: object I of COUNT.  */
static void
show_progress (const struct adding *adding, size_t i, size_t count,
               const char *path)
{
  if (adding->terminal)
    fprintf (stderr, "\r\033[K[%zu/%zu] %s", i + 1, count, path);
}

static void
hide_progress (const struct adding *adding)
{
  if (adding->terminal)
    fputs ("\r\033[K", stderr);
}

/* Put the image that is to be in NAME, in place: open as FD, at FROM.  */
static const char *
put (int fd, const char *from, const char *name)
{
  static char text[128];
  bool good = close (fd) == 0 && rename (from, name) == 0;
  if (!good)
    {
      snprintf (text, sizeof text, "its image cannot be written: %s",
                strerror (errno));
      unlink (from);
    }
  return good ? NULL : text;
}

/* Make the image NOTE of PATH, open as FD and described in OBJECT.  */
static void
make (struct adding *adding, const char *path, int fd,
      const struct hugetext_object *object, struct image_note *note)
{
  char from[PATH_MAX], name[NAME_MAX], *to;
  const char *problem = NULL;
  store_name (path, name);
  int out = store_create (adding->store->path, from);
  if (out < 0 || asprintf (&to, "%s/%s", adding->store->path, name) < 0)
    {
      adding->full = out < 0 && (errno == ENOSPC || errno == EDQUOT);
      adding->say (path, strerror (errno));
      return;
    }
  problem = image_make (out, fd, path, object, note, &adding->full);
  if (problem == NULL)
    problem = put (out, from, to);
  else
    {
      close (out);
      unlink (from);
    }
  free (to);
  if (problem != NULL)
    {
      hide_progress (adding);
      adding->say (path, problem);
      return;
    }
  adding->made++;
  adding->size += note->blocks * note->block;
  hide_progress (adding);
  printf ("%s: %u block%s\n", path, note->blocks,
          note->blocks != 1 ? "s" : "");
}

/* Whether the store has the image NOTE of FD already.  */
static bool
is_there (const struct adding *adding, int fd, const struct image_note *note)
{
  struct stat status;
  if (fstat (fd, &status) != 0)
    return false;
  struct hugetext_identity identity = identity_of (&status);
  const struct stored *stored = store_find (adding->store, &identity);
  if (stored == NULL)
    return false;
  const struct image_note *there = &stored->image.note;
  return (there->digest == note->digest && there->block == note->block
          && there->first == note->first && there->offset == note->offset
          && memcmp (there->has, note->has, sizeof note->has) == 0);
}

/* Why the object that is open as FD can have no image, NULL if it can.  Sets
   PLAN, to be freed then.  */
static const char *
plan_object (int fd, struct plan *plan)
{
  struct stat status;
  struct elf_object elf;
  struct image image;
  static const struct settings settings;
  if (fstat (fd, &status) != 0)
    return strerror (errno);
  image_read (fd, &image);
  if (image.note.version != 0)
    return "it is an image of the store";
  const char *problem = elfobject_read (fd, &elf);
  if (problem == NULL)
    problem = elfobject_problem (&elf);
  /* Where the file's own huge pages are not to be had: else they are
     used.  */
  if (problem == NULL && !plan_make (plan, &elf, &settings, false))
    problem = strerror (ENOMEM);
  return problem;
}

/* Have an image made of PATH, which was asked for by its name if NAMED.  */
static void
consider (struct adding *adding, const char *path, bool named)
{
  struct plan plan = { 0 };
  struct image_note note;
  struct stat status;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 || fstat (fd, &status) != 0)
    adding->say (path, strerror (errno));
  else if (!loader_is_loader (path, fd))
    {
      const char *problem = plan_object (fd, &plan);
      if (problem == NULL && !image_plan (&plan, &note))
        problem = "no block of it can be huge";
      /* What has no use for an image needs no other reason.  */
      if (problem != NULL)
        problem = named ? problem : NULL;
      else if ((problem = identity_problem (&status, 0)) == NULL)
        {
          if (is_there (adding, fd, &note))
            adding->there++;
          else
            make (adding, path, fd, &plan.elf.object, &note);
        }
      if (problem != NULL)
        {
          hide_progress (adding);
          adding->say (path, problem);
        }
      plan_free (&plan);
    }
  if (fd >= 0)
    close (fd);
}

/* Have the names that files have got reach the disk.  */
static void
sync_folder (const char *path)
{
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0)
    {
      fsync (fd);
      close (fd);
    }
}

void
store_add (const struct store *store, const struct objects *objects,
           objects_say *say)
{
  struct adding adding = { .store = store,
                           .say = say,
                           .terminal = isatty (STDERR_FILENO) == 1 };
  size_t count = objects->files.count;
  for (size_t i = 0; i < count && !adding.full; i++)
    {
      show_progress (&adding, i, count, objects->files.names[i]);
      consider (&adding, objects->files.names[i], i < objects->named);
    }
  hide_progress (&adding);
  if (adding.made > 0)
    sync_folder (store->path);
  printf ("%s: %zu images made (%llu MiB), %zu were there\n", store->path,
          adding.made, (unsigned long long)(adding.size >> 20),
          adding.there);
}
