/* A process that puts blocks of its text on huge pages by itself, in all
   possible ways.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   remap LIBRARY LETTERS READY

   The program opens LIBRARY, which is made from text.S with the name "one".
   For the Ith block that is all text, the Ith letter says what the program
   maps over the block: T anonymous memory, M a memfd, H a page of the hugetlb
   pool, S a copy of LIBRARY in /dev/shm, "." nothing.  Then it makes the file
   READY, and waits.  The exit status is 77 if the kernel does not allow
   this.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25
#endif

static size_t block;

static void __attribute__ ((noreturn)) give_up (const char *what)
{
  perror (what);
  exit (77);
}

/* Return aligned address space for one block.  */
static char *
reserve (void)
{
  char *room
      = mmap (NULL, 2 * block, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return (char *) (((uintptr_t) room + block - 1) & -block);
}

/* Map one block of the file FD, which begins at OFFSET, over TEXT, as a huge
   page.  */
static void
map_over (char *text, int fd, off_t offset)
{
  char *copy = mmap (reserve (), block, PROT_READ, MAP_SHARED | MAP_FIXED, fd,
                     offset);
  if (copy == MAP_FAILED)
    give_up ("mmap");
  /* Touch the copy, so that it is mapped.  */
  volatile char sum = 0;
  for (size_t i = 0; i < block; i += 4096)
    sum += copy[i];
  if (madvise (copy, block, MADV_COLLAPSE) != 0)
    give_up ("MADV_COLLAPSE");
  if (mmap (text, block, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
            offset)
      == MAP_FAILED)
    give_up ("mmap over the text");
  for (size_t i = 0; i < block; i += 4096)
    sum += text[i];
  madvise (text, block, MADV_COLLAPSE);
}

static void
remap (char kind, char *text, const struct link_map *map, const char *library)
{
  char name[64];
  int fd;
  switch (kind)
    {
    case 'T':
    case 'H':
      {
        char *copy = reserve ();
        int flags = kind == 'H' ? MAP_HUGETLB : 0;
        if (mmap (copy, block, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | flags, -1, 0)
            == MAP_FAILED)
          give_up ("mmap of the pool");
        if (kind == 'T')
          madvise (copy, block, MADV_HUGEPAGE);
        memcpy (copy, text, block);
        mprotect (copy, block, PROT_READ | PROT_EXEC);
        if (mremap (copy, block, block, MREMAP_MAYMOVE | MREMAP_FIXED, text)
            == MAP_FAILED)
          give_up ("mremap");
        return;
      }
    case 'M':
      fd = memfd_create ("copy", MFD_CLOEXEC);
      if (fd < 0 || ftruncate (fd, block) != 0
          || pwrite (fd, text, block, 0) != (ssize_t) block)
        give_up ("memfd");
      map_over (text, fd, 0);
      return;
    case 'S':
      {
        /* Copy all of the library, so that the copy has the same offsets.  The
           offsets of text are congruent to its addresses.  */
        static char buffer[1 << 20];
        ssize_t n;
        snprintf (name, sizeof name, "/dev/shm/hugetext-test-%d", getpid ());
        int from = open (library, O_RDONLY);
        fd = open (name, O_RDWR | O_CREAT | O_EXCL, 0600);
        while ((n = read (from, buffer, sizeof buffer)) > 0)
          if (write (fd, buffer, n) != n)
            give_up (name);
        off_t end = lseek (fd, 0, SEEK_END);
        if (end < 0 || ftruncate (fd, (end + block - 1) & -block) != 0)
          give_up (name);
        unlink (name);
        map_over (text, fd, text - (char *) map->l_addr);
        return;
      }
    }
}

int
main (int argc, char **argv)
{
  size_t page = getpagesize ();
  block = page * (page / 8);
  if (argc != 4)
    return 2;
  void *handle = dlopen (argv[1], RTLD_NOW);
  char *text = handle != NULL ? dlsym (handle, "one_text") : NULL;
  struct link_map *map;
  if (text == NULL || dlinfo (handle, RTLD_DI_LINKMAP, &map) != 0)
    {
      puts (dlerror ());
      return 1;
    }
  char *at = (char *) (((uintptr_t) text + block - 1) & -block);
  for (const char *kind = argv[2]; *kind != '\0'; ++kind, at += block)
    remap (*kind, at, map, argv[1]);
  fclose (fopen (argv[3], "w"));
  pause ();
  return 0;
}
