/* A program that shows on which of two NUMA nodes the text of a process is,
   for lab/experiments/numa.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: numa FILE file|copies SECONDS CPU [[+]CPU...]

   The program maps FILE, or copies it to huge pages, on the first CPU.  Then
   it accesses the mapped text for SECONDS on that CPU, and on each other CPU
   in turn.  At a CPU with a + before its number, the program forks, and the
   child continues in its place.  */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum
{
  PAGE = 4096,
  BLOCK = 2 << 20,
  RX = PROT_READ | PROT_EXEC
};

static time_t
seconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

int
main (int argc, char **argv)
{
  int fd = open (argc > 4 ? argv[1] : "", O_RDONLY);
  off_t size = lseek (fd, 0, SEEK_END);
  char *text = mmap (NULL, size, RX, MAP_PRIVATE, fd, 0);
  for (int i = 4; i < argc && (*argv[i] != '+' || fork () == 0); ++i)
    {
      unsigned long cpus = 1UL << atoi (argv[i]);
      syscall (SYS_sched_setaffinity, 0, sizeof cpus, &cpus);
      if (i == 4 && *argv[2] == 'c')
        {
          text = mmap (NULL, size + BLOCK, RX | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          text += -(unsigned long) text % BLOCK;
          madvise (text, size, MADV_HUGEPAGE);
          size = pread (fd, text, size, 0);
        }
      time_t end = seconds () + atoi (argv[3]);
      int pages[2], node;
      do
        {
          pages[0] = pages[1] = 0;
          for (char *page = text; page < text + size; page += PAGE)
            {
              (void) *(volatile char *) page;
              if (!syscall (SYS_move_pages, 0, 1L, &page, NULL, &node, 0))
                ++pages[node & 1];
            }
        }
      while (seconds () < end);
      dprintf (1, "%s, CPU %s: %d pages on node 0, %d on node 1\n", argv[2],
               argv[i], pages[0], pages[1]);
    }
  wait (NULL);
}
