/* Make the images that objects are to have.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store-add.h"
#include "filecache.h"
#include "identity.h"
#include "image-make.h"
#include "loader.h"
#include "maps-reader.h"
#include "output.h"
#include "store-place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* What is left of a filesystem to others: this part of it, or so many
   bytes.  */
#define RESERVE 20
#define RESERVE_MAX (UINT64_C (4) << 30)

/* What is being done.  */
struct adding
{
  const struct store *store;
  const struct store_how *how;
  struct store_added done;
  bool small;    /* The kernel does not cache images in huge pages.  */
  bool terminal; /* Somebody is looking on.  */
};

/* Say on a terminal what is being done: object I of COUNT.  */
static void
show_progress (const struct adding *adding, size_t i, size_t count,
               const char *path)
{
  if (!adding->terminal)
    return;
  output_control (stderr, "\r\033[K");
  fprintf (stderr, "[%zu/%zu] %s", i + 1, count, path);
}

static void
hide_progress (const struct adding *adding)
{
  if (adding->terminal)
    output_control (stderr, "\r\033[K");
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

/* Whether there is room for NOTE's image in the store.  */
static bool
has_room (const struct adding *adding, const struct image_note *note)
{
  struct statvfs filesystem;
  /* Filesystems without a size (ramfs) say 0.  */
  if (statvfs (adding->store->path, &filesystem) != 0
      || filesystem.f_blocks == 0)
    return true;
  /* Headers, symbols and names take less than another block.  */
  uint64_t size = (note->blocks + 1) * note->block;
  uint64_t reserve = filesystem.f_blocks / RESERVE * filesystem.f_frsize;
  reserve = reserve < RESERVE_MAX ? reserve : RESERVE_MAX;
  return filesystem.f_bavail * filesystem.f_frsize >= size + reserve;
}

/* Have the blocks of NOTE's image, which is open as FD and has been written,
   cached in huge pages.  Returns how many the kernel says are.  */
static size_t
fill_cache (int fd, const struct image_note *note)
{
  size_t huge = 0;
  for (size_t i = 0; i < image_span (note); i++)
    if (image_has (note, i))
      {
        uint64_t offset = note->offset + i * note->block;
        huge += (filecache_look (fd, offset, NULL).state == PIECE_HUGE
                 || filecache_fill (fd, offset) == PIECE_HUGE);
      }
  return huge;
}

/* Make the image NOTE of PATH, open as FD and described in OBJECT.  */
static void
make (struct adding *adding, const char *path, int fd,
      const struct hugetext_object *object, struct image_note *note)
{
  char from[PATH_MAX], name[NAME_MAX], *to;
  const char *problem = NULL;
  store_name (path, name);
  if (asprintf (&to, "%s/%s", adding->store->path, name) < 0)
    {
      adding->how->say (path, strerror (errno));
      return;
    }
  /* What has this name now is of an older version, and of no use.  */
  if (!has_room (adding, note)
      && (unlink (to) != 0 || !has_room (adding, note)))
    {
      adding->done.full = true;
      hide_progress (adding);
      adding->how->say (path, "no room for its image: what is left of the"
                              " filesystem is for others");
      free (to);
      return;
    }
  int out = store_create (adding->store->path, from);
  if (out < 0)
    {
      adding->done.full = errno == ENOSPC || errno == EDQUOT;
      adding->how->say (path, strerror (errno));
      free (to);
      return;
    }
  problem = image_make (out, fd, path, object, note, &adding->done.full);
  /* If the first one cannot be had in huge pages, none can.  */
  if (problem == NULL && fill_cache (out, note) == 0
      && adding->done.made == 0)
    {
      adding->small = true;
      problem = "the kernel does not cache its image in huge pages";
    }
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
      /* That is said of all.  */
      if (!adding->small)
        adding->how->say (path, problem);
      return;
    }
  adding->done.made++;
  adding->done.size += note->blocks * note->block;
  hide_progress (adding);
  if (!adding->how->silent)
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
  if (problem == NULL && !plan_make (plan, &elf, &settings, false, NULL,
                                     NULL))
    problem = strerror (ENOMEM);
  return problem;
}

/* Mention that PATH, which nobody has asked for, has no image because of
   PROBLEM: that is no failure.  Returns NULL.  */
static const char *
pass_over (const struct adding *adding, const char *path, const char *problem)
{
  hide_progress (adding);
  if (!adding->how->brief)
    printf ("%s: no image: %s\n", path, problem);
  return NULL;
}

/* Have an image made of PATH, which was asked for by its name if NAMED.  */
static void
consider (struct adding *adding, const char *path, bool named)
{
  struct plan plan = { 0 };
  struct image_note note;
  struct stat status;
  const char *closed;
  int fd = trusted_open (path, &closed);
  if (fd < 0)
    adding->how->say (path, closed);
  else if (fstat (fd, &status) != 0)
    adding->how->say (path, strerror (errno));
  else if (!loader_is_loader (path, fd))
    {
      const char *problem = plan_object (fd, &plan);
      if (problem == NULL && !image_plan (&plan, &note))
        problem = "no block of it can be huge";
      /* What has no use for an image needs no other reason.  */
      if (problem != NULL)
        problem = named ? problem : NULL;
      else if ((problem = identity_source_problem (fd, &status)) != NULL)
        problem = named || !adding->how->brief ? problem : NULL;
      else if (is_there (adding, fd, &note))
        adding->done.there++;
      else if ((problem
                = maps_reader_problem (fd, path, &plan.elf.object))
               != NULL)
        problem = named ? problem : pass_over (adding, path, problem);
      else if (adding->how->end != 0 && store_clock () >= adding->how->end)
        adding->done.late = true;
      else
        make (adding, path, fd, &plan.elf.object, &note);
      if (problem != NULL)
        {
          hide_progress (adding);
          adding->how->say (path, problem);
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

/* Say why images would be of no use.  */
static void
say_small (const struct adding *adding)
{
  char text[PATH_MAX + 256];
  const char *remedy;
  const char *problem = store_place_problem (adding->store->path, &remedy);
  if (problem == NULL)
    snprintf (text, sizeof text, "no image is made: there was no huge page"
                                 " for it; try again with more free memory");
  else
    snprintf (text, sizeof text, "no image is made: %s; first: %s", problem,
              remedy);
  adding->how->say (adding->store->path, text);
}

struct store_added
store_add (const struct store *store, const struct objects *objects,
           const struct store_how *how)
{
  struct adding adding = { .store = store,
                           .how = how,
                           .terminal
                           = how->watched && isatty (STDERR_FILENO) == 1 };
  size_t count = objects->files.count;
  for (size_t i = 0; i < count && !adding.done.full && !adding.done.late
                     && !adding.small; i++)
    {
      show_progress (&adding, i, count, objects->files.names[i]);
      consider (&adding, objects->files.names[i], i < objects->named);
    }
  hide_progress (&adding);
  if (adding.small)
    say_small (&adding);
  if (adding.done.made > 0)
    sync_folder (store->path);
  if (!how->brief)
    printf ("%s: %zu images made (%llu MiB), %zu were there\n", store->path,
            adding.done.made, (unsigned long long)(adding.done.size >> 20),
            adding.done.there);
  return adding.done;
}
