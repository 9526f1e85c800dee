/* Children that a process forks while it temporarily has mappings and
   descriptors for the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/children.h"
#include "attach/freeze.h"
#include "tracee/blocked.h"
#include "tracee/thread.h"
#include "tracee/tracee.h"
#include "tracee/watch.h"
#include "host/process.h"
#include "host/procmaps.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum
{
  STOP_PATIENCE = 1000, /* The maximum number of milliseconds to wait until a
                           thread of the child stops.  */
  PATIENCE = 5000,      /* The maximum number of milliseconds to wait until the
                           process itself has removed mappings and descriptors
                           of the command, and also to wait until all its
                           children can be stopped.  */
  PAUSE = 100, /* The number of milliseconds to wait before the next search
                  for children.  */
  FREEZE_FIRST = 10, /* The number of milliseconds to wait until all threads of
                        the process stop, in the first and in the last
                        attempt.  */
  FREEZE_LAST = 640,
};

void
traces_add (struct traces *traces, uintptr_t start, uintptr_t end)
{
  const size_t room = sizeof traces->ranges / sizeof traces->ranges[0];
  size_t i = 0;
  while (i < traces->count
         && (traces->ranges[i].end < start || traces->ranges[i].start > end))
    ++i;
  if (i == traces->count)
    {
      /* If the array has no free element, the new range overwrites the last
         element.  */
      i = i < room ? i : room - 1;
      traces->ranges[i].start = start;
      traces->ranges[i].end = end;
      traces->count = i + 1;
    }
  if (traces->ranges[i].start > start)
    traces->ranges[i].start = start;
  if (traces->ranges[i].end < end)
    traces->ranges[i].end = end;
}

long
children_now (void)
{
  const long ticks = sysconf (_SC_CLK_TCK);
  struct timespec time;
  clock_gettime (CLOCK_BOOTTIME, &time);
  return time.tv_sec * ticks + time.tv_nsec / (1000000000 / ticks);
}

/* Return true if CHILD was forked after TRACES->since.  An older child has
   inherited no mapping of the command, so mappings in the ranges of TRACES
   belong to the child itself.  */
static bool
is_younger (const struct traces *traces, pid_t child)
{
  struct process process;
  return (process_read (child, &process)
          && process.start >= (uint64_t) traces->since);
}

/* Return true if MAP, a mapping of a child of the process, is in one of the
   ranges of TRACES.  */
static bool
is_trace (const struct traces *traces, const struct mapping *map)
{
  for (size_t i = 0; i < traces->count; ++i)
    if (map->start >= traces->ranges[i].start
        && map->end <= traces->ranges[i].end)
      return true;
  return false;
}

static bool
any_trace (const struct traces *traces, const struct procmaps *maps)
{
  bool any = false;
  for (size_t i = 0; i < maps->count; ++i)
    any |= is_trace (traces, &maps->list[i]);
  return any;
}

/* Return true if descriptor FILE of process PID refers to the image in
   TRACES.  */
static bool
is_image (const struct traces *traces, pid_t pid, long file)
{
  char path[64];
  struct fileid id;
  snprintf (path, sizeof path, "/proc/%d/fd/%ld", (int) pid, file);
  return (fileid_of (AT_FDCWD, path, &id)
          && fileid_is_same (&id, &traces->image));
}

/* Return true if descriptor FILE of process PID refers to the image in TRACES
   and has the flags with which the command opens it.  */
static bool
attach_children_is_own_image (const struct traces *traces, pid_t pid,
                              long file)
{
  char name[32], text[128];
  unsigned int flags;
  if (!is_image (traces, pid, file))
    return false;
  snprintf (name, sizeof name, "fdinfo/%ld", file);
  process_text (pid, name, text, sizeof text);
  const char *line = strstr (text, "flags:");
  return (line != NULL && sscanf (line, "flags: %o", &flags) == 1
          && (flags & O_ACCMODE) == O_RDONLY && (flags & O_CLOEXEC) != 0
          && (flags & O_NONBLOCK) != 0);
}

/* CHILD may have inherited a descriptor that its parent PID had opened for the
   command.  Return the number of this descriptor, or -1 if there is none.  If
   TRACES does not contain the number, search CHILD's descriptors for the
   image.  Ignore descriptors that have the same number in PID and are open
   there, because PID has already closed its descriptor of the image.  */
static long
attach_children_find_file (const struct traces *traces, pid_t pid, pid_t child)
{
  char path[64];
  long file = -1;
  if (traces->file != TRACES_ANY_FILE)
    return (
        traces->file >= 0
                && attach_children_is_own_image (traces, child, traces->file)
            ? traces->file
            : -1);
  snprintf (path, sizeof path, "/proc/%d/fd", (int) child);
  DIR *dir = opendir (path);
  const struct dirent *entry;
  while (dir != NULL && file < 0 && (entry = readdir (dir)) != NULL)
    {
      const long number = atol (entry->d_name);
      if (isdigit ((unsigned char) entry->d_name[0])
          && attach_children_is_own_image (traces, child, number)
          && !is_image (traces, pid, number))
        file = number;
    }
  if (dir != NULL)
    closedir (dir);
  return file;
}

