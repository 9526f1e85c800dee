/* A program that divides a file into pieces of the size of a huge page, and
   puts each piece into a given state of the page cache.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   pieces FILE LETTERS

   LETTERS has a letter for each piece, in order.  The letter says how much of
   the piece is cached: c nothing, s all of it, in small pages, p a part of it,
   h all of it, in a huge page.  The exit status is 1 if a piece cannot be put
   into its state.  */

#define _GNU_SOURCE 1
#include "cached.h"

#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static size_t page, block;
static int fd;

/* Map the piece at OFFSET, aligned to the size of a huge page.  */
static char *
map_piece (off_t offset)
{
  void *room;
  char *start = cached_map (fd, offset, block, block, &room);
  if (start == NULL)
    err (1, "mmap");
  return start;
}

/* Return the state of the piece at OFFSET.  */
static char
look (off_t offset)
{
  unsigned char in[block / page];
  size_t n = 0;
  char *start = map_piece (offset);
  if (mincore (start, block, in) != 0)
    err (1, "mincore");
  for (size_t i = 0; i < block / page; ++i)
    n += in[i] & 1;
  char letter = n == 0 ? 'c' : n < block / page ? 'p' : 's';
  if (letter == 's')
    {
      *(volatile char *) start;
      if (cached_huge (start) > 0)
        letter = 'h';
    }
  munmap (start, block);
  return letter;
}

static void
read_small (off_t offset, size_t size)
{
  char buffer[4096];
  posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  for (size_t at = 0; at < size; at += sizeof buffer)
    if (pread (fd, buffer, sizeof buffer, offset + at) != sizeof buffer)
      errx (1, "the file is too short");
}

/* Put the piece at OFFSET into the state LETTER.  */
static void
make (const char *name, off_t offset, char letter)
{
  for (int i = 0; i < 20; ++i)
    {
      posix_fadvise (fd, offset, block, POSIX_FADV_DONTNEED);
      if (letter == 's')
        read_small (offset, block);
      else if (letter == 'p')
        read_small (offset, block / 4);
      else if (letter == 'h')
        {
          char *start = map_piece (offset);
          madvise (start, block, MADV_HUGEPAGE);
          madvise (start, block, MADV_RANDOM);
          *(volatile char *) start;
          munmap (start, block);
        }
      if (look (offset) == letter)
        return;
      nanosleep (&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
  errx (1, "%s: the block at file offset %#lx is in state %c, not %c", name,
        (long int) offset, look (offset), letter);
}

int
main (int argc, char **argv)
{
  page = sysconf (_SC_PAGESIZE);
  block = page * (page / sizeof (uint64_t));
  if (argc != 3 || (fd = open (argv[1], O_RDONLY | O_CLOEXEC)) < 0)
    errx (2, "usage: pieces FILE LETTERS");
  fsync (fd);
  for (size_t i = 0; argv[2][i] != '\0'; ++i)
    make (argv[1], i * block, argv[2][i]);
  return 0;
}
