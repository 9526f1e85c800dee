/* Ask the kernel what ld-hugetext needs to know.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Probing only: nothing here changes anything.  Files in /proc and /sys are
   read only where no system call tells, and never at a start that has
   nothing to put on huge pages.  */

#include <string.h>

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

/* Read the beginning of the file PATH into BUFFER, of SIZE bytes, as a
   string.  False if it cannot be read.  */
static bool
read_start (const char *path, char *buffer, size_t size)
{
  long int fd = sys_open (path);
  if (sys_failed (fd))
    return false;
  long int n = sys_read (fd, buffer, size - 1);
  sys_close (fd);
  if (sys_failed (n))
    return false;
  buffer[n] = '\0';
  return true;
}

/* The first occurrence of NEEDLE in HAYSTACK.  The loader has no strstr. */
static const char *
find (const char *haystack, const char *needle)
{
  size_t length = strlen (needle);
  for (; *haystack != '\0'; ++haystack)
    if (strncmp (haystack, needle, length) == 0)
      return haystack + length;
  return NULL;
}

int
_dl_hugetext_tracer (void)
{
  /* The line is among the first ten; the program's name before it has at
     most 64 bytes even when escaped.  */
  char buffer[512];
  if (!read_start ("/proc/self/status", buffer, sizeof buffer))
    return -1;
  const char *value = find (buffer, "\nTracerPid:");
  if (value == NULL)
    return -1;
  while (*value == ' ' || *value == '\t')
    ++value;
  int pid = 0;
  for (; *value >= '0' && *value <= '9'; ++value)
    pid = pid * 10 + (*value - '0');
  return pid;
}

bool
_dl_hugetext_thp_never (void)
{
  char buffer[128];
  return (read_start ("/sys/kernel/mm/transparent_hugepage/enabled", buffer,
                      sizeof buffer)
          && find (buffer, "[never]") != NULL);
}

/* The PAGEMAP_SCAN ioctl of /proc/PID/pagemap (Linux 6.7, documented in
   admin-guide/mm/pagemap.rst); our build headers may be older.  */
struct scan_region
{
  uint64_t start, end, categories;
};

struct scan_arguments
{
  uint64_t size, flags, start, end, walk_end;
  uint64_t regions, nregions, max_pages;
  uint64_t inverted, all_of, any_of, returned;
};

#define SCAN_HUGE (UINT64_C (1) << 6)
#define SCAN_REQUEST \
  ((3UL << 30) | (sizeof (struct scan_arguments) << 16) | ('f' << 8) | 16)

long int
_dl_hugetext_kernel_huge (uintptr_t start, uintptr_t end)
{
  long int fd = sys_open ("/proc/self/pagemap");
  if (sys_failed (fd))
    return -1;

  struct scan_region region[8];
  long int bytes = 0;
  while (start < end)
    {
      struct scan_arguments arguments =
        { .size = sizeof arguments, .start = start, .end = end,
          .regions = (uintptr_t) region, .nregions = 8,
          .all_of = SCAN_HUGE, .returned = SCAN_HUGE };
      long int n = INTERNAL_SYSCALL_CALL (ioctl, fd, SCAN_REQUEST,
                                          &arguments);
      if (sys_failed (n) || arguments.walk_end <= start)
        {
          bytes = -1;
          break;
        }
      for (long int i = 0; i < n; ++i)
        bytes += region[i].end - region[i].start;
      start = arguments.walk_end;
    }
  sys_close (fd);
  return bytes;
}
