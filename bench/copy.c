/* copy: a program that only copies to huge pages.  The benchmarks compare the
   time of the loader with the time of this program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: copy FILE

   Reads the blocks of 2 MiB that FILE fills into transparent huge pages,
   makes each page executable instead of writable, and ends.  Fails if a page
   is not huge.  */

#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK ((size_t) 1 << 21)

/* Copy the next block of FILE, open on FD, to PAGE.  */
static void
copy (int fd, const char *file, char *page)
{
  unsigned char resident[BLOCK / 4096];
  /* If the page is huge, touching one of its small pages makes the whole huge
     page resident.  */
  page[0] = 1;
  if (mincore (page, BLOCK, resident) != 0
      || (resident[sizeof resident - 1] & 1) == 0)
    error (EXIT_FAILURE, 0, "a page is not huge");
  if (read (fd, page, BLOCK) != (ssize_t) BLOCK)
    error (EXIT_FAILURE, errno, "%s", file);
  if (mprotect (page, BLOCK, PROT_READ | PROT_EXEC) != 0)
    error (EXIT_FAILURE, errno, "mprotect");
}

int
main (int argc, char **argv)
{
  struct stat status;
  if (argc != 2)
    error (2, 0, "usage: copy FILE");
  int fd = open (argv[1], O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat (fd, &status) != 0)
    error (EXIT_FAILURE, errno, "%s", argv[1]);
  size_t size = status.st_size / BLOCK * BLOCK;
  if (size == 0)
    error (EXIT_FAILURE, 0, "%s: shorter than 2 MiB", argv[1]);
  char *memory = mmap (NULL, size + BLOCK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    error (EXIT_FAILURE, errno, "no memory");
  char *page = (char *) (((uintptr_t) memory + BLOCK - 1) & -BLOCK);
  if (madvise (page, size, MADV_HUGEPAGE) != 0)
    error (EXIT_FAILURE, errno, "no transparent huge pages");
  for (size_t at = 0; at < size; at += BLOCK)
    copy (fd, argv[1], page + at);
  return 0;
}
