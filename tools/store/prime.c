/* Priming of files: they get cached in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Small pages stay in the cache until they are dropped.  Where no process maps
   them, the command drops them and reads them again, as the loader would.  The
   kernel tells the result, by a mapping of our own.  */

#include "store/prime.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "host/procmaps.h"
#include "object/elfask.h"
#include "object/reason.h"
#include "trust/mount.h"
#include "trust/trusted.h"
#include "util/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most blocks of a file: what its headers say may be a lie.  */
#define BLOCKS_MAX 2048

/* The most directories one below the other: each has two descriptors open.  */
#define DEPTH_MAX 64

/* Set the first block of PRIMED and their number to those of ELF's file that
   programs map: those of its segments that are whole in the file.  */
static void
find_blocks (struct primed *primed, const struct elf_object *elf, int fd)
{
  const uint64_t block = procmaps_block ();
  const struct hugetext_object *object = &elf->object;
  uint64_t first = UINT64_MAX, end = 0, size = lseek (fd, 0, SEEK_END);
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *segment = &object->segment[i];
      uint64_t last = segment->offset + (segment->fileend - segment->start);
      first = segment->offset < first ? segment->offset : first;
      end = last > end ? last : end;
    }
  /* A block that is mapped in part is huge all the same.  */
  size = (size + getpagesize () - 1) & -getpagesize ();
  end = (end + block - 1) & -block;
  end = end < size ? end : size;
  primed->first = first & -block;
  primed->blocks = end > primed->first ? (end - primed->first) / block : 0;
}

/* Return why the text of the file FD cannot be in huge pages of its own; NULL
   if it may: then PRIMED has its blocks.  */
static const char *
find_reason (struct primed *primed, int fd)
{
  struct elf_object elf;
  const char *problem = elfask_read (fd, &elf);
  if (problem != NULL)
    return problem;
  if (machine_thp_off (procmaps_block ()))
    return reason_words (HUGETEXT_THP_OFF);
  find_blocks (primed, &elf, fd);
  return primed->blocks == 0           ? "it is shorter than a huge page"
         : primed->blocks > BLOCKS_MAX ? "it is larger than 4 GiB"
                                       : NULL;
}

/* Look at the blocks of the file FD, and if READ, read those again that are
   not huge; the last one first: readahead for one must not spoil the next.
   Return how many are huge.  Set *OTHERS if a process maps a part of the file.
 */
static size_t
look (const struct primed *primed, int fd, bool read, bool *others)
{
  size_t huge = 0;
  for (size_t i = primed->blocks; i-- > 0;)
    {
      uint64_t offset = primed->first + i * procmaps_block ();
      struct filecache_piece piece = filecache_look (fd, offset);
      *others |= piece.others;
      if (read && piece.state != PIECE_HUGE)
        piece.state = filecache_fill (fd, offset);
      huge += piece.state == PIECE_HUGE;
    }
  return huge;
}

/* Prime the file FD, whose text can be huge.  */
static void
work_on (struct primed *primed, int fd)
{
  bool others = false;
  primed->before = primed->after = look (primed, fd, false, &others);
  if (primed->before == primed->blocks)
    return;
  if (others && !filecache_gathers (fd))
    {
      primed->mapped = true;
      strcpy (primed->problem,
              "it is mapped by processes, so its small pages stay in the page"
              " cache until these have ended (fuser names them); a copy in its"
              " place (cp, sync, mv) has a cache of its own");
      return;
    }
  fsync (fd);
  posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  look (primed, fd, true, &others);
  primed->after = look (primed, fd, false, &others);
  if (primed->after < primed->blocks)
    snprintf (primed->problem, sizeof primed->problem,
              "read again: the kernel keeps %zu of its blocks in small pages,"
              " as on filesystems that have no huge ones",
              primed->blocks - primed->after);
}

bool
prime_file (const char *name, struct primed *primed)
{
  const char *problem = NULL;
  *primed = (struct primed){ .blocks = 0 };
  if (!path_absolute (name, primed->path))
    snprintf (primed->path, sizeof primed->path, "%s", name);
  int fd = placed_open (primed->path, &problem);
  if (fd >= 0)
    {
      path_of (fd, primed->path);
      problem = find_reason (primed, fd);
      if (problem == NULL)
        work_on (primed, fd);
      close (fd);
    }
  if (problem != NULL)
    snprintf (primed->problem, sizeof primed->problem, "%s", problem);
  return primed->problem[0] == '\0';
}

int
prime_open_directory (const char *name)
{
  char path[PATH_MAX];
  const char *problem;
  return (path_absolute (name, path) ? placed_find_directory (path, &problem)
                                     : -1);
}

/* A directory whose files are primed.  */
struct place
{
  int fd; /* Of kind O_PATH.  */
  const char *path;
  int mount, depth; /* As of mount_number; below the first one.  */
  struct primed_folder *sum;
};

static void prime_below (const struct place *place);

/* Prime the file PATH, of SIZE bytes, and add it to SUM.  */
static void
add_file (struct primed_folder *sum, const char *path, uint64_t size)
{
  struct primed primed;
  if (size < procmaps_block ())
    return;
  prime_file (path, &primed);
  sum->files += primed.blocks > 0;
  sum->blocks += primed.blocks;
  sum->before += primed.before;
  sum->after += primed.after;
  sum->mapped += primed.mapped;
}

/* Prime NAME in PLACE.  Another filesystem is asked nothing: it may never
   answer.  */
static void
add_entry (const struct place *place, const char *name)
{
  char path[PATH_MAX];
  struct stat status;
  const int length = snprintf (path, sizeof path, "%s/%s", place->path, name);
  const int fd = openat (place->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return;
  if (length < PATH_MAX && mount_number (fd) == place->mount
      && fstat (fd, &status) == 0)
    {
      if (S_ISREG (status.st_mode))
        add_file (place->sum, path, status.st_size);
      else if (S_ISDIR (status.st_mode) && place->depth < DEPTH_MAX)
        {
          const struct place below = { .fd = fd,
                                       .path = path,
                                       .mount = place->mount,
                                       .depth = place->depth + 1,
                                       .sum = place->sum };
          prime_below (&below);
        }
    }
  close (fd);
}

/* Prime what is below PLACE.  */
static void
prime_below (const struct place *place)
{
  const int fd = openat (place->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = fd >= 0 ? fdopendir (fd) : NULL;
  if (directory == NULL)
    {
      if (place->depth == 0)
        place->sum->problem = strerror (errno);
      if (fd >= 0)
        close (fd);
      return;
    }
  for (const struct dirent *entry; (entry = readdir (directory)) != NULL;)
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      add_entry (place, entry->d_name);
  closedir (directory);
}

void
prime_folder (int fd, const char *name, struct primed_folder *sum)
{
  const struct place place
      = { .fd = fd, .path = name, .mount = mount_number (fd), .sum = sum };
  *sum = (struct primed_folder){ .files = 0 };
  prime_below (&place);
}
