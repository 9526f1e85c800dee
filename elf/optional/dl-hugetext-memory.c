/* The memory that control groups and the machine leave for copies.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel can reclaim text in the page cache, but cannot reclaim copies
   (without swap).  Near a memory limit, the kernel could kill a process
   because of its copies, although the process would run under the stock
   loader.  Making a copy kills no process: if a huge page exceeds the limit of
   a control group, the fault uses a small page.  But when the process next
   needs a small page, the kernel finds nothing to reclaim.  */

#include <string.h>

#include "dl-hugetext-procfile.h"
#include "dl-hugetext-modules.h"

/* One of the two versions of the memory controller.  */
struct controller
{
  /* The struct has no pointers, because each start would relocate them.  */
  char key[12];             /* The controller's part of a line in
                               /proc/self/cgroup: NUMBER:CONTROLLERS:GROUP.  */
  char root[24];            /* The usual mount point.  */
  char limit[2][24];        /* The files with two limits: at one limit the
                               kernel kills a process, at the other the process
                               waits for reclaim.  */
  char anon[16], shmem[16]; /* Keys in memory.stat.  */
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

/* The size of a path, enough for names that systemd and container engines
   choose.  A line that _dl_hugetext_read_short has shortened is still longer:
   so a name that was cut is never asked as if it were a group.  */
#define PATH_SIZE 448

/* Read the file NAME in a directory into BUFFER, of SIZE bytes.  The first
   LENGTH bytes of PATH are the directory; PATH has room for NAME.  */
static bool
read_in (char *path, size_t length, const char *name, char *buffer,
         size_t size)
{
  memcpy (path + length, name, strlen (name) + 1);
  return *name != '\0' && _dl_hugetext_read_start (path, buffer, size) > 0;
}

/* Return how many bytes of memory copies may use if LEFT bytes below LIMIT are
   free.  One part in SHARE of the limit is reserved for the program.  */
static size_t
beyond (size_t left, size_t limit, size_t share)
{
  return left > limit / share ? left - limit / share : 0;
}

/* Return the bytes that the control group PATH, LENGTH bytes long, leaves for
   copies.  Half of the limit is reserved for programs: the administrator chose
   the limit without copies, and many programs may start at once.  */
static size_t
left_in (const struct controller *c, char *path, size_t length, char *buffer,
         size_t size)
{
  size_t limit = SIZE_MAX;
  for (size_t i = 0; i < 2; ++i)
    if (read_in (path, length, c->limit[i], buffer, size))
      {
        /* N is SIZE_MAX for "max".  */
        const char *text = buffer;
        size_t n = _dl_hugetext_take_number (&text, 10);
        limit = n < limit ? n : limit;
      }
  if (limit == SIZE_MAX
      || !read_in (path, length, "/memory.stat", buffer, size))
    return SIZE_MAX;
  size_t used = (_dl_hugetext_number_after (buffer, c->anon)
                 + _dl_hugetext_number_after (buffer, c->shmem));
  return used < limit ? beyond (limit - used, limit, 2) : 0;
}

/* Return the length of the parent of GROUP, a path of LENGTH bytes.  */
static size_t
parent_length (const char *group, size_t length)
{
  do
    --length;
  while (length > 0 && group[length] != '/');
  return length;
}

/* Return the number of bytes that the process's control groups leave for
   copies, or SIZE_MAX if no limit is set.  */
static size_t
groups_left (char *buffer, size_t size)
{
  size_t left = SIZE_MAX;
  /* Avoid the stack, which may be small when the code object calls.  */
  char *path = buffer + (size -= PATH_SIZE);
  bool listed = false; /* BUFFER holds the list of groups.  */
  for (size_t i = 0; i < sizeof controllers / sizeof controllers[0]; ++i)
    {
      const struct controller *c = &controllers[i];
      const size_t root = strlen (c->root);
      /* Most machines have only one version of the memory controller.  */
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
        /* The process's group is the root of the hierarchy.  */
        length = 0;
      /* Of a path that is too long, the ancestors still count.  */
      while (length > PATH_SIZE - sizeof c->limit[0] - root)
        length = parent_length (group, length);
      memcpy (path, c->root, root);
      memcpy (path + root, group, length);
      /* Go up from the process's group to the root that the process sees.  */
      for (size_t end = root + length;; --end)
        if (end == root || end == root + length || path[end] == '/')
          {
            size_t this = left_in (c, path, end, buffer, size);
            left = this < left ? this : left;
            if (end == root)
              break;
          }
    }
  return left;
}

size_t
_dl_hugetext_memory_left (char *buffer, size_t size)
{
  size_t left = groups_left (buffer, size);
  /* The limits of the machine: available memory in KiB minus an eighth of all
     memory, and the memory that processes may still commit if the machine
     limits commitments (proc(5), overcommit_memory).  */
  if (_dl_hugetext_read_start ("/proc/meminfo", buffer, size) > 0)
    {
      size_t available
          = beyond (_dl_hugetext_number_after (buffer, "MemAvailable:"),
                    _dl_hugetext_number_after (buffer, "MemTotal:"), 8);
      size_t limit = _dl_hugetext_number_after (buffer, "CommitLimit:");
      size_t used = _dl_hugetext_number_after (buffer, "Committed_AS:");
      size_t commit = used < limit ? beyond (limit - used, limit, 8) : 0;
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
