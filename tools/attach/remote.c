/* The system calls of a conversion, which a thread of the process makes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/remote.h"
#include "tracee/limit.h"
#include "tracee/thread.h"
#include "object/textmap.h"
#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#  define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MREMAP_DONTUNMAP
#  define MREMAP_DONTUNMAP 4 /* Linux 5.7, of files 5.13.  */
#endif

/* Slots of tracee_cleanup.  */
enum
{
  SLOT_MAP,
  SLOT_FILE,
  SLOT_SWITCH,
};

enum
{
  STOP_PATIENCE = 1000, /* Milliseconds to wait for one thread,  */
  FREEZE_PATIENCE = 10, /* for all others, while one is stopped, */
  LONG_PATIENCE = 100,  /* and for all others after many attempts that were too
                           short.  */
  OFTEN = 3,
};

/* Milliseconds.  */
static double
now (void)
{
  return thread_now () / 1e6;
}

/* Return the middle of the largest gap between the mappings of process PID, 0
   if it is not known.  */
static uintptr_t
find_room (pid_t pid)
{
  struct procmaps maps;
  uintptr_t largest = 0, room = 0;
  if (procmaps_read (pid, &maps) < 0)
    return 0;
  for (size_t i = 0; i + 1 < maps.count; ++i)
    {
      uintptr_t gap = maps.list[i + 1].start - maps.list[i].end;
      /* Behind the last gap the kernel's half begins.  */
      if (gap > largest && (intptr_t) maps.list[i + 1].start > 0)
        {
          largest = gap;
          room = maps.list[i].end + gap / 2;
        }
    }
  procmaps_free (&maps);
  return room & -procmaps_block ();
}

const char *
remote_open_process (struct remote *remote, struct tracee *tracee,
                     struct traces *traces)
{
  *remote = (struct remote){ .tracee = tracee,
                             .pid = tracee->pid,
                             .traces = traces };
  *traces = (struct traces){ .file = -1 };
  if (pages_open (&remote->pages, remote->pid, &remote->maps) < 0)
    return "its pages cannot be looked at";
  /* Raise our priority: on a busy machine a stopped thread would wait for
     us.  */
  setpriority (PRIO_PROCESS, 0, -20);
  return NULL;
}

void
remote_close (struct remote *remote)
{
  enum
  {
    TRIES = 1000, /* Of a millisecond.  */
  };
  for (int i = 0; remote->freeze.count > 0 && i < TRIES; ++i)
    {
      usleep (1000);
      freeze_thaw (&remote->freeze);
    }
  if (remote->tracee->facts != NULL)
    children_clear (remote->pid, remote->tracee->facts, remote->traces);
  free (remote->freeze.threads);
  procmaps_free (&remote->maps);
  pages_close (&remote->pages);
}

bool
remote_serves (struct remote *remote)
{
  if (!remote->asked)
    remote->serves = tracee_serves_files (remote->pid);
  remote->asked = true;
  return remote->serves;
}

/* Switch huge pages on for a process that has switched them off for its data,
   as MariaDB does, which does not know of text.  Blocks that are huge stay so
   when the process's choice is restored.  */
