/* What limits of the process and its control groups leave.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Text in the page cache can be reclaimed, copies cannot (without swap), so
   that copies near a limit would have the process killed where the stock
   loader's would have run.  Not by the copy itself: a huge page that does not
   fit a control group is not had, and the fault falls back to a small one;
   but the next small page that the program needs, a system call's as well as
   its own, has nobody left to take it from.  */

#include <string.h>
#include <sys/resource.h>

#include <dl-hugetext-sys.h>

#include "dl-hugetext-limits.h"
#include "dl-hugetext-procfile.h"

/* The two versions of the memory controller.  */
struct controller
{
  /* No pointers, which each start would relocate.  */
  char key[8];              /* In its line of /proc/self/cgroup.  */
  char root[24];            /* Where it is mounted by convention.  */
  char limit[2][24];        /* Files with limits: one kills, the other
                               makes the process wait for reclaim.  */
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

/* The number behind KEY in TEXT, 0 if there is none.  */
static size_t
number_after (const char *text, const char *key)
{
  const char *value = _dl_hugetext_find_text (text, key);
  size_t n = value != NULL ? _dl_hugetext_take_number (&value, 10) : SIZE_MAX;
  return n != SIZE_MAX ? n : 0;
}

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

/* What there is for copies where LIMIT bytes are the most and LEFT of them are
   left: not the last part in SHARE, whatever other processes have taken.  */
static size_t
beyond (size_t left, size_t limit, size_t share)
{
  return left > limit / share ? left - limit / share : 0;
}

/* What there is for copies in the control group PATH, in bytes.  Half of it
   stays for the programs, whose limit was chosen without us: many may start at
   once.  */
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
  size_t used
      = (number_after (buffer, c->anon) + number_after (buffer, c->shmem));
  return used < limit ? beyond (limit - used, limit, 2) : 0;
}

static bool
is_one_of (char c, const char *of)
{
  while (*of != '\0' && *of != c)
    ++of;
  return *of != '\0';
}

/* The group of the hierarchy that has KEY, by TEXT of /proc/self/cgroup: lines
   NUMBER:CONTROLLERS:GROUP, where several controllers have commas between.
   NULL if there is none.  */
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

/* The same by the controller C, in all groups that the process is in.  */
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
    /* The root itself.  */
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
_dl_hugetext_memory_left (char *buffer, size_t size)
{
  size_t left = SIZE_MAX;
  for (size_t i = 0; i < sizeof controllers / sizeof controllers[0]; ++i)
    {
      size_t this = left_by (&controllers[i], buffer, size);
      if (this < left)
        left = this;
    }
  /* Outside of all groups: what the machine has available, in KiB, but not its
     last eighth; and what it lets processes commit themselves to, where it
     keeps an account of that (proc(5), overcommit_memory).  */
  if (_dl_hugetext_read_start ("/proc/meminfo", buffer, size))
    {
      size_t available = beyond (number_after (buffer, "MemAvailable:"),
                                 number_after (buffer, "MemTotal:"), 8);
      size_t limit = number_after (buffer, "CommitLimit:");
      size_t used = number_after (buffer, "Committed_AS:");
      size_t commit = used < limit ? beyond (limit - used, limit, 8) : 0;
      if (commit < available
          && _dl_hugetext_read_start ("/proc/sys/vm/overcommit_memory", buffer,
                                      size)
          && *buffer == '2')
        available = commit;
      if (available < left / 1024)
        left = available * 1024;
    }
  return left;
}

static bool
is_limited (int resource)
{
  struct sys_limit limit;
  return (!sys_failed (sys_prlimit (resource, &limit))
          && limit.current != UINT64_MAX);
}

bool
_dl_hugetext_space_limited (void)
{
  return is_limited (RLIMIT_AS);
}

bool
_dl_hugetext_data_limited (void)
{
  return is_limited (RLIMIT_DATA);
}

bool
_dl_hugetext_may_make_file (size_t size)
{
  struct sys_limit limit;
  return (!sys_failed (sys_prlimit (RLIMIT_FSIZE, &limit))
          && limit.current >= size);
}
