/* A program that prints the number of the physical page with which a new huge
   page begins.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int
main (void)
{
  const size_t block = (size_t) 1 << 21;
  char *p = mmap (NULL, 2 * block, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int fd = open ("/proc/self/pagemap", O_RDONLY);
  uint64_t entry;
  if (p == MAP_FAILED || fd < 0)
    return 1;
  p = (char *) (((uintptr_t) p + block - 1) & -block);
  if (madvise (p, block, MADV_HUGEPAGE) != 0)
    return 1;
  *(volatile char *) p = 1;
  if (pread (fd, &entry, sizeof entry, (uintptr_t) p / 4096 * sizeof entry)
      != sizeof entry)
    return 1;
  printf ("%lu\n", (unsigned long) (entry & (((uint64_t) 1 << 55) - 1)));
  return 0;
}
