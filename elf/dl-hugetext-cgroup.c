/* How much memory the process's control groups leave for copies.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Probing only.  Text in the page cache can be reclaimed, copies cannot
   (without swap), so that copies near a limit would have the process killed
   where the stock loader's would have run.  A failure to make a copy is
   harmless, a copy made is what has to be asked about, once per process.  */

#include <string.h>

#include "dl-hugetext-internal.h"

/* The two versions of the memory controller.  */
struct controller
{
  const char *key;              /* Its line in /proc/self/cgroup.  */
  const char *root;             /* Where it is mounted by convention.  */
  const char *limit;            /* File with the limit.  */
  const char *anon, *shmem;     /* Lines of memory.stat.  */
};

static const struct controller controllers[] =
  {
    { ":memory:", "/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
      "\ntotal_rss ", "\ntotal_shmem " },
    { "0::", "/sys/fs/cgroup", "/memory.max", "anon ", "\nshmem " }
  };

/* The decimal number at TEXT; SIZE_MAX if there is none or it is too large,
   as for "max".  */
static size_t
number (const char *text)
{
  size_t value = 0;
  if (*text < '0' || *text > '9')
    return SIZE_MAX;
  for (; *text >= '0' && *text <= '9'; ++text)
    if (__builtin_mul_overflow (value, 10, &value)
        || __builtin_add_overflow (value, *text - '0', &value))
      return SIZE_MAX;
  return value;
}

/* The number behind KEY in TEXT, 0 if there is none.  */
static size_t
number_after (const char *text, const char *key)
{
  const char *value = _dl_hugetext_find_text (text, key);
  size_t n = value != NULL ? number (value) : SIZE_MAX;
  return n != SIZE_MAX ? n : 0;
}

/* Read file NAME of the directory PATH into BUFFER, of SIZE bytes.  PATH has
   room for NAME, and is restored.  */
static bool
read_in (char *path, const char *name, char *buffer, size_t size)
{
  size_t length = strlen (path);
  strcpy (path + length, name);
  bool result = _dl_hugetext_read_start (path, buffer, size);
  path[length] = '\0';
  return result;
}

/* What the control group PATH leaves, in bytes.  */
static size_t
room_in (const struct controller *c, char *path, char *buffer, size_t size)
{
  if (!read_in (path, c->limit, buffer, size))
    return SIZE_MAX;
  size_t limit = number (buffer);
  if (limit == SIZE_MAX || !read_in (path, "/memory.stat", buffer, size))
    return SIZE_MAX;
  size_t used = (number_after (buffer, c->anon)
                 + number_after (buffer, c->shmem));
  return used < limit ? limit - used : 0;
}

size_t
_dl_hugetext_memory_room (char *buffer, size_t size)
{
  /* Long enough for the names that systemd and container engines give.  */
  char path[512];
  size_t room = SIZE_MAX;

  for (size_t i = 0; i < sizeof controllers / sizeof controllers[0]; ++i)
    {
      const struct controller *c = &controllers[i];
      if (!_dl_hugetext_read_start ("/proc/self/cgroup", buffer, size))
        return SIZE_MAX;
      const char *group = _dl_hugetext_find_text (buffer, c->key);
      if (group == NULL)
        continue;
      size_t root = strlen (c->root), length = 0;
      while (group[length] != '\n' && group[length] != '\0')
        ++length;
      if (root + length + sizeof "/memory.limit_in_bytes" > sizeof path)
        continue;
      memcpy (path, c->root, root);
      memcpy (path + root, group, length);
      path[root + length] = '\0';

      /* From the process's own group up to the root that it sees.  */
      for (char *end = path + root + length; end >= path + root; )
        {
          *end = '\0';
          size_t this = room_in (c, path, buffer, size);
          if (this < room)
            room = this;
          do
            --end;
          while (end >= path + root && *end != '/');
        }
    }
  return room;
}
