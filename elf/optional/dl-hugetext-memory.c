/* The memory that the control groups and the machine leave for copies of text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   When memory is short, the kernel can drop text from the page cache, but
   without swap it cannot drop copies.  Therefore, if a process is near a
   memory limit, copies of its text could make the kernel kill the process,
   whereas the process would survive under the stock loader.  The kernel does
   not kill the process when the loader makes a copy: if a huge page would
   exceed the limit of a control group, the kernel uses a small page.  But when
   the process later needs more memory, the kernel finds no memory that it can
   reclaim.  */

#include <string.h>

#include "dl-hugetext-procfile.h"
#include "dl-hugetext-modules.h"

/* The files of the memory controller of cgroup v1 or of cgroup v2.  */
struct controller
{
  /* The struct has arrays instead of pointers, because each program start
     would have to relocate pointers.  */
  char key[12];      /* The part of the controller's line in
                        /proc/self/cgroup that comes before the group
                        (NUMBER:CONTROLLERS:GROUP).  */
  char root[24];     /* The directory where the controller's hierarchy of
                        control groups is usually mounted.  */
  char limit[2][24]; /* The files with a control group's memory limits.  The
                        first file is memory.max (cgroup v2) or
                        memory.limit_in_bytes (cgroup v1): if a group would
                        exceed this limit, the kernel kills a process of the
                        group.  Above the limit in memory.high (only cgroup
                        v2), the kernel makes processes of the group wait while
                        it reclaims memory.  */
  char anon[16], shmem[16]; /* The keys in memory.stat for anonymous memory and
                               for shared memory, which the kernel cannot
                               drop.  */
};

static const struct controller controllers[] = {
  { ":memory:",
    "/sys/fs/cgroup/memory",
    { "/memory.limit_in_bytes" },
    "\ntotal_rss ",
    "\ntotal_shmem " },
  { "0::",
    "/sys/fs/cgroup",
    { "/memory.max", "/memory.high" },
    "anon ",
    "\nshmem " },
};

/* The maximum size of a path.  Paths of PATH_SIZE bytes suffice for the names
   that systemd and container engines choose.  If _dl_hugetext_read_short
   shortens a line of /proc/self/cgroup, it keeps more than PATH_SIZE bytes of
   the line, so that the loader sees that the path is too long.  Otherwise the
   loader might mistake a shortened path for the path of another group.  */
#define PATH_SIZE 448

/* Read the file NAME of a directory into BUFFER, which has SIZE bytes.  The
   first LENGTH bytes of PATH are the path of the directory.  The function
   appends NAME; PATH has enough space for it.  */
static bool
read_in (char *path, size_t length, const char *name, char *buffer,
         size_t size)
{
  memcpy (path + length, name, strlen (name) + 1);
  return *name != '\0' && _dl_hugetext_read_start (path, buffer, size) > 0;
}

/* Return how many bytes copies may use if LEFT bytes below LIMIT are free.
   The program's own memory gets a reserve of 1 / SHARE of LIMIT, or none if
   SHARE is 0.  */
static size_t
beyond (size_t left, size_t limit, size_t share)
{
  return share == 0 ? left : left > limit / share ? left - limit / share : 0;
}

/* Return how many bytes the control group leaves for copies.  The first LENGTH
   bytes of PATH are the path of the group's directory.  Half of the limit is
   reserved for the memory of programs, because the administrator chose the
   limit without taking copies into account, and because many programs of the
   group may start at the same time.  */
static size_t
left_in (const struct controller *c, char *path, size_t length, char *buffer,
         size_t size, bool copies)
{
  size_t limit = SIZE_MAX;
  for (size_t i = 0; i < 2; ++i)
    if (read_in (path, length, c->limit[i], buffer, size))
      {
        /* N is SIZE_MAX if the file contains "max" (no limit).  */
        const char *text = buffer;
        size_t n = _dl_hugetext_take_number (&text, 10);
        limit = n < limit ? n : limit;
      }
  if (limit == SIZE_MAX
      || !read_in (path, length, "/memory.stat", buffer, size))
    return SIZE_MAX;
  size_t used = (_dl_hugetext_number_after (buffer, c->anon)
                 + _dl_hugetext_number_after (buffer, c->shmem));
  return used < limit ? beyond (limit - used, limit, copies ? 2 : 0) : 0;
}

