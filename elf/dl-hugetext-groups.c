/* The memory that the limits of control groups leave.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "dl-hugetext-limits.h"
#include "dl-hugetext-procfile.h"

/* The two versions of the memory controller.  */
struct controller
{
  /* The struct has no pointers, because each start would relocate them.  */
  char key[12];             /* The line of /proc/self/cgroup:
                               NUMBER:CONTROLLERS:GROUP.  */
  char root[24];            /* The folder where it is mounted by
                               convention.  */
  char limit[2][24];        /* The files of two limits: the kernel kills at
                               one, and makes the process wait for reclaim at
                               the other.  */
  char anon[16], shmem[16]; /* Lines of memory.stat.  */
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

/* The longest path: long enough for the names that systemd and container
   engines give.  */
#define PATH_SIZE 512

/* Read file NAME of the folder PATH, LENGTH bytes long, into BUFFER, of SIZE
   bytes.  PATH has room for NAME.  */
static bool
read_in (char path[PATH_SIZE], size_t length, const char *name, char *buffer,
         size_t size)
{
  memcpy (path + length, name, strlen (name) + 1);
  return *name != '\0' && _dl_hugetext_read_start (path, buffer, size) > 0;
}

/* Return the bytes for copies in the control group PATH, LENGTH bytes long.
   Half of them stay for the programs: the administrator chose the limit
   without our copies, and many programs may start at once.  */
static size_t
left_in (const struct controller *c, char path[PATH_SIZE], size_t length,
         char *buffer, size_t size)
{
  size_t limit = SIZE_MAX;
  for (size_t i = 0; i < 2; ++i)
    if (read_in (path, length, c->limit[i], buffer, size))
      {
        /* SIZE_MAX for "max".  */
        const char *text = buffer;
        size_t n = _dl_hugetext_take_number (&text, 10);
        limit = n < limit ? n : limit;
      }
  if (limit == SIZE_MAX
      || !read_in (path, length, "/memory.stat", buffer, size))
    return SIZE_MAX;
  size_t used = (_dl_hugetext_number_after (buffer, c->anon)
                 + _dl_hugetext_number_after (buffer, c->shmem));
  return used < limit ? _dl_hugetext_beyond (limit - used, limit, 2) : 0;
}

size_t
_dl_hugetext_groups_left (char *buffer, size_t size)
{
  size_t left = SIZE_MAX;
  for (size_t i = 0; i < sizeof controllers / sizeof controllers[0]; ++i)
    {
      const struct controller *c = &controllers[i];
      const size_t root = strlen (c->root);
      const char *group = NULL;
      char path[PATH_SIZE];
      if (_dl_hugetext_read_start ("/proc/self/cgroup", buffer, size) > 0)
        group = _dl_hugetext_find_text (buffer, c->key);
      if (group == NULL)
        continue;
      size_t length = 0;
      while (group[length] != '\n' && group[length] != '\0')
        ++length;
      if (length == 1)
        /* The group is the root itself.  */
        length = 0;
      if (root + length + sizeof c->limit[0] > PATH_SIZE)
        continue;
      memcpy (path, c->root, root);
      memcpy (path + root, group, length);
      /* From the process's own group up to the root that it sees.  */
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
