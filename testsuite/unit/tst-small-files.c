/* Test how the loader reads small files that are longer than its buffer.  A
   long list of groups does not hide other lines of a status.  A long path of
   a control group does not hide the limits of its ancestors.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan-test.h"
#include "policy/dl-hugetext-sys.h"

#include "dl-hugetext-procfile.c"

/* Control groups for the test: each has a limit of 1 GiB and nothing in use.
   The file LIST is the process's list of control groups.  ASKED is the longest
   path whose limits the loader has read.  */
static char list[] = "/tmp/tst-small-files.XXXXXX";
static char asked[4096];

static long int
answer (const char *path, char *buffer, size_t size)
{
  const char *text = "";
  if (strcmp (path, "/proc/self/cgroup") == 0)
    return _dl_hugetext_read_short (list, buffer, size);
  if (strncmp (path, "/sys/fs/cgroup/", 15) != 0)
    return -ENOENT;
  if (strstr (path, "/memory.max") != NULL)
    text = "1073741824\n";
  if (strstr (path, "/memory.stat") != NULL)
    text = "anon 0\nfile 0\nshmem 0\n";
  if (strlen (path) > strlen (asked))
    strcpy (asked, path);
  return *text != '\0' ? snprintf (buffer, size, "%s", text) : -ENOENT;
}

#define _dl_hugetext_read_start answer
#define _dl_hugetext_read_short answer
#include "dl-hugetext-memory.c"
#undef _dl_hugetext_read_start
#undef _dl_hugetext_read_short

/* Return a path with N components of LENGTH characters each.  */
static char *
path_of (size_t n, size_t length)
{
  char *path = calloc (n, length + 1), *end;
  path = realloc (path, n * (length + 1) + 1);
  end = path;
  for (size_t i = 0; i < n; ++i)
    {
      *end++ = '/';
      memset (end, 'a', length);
      end += length;
    }
  *end = '\0';
  return path;
}

static void
test_groups (void)
{
  const int fd = mkstemp (list);
  EXPECT (fd >= 0);
  for (size_t n = 1; n <= 20; ++n)
    for (size_t length = 1; length <= 100; ++length)
      {
        char scratch[4096], *path = path_of (n, length);
        const size_t whole = sizeof "/sys/fs/cgroup" - 1 + strlen (path);
        EXPECT (ftruncate (fd, 0) == 0 && lseek (fd, 0, SEEK_SET) == 0);
        /* With long paths the list is longer than the loader's buffer.  */
        dprintf (fd, "2:name=x:%s\n1:name=y:%s\n0::%s\n", path, path, path);
        asked[0] = '\0';
        EXPECT_EQUAL (_dl_hugetext_memory_left (scratch, sizeof scratch, true),
                      (size_t) 1 << 29);
        /* The loader asks about as much of the path as fits its buffer, and
           only about whole components.  */
        const size_t end = strrchr (asked, '/') - asked;
        EXPECT (end <= whole && whole - end <= n * (length + 1));
        EXPECT (end == whole || end + length + 1 + 24 > PATH_SIZE);
        EXPECT_EQUAL ((end - (sizeof "/sys/fs/cgroup" - 1)) % (length + 1), 0);
        free (path);
      }
  close (fd);
  unlink (list);
  group_done ("groups", 20 * 100);
}

/* Write a process status with N groups to the file FD.  */
static void
write_status (int fd, size_t n)
{
  EXPECT (ftruncate (fd, 0) == 0 && lseek (fd, 0, SEEK_SET) == 0);
  dprintf (fd, "Name:\tx\nTracerPid:\t7\nGroups:\t");
  for (size_t i = 0; i < n; ++i)
    dprintf (fd, "%zu ", 2000000000 + i);
  dprintf (fd, "\nNSpid:\t1\t2\nThreads:\t1\nSeccomp:\t2\nCpus_allowed:\t");
  for (size_t i = 0; i < n; ++i)
    dprintf (fd, "ffffffff,");
  dprintf (fd, "\nlast:\t5\n");
}

static void
test_status (void)
{
  char name[] = "/tmp/tst-small-files.XXXXXX", text[4096];
  const int fd = mkstemp (name);
  EXPECT (fd >= 0);
  for (size_t n = 0; n < 65536; n = n < 600 ? n + 1 : 2 * n)
    {
      write_status (fd, n);
      const long int length = _dl_hugetext_read_short (name, text, 4096);
      EXPECT_EQUAL (length, (long int) strlen (text));
      EXPECT_EQUAL (_dl_hugetext_number_after (text, "\nTracerPid:\t"), 7);
      EXPECT_EQUAL (_dl_hugetext_number_after (text, "\nSeccomp:\t"), 2);
      EXPECT_EQUAL (_dl_hugetext_number_after (text, "\nlast:\t"), 5);
    }
  /* A file with too many lines is still refused.  */
  for (size_t i = 0; i < 4096; ++i)
    dprintf (fd, "\n");
  EXPECT_EQUAL (_dl_hugetext_read_short (name, text, 4096), -EFBIG);
  unlink (name);
  group_done ("status", 600);
  EXPECT_EQUAL (_dl_hugetext_read_short (name, text, 4096), -ENOENT);
  close (fd);
}

int
main (void)
{
  test_groups ();
  test_status ();
  return 0;
}
