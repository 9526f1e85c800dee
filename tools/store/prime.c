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
#include "object/loader.h"
#include "object/plan.h"
#include "trust/trusted.h"

#include <errno.h>
#include <stdarg.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The work on a file.  */
struct work
{
  struct primed *primed;
  int fd;
  uint64_t first; /* File offset of the first block that can be huge.  */
  bool others;    /* A process maps a part of the file.  */
  bool gathers;   /* The kernel gathers small pages of the file.  */
};

static void __attribute__ ((format (printf, 2, 3)))
because (struct primed *primed, const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  vsnprintf (primed->problem, sizeof primed->problem, format, ap);
  va_end (ap);
}

/* Return why huge pages of its own file would not serve the text of ELF, which
   is statically linked: no loader chooses its place.  NULL if they would.  */
static const char *
find_useless_static (const struct elf_object *elf)
{
  const struct hugetext_object *object = &elf->object;
  const struct hugetext_geometry geo = elfobject_geometry ();
  const char *problem = hugetext_object_check (object, &geo);
  if (problem != NULL)
    return problem;
  if (!elf->fixed && object->align < geo.block && !machine_kernel_is (6, 7))
    return "it is statically linked, and mapped at any small page (linked with"
           " a max-page-size of a huge page, it would be at a huge one)";
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *segment = &object->segment[i];
      uintptr_t start = (segment->start + geo.block - 1) & -geo.block;
      if (hugetext_is_text (segment) && start + geo.block <= segment->fileend
          && ((segment->start - segment->offset) & (geo.block - 1)) == 0)
        return NULL;
    }
  return "its text has addresses that do not suit the places in the file";
}

/* Return the same for any ELF, which is open on FD as NAME.  */
static const char *
find_useless (const struct elf_object *elf, int fd, const char *name)
{
  /* Settings at their defaults.  */
  static const struct settings settings;
  if (elfobject_text (elf) < elfobject_geometry ().block)
    return "it has less text than a huge page";
  if (elf->statically_linked)
    return find_useless_static (elf);
  const char *problem = elfobject_problem (elf);
  if (problem != NULL)
    return problem;
  if (loader_is_loader (name, fd))
    return "it is a loader: its code runs while it maps the others";
  return plan_prefers_file (elf, &settings)
             ? NULL
             : "where addresses suit the places in the file, less text would"
               " be in huge pages (linked with a max-page-size of a huge page,"
               " it would suit)";
}

/* Return why the kernel does not cache files of the filesystem of WORK's file
   in huge pages.  NULL if it does, or may.  */
static const char *
find_incapable (const struct work *work)
{
  static char text[128];
  struct filesystem filesystem;
  if (machine_thp_off (procmaps_block ()))
    return "transparent huge pages are switched off on this machine";
  if (!machine_filesystem (work->primed->path, &filesystem) || work->gathers
      || machine_huge_files (&filesystem))
    return NULL;
  snprintf (text, sizeof text,
            "it is on %s, which this kernel caches in small pages only",
            filesystem.type);
  return text;
}

/* Find the blocks of ELF's file that programs map: those of its segments that
   are whole in the file.  */
static void
find_blocks (struct work *work, const struct elf_object *elf)
{
  const uint64_t block = procmaps_block (), page = getpagesize ();
  const struct hugetext_object *object = &elf->object;
  uint64_t first = UINT64_MAX, end = 0;
  struct stat status;
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *segment = &object->segment[i];
      uint64_t last = segment->offset + (segment->fileend - segment->start);
      first = segment->offset < first ? segment->offset : first;
      end = last > end ? last : end;
    }
  if (fstat (work->fd, &status) != 0 || first >= end)
    return;
  uint64_t size = ((uint64_t) status.st_size + page - 1) & -page;
  /* A block that is mapped in part is huge all the same.  */
  end = (end + block - 1) & -block;
  end = end < size ? end : size;
  work->first = first & -block;
  work->primed->blocks = end > work->first ? (end - work->first) / block : 0;
}

