/* The page cache: functions that find out which pages of a file are cached and
   how large these pages are, and functions that make the kernel cache a file
   in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   doc/experiments/page-cache and collapse describe the kernel's
   behaviour.  */

#include "host/filecache.h"
#include "host/procmaps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#  define MADV_COLLAPSE 25 /* MADV_COLLAPSE exists since Linux 6.1.  */
#endif

/* Map SIZE bytes at OFFSET of the file FD to the address START, in place of
   the mapping that is there.  Give the kernel the same advice (madvise) for
   the mapped bytes as the loader gives.  */
static bool
filecache_map_range (char *start, size_t size, int fd, uint64_t offset)
{
  /* Map the blocks executable, as program text is mapped, because
     CONFIG_READ_ONLY_THP_FOR_FS collapses only executable mappings.  On a
     filesystem that is mounted with noexec, map the blocks without
     PROT_EXEC.  */
  return (
      (mmap (start, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
             offset)
           != MAP_FAILED
       || mmap (start, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, offset)
              != MAP_FAILED)
      && madvise (start, size, MADV_HUGEPAGE) == 0
      && madvise (start, size, MADV_RANDOM) == 0);
}

/* Map COUNT blocks at OFFSET of the file FD to an address that is a multiple
   of the block size.  Return NULL if the blocks cannot be mapped.  */
