/* The making of images: which objects get one, and the result for each.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "store/make.h"
#include "image/make.h"
#include "object/loader.h"
#include "object/maps-reader.h"
#include "store/place.h"
#include "host/filecache.h"
#include "trust/identity.h"
#include "trust/rewrite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The room of a filesystem that the store leaves free: this part of it, or
   this many bytes.  */
#define RESERVE 20
#define RESERVE_MAX (UINT64_C (4) << 30)

/* The work in progress.  */
struct adding
{
  const struct store *store;
  const struct store_how *how;
  struct store_added *done;
  bool small; /* The kernel does not cache images in huge pages.  */
};

/* Report ACTION for PATH.  */
static void
tell (const struct adding *adding, enum store_action action, const char *path,
      size_t blocks, const char *problem)
{
  const struct store_event event = {
    .action = action, .object = path, .problem = problem, .blocks = blocks
  };
  if (adding->how->tell != NULL)
    adding->how->tell (&event);
}

/* Whether the store has room for NOTE's image.  */
static bool
has_room (const struct adding *adding, const struct image_note *note)
{
  struct statvfs filesystem;
  /* A filesystem without a size (ramfs) reports 0.  */
  if (statvfs (adding->store->path, &filesystem) != 0
      || filesystem.f_blocks == 0)
    return true;
  /* Headers, symbols and names take less than another block.  */
  uint64_t size = (note->blocks + 1) * note->block;
  uint64_t reserve = filesystem.f_blocks / RESERVE * filesystem.f_frsize;
  reserve = reserve < RESERVE_MAX ? reserve : RESERVE_MAX;
  return filesystem.f_bavail * filesystem.f_frsize >= size + reserve;
}

/* Have the kernel cache the blocks of NOTE's image, which is written and open
   as FD, in huge pages.  Return how many are by the kernel's account.  */
static size_t
fill_cache (int fd, const struct image_note *note)
{
  size_t huge = 0;
  for (size_t i = 0; i < image_span (note); ++i)
    if (image_has (note, i))
      {
        uint64_t offset = note->offset + i * note->block;
        huge += (filecache_look (fd, offset).state == PIECE_HUGE
                 || filecache_fill (fd, offset) == PIECE_HUGE);
      }
  return huge;
}

/* Make the image NOTE of PATH, open as FD and described in OBJECT, in the file
   TO.  Return NULL, or what is wrong.  */
static const char *
make_file (struct adding *adding, const char *path, int fd,
           const struct hugetext_object *object, struct image_note *note,
           const char *to)
{
  static char text[128];
  char from[PATH_MAX];
  /* The file with this name is an image of an older version, which has no
     use.  */
  if (!has_room (adding, note)
      && (unlink (to) != 0 || !has_room (adding, note)))
    {
      adding->done->full = true;
      return "no room for its image: what is left of the filesystem is for"
             " others";
    }
  int out = rewrite_begin (adding->store->path, from);
  if (out < 0)
    {
      adding->done->full = errno == ENOSPC || errno == EDQUOT;
      return strerror (errno);
    }
  const char *problem
      = image_make (out, fd, path, object, note, &adding->done->full);
  /* If the first image cannot be cached in huge pages, none can.  */
  if (problem == NULL && fill_cache (out, note) == 0
      && adding->done->made == 0)
    {
      adding->small = true;
      problem = "the kernel does not cache its image in huge pages";
    }
  if (rewrite_end (out, from, to, problem == NULL) || problem != NULL)
    return problem;
  snprintf (text, sizeof text, "its image cannot be written: %s",
            strerror (errno));
  return text;
}

/* Make the image NOTE of PATH, open as FD and described in OBJECT.  */
static const char *
make (struct adding *adding, const char *path, int fd,
      const struct hugetext_object *object, struct image_note *note)
{
  char name[NAME_MAX], *to;
  store_name (path, name);
  if (asprintf (&to, "%s/%s", adding->store->path, name) < 0)
    return strerror (errno);
  const char *problem = make_file (adding, path, fd, object, note, to);
  free (to);
  if (problem == NULL)
    {
      ++adding->done->made;
      adding->done->size += note->blocks * note->block;
      tell (adding, STORE_MADE, path, note->blocks, NULL);
    }
  /* The caller reports that once for all images.  */
  return adding->small ? NULL : problem;
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

/* Return why the object open as FD can have no image, NULL if it can; then set
   PLAN, which the caller frees.  */
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
  /* Plan without the file's own huge pages: where they can be had, the loader
     uses them.  */
  if (problem == NULL && !plan_make (plan, &elf, &settings, NULL))
    problem = strerror (ENOMEM);
  return problem;
}

/* Make an image of PATH, if it is worth one; PATH is open as FD and has PLAN,
   and a user has named it if NAMED.  Return NULL, or why there is no image if
   that needs a message.  */
static const char *
consider_plan (struct adding *adding, const char *path, bool named, int fd,
               const struct plan *plan)
{
  struct image_note note;
  struct stat status;
  if (!image_plan (plan, &note))
    return named ? "no block of it can be huge" : NULL;
  if (fstat (fd, &status) != 0)
    return strerror (errno);
  const char *problem = identity_source_problem (fd, &status);
  if (problem != NULL)
    return named || !adding->how->brief ? problem : NULL;
  if (is_there (adding, fd, &note))
    {
      ++adding->done->there;
      return NULL;
    }
  problem = maps_reader_problem (fd, path, &plan->elf.object);
  if (problem != NULL && named)
    return problem;
  if (problem != NULL)
    tell (adding, STORE_NONE, path, 0, problem);
  else if (adding->how->end != 0 && store_clock () >= adding->how->end)
    adding->done->late = true;
  else
    return make (adding, path, fd, &plan->elf.object, &note);
  return NULL;
}

/* Make an image of PATH, if it is worth one.  */
static const char *
consider (struct adding *adding, const char *path, bool named)
{
  struct plan plan = { 0 };
  const char *problem;
  int fd = trusted_open (path, &problem);
  if (fd < 0)
    return problem;
  if (!loader_is_loader (path, fd))
    {
      problem = plan_object (fd, &plan);
      if (problem == NULL)
        problem = consider_plan (adding, path, named, fd, &plan);
      else if (!named)
        problem = NULL;
      plan_free (&plan);
    }
  close (fd);
  return problem;
}

/* Report why images would have no use.  */
static void
say_small (const struct adding *adding)
{
  char text[PATH_MAX + 256];
  const char *remedy;
  const char *problem = store_place_problem (adding->store->path, &remedy);
  if (problem == NULL)
    snprintf (text, sizeof text,
              "no image is made: there was no huge page"
              " for it; try again with more free memory");
  else
    snprintf (text, sizeof text, "no image is made: %s; first: %s", problem,
              remedy);
  adding->how->say (adding->store->path, text);
}

void
store_make (const struct store *store, const struct objects *objects,
            const struct store_how *how, struct store_added *added)
{
  struct adding adding = { .store = store, .how = how, .done = added };
  for (size_t i = 0; i < objects->files.count && !added->full && !added->late
                     && !adding.small;
       ++i)
    {
      const char *path = objects->files.names[i];
      const char *problem = consider (&adding, path, i < objects->named);
      if (problem != NULL)
        how->say (path, problem);
    }
  if (adding.small)
    say_small (&adding);
}
