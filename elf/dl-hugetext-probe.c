/* Ask the kernel what ld-hugetext needs to know.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Probing only: nothing here changes anything.  Files in /proc and /sys are
   read only where no system call tells, and never at a start that has
   nothing to put on huge pages.  */

#include <string.h>
#include <sys/resource.h>

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

/* Call TAKE with each line of the file PATH, the first 127 bytes of it, until
   it returns true.  False if the file cannot be read.  */
static bool
read_lines (const char *path, bool (*take) (void *, const char *),
            void *closure)
{
  char line[128], chunk[512];
  size_t length = 0;
  bool done = false;
  long int n;

  long int fd = sys_open (path);
  if (sys_failed (fd))
    return false;
  while (!done && (n = sys_read (fd, chunk, sizeof chunk)) > 0)
    for (long int i = 0; i < n && !done; ++i)
      if (chunk[i] != '\n')
        {
          if (length < sizeof line - 1)
            line[length++] = chunk[i];
        }
      else
        {
          line[length] = '\0';
          length = 0;
          done = take (closure, line);
        }
  sys_close (fd);
  return done || n == 0;
}

/* If LINE begins with KEY, set VALUE to the decimal number behind it.  */
static bool
line_number (const char *line, const char *key, long int *value)
{
  size_t length = strlen (key);
  if (strncmp (line, key, length) != 0)
    return false;
  *value = 0;
  for (line += length; *line != '\0'; ++line)
    if (*line >= '0' && *line <= '9')
      *value = *value * 10 + (*line - '0');
  return true;
}

/* Lines of /proc/self/status.  The second of these comes behind the first,
   or not at all from a kernel without filters.  */
static bool
take_status (void *closure, const char *line)
{
  struct hugetext_watch *watch = closure;
  long int value;
  if (line_number (line, "TracerPid:", &value))
    {
      watch->traced = value != 0;
      watch->filtered = false;
    }
  else if (line_number (line, "Seccomp:", &value))
    {
      watch->filtered = value != 0;
      return true;
    }
  return false;
}

const struct hugetext_watch *
_dl_hugetext_watch (struct hugetext_state *state)
{
  struct hugetext_watch *watch = &state->watch;
  if (!watch->known)
    {
      /* If it cannot be found out, look out.  */
      *watch = (struct hugetext_watch) { true, true, true };
      if (!read_lines ("/proc/self/status", take_status, watch))
        watch->traced = watch->filtered = true;
    }
  return watch;
}

bool
_dl_hugetext_thp_never (void)
{
  char buffer[128];
  static const char file[] = "/sys/kernel/mm/transparent_hugepage/enabled";
  return (_dl_hugetext_read_start (file, buffer, sizeof buffer)
          && _dl_hugetext_find_text (buffer, "[never]") != NULL);
}

bool
_dl_hugetext_space_limited (void)
{
  struct { uint64_t current, maximum; } limit;
  return (!sys_failed (INTERNAL_SYSCALL_CALL (prlimit64, 0, RLIMIT_AS, NULL,
                                              &limit))
          && limit.current != UINT64_MAX);
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
  if (state->no_scan || _dl_hugetext_watch (state)->filtered)
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

/* A mapping looked for in /proc/self/smaps.  */
struct smaps_search
{
  uintptr_t start;
  bool found;                   /* The lines are its own.  */
  long int huge;                /* KiB.  */
};

static bool
take_smaps (void *closure, const char *line)
{
  struct smaps_search *search = closure;
  if (line[0] < 'A' || line[0] > 'Z')
    {
      uintptr_t address = 0;
      for (const char *p = line; *p != '-' && *p != '\0'; ++p)
        address = address * 16 + (*p <= '9' ? *p - '0' : *p - 'a' + 10);
      search->found = address == search->start;
    }
  return (search->found
          && line_number (line, "FilePmdMapped:", &search->huge));
}

/* What /proc/self/smaps says about the mapping of a file that starts at
   START, in KiB; -1 if nothing.  Slow, but asked only where the file's own
   huge pages are in question.  */
static long int
smaps_huge (uintptr_t start)
{
  struct smaps_search search = { .start = start, .huge = -1 };
  read_lines ("/proc/self/smaps", take_smaps, &search);
  return search.huge;
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
