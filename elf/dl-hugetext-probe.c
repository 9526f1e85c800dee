/* Ask the kernel what ld-hugetext needs to know.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Probing only: nothing here changes anything.  Files in /proc and /sys are
   read only where no system call tells, and never at a start that has
   nothing to put on huge pages.  */

#include <string.h>

#include "dl-hugetext-internal.h"
#include "dl-hugetext-sys.h"

bool
_dl_hugetext_read_start (const char *path, char *buffer, size_t size)
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

const char *
_dl_hugetext_find_text (const char *haystack, const char *needle)
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
  if (!_dl_hugetext_read_start ("/proc/self/status", buffer, sizeof buffer))
    return -1;
  const char *value = _dl_hugetext_find_text (buffer, "\nTracerPid:");
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
  static const char file[] = "/sys/kernel/mm/transparent_hugepage/enabled";
  return (_dl_hugetext_read_start (file, buffer, sizeof buffer)
          && _dl_hugetext_find_text (buffer, "[never]") != NULL);
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

/* Have the kernel list the huge pages in [START, END): call RECORD for each
   piece.  False if it cannot.  */
static bool
scan (struct hugetext_state *state, uintptr_t start, uintptr_t end,
      void (*record) (void *, uintptr_t, uintptr_t), void *closure)
{
  if (state->no_scan)
    return false;
  if (state->pagemap < 0)
    {
      long int fd = sys_open ("/proc/self/pagemap");
      if (sys_failed (fd))
        return false;
      state->pagemap = fd;
    }

  struct scan_region region[8];
  while (start < end)
    {
      struct scan_arguments arguments =
        { .size = sizeof arguments, .start = start, .end = end,
          .regions = (uintptr_t) region, .nregions = 8,
          .all_of = SCAN_HUGE, .returned = SCAN_HUGE };
      long int n = INTERNAL_SYSCALL_CALL (ioctl, state->pagemap,
                                          SCAN_REQUEST, &arguments);
      if (n == -ENOTTY)
        state->no_scan = true;
      if (sys_failed (n) || arguments.walk_end <= start)
        return false;
      for (long int i = 0; i < n; ++i)
        record (closure, region[i].start, region[i].end);
      start = arguments.walk_end;
    }
  return true;
}

void
_dl_hugetext_scan_end (struct hugetext_state *state)
{
  if (state->pagemap >= 0)
    sys_close (state->pagemap);
  state->pagemap = -1;
}

static void
add_bytes (void *sum, uintptr_t start, uintptr_t end)
{
  *(long int *) sum += end - start;
}

long int
_dl_hugetext_kernel_huge (struct hugetext_state *state, uintptr_t start,
                          uintptr_t end)
{
  long int bytes = 0;
  return scan (state, start, end, add_bytes, &bytes) ? bytes : -1;
}

/* The blocks of a scan.  */
struct block_scan
{
  uintptr_t start, block;
  bool *huge;
};

static void
mark_blocks (void *closure, uintptr_t start, uintptr_t end)
{
  struct block_scan *blocks = closure;
  for (uintptr_t a = start; a < end; a += blocks->block)
    blocks->huge[(a - blocks->start) / blocks->block] = true;
}

/* Before Linux 6.7: what /proc/self/smaps says about the mapping that starts
   at START, in KiB; -1 if nothing.  Slow, but asked only where the file's
   own huge pages are in question.  */
static long int
smaps_huge (uintptr_t start)
{
  static const char key[] = "FilePmdMapped:";
  char line[128], chunk[512];
  size_t length = 0;
  bool ours = false;
  long int result = -1, n;

  long int fd = sys_open ("/proc/self/smaps");
  if (sys_failed (fd))
    return -1;
  while (result < 0 && (n = sys_read (fd, chunk, sizeof chunk)) > 0)
    for (long int i = 0; i < n && result < 0; ++i)
      {
        if (chunk[i] != '\n')
          {
            /* Only beginnings of lines matter.  */
            if (length < sizeof line - 1)
              line[length++] = chunk[i];
            continue;
          }
        line[length] = '\0';
        length = 0;
        if (line[0] < 'A' || line[0] > 'Z')
          {
            uintptr_t address = 0;
            for (const char *p = line; *p != '-' && *p != '\0'; ++p)
              address = address * 16 + (*p <= '9' ? *p - '0' : *p - 'a' + 10);
            ours = address == start;
          }
        else if (ours && strncmp (line, key, sizeof key - 1) == 0)
          {
            result = 0;
            for (const char *p = line + sizeof key - 1; *p != '\0'; ++p)
              if (*p >= '0' && *p <= '9')
                result = result * 10 + (*p - '0');
          }
      }
  sys_close (fd);
  return result;
}

bool
_dl_hugetext_scan (struct hugetext_state *state, uintptr_t start,
                   size_t nblocks, bool huge[])
{
  uintptr_t block = state->set.geo.block;
  struct block_scan blocks = { start, block, huge };
  for (size_t i = 0; i < nblocks; ++i)
    huge[i] = false;
  if (scan (state, start, start + nblocks * block, mark_blocks, &blocks))
    return true;

  /* smaps has one figure for all: all blocks or none.  */
  if (smaps_huge (start) == (long int) (nblocks * block / 1024))
    for (size_t i = 0; i < nblocks; ++i)
      huge[i] = true;
  return true;
}
