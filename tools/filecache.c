/* How the page cache holds a file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "filecache.h"
#include "procmaps.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Map the block at OFFSET of FD at a block boundary, with the advice that
   the loader gives.  NULL if that fails.  */
static char *
map_piece (int fd, uint64_t offset)
{
  const uintptr_t block = procmaps_block ();
  char *room = mmap (NULL, 2 * block, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    return NULL;
  char *start = (char *)(((uintptr_t)room + block - 1) & -block);
  if (start > room)
    munmap (room, start - room);
  if (start + block < room + 2 * block)
    munmap (start + block, room + 2 * block - (start + block));
  if (mmap (start, block, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, offset)
          != MAP_FAILED
      && madvise (start, block, MADV_HUGEPAGE) == 0
      && madvise (start, block, MADV_RANDOM) == 0)
    return start;
  munmap (start, block);
  return NULL;
}

/* How much of the block at START is cached: PIECE_UNREAD, PIECE_PARTLY, or
   PIECE_SMALL for all of it.  */
static enum piece
count_cached (char *start)
{
  const size_t pages = procmaps_block () / getpagesize ();
  unsigned char *vector = malloc (pages);
  size_t cached = 0;
  if (vector == NULL || mincore (start, procmaps_block (), vector) != 0)
    {
      free (vector);
      return PIECE_UNKNOWN;
    }
  for (size_t i = 0; i < pages; i++)
    cached += vector[i] & 1;
  free (vector);
  return cached == 0      ? PIECE_UNREAD
         : cached < pages ? PIECE_PARTLY
                          : PIECE_SMALL;
}

/* The number of faults of ours that had to wait for the disk.  */
static long
major_faults (void)
{
  struct rusage usage;
  return getrusage (RUSAGE_THREAD, &usage) == 0 ? usage.ru_majflt : 0;
}

/* Touch the block at START.  Returns whether something had to be read.  By a
   system call, because the file may have become shorter.  */
static bool
touch (char *start)
{
  const size_t block = procmaps_block ();
  char bytes[3];
  struct iovec local = { bytes, sizeof bytes };
  const struct iovec remote[]
      = { { start, 1 }, { start + block / 2, 1 }, { start + block - 1, 1 } };
  long before = major_faults ();
  process_vm_readv (getpid (), &local, 1, remote, 3, 0);
  return major_faults () > before;
}

/* Whether a huge page is mapped at START.  */
static enum piece
is_huge (char *start)
{
  struct procmaps maps;
  struct pages pages;
  enum piece piece = PIECE_UNKNOWN;

  if (procmaps_read (getpid (), &maps) < 0)
    return piece;
  if (pages_open (&pages, getpid (), &maps, false) == 0)
    {
      uintptr_t at = (uintptr_t)start;
      struct page_counts counts
          = pages_count (&pages, at, at + procmaps_block ());
      piece = counts.huge > 0 ? PIECE_HUGE : PIECE_SMALL;
      pages_close (&pages);
    }
  procmaps_free (&maps);
  return piece;
}

/* Whether the block at START, OFFSET of FD, is huge when it is touched.  If
   it was cached in part, as the loader does: drop it, and touch it again.  */
static enum piece
look_by_touching (char *start, int fd, uint64_t offset)
{
  bool read = touch (start);
  enum piece piece = is_huge (start);
  if (!read || piece != PIECE_SMALL)
    return piece;
  madvise (start, procmaps_block (), MADV_DONTNEED);
  posix_fadvise (fd, offset, procmaps_block (), POSIX_FADV_DONTNEED);
  touch (start);
  return is_huge (start);
}

enum piece
filecache_look (int fd, uint64_t offset)
{
  const uintptr_t page = getpagesize ();
  struct stat status;
  if (fstat (fd, &status) < 0)
    return PIECE_UNKNOWN;
  uint64_t size = ((uint64_t)status.st_size + page - 1) & -page;
  if (offset + procmaps_block () > size)
    return PIECE_SHORT;
  char *start = map_piece (fd, offset);
  if (start == NULL)
    return PIECE_UNKNOWN;
  enum piece piece = count_cached (start);
  if (piece == PIECE_SMALL)
    piece = look_by_touching (start, fd, offset);
  munmap (start, procmaps_block ());
  return piece;
}