static char *
map_pieces (int fd, uint64_t offset, size_t count)
{
  const uintptr_t block = procmaps_block ();
  const size_t size = count * block;
  char *room = mmap (NULL, size + block, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    return NULL;
  char *start = (char *) (((uintptr_t) room + block - 1) & -block);
  if (start > room)
    munmap (room, start - room);
  if (start < room + block)
    munmap (start + size, room + block - start);
  if (filecache_map_range (start, size, fd, offset))
    return start;
  munmap (start, size);
  return NULL;
}

/* Map the block at OFFSET of the file FD to an address that is a multiple of
   the block size.  Return NULL if the block cannot be mapped.  */
static char *
map_piece (int fd, uint64_t offset)
{
  return map_pieces (fd, offset, 1);
}

/* Call mincore for the PAGES pages of FD from OFFSET on.  Return the vector
   that mincore has filled, which the caller frees, or NULL if mincore
   fails.  */
static unsigned char *
ask_cached (int fd, uint64_t offset, size_t pages)
{
  const size_t size = pages * getpagesize ();
  unsigned char *vector = malloc (pages);
  void *map = mmap (NULL, size, PROT_READ, MAP_PRIVATE, fd, offset);
  bool good = (vector != NULL && map != MAP_FAILED
               && mincore (map, size, vector) == 0);
  if (map != MAP_FAILED)
    munmap (map, size);
  if (good)
    return vector;
  free (vector);
  return NULL;
}

/* Return the number of pages in a block.  */
static size_t
block_pages (void)
{
  return procmaps_block () / getpagesize ();
}

/* Return how much of a block is cached.  VECTOR is the result of mincore for
   the block.  To cache a block, the loader touches its first, middle and last
   page.  Return PIECE_SMALL if the first, middle and last page are cached,
   otherwise PIECE_PARTLY or PIECE_UNREAD.  */
static enum piece
count_cached (const unsigned char *vector)
{
  const size_t pages = block_pages ();
  size_t cached = 0;
  for (size_t i = 0; i < pages; ++i)
    cached += vector[i] & 1;
  if (cached == 0)
    return PIECE_UNREAD;
  return (vector[0] & vector[pages / 2] & vector[pages - 1] & 1) != 0
             ? PIECE_SMALL
             : PIECE_PARTLY;
}

/* Read one byte of this process's memory at each of the COUNT addresses AT, so
   that the kernel maps the pages there.  Read each byte by a system call,
   because a direct access would raise SIGBUS if the file has become
   shorter.  */
static void
access_pages (const struct iovec at[], size_t count)
{
  char bytes[count];
  struct iovec local = { bytes, count };
  process_vm_readv (getpid (), &local, 1, at, count, 0);
}

/* Map the cached pages of the block at START into this process's page tables.
   VECTOR is mincore's answer about the block.  */
static void
map_cached (char *start, const unsigned char *vector)
{
  const size_t page = getpagesize (), pages = block_pages ();
  struct iovec at[512]; /* One call of process_vm_readv allows at least 512
                           elements (IOV_MAX is larger).  */
  size_t n = 0;
  for (size_t i = 0; i < pages; ++i)
    {
      if ((vector[i] & 1) != 0)
        at[n++] = (struct iovec){ start + i * page, 1 };
      if (n == sizeof at / sizeof *at || i + 1 == pages)
        {
          access_pages (at, n);
          n = 0;
        }
    }
}

/* Find out why the kernel cannot evict the mapped pages of the block at START,
   and set the reason in PIECE.  Ask the kernel whether other processes have
   mapped pages of the block.  */
static void
look_for_users (char *start, struct filecache_piece *piece)
{
  struct procmaps maps;
  if (procmaps_read (getpid (), &maps) < 0)
    return;
  procmaps_details (getpid (), &maps);
  const struct mapping *map = procmaps_find (&maps, (uintptr_t) start);
  if (map != NULL)
    {
      piece->others = map->others > 0;
      piece->dirty = map->dirty > 0;
    }
  procmaps_free (&maps);
}

/* Return how many page faults of this process have waited for the disk so
   far.  */
static long
filecache_count_major_faults (void)
{
  struct rusage usage;
  return getrusage (RUSAGE_THREAD, &usage) == 0 ? usage.ru_majflt : 0;
}

/* Touch the pages of the block at START that the loader would touch.  Return
   true if a page was read from the disk.  */
static bool
filecache_touch_pages (char *start)
{
  const size_t block = procmaps_block ();
  const struct iovec at[]
      = { { start, 1 }, { start + block / 2, 1 }, { start + block - 1, 1 } };
  long before = filecache_count_major_faults ();
  access_pages (at, 3);
  return filecache_count_major_faults () > before;
}

/* Return PIECE_HUGE if the COUNT blocks from START on are all mapped by huge
   pages.  */
static enum piece
are_huge (char *start, size_t count)
{
  const uintptr_t at = (uintptr_t) start, block = procmaps_block ();
  struct procmaps maps;
  struct pages pages;
  size_t huge = 0;
  if (procmaps_read (getpid (), &maps) < 0)
    return PIECE_UNKNOWN;
  const bool good = pages_open (&pages, getpid (), &maps) == 0;
  if (good)
    {
      while (
          huge < count
          && pages_count (&pages, at + huge * block, at + (huge + 1) * block)
                     .huge
                 > 0)
        ++huge;
      pages_close (&pages);
    }
  procmaps_free (&maps);
  return !good ? PIECE_UNKNOWN : huge == count ? PIECE_HUGE : PIECE_SMALL;
}

/* Return PIECE_HUGE if the block at START is mapped by a huge page.  */
static enum piece
is_huge (char *start)
{
  return are_huge (start, 1);
}

/* Touch the block at OFFSET of FD, which is mapped at START.  Return the
   state of the block after it has been touched.  If a part of the block was
   cached before, evict the block and touch it again, because the loader would
   do the same.  */
static enum piece
look_by_touching (char *start, int fd, uint64_t offset)
{
  const bool read = filecache_touch_pages (start);
  const enum piece piece = is_huge (start);
  if (piece == PIECE_UNKNOWN
      || hugetext_cache_step ((struct hugetext_cached){
             .huge = piece == PIECE_HUGE, .spare = read })
             != HUGETEXT_CACHE_READ)
    return piece;
  /* Map the block again.  If the block's address range already has a page
     table, the kernel maps a huge page with the entries of this table instead
     of a single PMD entry.  Before Linux 6.14, MADV_DONTNEED does not remove
     the page table for small pages.  */
  if (!filecache_map_range (start, procmaps_block (), fd, offset))
    return PIECE_UNKNOWN;
  posix_fadvise (fd, offset, procmaps_block (), POSIX_FADV_DONTNEED);
  filecache_touch_pages (start);
  return is_huge (start);
}

/* Find out the state of the block at OFFSET of FD, which is mapped at
   START.  */
static struct filecache_piece
filecache_read_block (char *start, int fd, uint64_t offset)
{
  struct filecache_piece piece = { .state = PIECE_UNKNOWN };
  unsigned char *vector = ask_cached (fd, offset, block_pages ());
  if (vector == NULL)
    return piece;
  piece.state = count_cached (vector);
  if (piece.state == PIECE_SMALL)
    piece.state = look_by_touching (start, fd, offset);
  if (piece.state == PIECE_SMALL || piece.state == PIECE_PARTLY)
    {
      map_cached (start, vector);
      look_for_users (start, &piece);
    }
  free (vector);
  return piece;
}

struct filecache_piece
filecache_look (int fd, uint64_t offset)
{
  const uintptr_t page = getpagesize ();
  struct filecache_piece piece = { .state = PIECE_UNKNOWN };
  struct stat status;
  if (fstat (fd, &status) < 0)
    return piece;
  uint64_t size = ((uint64_t) status.st_size + page - 1) & -page;
  if (offset + procmaps_block () > size)
    {
      piece.state = PIECE_SHORT;
      return piece;
    }
  char *start = map_piece (fd, offset);
  if (start == NULL)
    return piece;
  piece = filecache_read_block (start, fd, offset);
  munmap (start, procmaps_block ());
  return piece;
}

/* Return how many pages of FD are cached in the block at OFFSET.  The function
   uses cachestat (Linux 6.5), which does not examine each page.  Return -1 if
   the kernel does not have cachestat, or does not answer this user.  */
static int64_t
count_pages (int fd, uint64_t offset)
{
  /* The system call number of cachestat(2), which glibc's headers may
     lack.  */
  const long number = 451;
  const uint64_t range[2] = { offset, procmaps_block () };
  uint64_t counts[5]; /* counts[0] is the number of cached pages.  */
  return (syscall (number, fd, range, counts, 0) == 0 ? (int64_t) counts[0]
                                                      : -1);
}

bool
filecache_is_whole (int fd, uint64_t offset)
{
  const size_t pages = block_pages ();
  const int64_t counted = count_pages (fd, offset);
  if (counted >= 0)
    return (size_t) counted >= pages;
  unsigned char *vector = ask_cached (fd, offset, pages);
  size_t i = 0;
  while (vector != NULL && i < pages && (vector[i] & 1) != 0)
    ++i;
  bool whole = vector == NULL || i == pages;
  free (vector);
  return whole;
}

bool
filecache_is_huge (int fd, uint64_t offset, size_t count)
{
  const uintptr_t block = procmaps_block ();
  for (size_t i = 0; i < count; ++i)
    if (!filecache_is_whole (fd, offset + i * block))
      return false;
  char *start = count > 0 ? map_pieces (fd, offset, count) : NULL;
  if (start == NULL)
    return false;
  for (size_t i = 0; i < count; ++i)
    access_pages (&(struct iovec){ start + i * block, 1 }, 1);
  const bool huge = are_huge (start, count) == PIECE_HUGE;
  munmap (start, count * block);
  return huge;
}

bool
filecache_collapses (int fd)
{
  char *start = map_piece (fd, 0);
  if (start == NULL)
    return false;
  /* If the length is less than a huge page, MADV_COLLAPSE collapses nothing,
     but its result shows whether the kernel could collapse pages.  */
  bool collapses = madvise (start, getpagesize (), MADV_COLLAPSE) == 0;
  munmap (start, procmaps_block ());
  return collapses;
}

bool
filecache_settle (int fd)
{
  /* Ignore EINVAL and EROFS, because a read-only filesystem may not support
     fdatasync.  */
  return fdatasync (fd) == 0 || errno == EINVAL || errno == EROFS;
}

enum hugetext_cache_step
filecache_step (int fd, uint64_t offset, bool renew)
{
  const struct filecache_piece piece = filecache_look (fd, offset);
  struct hugetext_cached block
      = { .huge = piece.state == PIECE_HUGE,
          .cut = piece.state == PIECE_SHORT,
          .spare = renew || piece.state != PIECE_SMALL,
          .dirty = piece.dirty };
  enum hugetext_cache_step step = hugetext_cache_step (block);
  if (step == HUGETEXT_CACHE_LEAVE && !block.cut)
    {
      block.collapses = filecache_collapses (fd);
      step = hugetext_cache_step (block);
    }
  return step;
}

enum piece
filecache_fill (int fd, uint64_t offset, int tries)
{
  /* A page that another processor has put into the cache a moment ago cannot
     always be evicted at once.  */
  static const struct timespec pause = { .tv_nsec = 10000000 };
  enum piece piece = PIECE_UNKNOWN;
  for (int i = 0; i < tries && piece != PIECE_HUGE; ++i)
    {
      if (i > 0)
        nanosleep (&pause, NULL);
      posix_fadvise (fd, offset, procmaps_block (), POSIX_FADV_DONTNEED);
      char *start = map_piece (fd, offset);
      if (start == NULL)
        return PIECE_UNKNOWN;
      filecache_touch_pages (start);
      piece = is_huge (start);
      if (hugetext_cache_step (
              (struct hugetext_cached){ .huge = piece != PIECE_SMALL,
                                        .renewed = true,
                                        .collapses = true })
              == HUGETEXT_CACHE_COLLAPSE
          && filecache_settle (fd)
          && madvise (start, procmaps_block (), MADV_COLLAPSE) == 0)
        piece = is_huge (start);
      munmap (start, procmaps_block ());
    }
  return piece;
}