/* Look at the blocks of WORK's file.  */
static void
look (struct work *work, struct prime_counts *counts)
{
  *counts = (struct prime_counts){ 0 };
  work->others = false;
  for (size_t i = 0; i < work->primed->blocks; ++i)
    {
      struct filecache_piece piece
          = filecache_look (work->fd, work->first + i * procmaps_block ());
      counts->huge += piece.state == PIECE_HUGE;
      counts->unread += piece.state == PIECE_UNREAD;
      work->others = work->others || piece.others;
    }
  counts->small = work->primed->blocks - counts->huge - counts->unread;
}

/* Read the blocks of WORK's file again that are not huge, the last one first:
   readahead for one must not spoil the next.  */
static void
read_again (struct work *work)
{
  fsync (work->fd);
  posix_fadvise (work->fd, 0, 0, POSIX_FADV_RANDOM);
  for (size_t i = work->primed->blocks; i-- > 0;)
    {
      uint64_t offset = work->first + i * procmaps_block ();
      if (filecache_look (work->fd, offset).state != PIECE_HUGE)
        filecache_fill (work->fd, offset);
    }
}

/* Prime WORK's file, whose text can be huge.  */
static void
work_on (struct work *work, bool dry_run)
{
  struct primed *primed = work->primed;
  look (work, &primed->before);
  primed->after = primed->before;
  primed->done = primed->before.huge == primed->blocks;
  if (primed->done)
    return;
  primed->read = work->gathers || !work->others;
  if (!primed->read)
    because (primed,
             "it is mapped by processes, so its small pages stay in the page"
             " cache until these have ended (fuser names them); a copy in its"
             " place (cp, sync, mv) has a cache of its own");
  else if (dry_run)
    primed->done = true;
  else
    {
      read_again (work);
      look (work, &primed->after);
      primed->done = primed->after.huge == primed->blocks;
      if (!primed->done)
        because (primed,
                 "read again: the kernel keeps %zu of its blocks in small"
                 " pages%s",
                 primed->blocks - primed->after.huge,
                 work->others ? ", because a process has them mapped" : "");
    }
}

/* Return why the text of WORK's file, described by ELF, cannot be huge.  */
static const char *
find_reason (struct work *work, const struct elf_object *elf)
{
  const char *problem = find_useless (elf, work->fd, work->primed->path);
  if (problem == NULL)
    problem = find_incapable (work);
  if (problem == NULL)
    find_blocks (work, elf);
  return problem == NULL && work->primed->blocks == 0
             ? "it is shorter than a huge page"
             : problem;
}

void
prime_file (const char *name, bool dry_run, struct primed *primed)
{
  struct work work = { .primed = primed };
  struct elf_object elf;
  const char *problem = NULL;
  size_t pages;
  *primed = (struct primed){ .blocks = 0 };
  if (realpath (name, primed->path) == NULL)
    {
      problem = strerror (errno);
      snprintf (primed->path, sizeof primed->path, "%s", name);
    }
  work.fd = problem == NULL ? readable_open (primed->path, &problem) : -1;
  if (work.fd < 0)
    {
      because (primed, "%s", problem);
      return;
    }
  /* Look at the cache before this command reads the file.  */
  unsigned char *cached = filecache_note (work.fd, &pages);
  problem = elfobject_read (work.fd, &elf);
  if (problem != NULL)
    because (primed, "%s", problem);
  else
    {
      work.gathers = filecache_gathers (work.fd);
      problem = find_reason (&work, &elf);
      primed->useless = problem != NULL;
      if (problem != NULL)
        because (primed, "nothing to gain: %s", problem);
    }
  filecache_forget (work.fd, cached, pages);
  if (problem == NULL)
    work_on (&work, dry_run);
  close (work.fd);
}
