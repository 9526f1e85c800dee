/* The memory that the limits of control groups leave.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "dl-hugetext-groups.h"
#include "dl-hugetext-limits.h"
#include "dl-hugetext-procfile.h"

/* The two versions of the memory controller.  */
struct controller
{
  /* The struct has no pointers, because each start would relocate them.  */
  char key[8];              /* The controller's name in /proc/self/cgroup.  */
  char root[24];            /* The folder where it is mounted by
                               convention.  */
  char limit[2][24];        /* The files of two limits: the kernel kills at
                               one, and makes the process wait for reclaim at
                               the other.  */
  char anon[16], shmem[16]; /* Lines of memory.stat.  */
};

static const struct controller controllers[]
    = { { "memory",
          "/sys/fs/cgroup/memory",
          { "/memory.limit_in_bytes" },
          "\ntotal_rss ",
          "\ntotal_shmem " },
        { "0:",
          "/sys/fs/cgroup",
          { "/memory.max", "/memory.high" },
          "anon ",
          "\nshmem " } };

/* The longest of these names.  */
#define NAME_SIZE sizeof "/memory.limit_in_bytes"

/* Read file NAME of the directory PATH into BUFFER, of SIZE bytes.  PATH has
   room for NAME, and is restored.  */
static bool
read_in (char *path, const char *name, char *buffer, size_t size)
{
  size_t length = strlen (path);
  memcpy (path + length, name, strlen (name) + 1);
  bool result = _dl_hugetext_read_start (path, buffer, size);
  path[length] = '\0';
  return result;
}

/* Return the bytes for copies in the control group PATH.  Half of them stay
   for the programs: the administrator chose the limit without our copies, and
   many programs may start at once.  */
static size_t
left_in (const struct controller *c, char *path, char *buffer, size_t size)
{
  size_t limit = SIZE_MAX;
  for (size_t i = 0; i < 2 && *c->limit[i] != '\0'; ++i)
    if (read_in (path, c->limit[i], buffer, size))
      {
        /* SIZE_MAX for "max".  */
        const char *text = buffer;
        size_t n = _dl_hugetext_take_number (&text, 10);
        if (n < limit)
          limit = n;
      }
  if (limit == SIZE_MAX || !read_in (path, "/memory.stat", buffer, size))
    return SIZE_MAX;
  size_t used = (_dl_hugetext_number_after (buffer, c->anon)
                 + _dl_hugetext_number_after (buffer, c->shmem));
  return used < limit ? _dl_hugetext_beyond (limit - used, limit, 2) : 0;
}

static bool
is_one_of (char c, const char *of)
{
  while (*of != '\0' && *of != c)
    ++of;
  return *of != '\0';
}

/* Return the process's group in the hierarchy with the controller KEY, from
   TEXT, the contents of /proc/self/cgroup: lines NUMBER:CONTROLLERS:GROUP,
   with commas between controllers.  NULL if there is none.  */
static const char *
find_group (const char *text, const char *key)
{
  const char *end = text;
  while ((end = _dl_hugetext_find_text (end, key)) != NULL)
    {
      const char *start = end - strlen (key);
      if ((start == text || is_one_of (start[-1], "\n:,"))
          && is_one_of (*end, ":,"))
        {
          while (*end != ':' && *end != '\0')
            ++end;
          return *end == ':' ? end + 1 : NULL;
        }
    }
  return NULL;
}

/* Return the bytes for copies by the controller C, in all groups that the
   process is in.  */
static size_t
left_by (const struct controller *c, char *buffer, size_t size)
{
  /* Long enough for the names that systemd and container engines give.  */
  char path[512];
  size_t left = SIZE_MAX;

  if (!_dl_hugetext_read_start ("/proc/self/cgroup", buffer, size))
    return SIZE_MAX;
  const char *group = find_group (buffer, c->key);
  if (group == NULL)
    return SIZE_MAX;
  size_t root = strlen (c->root), length = 0;
  while (group[length] != '\n' && group[length] != '\0')
    ++length;
  if (length == 1)
    /* The group is the root itself.  */
    length = 0;
  if (root + length + NAME_SIZE > sizeof path)
    return SIZE_MAX;
  memcpy (path, c->root, root);
  memcpy (path + root, group, length);

  /* From the process's own group up to the root that it sees.  */
  for (char *end = path + root + length; end >= path + root;)
    {
      *end = '\0';
      size_t this = left_in (c, path, buffer, size);
      if (this < left)
        left = this;
      do
        --end;
      while (end >= path + root && *end != '/');
    }
  return left;
}

size_t
_dl_hugetext_groups_left (char *buffer, size_t size)
{
  size_t left = SIZE_MAX;
  for (size_t i = 0; i < sizeof controllers / sizeof controllers[0]; ++i)
    {
      size_t this = left_by (&controllers[i], buffer, size);
      if (this < left)
        left = this;
    }
  return left;
}
