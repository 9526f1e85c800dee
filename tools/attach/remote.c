/* The system calls that a stopped thread of the process makes on behalf of
   "hugetext attach".
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/remote.h"
#include "object/reason.h"
#include "tracee/filter.h"
#include "tracee/hurry.h"
#include "tracee/limit.h"
#include "tracee/thread.h"
#include "host/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum
{
  STOP_PATIENCE = 1000, /* The maximum number of milliseconds to wait until one
                           thread stops.  */
  FREEZE_PATIENCE = 10, /* The maximum number of milliseconds to wait, while
                           one thread is stopped, until all other threads
                           stop.  */
  LONG_PATIENCE = 40,   /* The number of milliseconds that replaces
                           FREEZE_PATIENCE after OFTEN attempts to stop all
                           other threads have failed.  If twenty programs share
                           two processors, each program waits about
                           LONG_PATIENCE milliseconds for a processor.  */
  OFTEN = 3,
};

/* Return the present time in milliseconds.  */
static double
remote_get_time (void)
{
  return thread_now () / 1e6;
}

/* Return the middle of the largest gap between the mappings of process PID,
   or 0 if the mappings cannot be read.  */
static uintptr_t
remote_find_gap (pid_t pid)
{
  struct procmaps maps;
  uintptr_t largest = 0, room = 0;
  if (procmaps_read (pid, &maps) < 0)
    return 0;
  for (size_t i = 0; i + 1 < maps.count; ++i)
    {
      uintptr_t gap = maps.list[i + 1].start - maps.list[i].end;
      /* The gap that follows the last mapping of the process ends where the
         kernel's half of the address space begins.  */
      if (gap > largest && (intptr_t) maps.list[i + 1].start > 0)
        {
          largest = gap;
          room = maps.list[i].end + gap / 2;
        }
    }
  procmaps_free (&maps);
  return room & -procmaps_block ();
}

bool
remote_open_process (struct remote *remote, struct tracee *tracee,
                     struct conversion *all, struct problem *problem)
{
  *remote = (struct remote){ .tracee = tracee,
                             .pid = tracee->pid,
                             .found = &all->found,
                             .traces = all->traces };
  *all->traces = (struct traces){ .file = -1, .since = children_now () };
  if (pages_open (&remote->pages, remote->pid, &remote->maps) < 0)
    return reason_set (problem, REASON_PAGES_UNKNOWN);
  /* Raise this process's priority: on a busy machine, the stopped thread would
     otherwise wait until this process gets a processor.  */
  hurry_myself ();
  return true;
}

