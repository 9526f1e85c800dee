/* The system calls of a conversion, which a thread of the process makes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/remote.h"
#include "tracee/thread.h"
#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#  define MAP_FIXED_NOREPLACE 0x100000
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
  PATIENCE = 10,       /* Milliseconds to wait for all threads,  */
  LONG_PATIENCE = 100, /* and after many attempts that were too short.  */
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
remote_open_process (struct remote *remote, struct tracee *tracee)
{
  *remote = (struct remote){ .tracee = tracee,
                             .pid = tracee->pid,
                             .held = tracee->tid != 0,
                             .serves = tracee_serves_files (tracee->pid) };
  return pages_open (&remote->pages, remote->pid, &remote->maps) == 0
             ? NULL
             : "its pages cannot be looked at";
}

void
remote_close (struct remote *remote, struct conversion *all)
{
  all->stops = remote->stops;
  all->longest = remote->longest;
  procmaps_free (&remote->maps);
  pages_close (&remote->pages);
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
      = off && remote_call (remote, SYS_prctl, PR_SET_THP_DISABLE, 0) == 0;
  if (remote->switched)
    tracee_cleanup (remote->tracee, SLOT_SWITCH, SYS_prctl, PR_SET_THP_DISABLE,
                    1);
}

/* Return how long to wait for all threads.  */
static unsigned int
patience (const struct remote *remote)
{
  return remote->tried < OFTEN ? PATIENCE : LONG_PATIENCE;
}

/* Note PROBLEM, of a freeze, if it is temporary, and return it.  */
static const char *
note (struct remote *remote, const char *problem)
{
  if (freeze_may_be_tried_again (problem))
    remote->late = problem;
  return problem;
}

const char *
remote_stop (struct remote *remote)
{
  if (!remote->held)
    {
      usleep (1000 * remote->pause);
      const char *problem
          = note (remote, tracee_stop (remote->tracee, patience (remote)));
      if (problem != NULL)
        return problem;
    }
  remote->since = remote->held ? now () : remote->tracee->since / 1e6;
  switch_on (remote);
  return NULL;
}

void
remote_thaw (struct remote *remote)
{
  tracee_thaw (remote->tracee);
}

const char *
remote_freeze (struct remote *remote)
{
  return note (remote, tracee_freeze (remote->tracee, patience (remote)));
}

double
remote_time (const struct remote *remote)
{
  return now () - remote->since;
}