static void
switch_on (struct remote *remote)
{
  /* A program that was just executed inherits the switch from this
     command.  */
  bool off = remote->held ? prctl (PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1
                          : process_number (remote->pid, "THP_enabled:") == 0;
  remote->switched
      = (off
         && remote_call (remote, SYS_prctl, PR_SET_THP_DISABLE, 0, 0, 0, 0, 0)
                == 0);
  if (remote->switched)
    tracee_cleanup (remote->tracee, SLOT_SWITCH, SYS_prctl, PR_SET_THP_DISABLE,
                    1);
}

static void
switch_off (struct remote *remote)
{
  if (!remote->switched)
    return;
  remote_call (remote, SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0, 0);
  tracee_cleanup (remote->tracee, SLOT_SWITCH, -1, 0, 0);
}

const char *
remote_stop (struct remote *remote)
{
  remote->held = remote->tracee->tid != 0;
  remote->record.words = 0;
  if (!remote->held)
    {
      thread_rest (1e6 * remote->pause);
      limit_wait ();
    }
  const char *problem
      = remote->held ? NULL : tracee_stop (remote->tracee, STOP_PATIENCE);
  remote->since
      = (remote->held || problem != NULL ? now ()
                                         : remote->tracee->since / 1e6);
  if (problem == NULL)
    switch_on (remote);
  return problem;
}

double
remote_go (struct remote *remote)
{
  switch_off (remote);
  if (!remote->held)
    tracee_go (remote->tracee);
  double took = now () - remote->since;
  ++remote->stops.count;
  remote->stops.whole += took;
  if (took > remote->stops.longest)
    remote->stops.longest = took;
  /* The process runs at least as long as it was stopped.  */
  remote->pause = took;
  return took;
}

const char *
remote_problem (const struct remote *remote)
{
  if (remote->tracee->stuck)
    return "it does not go on: it was frozen (cgroup.freeze), or waits for a"
           " disk";
  return remote->tracee->gone ? "it ended, or the thread that was stopped did"
                              : NULL;
}

long
remote_call (struct remote *remote, long number, uintptr_t a, uintptr_t b,
             uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)
{
  return tracee_call (remote->tracee, number, a, b, c, d, e, f);
}

void
remote_calls (struct remote *remote, const struct trampoline_call calls[],
              size_t count)
{
  if (tracee_calls (remote->tracee, calls, count))
    return;
  for (size_t i = 0; i < count; ++i)
    remote_call (remote, calls[i].number, calls[i].a, calls[i].b, calls[i].c,
                 0, 0, 0);
}

void
remote_advise (struct remote *remote, uintptr_t address, size_t length)
{
  const struct trampoline_call calls[] = { { .used = true,
                                             .number = SYS_madvise,
                                             .a = address,
                                             .b = length,
                                             .c = MADV_HUGEPAGE },
                                           { .used = true,
                                             .number = SYS_madvise,
                                             .a = address,
                                             .b = length,
                                             .c = MADV_RANDOM } };
  remote_calls (remote, calls, 2);
}

/* Whether descriptor FILE of the stopped thread is the file that this process
   has open as FD.  */
static bool
is_same (const struct remote *remote, long file, int fd)
{
  char path[64];
  struct stat theirs, ours;
  snprintf (path, sizeof path, "/proc/%d/fd/%ld", (int) remote->tracee->tid,
            file);
  return (stat (path, &theirs) == 0 && fstat (fd, &ours) == 0
          && theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino);
}

/* Return the path by which REMOTE's process, which may have another root
   (chroot), opens the file that is NAME here.  */
static const char *
name_there (const struct remote *remote, const char *name)
{
  char path[64], root[PATH_MAX];
  snprintf (path, sizeof path, "/proc/%d/root", (int) remote->pid);
  ssize_t length = readlink (path, root, sizeof root);
  return (length > 1 && length < (ssize_t) sizeof root
                  && strncmp (name, root, length) == 0 && name[length] == '/'
              ? name + length
              : name);
}

static void
close_there (struct remote *remote, long file)
{
  tracee_cleanup (remote->tracee, SLOT_FILE, -1, 0, 0);
  remote_call (remote, SYS_close, file, 0, 0, 0, 0, 0);
}

/* Map LENGTH bytes of FILE at LEAD bytes behind a block boundary, in free
   address space; the thread unmaps them by itself if hugetext is killed before
   they are kept.  Return the address or 0.  */
static uintptr_t
map_there (struct remote *remote, uintptr_t lead, size_t length, int prot,
           int flags, long file, uint64_t offset)
{
  for (int i = 0; i < 2; ++i)
    {
      if (remote->room == 0)
        remote->room = find_room (remote->pid);
      const uintptr_t wanted = remote->room + lead;
      const struct traces before = *remote->traces;
      traces_add (remote->traces, wanted, wanted + length);
      tracee_cleanup_result (remote->tracee, SLOT_MAP, SYS_munmap, length);
      long result = remote_call (remote, SYS_mmap, wanted, length, prot,
                                 flags | MAP_PRIVATE | MAP_FIXED_NOREPLACE,
                                 file, offset);
      if ((uintptr_t) result != wanted)
        remote_keep (remote);
      /* A kernel before 4.17 takes the address as a hint.  */
      if (result > 0 && (uintptr_t) result != wanted)
        remote_call (remote, SYS_munmap, result, length, 0, 0, 0, 0);
      if ((uintptr_t) result == wanted)
        {
          tracee_cleanup (remote->tracee, SLOT_MAP, SYS_munmap, wanted,
                          length);
          /* A program that has not begun does not fork.  */
          if (!remote->tracee->at_exec)
            remote_call (remote, SYS_madvise, wanted, length, MADV_DONTFORK, 0,
                         0, 0);
          return wanted;
        }
      *remote->traces = before;
      if (result != -EEXIST)
        return 0;
      remote->room = 0;
    }
  return 0;
}

uintptr_t
remote_map (struct remote *remote, size_t length, int prot)
{
  return map_there (remote, 0, length, prot, MAP_ANONYMOUS, -1, 0);
}

/* Remove the SIZE bytes of a name at AT.  */
static void
remove_name (struct remote *remote, uintptr_t at, size_t size)
{
  static const char nothing[PATH_MAX];
  if (remote->tracee->at_exec)
    tracee_write (remote->tracee, at, nothing, size);
  else
    {
      remote_keep (remote);
      remote_call (remote, SYS_munmap, at, getpagesize (), 0, 0, 0, 0);
    }
}

/* Put the SIZE bytes of NAME into the process's memory, for one call.  Return
   their address, 0 if that fails.  In a program that has not begun they lie in
   the stack, below all that the kernel has put there.  */
static uintptr_t
put_name (struct remote *remote, const char *name, size_t size)
{
  struct tracee *tracee = remote->tracee;
  const uintptr_t at
      = tracee->at_exec
            ? (tracee_stack (&tracee->saved) - size) & -sizeof (uintptr_t)
            : remote_map (remote, getpagesize (), PROT_READ | PROT_WRITE);
  if (at == 0 || tracee_write (tracee, at, name, size))
    return at;
  remove_name (remote, at, size);
  return 0;
}

/* Open the file NAME in the process, if it is the file that this process has
   open as FD.  Return the descriptor or -1.  */
static long
open_there (struct remote *remote, const char *name, int fd)
{
  struct tracee *tracee = remote->tracee;
  struct traces *traces = remote->traces;
  name = name_there (remote, name);
  const size_t size = strlen (name) + 1;
  if (remote_serves (remote) || size > PATH_MAX
      || fstat (fd, &traces->image) < 0)
    return -1;
  uintptr_t at = put_name (remote, name, size);
  if (at == 0)
    return -1;
  tracee_cleanup_result (tracee, SLOT_FILE, SYS_close, 0);
  traces->file = TRACES_ANY_FILE;
  long file
      = remote_call (remote, SYS_openat, AT_FDCWD, at,
                     O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0);
  traces->file = file < 0 ? -1 : file;
  tracee_cleanup (tracee, SLOT_FILE, file < 0 ? -1 : SYS_close, file, 0);
  remove_name (remote, at, size);
  return file;
}

uintptr_t
remote_map_file (struct remote *remote, const char *name, int fd,
                 size_t length, int prot, uint64_t offset)
{
  long file = open_there (remote, name, fd);
  uintptr_t at = 0;
  if (file >= 0 && is_same (remote, file, fd))
    at = map_there (remote, 0, length, prot, 0, file, offset);
  if (file >= 0)
    close_there (remote, file);
  return at;
}

/* Return the address of a readable page of OBJECT's file, which is not private
   to the process, and not behind OFFSET, preferably with protection PROT; 0 if
   there is none. Set *FROM to its offset.  */
static uintptr_t
find_page (struct remote *remote, const struct convert_object *object,
           int prot, uint64_t offset, uint64_t *from)
{
  struct procmaps maps;
  uintptr_t page = 0;
  bool best = false;
  if (procmaps_read (remote->pid, &maps) < 0)
    return 0;
  for (size_t i = 0; i < maps.count; ++i)
    {
      const struct mapping *map = &maps.list[i];
      const bool suits = map->executable == ((prot & PROT_EXEC) != 0);
      if (map->inode != object->text->inode
          || map->device != object->text->device || map->shared
          || map->writable || !map->readable || map->offset > offset
          || (page != 0 && (best || !suits))
          /* Taking the page would divide the mapping.  */
          || remote_is_huge (remote, map->start & -procmaps_block ())
          || textmap_private (remote->pages.pagemap, map->start,
                              map->start + getpagesize ())
                 != NULL)
        continue;
      page = map->start;
      *from = map->offset;
      best = suits;
    }
  procmaps_free (&maps);
  return page;
}

/* Map LENGTH bytes of OBJECT's file without opening it: MREMAP_DONTUNMAP moves
   a page's mapping and leaves the old one in place, and the new mapping can
   then be made longer.  The name may be gone, belong to another file or not
   exist where the process is, and the process itself may be the one that
   answers requests to open files.  */
static uintptr_t
copy_mapping (struct remote *remote, const struct convert_object *object,
              size_t length, int prot, uint64_t offset)
{
  const uintptr_t block = procmaps_block (), page = getpagesize ();
  uint64_t from = 0;
  /* In locked text the call would unlock the rest.  */
  uintptr_t source
      = object->locked ? 0 : find_page (remote, object, prot, offset, &from);
  if (source == 0)
    return 0;
  const size_t skipped = offset - from, all = skipped + length;
  uintptr_t at = map_there (remote, -skipped & (block - 1), all, PROT_NONE,
                            MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == 0)
    return 0;
  bool good
      = remote_call (remote, SYS_mremap, source, page, page,
                     MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, at, 0)
        == (long) at;
  if (good)
    remote_call (remote, SYS_madvise, at, page, MADV_DONTFORK, 0, 0, 0);
  if (good && all > page)
    {
      tracee_cleanup (remote->tracee, SLOT_MAP, SYS_munmap, at, page);
      remote_call (remote, SYS_munmap, at + page, all - page, 0, 0, 0, 0);
      good = remote_call (remote, SYS_mremap, at, page, all, 0, 0, 0)
             == (long) at;
      tracee_cleanup (remote->tracee, SLOT_MAP, SYS_munmap, at,
                      good ? all : page);
      if (!good)
        {
          remote_keep (remote);
          remote_call (remote, SYS_munmap, at, page, 0, 0, 0, 0);
          return 0;
        }
    }
  if (good && skipped > 0)
    {
      tracee_cleanup (remote->tracee, SLOT_MAP, SYS_munmap, at + skipped,
                      length);
      remote_call (remote, SYS_munmap, at, skipped, 0, 0, 0, 0);
      at += skipped;
    }
  if (good
      && remote_call (remote, SYS_mprotect, at, length, prot, 0, 0, 0) == 0)
    return at;
  remote_keep (remote);
  remote_call (remote, SYS_munmap, at, good ? length : all, 0, 0, 0, 0);
  return 0;
}

uintptr_t
remote_map_object (struct remote *remote, const struct convert_object *object,
                   size_t length, int prot, uint64_t offset)
{
  uintptr_t at = copy_mapping (remote, object, length, prot, offset);
  return at != 0 ? at
                 : remote_map_file (remote, object->text->name, object->fd,
                                    length, prot, offset);
}

const char *
remote_needed (struct remote *remote, const struct convert_object *object,
               const struct procmaps *maps, uintptr_t start)
{
  const struct mapping *first = NULL;
  for (size_t i = 0; i < maps->count; ++i)
    {
      const struct mapping *map = &maps->list[i];
      if (map->inode == object->text->inode
          && map->device == object->text->device && map->readable
          && !map->writable && !map->shared
          && (first == NULL || map->offset < first->offset))
        first = map;
    }
  if (!remote_serves (remote) && (first == NULL || !first->deleted))
    return NULL;
  return (first == NULL || first->start - start < procmaps_block ()
              ? "its file cannot be opened again, so this is left for --undo"
              : NULL);
}

bool
remote_share (struct remote *remote, uintptr_t address, size_t length)
{
  return (remote->tracee->at_exec
          || remote_call (remote, SYS_madvise, address, length, MADV_DOFORK, 0,
                          0, 0)
                 == 0);
}

/* Make a record if there is none.  */
static bool
have_record (struct remote *remote)
{
  struct tracee *tracee = remote->tracee;
  /* Nobody else changes it in a stop.  */
  if (remote->record.words == 0
      && !changes_read (&remote->record, remote->pid, tracee->memory))
    return false;
  if (remote->record.page != 0)
    return true;
  tracee_cleanup_result (tracee, SLOT_FILE, SYS_munmap, changes_size ());
  long page = remote_call (remote, SYS_mmap, 0, changes_size (),
                           PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                           -1, 0);
  bool good
      = (page > 0 && changes_place (&remote->record, tracee->memory, page));
  tracee_cleanup (tracee, SLOT_FILE, -1, 0, 0);
  return good;
}

const char *
remote_note (struct remote *remote, const struct procmaps *maps,
             const struct hugetext_object *elf, uintptr_t start)
{
  enum changes_hole holes[PLACES];
  changes_look_at_holes (maps, elf, start, holes);
  if (!have_record (remote) || !changes_add (&remote->record, start, holes))
    return "it has no room for a record of more blocks";
  return NULL;
}

bool
remote_write_notes (struct remote *remote)
{
  return changes_write (&remote->record, remote->tracee->memory);
}

void
remote_forget (struct remote *remote, size_t i)
{
  struct changes *record = &remote->record;
  const uintptr_t page = record->page;
  changes_remove (record, remote->tracee->memory, i);
  if (record->count > 0)
    return;
  tracee_cleanup (remote->tracee, SLOT_FILE, SYS_munmap, page,
                  changes_size ());
  changes_place (record, remote->tracee->memory, 0);
  tracee_cleanup (remote->tracee, SLOT_FILE, -1, 0, 0);
  remote_call (remote, SYS_munmap, page, changes_size (), 0, 0, 0, 0);
}

void
remote_keep (struct remote *remote)
{
  tracee_cleanup (remote->tracee, SLOT_MAP, -1, 0, 0);
}

bool
remote_touch (const struct remote *remote, uintptr_t address)
{
  char byte;
  return tracee_read (remote->tracee, address, &byte, 1);
}

bool
remote_is_huge (struct remote *remote, uintptr_t address)
{
  const uintptr_t block = procmaps_block ();
  struct page_counts counts = { 0 };
  if (!remote->pages.no_scan)
    counts = pages_count (&remote->pages, address, address + block);
  if (remote->pages.no_scan)
    {
      procmaps_free (&remote->maps);
      if (procmaps_read (remote->pid, &remote->maps) < 0)
        return false;
      counts = pages_count (&remote->pages, address, address + block);
    }
  return counts.huge == block && !counts.guessed;
}

void
remote_look (struct remote *remote, uintptr_t start, size_t count, bool huge[])
{
  const uintptr_t block = procmaps_block ();
  bool all = !remote->pages.no_scan;
  for (size_t i = 0; i < count; ++i)
    all &= huge[i];
  /* Ask once for all, which mostly are.  */
  if (all
      && pages_count (&remote->pages, start, start + count * block).huge
             == count * block
      && !remote->pages.no_scan)
    return;
  for (size_t i = 0; i < count; ++i)
    huge[i] = huge[i] && remote_is_huge (remote, start + i * block);
}

const char *
remote_freeze (struct remote *remote, unsigned int tried)
{
  return freeze_others (&remote->freeze, remote->pid, remote->tracee->tid,
                        tried < OFTEN ? FREEZE_PATIENCE : LONG_PATIENCE);
}

void
remote_thaw (struct remote *remote)
{
  freeze_thaw (&remote->freeze);
}

bool
remote_restore (struct remote *remote, const struct convert_object *object,
                uintptr_t start, uintptr_t end, int prot, uint64_t offset)
{
  const size_t length = end - start;
  uintptr_t at = remote_map_object (remote, object, length, prot, offset);
  if (at == 0)
    return false;
  if (object->locked)
    remote_call (remote, SYS_mlock, at, length, 0, 0, 0, 0);
  bool good = remote_share (remote, at, length);
  remote_keep (remote);
  good = good
         && remote_call (remote, SYS_mremap, at, length, length,
                         MREMAP_MAYMOVE | MREMAP_FIXED, start, 0)
                == (long) start;
  if (!good)
    remote_call (remote, SYS_munmap, at, length, 0, 0, 0, 0);
  return good;
}
