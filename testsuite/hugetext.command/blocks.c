/* A program that prints which blocks of another process are on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   blocks PID START-END...    (addresses in hexadecimal)

   For each block of huge-page size that a range touches, the program prints a
   line: the block's address, a character for PAGEMAP_SCAN, and a character for
   smaps.

     PAGEMAP_SCAN   for the block's part in the range: "1" if something of it
                    is on a huge page, "0" if nothing is, "-" if the kernel
                    does not say this
     smaps          for the mapping that contains the beginning of that part:
                    "1" if all of it that can be on huge pages is, "0" if
                    nothing of it is, otherwise "-"  */

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static uintptr_t page, block;
static char pid[32];

static char
ask_scan (uintptr_t start, uintptr_t end)
{
  struct
  {
    uint64_t start, end, categories;
  } region;
  /* A struct pm_scan_arg that asks for the first region on huge pages (bit
     6).  */
  uint64_t scan[12] = { sizeof scan,
                        0,
                        start & -page,
                        (end + page - 1) & -page,
                        0,
                        (uintptr_t) &region,
                        1,
                        0,
                        0,
                        1 << 6,
                        0,
                        1 << 6 };
  char path[64];
  snprintf (path, sizeof path, "/proc/%s/pagemap", pid);
  int fd = open (path, O_RDONLY);
  int n = fd < 0 ? -1 : ioctl (fd, _IOWR ('f', 16, scan), scan);
  if (fd >= 0)
    close (fd);
  return n < 0 ? '-' : n > 0 ? '1' : '0';
}

static char
ask_smaps (uintptr_t address)
{
  char path[64], line[4096];
  uintptr_t start = 0, end = 0, from, to;
  unsigned long int kib, sum = 0;
  int ours = 0;
  snprintf (path, sizeof path, "/proc/%s/smaps", pid);
  FILE *stream = fopen (path, "r");
  if (stream == NULL)
    return '-';
  while (fgets (line, sizeof line, stream) != NULL)
    if (sscanf (line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
      {
        ours = from <= address && address < to;
        if (ours)
          {
            start = from;
            end = to;
          }
      }
    else if (ours
             && (sscanf (line, "AnonHugePages: %lu", &kib) == 1
                 || sscanf (line, "ShmemPmdMapped: %lu", &kib) == 1
                 || sscanf (line, "FilePmdMapped: %lu", &kib) == 1
                 || sscanf (line, "Shared_Hugetlb: %lu", &kib) == 1
                 || sscanf (line, "Private_Hugetlb: %lu", &kib) == 1))
      sum += kib;
  fclose (stream);
  uintptr_t first = (start + block - 1) & -block, last = end & -block;
  if (sum == 0)
    return '0';
  return first < last && address >= first && sum * 1024 == last - first ? '1'
                                                                        : '-';
}

int
main (int argc, char **argv)
{
  page = getpagesize ();
  block = page * (page / 8);
  if (argc < 3)
    return 2;
  snprintf (pid, sizeof pid, "%s", argv[1]);
  for (int i = 2; i < argc; ++i)
    {
      uintptr_t start, end;
      if (sscanf (argv[i], "%" SCNxPTR "-%" SCNxPTR, &start, &end) != 2)
        return 2;
      while (start < end)
        {
          uintptr_t next = (start & -block) + block;
          if (next > end)
            next = end;
          printf ("%" PRIxPTR " %c %c\n", start & -block,
                  ask_scan (start, next), ask_smaps (start));
          start = next;
        }
    }
  return 0;
}
