/* mappings: a program that maps libraries as a loader does, to measure what
   each step of mapping images costs in the kernel.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: mappings STEPS LIBRARIES FILE IMAGE

   FILE stands for a library with 64 KiB of headers, 768 KiB of text and 64 KiB
   of data.  IMAGE is an image of the store.  The program maps FILE as often as
   LIBRARIES says, and touches headers, data and five pages of the text.  STEPS
   selects the first of these steps:

     0  the libraries lie one after the other, as under the stock loader
     1  each library's text ends at the end of a block
     2  the range of the block and the data is reserved first
     3  IMAGE is mapped over the block
     4  the kernel is advised (MADV_HUGEPAGE, MADV_RANDOM)
     5  the image is touched (MADV_POPULATE_READ)
     6  PAGEMAP_SCAN says that the block is huge
     7  PAGEMAP_SCAN also looks for private pages, before the image is mapped
     8  fstat identifies the image

   Compare the steps by bench/alternate.  doc/experiments/start has results. */

#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum step
{
  PACKED,
  APART,
  RESERVED,
  IMAGE,
  ADVISED,
  TOUCHED,
  HUGE,
  UNCHANGED,
  IDENTIFIED
};

enum
{
  BLOCK = 2 << 20,
  HEADERS = 64 << 10,
  TEXT = 768 << 10,
  DATA = 64 << 10,
  TOUCHES = 5
};

/* PAGEMAP_SCAN and its categories of pages (linux/fs.h of Linux 6.7).  */
struct scan
{
  uint64_t size, flags, start, end, walk_end, regions, nregions, max_pages,
      inverted, all_of, any_of, wanted;
};
#define SCAN _IOWR ('f', 16, struct scan)
enum
{
  IS_FILE = 4,
  IS_PRESENT = 8,
  IS_SWAPPED = 16,
  IS_HUGE = 64
};

static enum step last;
static int pagemap;

/* Map LENGTH bytes at ADDRESS, from OFFSET of the file FD.  */
static void
map (char *address, size_t length, int prot, int flags, int fd, off_t offset)
{
  if (mmap (address, length, prot, MAP_PRIVATE | flags, fd, offset) != address)
    error (EXIT_FAILURE, errno, "mmap");
}

/* Return how many regions PAGEMAP_SCAN finds in BLOCK by the query SCAN.  */
static int
count_regions (char *block, struct scan scan)
{
  uint64_t region[3];
  scan.size = sizeof scan;
  scan.start = (uintptr_t) block;
  scan.end = scan.start + BLOCK;
  scan.regions = (uintptr_t) region;
  scan.nregions = 1;
  return ioctl (pagemap, SCAN, &scan);
}

/* Map the file IMAGE over BLOCK.  */
static void
map_image (char *block, const char *image)
{
  struct stat status;
  const struct scan private = { .inverted = IS_FILE,
                                .all_of = IS_FILE,
                                .any_of = IS_PRESENT | IS_SWAPPED,
                                .wanted = IS_PRESENT | IS_SWAPPED };
  const struct scan huge = { .all_of = IS_HUGE, .wanted = IS_HUGE };
  const int fd = open (image, O_RDONLY | O_CLOEXEC);
  if (last >= IDENTIFIED)
    fstat (fd, &status);
  if (last >= UNCHANGED && count_regions (block, private) != 0)
    error (EXIT_FAILURE, 0, "a page is private");
  /* The first block of an image follows its header.  */
  map (block, BLOCK, PROT_READ | PROT_EXEC, MAP_FIXED, fd, BLOCK);
  if (last >= ADVISED)
    {
      madvise (block, BLOCK, MADV_HUGEPAGE);
      madvise (block, BLOCK, MADV_RANDOM);
    }
  if (last >= TOUCHED)
    madvise (block, BLOCK, MADV_POPULATE_READ);
  if (last >= HUGE && count_regions (block, huge) != 1)
    error (EXIT_FAILURE, 0, "%s is not huge", image);
  close (fd);
}

int
main (int argc, char **argv)
{
  if (argc != 5)
    error (EXIT_FAILURE, 0, "usage: mappings STEPS LIBRARIES FILE IMAGE");
  last = atoi (argv[1]);
  if (last >= HUGE)
    pagemap = open ("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  volatile char sum = 0;
  char *next = (char *) 0x700000000000;
  for (int n = atoi (argv[2]); n > 0; --n)
    {
      char *block = next;
      char *start = last >= APART ? block + BLOCK - HEADERS - TEXT : block;
      const int fd = open (argv[3], O_RDONLY | O_CLOEXEC);
      next += last >= APART ? 2 * BLOCK : HEADERS + TEXT + DATA;
      if (last >= RESERVED)
        map (block, BLOCK + DATA, PROT_NONE,
             MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
      map (start, last >= APART ? HEADERS : HEADERS + TEXT + DATA, PROT_READ,
           MAP_FIXED, fd, 0);
      map (start + HEADERS, TEXT, PROT_READ | PROT_EXEC, MAP_FIXED, fd,
           HEADERS);
      map (start + HEADERS + TEXT, DATA, PROT_READ | PROT_WRITE, MAP_FIXED, fd,
           HEADERS + TEXT);
      close (fd);
      sum += start[0];
      start[HEADERS + TEXT] = 1;
      if (last >= IMAGE)
        map_image (block, argv[4]);
      for (int i = 0; i < TOUCHES; ++i)
        sum += start[HEADERS + i * (TEXT / TOUCHES)];
    }
  return 0;
}
