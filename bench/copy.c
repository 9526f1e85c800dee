/* copy: what a block copied costs any program, to compare the loader with.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: copy FILE

   Reads the first 2 MiB of FILE into a transparent huge page, makes that
   executable instead of writable, and ends.  Fails if the page is not
   huge.  */

#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCK ((size_t) 1 << 21)

int
main (int argc, char **argv)
{
  if (argc != 2)
    error (2, 0, "usage: copy FILE");
  int fd = open (argv[1], O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    error (EXIT_FAILURE, errno, "%s", argv[1]);
  char *memory = mmap (NULL, 2 * BLOCK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    error (EXIT_FAILURE, errno, "no memory");
  char *page = (char *) (((uintptr_t) memory + BLOCK - 1) & -BLOCK);
  unsigned char resident[BLOCK / 4096];
  if (madvise (page, BLOCK, MADV_HUGEPAGE) != 0)
    error (EXIT_FAILURE, errno, "no transparent huge pages");
  /* After a touch of one page, all pages must be resident.  */
  page[0] = 1;
  if (mincore (page, BLOCK, resident) != 0
      || (resident[sizeof resident - 1] & 1) == 0)
    error (EXIT_FAILURE, 0, "the page is not huge");
  if (read (fd, page, BLOCK) != (ssize_t) BLOCK)
    error (EXIT_FAILURE, errno, "%s: shorter than 2 MiB", argv[1]);
  return mprotect (page, BLOCK, PROT_READ | PROT_EXEC) != 0;
}