/* Make CHILD unmap its mappings in the ranges of TRACES, and close the
   descriptor FILE, unless FILE is -1.  Check that CHILD still has FACTS,
   because another process may have got its ID.  */
static void
attach_children_unmap_ranges (const struct traces *traces, pid_t child,
                              const struct tracee_facts *facts, long file)
{
  struct problem problem;
  struct tracee tracee;
  struct procmaps maps;
  /* Another hugetext process may be changing the child at the same time.  */
  if (tracee_open (&tracee, child, facts, &problem)
      && tracee_stop (&tracee, STOP_PATIENCE, &problem)
      && procmaps_read (child, &maps) == 0)
    {
      for (size_t i = 0; i < maps.count; ++i)
        if (is_trace (traces, &maps.list[i]))
          tracee_call (&tracee, SYS_munmap, maps.list[i].start,
                       maps.list[i].end - maps.list[i].start, 0, 0, 0, 0);
      procmaps_free (&maps);
      if (file >= 0 && attach_children_is_own_image (traces, child, file))
        tracee_call (&tracee, SYS_close, file, 0, 0, 0, 0, 0);
    }
  tracee_close (&tracee);
}

/* If process PID has forked CHILD while the command worked on PID, make CHILD
   unmap the ranges of TRACES and close the descriptor of TRACES.  FACTS
   identify PID.  A process is a child of PID only if its own facts agree with
   FACTS (tracee_akin).  Return false if CHILD had nothing to unmap or to
   close.  */
static bool
attach_children_check_process (const struct traces *traces, pid_t pid,
                               const struct tracee_facts *facts, pid_t child)
{
  struct tracee_facts its;
  struct procmaps maps;
  if (child == pid || !is_younger (traces, child)
      || !tracee_remember (child, &its) || !tracee_akin (&its, facts)
      || procmaps_read (child, &maps) < 0)
    return false;
  const bool mapped = any_trace (traces, &maps);
  procmaps_free (&maps);
  const long file = attach_children_find_file (traces, pid, child);
  const bool any = mapped || file >= 0;
  if (any)
    attach_children_unmap_ranges (traces, child, &its, file);
  return any;
}

/* Call attach_children_check_process for all processes of the machine.  Return
   false if no child had anything to unmap or to close.  */
static bool
look_at_all (const struct traces *traces, pid_t pid,
             const struct tracee_facts *facts)
{
  pid_t *list;
  bool any = false;
  const ssize_t n = process_list (&list);
  for (ssize_t i = 0; i < n; ++i)
    any |= attach_children_check_process (traces, pid, facts, list[i]);
  if (n >= 0)
    free (list);
  return any;
}

/* Wait until process PID has no mapping in the ranges of TRACES.  Return false
   if process PID still has a mapping in these ranges after PATIENCE
   milliseconds, because the mapping may then belong to the program.  */
static bool
is_clean (const struct traces *traces, pid_t pid)
{
  for (int i = 0; i < PATIENCE; i += 5)
    {
      struct procmaps maps;
      /* If PID has ended, it has no mappings.  Return true, so that the caller
         still searches the children of PID.  */
      if (procmaps_read (pid, &maps) < 0)
        return true;
      const bool any = any_trace (traces, &maps);
      procmaps_free (&maps);
      if (!any)
        return true;
      usleep (5000);
    }
  return false;
}

/* Wait until each fork that process PID has begun is complete, by stopping all
   threads of PID for a moment.  During a fork, the kernel copies the mappings
   first, and shows the child in /proc later.  On a busy machine, the forking
   thread may wait between copying the mappings and showing the child, so that
   a search of /proc would miss the child.  */
static void
await_forks (pid_t pid)
{
  struct freeze freeze = { .count = 0 };
  enum hugetext_reason why = REASON_LATE;
  blocked_prepare (pid);
  freeze_prepare (&freeze, pid);
  for (unsigned int patience = FREEZE_FIRST;
       patience <= FREEZE_LAST && freeze_may_be_tried_again (why)
       && watch_begin (WATCH_LIMIT);
       patience *= 4)
    {
      /* Stop all threads of the process, without exception.  */
      why = freeze_others (&freeze, pid, -1, patience);
      freeze_thaw (&freeze);
      watch_end ();
      if (why != HUGETEXT_NONE)
        thread_rest (patience * 1000000L);
    }
  freeze_end (&freeze);
}

void
children_clear (pid_t pid, const struct tracee_facts *facts,
                const struct traces *traces, bool killed)
{
  if (traces->count == 0 || !is_clean (traces, pid))
    return;
  if (killed)
    await_forks (pid);
  const long end = thread_now () + PATIENCE * 1000000L;
  /* Repeat the search, because a child with something to unmap may itself have
     forked a child, and a child that could not be stopped now may be stopped
     later.  */
  while (look_at_all (traces, pid, facts) && thread_now () < end)
    thread_rest (PAUSE * 1000000L);
}
