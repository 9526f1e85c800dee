/* A program that prints how the kernel can back a file's text by the file's
   own huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   can FILE

   Prints "blocks=N may=N fault=N collapse=N spare=N": of the blocks that the
   file's executable segments hold entirely, how many are in mappings of which
   the kernel says that it would gather their pages (MADV_COLLAPSE of no whole
   huge page), how many are huge when they are mapped, advised and touched, how
   many more after MADV_COLLAPSE, and how many more after eviction from the
   page cache, which an ordinary user may do to what nobody has mapped.  Knows
   nothing of the loader's ways: what it finds is what the loader is measured
   by.  */

#define _GNU_SOURCE 1
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25 /* Linux 6.1.  */
#endif

static size_t block;

/* Bytes of the mapping at ADDRESS that are on huge pages.  */
static size_t
huge_bytes (const char *address)
{
  char line[512];
  unsigned long int start, kib, sum = 0;
  int ours = 0;
  FILE *stream = fopen ("/proc/self/smaps", "r");
  if (stream == NULL)
    exit (1);
  while (fgets (line, sizeof line, stream) != NULL)
    if (sscanf (line, "%lx-%*x ", &start) == 1 && strchr (line, '-') != NULL
        && strchr (line, '-') < strchr (line, ' '))
      ours = start == (uintptr_t) address;
    else if (ours
             && (sscanf (line, "FilePmdMapped: %lu", &kib) == 1
                 || sscanf (line, "ShmemPmdMapped: %lu", &kib) == 1))
      sum += kib * 1024;
  fclose (stream);
  return sum;
}

/* Map NBLOCKS blocks at OFFSET of FD at a block boundary.  */
static char *
map_blocks (int fd, off_t offset, size_t nblocks)
{
  char *room = mmap (NULL, (nblocks + 1) * block, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    exit (1);
  char *address = (char *) (((uintptr_t) room + block - 1) & -block);
  if (mmap (address, nblocks * block, PROT_READ | PROT_EXEC,
            MAP_PRIVATE | MAP_FIXED, fd, offset)
      == MAP_FAILED)
    exit (1);
  return address;
}

/* Advise and touch, the last block first; return how many are huge.  */
static size_t
touch (char *address, size_t nblocks)
{
  if (madvise (address, nblocks * block, MADV_HUGEPAGE) != 0
      || madvise (address, nblocks * block, MADV_RANDOM) != 0)
    return 0;
  for (size_t i = nblocks; i-- > 0;)
    *(volatile char *) (address + i * block);
  return huge_bytes (address) / block;
}

int
main (int argc, char **argv)
{
  size_t page = sysconf (_SC_PAGESIZE);
  block = page * (page / sizeof (uint64_t));
  int fd = argc == 2 ? open (argv[1], O_RDONLY) : -1;
  if (fd < 0)
    {
      fputs ("usage: can FILE\n", stderr);
      return 2;
    }

  /* The headers come from standard input: to read them from the file would
     have a part of it cached.  */
  Elf64_Ehdr ehdr;
  Elf64_Phdr phdr[64];
  if (fread (&ehdr, sizeof ehdr, 1, stdin) != 1 || ehdr.e_phoff != sizeof ehdr
      || ehdr.e_phnum > 64
      || fread (phdr, sizeof phdr[0], ehdr.e_phnum, stdin) != ehdr.e_phnum)
    {
      fputs ("can: no program headers on standard input\n", stderr);
      return 2;
    }

  size_t blocks = 0, may = 0, fault = 0, collapse = 0, spare = 0;
  for (size_t i = 0; i < ehdr.e_phnum; ++i)
    {
      if (phdr[i].p_type != PT_LOAD || (phdr[i].p_flags & PF_X) == 0)
        continue;
      off_t start = (phdr[i].p_offset + block - 1) & -block;
      off_t end = (phdr[i].p_offset + phdr[i].p_filesz) & -block;
      if (end <= start)
        continue;
      size_t n = (end - start) / block;
      char *address = map_blocks (fd, start, n);
      if (madvise (address, page, MADV_COLLAPSE) == 0)
        may += n;
      size_t huge = touch (address, n);
      blocks += n;
      fault += huge;
      for (size_t k = 0; k < n && huge < n; ++k)
        madvise (address + k * block, block, MADV_COLLAPSE);
      size_t then = huge_bytes (address) / block;
      collapse += then - huge;
      if (then < n)
        {
          munmap (address, n * block);
          posix_fadvise (fd, start, n * block, POSIX_FADV_DONTNEED);
          address = map_blocks (fd, start, n);
          huge = touch (address, n);
          spare += huge > then ? huge - then : 0;
        }
      munmap (address, n * block);
    }
  printf ("blocks=%zu may=%zu fault=%zu collapse=%zu spare=%zu\n", blocks, may,
          fault, collapse, spare);
  return 0;
}
