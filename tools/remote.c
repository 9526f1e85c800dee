/* What convert.h has another process do, by one of its threads.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "remote.h"
#include "process.h"

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
#define MAP_FIXED_NOREPLACE 0x100000
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
  STOP_PATIENCE = 2000,  /* Milliseconds to wait for a thread, */
  FREEZE_PATIENCE = 10,  /* for all others, while one is stopped, */
  LONG_PATIENCE = 100,   /* and if that was too short that often.  */
  OFTEN = 3,
};

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void
sleep_for (double milliseconds)
{
  time_t seconds = milliseconds / 1e3;
  nanosleep (&(struct timespec){ .tv_sec = seconds,
                                 .tv_nsec = (milliseconds - seconds * 1e3)
                                            * 1e6 },
             NULL);
}

/* The middle of the largest piece of address space between the mappings of
   process PID, 0 if that is not known.  */
static uintptr_t
find_room (pid_t pid)
{
  struct procmaps maps;
  uintptr_t largest = 0, room = 0;
  if (procmaps_read (pid, &maps) < 0)
    return 0;
  for (size_t i = 0; i + 1 < maps.count; i++)
    {
      uintptr_t gap = maps.list[i + 1].start - maps.list[i].end;
      /* The kernel's half begins behind the last one.  */
      if (gap > largest && (intptr_t)maps.list[i + 1].start > 0)
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
  *remote = (struct remote){ .tracee = tracee, .pid = tracee->pid };
  if (pages_open (&remote->pages, remote->pid, &remote->maps, false) < 0)
    return "its pages cannot be looked at";
  /* On a busy machine a thread would wait for us.  */
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
  for (int i = 0; remote->freeze.count > 0 && i < TRIES; i++)
    {
      sleep_for (1);
      freeze_thaw (&remote->freeze);
    }
  free (remote->freeze.threads);
  procmaps_free (&remote->maps);
  pages_close (&remote->pages);
}

/* Have the process get huge pages although it has switched them off: for its
   data, as MariaDB does, which knows nothing of text.  What has them when it
   gets its will again keeps them.  */
static void
switch_on (struct remote *remote)
{
  /* What has just been executed has it from us.  */
  bool off = remote->held ? prctl (PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1
                          : process_number (remote->pid, "THP_enabled:") == 0;
  remote->switched
      = (off
         && remote_call (remote, SYS_prctl, PR_SET_THP_DISABLE, 0, 0, 0, 0, 0)
                == 0);
  if (remote->switched)
    tracee_cleanup (remote->tracee, SLOT_SWITCH, SYS_prctl,
                    PR_SET_THP_DISABLE, 1);
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
  if (!remote->held)
    sleep_for (remote->pause);
  remote->since = now ();
  const char *problem
      = remote->held ? NULL : tracee_stop (remote->tracee, STOP_PATIENCE);
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
  remote->stops++;
  remote->whole += took;
  remote->longest = took > remote->longest ? took : remote->longest;
  /* It runs at least as long as it was stopped.  */
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
  for (size_t i = 0; i < count; i++)
    remote_call (remote, calls[i].number, calls[i].a, calls[i].b, calls[i].c,
                 0, 0, 0);
}

void
remote_advise (struct remote *remote, uintptr_t address, size_t length,
               int advice, int more)
{
  const struct trampoline_call calls[]
      = { { .used = true, .number = SYS_madvise, .a = address, .b = length,
            .c = advice },
          { .used = true, .number = SYS_madvise, .a = address, .b = length,
            .c = more } };
  remote_calls (remote, calls, 2);
}

/* Whether descriptor FILE of the stopped thread is the file that is open here
   as FD.  */
static bool
is_same (const struct remote *remote, long file, int fd)
{
  char path[64];
  struct stat theirs, ours;
  snprintf (path, sizeof path, "/proc/%d/fd/%ld", (int)remote->tracee->tid,
            file);
  return (stat (path, &theirs) == 0 && fstat (fd, &ours) == 0
          && theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino);
}

/* The file NAME, as we see it, for the process of REMOTE, which may have
   another root (chroot).  */
static const char *
name_there (const struct remote *remote, const char *name)
{
  char path[64], root[PATH_MAX];
  snprintf (path, sizeof path, "/proc/%d/root", (int)remote->pid);
  ssize_t length = readlink (path, root, sizeof root);
  return (length > 1 && length < (ssize_t)sizeof root
                  && strncmp (name, root, length) == 0 && name[length] == '/'
              ? name + length
              : name);
}

long
remote_open (struct remote *remote, const char *name, int fd)
{
  struct tracee *tracee = remote->tracee;
  name = name_there (remote, name);
  uintptr_t at = tracee_put (tracee, name, strlen (name) + 1);
  if (at == 0)
    return -1;
  tracee_cleanup_result (tracee, SLOT_FILE, SYS_close, 0);
  long file = remote_call (remote, SYS_openat, AT_FDCWD, at,
                           O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0,
                           0);
  if (file < 0)
    {
      tracee_cleanup (tracee, SLOT_FILE, -1, 0, 0);
      return -1;
    }
  tracee_cleanup (tracee, SLOT_FILE, SYS_close, file, 0);
  if (is_same (remote, file, fd))
    return file;
  remote_close_file (remote, file);
  return -1;
}

void
remote_close_file (struct remote *remote, long file)
{
  tracee_cleanup (remote->tracee, SLOT_FILE, -1, 0, 0);
  remote_call (remote, SYS_close, file, 0, 0, 0, 0, 0);
}

uintptr_t
remote_map (struct remote *remote, size_t length, int prot, int flags, long fd,
            uint64_t offset)
{
  for (int i = 0; i < 2; i++)
    {
      if (remote->room == 0)
        remote->room = find_room (remote->pid);
      tracee_cleanup_result (remote->tracee, SLOT_MAP, SYS_munmap, length);
      long result
          = remote_call (remote, SYS_mmap, remote->room, length, prot,
                         flags | MAP_FIXED_NOREPLACE, fd, offset);
      if ((uintptr_t)result != remote->room)
        remote_keep (remote);
      /* A kernel before 4.17 takes it for a wish.  */
      if (result > 0 && (uintptr_t)result != remote->room)
        remote_call (remote, SYS_munmap, result, length, 0, 0, 0, 0);
      if ((uintptr_t)result == remote->room)
        {
          tracee_cleanup (remote->tracee, SLOT_MAP, SYS_munmap, remote->room,
                          length);
          return remote->room;
        }
      if (result != -EEXIST)
        return 0;
      remote->room = 0;
    }
  return 0;
}

bool
remote_claim (struct remote *remote, uintptr_t start, uintptr_t end)
{
  return remote_call (remote, SYS_mmap, start, end - start, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
                          | MAP_FIXED_NOREPLACE,
                      -1, 0)
         == (long)start;
}

void
remote_keep (struct remote *remote)
{
  tracee_cleanup (remote->tracee, SLOT_MAP, -1, 0, 0);
}

bool
remote_touch (const struct remote *remote, uintptr_t address)
{
  const uintptr_t block = procmaps_block ();
  const uintptr_t spots[]
      = { address, address + block / 2, address + block - getpagesize () };
  char byte;
  for (int i = 0; i < 3; i++)
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

/* Map [START, END) of the file FILE, from OFFSET on, with PROT on small pages
   over what is there.  */
static bool
replace_small (struct remote *remote, uintptr_t start, uintptr_t end, int prot,
               long file, uint64_t offset)
{
  uintptr_t at
      = remote_map (remote, end - start, prot, MAP_PRIVATE, file, offset);
  if (at == 0)
    return false;
  /* Or the kernel might map huge pages of the page cache by itself.  */
  remote_call (remote, SYS_madvise, at, end - start, MADV_NOHUGEPAGE, 0, 0, 0);
  remote_keep (remote);
  bool moved = remote_call (remote, SYS_mremap, at, end - start, end - start,
                            MREMAP_MAYMOVE | MREMAP_FIXED, start, 0)
               == (long)start;
  if (moved)
    return true;
  remote_call (remote, SYS_munmap, at, end - start, 0, 0, 0, 0);
  return false;
}

/* Have nothing at [START, END), a hole of the object: what is in its span
   stays reserved for it, since dlclose unmaps all of that.  */
static void
clear_hole (struct remote *remote, const struct hugetext_object *elf,
            uintptr_t start, uintptr_t end)
{
  uintptr_t first = hugetext_object_start (elf) + elf->bias;
  if (start >= end)
    return;
  if (start < first)
    {
      uintptr_t stop = end < first ? end : first;
      remote_call (remote, SYS_munmap, start, stop - start, 0, 0, 0, 0);
      start = stop;
    }
  if (start < end)
    remote_call (remote, SYS_mmap, start, end - start, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                 0);
}

bool
remote_restore (struct remote *remote, const struct convert_object *object,
                const struct hugetext_object *elf, uintptr_t start, bool small)
{
  uintptr_t end = start + procmaps_block (), at = start;
  struct hugetext_piece piece;
  long file = remote_open (remote, object->text->name, object->fd);
  bool good = file >= 0;
  for (; good && hugetext_next_piece (elf, at, end, &piece); at = piece.end)
    {
      int prot = piece.segment->exec ? object->prot : PROT_READ;
      if (small)
        {
          good = replace_small (remote, piece.start, piece.end, prot, file,
                                piece.offset);
          if (good)
            clear_hole (remote, elf, at, piece.start);
        }
      else
        good = remote_call (remote, SYS_mmap, piece.start,
                            piece.end - piece.start, prot,
                            MAP_PRIVATE | MAP_FIXED_NOREPLACE, file,
                            piece.offset)
               == (long)piece.start;
    }
  if (good && small)
    clear_hole (remote, elf, at, end);
  if (file >= 0)
    remote_close_file (remote, file);
  return good;
}