void
remote_go (struct remote *remote)
{
  if (remote->switched)
    {
      remote_call (remote, SYS_prctl, PR_SET_THP_DISABLE, 1);
      tracee_cleanup (remote->tracee, SLOT_SWITCH, -1, 0, 0);
    }
  if (!remote->held)
    tracee_go (remote->tracee);
  ++remote->stops;
  /* The process runs at least as long as it was stopped.  */
  remote->pause = remote_time (remote);
  if (remote->pause > remote->longest)
    remote->longest = remote->pause;
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
remote_make (struct remote *remote, const long call[7])
{
  return tracee_call (remote->tracee, call[0], call[1], call[2], call[3],
                      call[4], call[5], call[6]);
}

const char *
remote_obstacle (struct remote *remote, const struct convert_object *object,
                 const struct hugetext_object *elf, uintptr_t start)
{
  const uintptr_t end = start + procmaps_block ();
  struct hugetext_piece piece;
  if (!remote->tracee->others.spared)
    return NULL;
  while (hugetext_next_piece (elf, start, end, &piece) && piece.start == start)
    start = piece.end;
  return object->program && start == end ? NULL : note (remote, freeze_busy);
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

/* Map LENGTH bytes of FILE at a block boundary, in free address space; the
   thread unmaps them by itself if hugetext is killed before they are kept.
   Return the address or 0.  */
static uintptr_t
map_there (struct remote *remote, size_t length, int prot, int flags,
           long file, uint64_t offset)
{
  for (int i = 0; i < 2; ++i)
    {
      if (remote->room == 0)
        remote->room = find_room (remote->pid);
      const uintptr_t wanted = remote->room;
      tracee_cleanup_result (remote->tracee, SLOT_MAP, SYS_munmap, length);
      long result = remote_call (remote, SYS_mmap, wanted, length, prot,
                                 flags | MAP_PRIVATE | MAP_FIXED_NOREPLACE,
                                 file, offset);
      if ((uintptr_t) result == wanted)
        {
          tracee_cleanup (remote->tracee, SLOT_MAP, SYS_munmap, wanted,
                          length);
          remote_call (remote, SYS_madvise, wanted, length, MADV_DONTFORK);
          return wanted;
        }
      remote_keep (remote);
      /* A kernel before 4.17 takes the address as a hint.  */
      if (result > 0)
        remote_call (remote, SYS_munmap, result, length);
      if (result != -EEXIST)
        return 0;
      remote->room = 0;
    }
  return 0;
}

/* Open the file NAME in the process.  Return the descriptor or -1.  */
static long
open_there (struct remote *remote, const char *name)
{
  struct tracee *tracee = remote->tracee;
  const size_t page = getpagesize ();
  name = name_there (remote, name);
  const size_t size = strlen (name) + 1;
  if (remote->serves || size > page)
    return -1;
  uintptr_t at
      = map_there (remote, page, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1, 0);
  if (at == 0)
    return -1;
  long file = -1;
  if (tracee_write (tracee, at, name, size))
    {
      tracee_cleanup_result (tracee, SLOT_FILE, SYS_close, 0);
      file = remote_call (remote, SYS_openat, AT_FDCWD, at,
                          O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
      tracee_cleanup (tracee, SLOT_FILE, file < 0 ? -1 : SYS_close, file, 0);
    }
  remote_keep (remote);
  remote_call (remote, SYS_munmap, at, page);
  return file;
}

uintptr_t
remote_map (struct remote *remote, size_t length)
{
  return map_there (remote, length, PROT_READ | PROT_WRITE, MAP_ANONYMOUS, -1,
                    0);
}

uintptr_t
remote_map_file (struct remote *remote, const char *name, int fd,
                 size_t length, int prot, uint64_t offset)
{
  long file = open_there (remote, name);
  uintptr_t at = 0;
  if (file < 0)
    return 0;
  if (is_same (remote, file, fd))
    at = map_there (remote, length, prot, 0, file, offset);
  tracee_cleanup (remote->tracee, SLOT_FILE, -1, 0, 0);
  remote_call (remote, SYS_close, file);
  return at;
}

void
remote_keep (struct remote *remote)
{
  tracee_cleanup (remote->tracee, SLOT_MAP, -1, 0, 0);
}

const char *
remote_move (struct remote *remote, const struct convert_object *object,
             uintptr_t from, size_t length, uintptr_t to)
{
  if (remote_call (remote, SYS_madvise, from, length, MADV_DOFORK) != 0)
    return "its memory cannot be given to children";
  if (object->locked && remote_call (remote, SYS_mlock, from, length) != 0)
    return "its text is locked in memory, and no more may be"
           " (RLIMIT_MEMLOCK)";
  long result = remote_call (remote, SYS_mremap, from, length, length,
                             MREMAP_MAYMOVE | MREMAP_FIXED, to);
  return result == (long) to ? NULL
         : result == -EPERM  ? "its text is sealed (mseal)"
                             : "the kernel refused to move it there";
}

bool
remote_touch (const struct remote *remote, uintptr_t address)
{
  const uintptr_t block = procmaps_block ();
  const uintptr_t spots[]
      = { address, address + block / 2, address + block - getpagesize () };
  char byte;
  for (int i = 0; i < 3; ++i)
    if (!tracee_read (remote->tracee, spots[i], &byte, 1))
      return false;
  return true;
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

bool
remote_restore (struct remote *remote, const struct convert_object *object,
                uintptr_t start, uintptr_t end, int prot, uint64_t offset)
{
  uintptr_t at = remote_map_file (remote, object->text->name, object->fd,
                                  end - start, prot, offset);
  if (at == 0)
    return false;
  const char *why = remote_move (remote, object, at, end - start, start);
  remote_keep (remote);
  if (why != NULL)
    remote_call (remote, SYS_munmap, at, end - start);
  return why == NULL;
}