/* Return the length of the path of GROUP's parent.  GROUP has LENGTH
   bytes.  */
static size_t
parent_length (const char *group, size_t length)
{
  do
    --length;
  while (length > 0 && group[length] != '/');
  return length;
}

/* Return how many bytes the process's control groups leave for copies, or
   SIZE_MAX if no group has a limit.  */
static size_t
groups_left (char *buffer, size_t size, bool copies)
{
  size_t left = SIZE_MAX;
  /* Use BUFFER also for the path, instead of the stack, because
     hugetext-code.so may call this function on a small stack.  */
  char *path = buffer + (size -= PATH_SIZE);
  bool listed = false; /* BUFFER contains /proc/self/cgroup.  */
  for (size_t i = 0; i < sizeof controllers / sizeof controllers[0]; ++i)
    {
      const struct controller *c = &controllers[i];
      const size_t root = strlen (c->root);
      /* If the loader has examined a control group of cgroup v1, BUFFER
         contains a file of this group instead of /proc/self/cgroup, so read
         /proc/self/cgroup again.  Most machines use either cgroup v1 or cgroup
         v2, not both.  */
      if (!listed)
        listed
            = _dl_hugetext_read_short ("/proc/self/cgroup", buffer, size) > 0;
      const char *group
          = listed ? _dl_hugetext_find_text (buffer, c->key) : NULL;
      if (group == NULL)
        continue;
      listed = false;
      size_t length = 0;
      while (group[length] != '\n' && group[length] != '\0')
        ++length;
      if (length == 1)
        /* If the path of the group is "/", the group is the root of the
           hierarchy.  */
        length = 0;
      /* If the group's path is too long, examine only those ancestors of the
         group whose paths fit.  */
      while (length > PATH_SIZE - sizeof c->limit[0] - root)
        length = parent_length (group, length);
      memcpy (path, c->root, root);
      memcpy (path + root, group, length);
      /* Examine the process's group and its ancestors, up to the root that
         the process can see.  */
      for (size_t end = root + length;; --end)
        if (end == root || end == root + length || path[end] == '/')
          {
            size_t this = left_in (c, path, end, buffer, size, copies);
            left = this < left ? this : left;
            if (end == root)
              break;
          }
    }
  return left;
}

size_t
_dl_hugetext_memory_left (char *buffer, size_t size, bool copies)
{
  const size_t share = copies ? 8 : 0;
  size_t left = groups_left (buffer, size, copies);
  /* Copies may use the machine's available memory minus an eighth of its total
     memory (both in KiB).  If the kernel limits committed memory (proc(5),
     overcommit_memory is 2), copies may use at most the memory that processes
     may still commit minus an eighth of the commit limit.  */
  if (_dl_hugetext_read_start ("/proc/meminfo", buffer, size) > 0)
    {
      size_t available
          = beyond (_dl_hugetext_number_after (buffer, "MemAvailable:"),
                    _dl_hugetext_number_after (buffer, "MemTotal:"), share);
      size_t limit = _dl_hugetext_number_after (buffer, "CommitLimit:");
      size_t used = _dl_hugetext_number_after (buffer, "Committed_AS:");
      size_t commit = used < limit ? beyond (limit - used, limit, share) : 0;
      if (commit < available
          && _dl_hugetext_read_start ("/proc/sys/vm/overcommit_memory", buffer,
                                      size)
                 > 0
          && *buffer == '2')
        available = commit;
      if (available < left / 1024)
        left = available * 1024;
    }
  return left;
}