void
remote_close (struct remote *remote)
{
  freeze_end (&remote->freeze);
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

/* Switch huge pages on for a process that has switched them off (prctl).
   Processes such as MariaDB switch huge pages off because of their data, not
   because of their text.  When the command switches huge pages off again,
   blocks that are huge stay huge.  */
static void
switch_on (struct remote *remote)
{
  /* A program that was just executed has inherited the switch for huge pages
     from the command, so query the switch of the command.  */
  bool off = remote->tracee->at_exec
                 ? prctl (PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1
                 : process_thp_disabled (remote->pid);
  remote->switched
      = (off
         && remote_call (remote, SYS_prctl, PR_SET_THP_DISABLE, 0, 0, 0, 0, 0)
                == 0);
  if (remote->switched)
    tracee_cleanup (remote->tracee, REMOTE_SWITCH, SYS_prctl,
                    PR_SET_THP_DISABLE, 1);
}

static void
switch_off (struct remote *remote)
{
  if (!remote->switched)
    return;
  remote_call (remote, SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0, 0);
  tracee_cleanup (remote->tracee, REMOTE_SWITCH, -1, 0, 0);
}

bool
remote_stop (struct remote *remote, struct problem *problem)
{
  remote->record.words = 0;
  /* Call remote_find_gap only if necessary, because this function reads all
     mappings, of which a process may have many.  */
  if (remote->room == 0)
    remote->room = remote_find_gap (remote->pid);
  if (!remote->tracee->at_exec)
    {
      thread_rest (1e6 * remote->pause);
      freeze_prepare (&remote->freeze, remote->pid);
      limit_wait ();
    }
  bool good = remote->tracee->at_exec
              || tracee_stop (remote->tracee, STOP_PATIENCE, problem);
  remote->since
      = (remote->tracee->at_exec || !good ? remote_get_time ()
                                          : remote->tracee->since / 1e6);
  if (good)
    switch_on (remote);
  return good;
}

double
remote_go (struct remote *remote)
{
  switch_off (remote);
  if (!remote->tracee->at_exec)
    tracee_go (remote->tracee);
  double took = remote_get_time () - remote->since;
  ++remote->stops.count;
  remote->stops.whole += took;
  if (took > remote->stops.longest)
    remote->stops.longest = took;
  /* Before the next stop, let the process run for as long as it was stopped
     now.  */
  remote->pause = took;
  return took;
}

bool
remote_check (const struct remote *remote, struct problem *problem)
{
  if (remote->tracee->stuck)
    return problem_set (problem, "the process is not running: it is frozen "
                                 "(cgroup.freeze), or waits for a disk");
  return !remote->tracee->gone
         || problem_set (problem,
                         "the process, or the thread that hugetext has "
                         "stopped, has ended");
}

long
remote_call (struct remote *remote, long number, uintptr_t a, uintptr_t b,
             uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)
{
  return tracee_call (remote->tracee, number, a, b, c, d, e, f);
}

enum hugetext_reason
remote_why (const struct remote *remote, long number, uint64_t advice,
            enum hugetext_reason reason)
{
  return (!filter_refuses (remote->tracee->refused, number, advice) ? reason
          : number == SYS_madvise ? HUGETEXT_NO_MADVISE
                                  : REASON_REFUSED);
}

/* RECORD contains the root of the loader's record (struct hugetext_root),
   which the inspector has read from the process's memory.  Return true if the
   root in the process's memory has not changed since the inspector read
   it.  */
static bool
has_root (const struct remote *remote, const struct record *record)
{
  const struct hugetext_root *root = &record->root;
  struct hugetext_root now;
  return (record->root_at != 0
          && thread_read (remote->tracee->memory, record->root_at, &now,
                          sizeof now)
          && now.text == root->text && now.code == root->code
          && now.from_tunable == root->from_tunable
          && now.from_index == root->from_index
          && memcmp (now.value, root->value, sizeof now.value) == 0);
}

void
remote_note_cap (const struct remote *remote, size_t cap)
{
  const struct record *record = &remote->found->record;
  const uint64_t number = cap;
  if (remote->found->recorded && has_root (remote, record))
    thread_write (remote->tracee->memory,
                  record->root_at
                      + offsetof (struct hugetext_root, attach_cap),
                  &number, sizeof number);
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

enum hugetext_reason
remote_lock (struct remote *remote, uintptr_t address, size_t length)
{
  const long result
      = remote_call (remote, SYS_mlock, address, length, 0, 0, 0, 0);
  return result == 0 ? HUGETEXT_NONE
                     : remote_why (remote, SYS_mlock, 0, REASON_LOCKED);
}

void
remote_unlock (struct remote *remote, uintptr_t address, size_t length)
{
  if (!remote->tracee->at_exec && process_number (remote->pid, "VmLck:") > 0
      && !filter_refuses (remote->tracee->refused, SYS_munlock, 0))
    remote_call (remote, SYS_munlock, address, length, 0, 0, 0, 0);
}

uintptr_t
remote_map_at (struct remote *remote, uintptr_t lead, size_t length, int prot,
               int flags, long file, uint64_t offset)
{
  for (int i = 0; i < 2; ++i)
    {
      if (remote->room == 0)
        remote->room = remote_find_gap (remote->pid);
      const uintptr_t wanted = remote->room + lead;
      const struct traces before = *remote->traces;
      traces_add (remote->traces, wanted, wanted + length);
      tracee_cleanup_result (remote->tracee, REMOTE_MAP, SYS_munmap, length);
      long result = remote_call (remote, SYS_mmap, wanted, length, prot,
                                 flags | MAP_PRIVATE | MAP_FIXED_NOREPLACE,
                                 file, offset);
      if ((uintptr_t) result != wanted)
        remote_keep (remote);
      if ((uintptr_t) result == wanted)
        {
          tracee_cleanup (remote->tracee, REMOTE_MAP, SYS_munmap, wanted,
                          length);
          /* A program that has not executed an instruction yet has no
             children.  */
          if (!remote->tracee->at_exec)
            remote_call (remote, SYS_madvise, wanted, length, MADV_DONTFORK, 0,
                         0, 0);
          remote_unlock (remote, wanted, length);
          return wanted;
        }
      *remote->traces = before;
      remote->failed = result;
      if (result != -EEXIST)
        return 0;
      remote->room = 0;
    }
  return 0;
}

enum hugetext_reason
remote_share (struct remote *remote, uintptr_t address, size_t length)
{
  const long result = remote->tracee->at_exec
                          ? 0
                          : remote_call (remote, SYS_madvise, address, length,
                                         MADV_DOFORK, 0, 0, 0);
  return result == 0 ? HUGETEXT_NONE
                     : remote_why (remote, SYS_madvise, MADV_DOFORK,
                                   REASON_NOT_SHARED);
}

/* Make a record in the process if it has none.  Return true if the process now
   has a record.  */
static bool
have_record (struct remote *remote)
{
  struct tracee *tracee = remote->tracee;
  /* While the thread is stopped, no other process changes the record.  */
  if (remote->record.words == 0
      && !changes_read (&remote->record, tracee->words, tracee->memory))
    return false;
  if (remote->record.page != 0)
    return true;
  tracee_cleanup_result (tracee, REMOTE_FILE, SYS_munmap, changes_size ());
  long page = remote_call (remote, SYS_mmap, 0, changes_size (),
                           PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                           -1, 0);
  bool good
      = (page > 0 && changes_place (&remote->record, tracee->memory, page));
  tracee_cleanup (tracee, REMOTE_FILE, -1, 0, 0);
  if (good)
    remote_unlock (remote, page, changes_size ());
  return good;
}

/* Ask the kernel whether a mapping in [START, END) is locked in memory.  The
   answer is the result of msync with MS_INVALIDATE, which changes no mapping.
   msync returns -EBUSY if a mapping is locked.  The call returns 0 if no
   mapping is locked, or -ENOMEM if a part of the range is not mapped.  If a
   seccomp filter forbids msync, return 0 if the process has no locked memory
   at all, otherwise -EPERM.  The answer stays true until the end of the stop,
   because a stopped thread cannot lock memory.  */
static long
ask_for_locks (struct remote *remote, uintptr_t start, uintptr_t end)
{
  if (filter_refuses (remote->tracee->refused, SYS_msync, MS_INVALIDATE))
    return process_number (remote->tracee->pid, "VmLck:") == 0 ? 0 : -EPERM;
  return remote_call (remote, SYS_msync, start, end - start, MS_INVALIDATE, 0,
                      0, 0);
}

bool
remote_may_be_locked (struct remote *remote, uintptr_t start, uintptr_t end)
{
  const long result = ask_for_locks (remote, start, end);
  return result != 0 && result != -ENOMEM;
}

enum hugetext_reason
remote_look_for_locks (struct remote *remote, const struct procmaps *maps,
                       uintptr_t start, uintptr_t end, bool *locked)
{
  bool any = false, free = false;
  for (size_t i = procmaps_index (maps, start);
       i < maps->count && maps->list[i].start < end; ++i)
    {
      const struct mapping *map = &maps->list[i];
      if (!map->readable && !map->writable && !map->executable)
        continue;
      const uintptr_t from = map->start > start ? map->start : start;
      const uintptr_t to = map->end < end ? map->end : end;
      const long result = ask_for_locks (remote, from, to);
      if (result != 0 && result != -EBUSY)
        return HUGETEXT_NONE;
      *(result == 0 ? &free : &any) = true;
    }
  if (any && free)
    return REASON_PARTLY_LOCKED;
  *locked = any;
  return HUGETEXT_NONE;
}

enum hugetext_reason
remote_note (struct remote *remote, const struct procmaps *maps,
             const struct hugetext_object *elf, uintptr_t start)
{
  enum changes_hole holes[PLACES];
  changes_look_at_holes (maps, elf, start, holes);
  if (!have_record (remote) || !changes_add (&remote->record, start, holes))
    return REASON_RECORD_FULL;
  return HUGETEXT_NONE;
}

void
remote_forget (struct remote *remote, size_t i)
{
  struct changes *record = &remote->record;
  const uintptr_t page = record->page;
  changes_remove (record, remote->tracee->memory, i);
  if (record->count > 0)
    return;
  remote_note_cap (remote, 0);
  tracee_cleanup (remote->tracee, REMOTE_FILE, SYS_munmap, page,
                  changes_size ());
  changes_place (record, remote->tracee->memory, 0);
  tracee_cleanup (remote->tracee, REMOTE_FILE, -1, 0, 0);
  remote_call (remote, SYS_munmap, page, changes_size (), 0, 0, 0, 0);
}

void
remote_keep (struct remote *remote)
{
  tracee_cleanup (remote->tracee, REMOTE_MAP, -1, 0, 0);
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
  char byte;
  /* Fault in all blocks of the mapping before the first query, because before
     Linux 6.7 the kernel reports only for a whole mapping how many of its
     bytes are on huge pages.  */
  for (size_t i = 0; i < count; ++i)
    {
      huge[i]
          = thread_read (remote->tracee->memory, start + i * block, &byte, 1);
      all &= huge[i];
    }
  /* First query the kernel about all blocks together, because usually all of
     them are huge.  */
  if (all
      && pages_count (&remote->pages, start, start + count * block).huge
             == count * block
      && !remote->pages.no_scan)
    return;
  for (size_t i = 0; i < count; ++i)
    huge[i] = huge[i] && remote_is_huge (remote, start + i * block);
}

enum hugetext_reason
remote_freeze (struct remote *remote, unsigned int tried)
{
  return freeze_others (&remote->freeze, remote->pid, remote->tracee->tid,
                        tried < OFTEN ? FREEZE_PATIENCE : LONG_PATIENCE);
}
