/* Priming: make the kernel cache files in huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   If the kernel has cached a file in small pages, the small pages stay in the
   page cache until they are evicted.  If no process has the file mapped, the
   command evicts the small pages and reads the file again, as the loader would
   do.  To check whether the kernel has cached the file in huge pages, the
   command itself maps the file.  */

#include "store/prime.h"
#include "store/parts.h"
#include "host/filecache.h"
#include "host/machine.h"
#include "host/procmaps.h"
#include "object/dependencies.h"
#include "object/elfask.h"
#include "object/plan.h"
#include "object/reason.h"
#include "trust/mount.h"
#include "trust/trusted.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/wait.h"
#include "util/count.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The maximum number of blocks in a file.  The limit exists because a user may
   have forged the headers of a file.  */
#define BLOCKS_MAX 2048

/* The limits if no user has asked to prime the file: 1/MEMORY_SHARE of the
   machine's free memory must stay free, and for one entry (an enabled service
   or program) at most READ_MAX bytes are read.  */
#define MEMORY_SHARE 2
#define READ_MAX (UINT64_C (1) << 30)

/* If this number of blocks stayed small, and no block on the filesystem became
   huge, the filesystem most likely does not support huge pages.  A single
   block proves nothing: while the machine is busy, the kernel cannot evict
   some blocks, or has no free huge page for some
   (doc/experiments/service-files).  */
#define SMALL_MOST 2

/* The number of tries for each block as long as nothing is known about the
   filesystem.  */
#define FIRST_TRIES 2

/* The maximum depth of directories.  Each level of directories needs two
   descriptors.  */
#define DEPTH_MAX 64

/* Set the members FIRST and BLOCKS of PRIMED: the first block that programs
   map from ELF's file, and the number of blocks up to the last one that they
   map.  A program maps a block if a segment of ELF has bytes in the block.
   The file has SIZE bytes.  Leave out the last block if the file ends within
   the last block.  */
static void
find_blocks (struct primed *primed, const struct elf_object *elf,
             uint64_t size)
{
  const uint64_t block = procmaps_block ();
  const struct hugetext_object *object = &elf->object;
  uint64_t first = UINT64_MAX, end = 0;
  for (size_t i = 0; i < object->nsegments; ++i)
    {
      const struct hugetext_segment *segment = &object->segment[i];
      uint64_t last = segment->offset + (segment->fileend - segment->start);
      first = segment->offset < first ? segment->offset : first;
      end = last > end ? last : end;
    }
  /* A block can be huge even if programs map only a part of it.  */
  size = (size + getpagesize () - 1) & -getpagesize ();
  end = (end + block - 1) & -block;
  end = end < size ? end : size;
  primed->first = first & -block;
  primed->blocks = end > primed->first ? (end - primed->first) / block : 0;
}

/* If the text of ELF, a file of SIZE bytes, can be on huge pages of the file,
   set the blocks in PRIMED and return true.  */
static bool
fits (struct primed *primed, const struct elf_object *elf, uint64_t size,
      struct problem *problem)
{
  const bool long_enough = size >= procmaps_block ();
  if (long_enough && machine_thp_off (procmaps_block ()))
    return reason_set (problem, HUGETEXT_THP_OFF);
  if (long_enough)
    find_blocks (primed, elf, size);
  if (primed->blocks == 0)
    return problem_set (problem, "the file is shorter than a huge page");
  return primed->blocks <= BLOCKS_MAX
         || problem_set (problem, "the file is larger than 4 GiB");
}

/* If the kernel can map the text of the file FD by huge pages of the file, set
   the blocks in PRIMED and return true.  */
static bool
can_be_huge (struct primed *primed, int fd, struct problem *problem)
{
  struct elf_object elf = { 0 };
  const uint64_t size = lseek (fd, 0, SEEK_END);
  if (size >= procmaps_block () && !elfask_read (fd, &elf, problem))
    return false;
  return fits (primed, &elf, size, problem);
}

/* Return true, and subtract a block from LIMITS, if LIMITS allow the command
   to read one more block.  If LIMITS is NULL, there are no limits.  */
static bool
may_read (struct prime_limits *limits)
{
  const uint64_t block = procmaps_block ();
  if (limits == NULL)
    return true;
  if (limits->bytes < block || clock_milliseconds () >= limits->end)
    return false;
  limits->bytes -= block;
  return true;
}

/* The state of a file in the page cache.  */
struct look
{
  size_t huge; /* The number of blocks that are cached as huge pages.  */
  bool others; /* True if another process has mapped a part of the file.  */
};

/* Find out how the blocks of the file FD are cached.  Begin with the last
   block, because readahead at the end of a block would cache the beginning of
   the next block in small pages.  If BRIEF is true, stop at the first block
   that another process has mapped.  */
static struct look
store_prime_look_at_blocks (const struct primed *primed, int fd, bool brief)
{
  struct look result = { .huge = 0 };
  for (size_t i = primed->blocks; i-- > 0 && !(brief && result.others);)
    {
      const struct filecache_piece piece
          = filecache_look (fd, primed->first + i * procmaps_block ());
      result.others |= piece.others;
      result.huge += piece.state == PIECE_HUGE;
    }
  return result;
}

/* Return true if reading a further block would delay the start of a command or
   service in vain, because the filesystem of LIMITS most likely does not
   support huge pages.  */
static bool
is_vain (const struct prime_limits *limits)
{
  return limits->huge == 0 && limits->small >= SMALL_MOST;
}

/* Forget what LIMITS know about another filesystem than that of the file
   FD.  */
static void
begin_file (struct prime_limits *limits, int fd)
{
  struct stat status;
  if (fstat (fd, &status) != 0 || status.st_dev == limits->device)
    return;
  limits->device = status.st_dev;
  limits->huge = limits->small = 0;
}

/* Evict the block at OFFSET of the file FD, read it again, and note in LIMITS
   whether it is huge now.  */
static void
renew_block (int fd, uint64_t offset, struct prime_limits *limits)
{
  const int tries = limits->huge > 0 ? FILECACHE_TRIES : FIRST_TRIES;
  if (filecache_fill (fd, offset, tries) == PIECE_HUGE)
    ++limits->huge;
  else
    ++limits->small;
}

/* Evict the blocks of the file FD that are not huge, and read them again,
   within LIMITS.  Begin with the last block.  Return true if LIMITS allowed
   the command to read all evicted blocks again.  */
static bool
store_prime_read_again (const struct primed *primed, int fd,
                        struct prime_limits *limits)
{
  for (size_t i = primed->blocks; i-- > 0;)
    {
      const uint64_t offset = primed->first + i * procmaps_block ();
      if (filecache_look (fd, offset).state == PIECE_HUGE)
        continue;
      if (limits == NULL)
        filecache_fill (fd, offset, FILECACHE_TRIES);
      else if (is_vain (limits))
        return true;
      else if (!may_read (limits))
        return false;
      else
        renew_block (fd, offset, limits);
    }
  return true;
}

/* Set the problem of PRIMED, some of whose blocks are still cached in small
   pages.  ENOUGH is true if the limits allowed the command to read again all
   blocks that were not huge.  */
static void
describe_small (struct primed *primed, bool enough)
{
  const size_t left = primed->blocks - primed->after;
  if (enough)
    problem_set (&primed->problem,
                 "the kernel still caches %zu of the file's blocks in small "
                 "pages after reading the file again; a filesystem without "
                 "large folios, for example, has only small pages",
                 left);
  else
    problem_set (&primed->problem,
                 COUNT_FORMAT " of the file %s not read again: the limit of "
                              "time or memory was reached",
                 COUNT (left, "block"), count_word (left, "was", "were"));
}

/* Prime the file FD, whose text can be huge: cache it in huge pages, within
   LIMITS.  */
static void
work_on (struct primed *primed, int fd, struct prime_limits *limits)
{
  primed->before = primed->after = primed->blocks;
  if (filecache_is_huge (fd, primed->first, primed->blocks))
    {
      if (limits != NULL)
        limits->huge += primed->blocks;
      return;
    }
  const struct look before
      = store_prime_look_at_blocks (primed, fd, limits != NULL);
  primed->before = primed->after = before.huge;
  if (limits != NULL)
    limits->huge += before.huge;
  if (primed->before == primed->blocks)
    return;
  /* If no user has asked to prime the file, do not change a file that another
     process has mapped.  */
  if (before.others && (limits != NULL || !filecache_collapses (fd)))
    {
      primed->mapped = true;
      problem_set (&primed->problem,
                   "the file's small pages stay in the page cache, because "
                   "processes have the file mapped: end these processes "
                   "(fuser lists them), or replace the file with a copy (cp, "
                   "sync, mv), which can be cached in huge pages");
      return;
    }
  fsync (fd);
  posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM);
  const bool enough = store_prime_read_again (primed, fd, limits);
  primed->after = store_prime_look_at_blocks (primed, fd, false).huge;
  if (primed->after < primed->blocks)
    describe_small (primed, enough);
}

/* Return true if the caller owns the file FD.  */
static bool
store_prime_is_own_file (int fd)
{
  struct stat status;
  return fstat (fd, &status) == 0 && status.st_uid == geteuid ();
}

/* Return true if all blocks that are completely in the file FD are cached in
   huge pages.  The check of the cached pages needs no program headers, so the
   command starts no process that reads program headers.  */
static bool
is_huge_already (int fd)
{
  const uint64_t blocks = lseek (fd, 0, SEEK_END) / procmaps_block ();
  return (blocks > 0 && blocks <= BLOCKS_MAX
          && filecache_is_huge (fd, 0, blocks));
}

/* Cache the file NAME in huge pages, within LIMITS.  */
static bool
store_prime_prime_file (const char *name, struct primed *primed,
                        struct prime_limits *limits)
{
  *primed = (struct primed){ .blocks = 0 };
  if (!path_absolute (name, primed->path))
    snprintf (primed->path, sizeof primed->path, "%s", name);
  int fd = placed_open (primed->path, &primed->problem);
  if (fd < 0)
    return false;
  path_of (fd, primed->path);
  const bool own = limits != NULL && limits->own;
  if (limits != NULL)
    begin_file (limits, fd);
  if (limits != NULL && is_vain (limits))
    problem_set (&primed->problem,
                 "the filesystem most likely has no huge pages");
  else if (own && !store_prime_is_own_file (fd))
    problem_set (&primed->problem, "the file belongs to another user");
  else if (!(own && is_huge_already (fd))
           && can_be_huge (primed, fd, &primed->problem))
    work_on (primed, fd, limits);
  close (fd);
  return !problem_is (&primed->problem);
}

/* Find out how the blocks of the file PATH are cached.  A process may have
   chosen PATH, so root opens the file only if it belongs to root.  If the user
   is not root, do not open the file, because filecache_is_huge would read the
   file from the disk for a user other than root.  */
static enum reason_answer
judge_cached (const char *path, const struct primed *primed, bool mapped)
{
  struct problem ignored;
  const int fd = geteuid () == 0 ? trusted_open (path, &ignored) : -1;
  if (fd < 0)
    return REASON_TAKES;
  const enum reason_answer answer
      = filecache_is_huge (fd, primed->first, primed->blocks) ? REASON_HAS
        : mapped && !filecache_collapses (fd)                 ? REASON_MAPPED
                                                              : REASON_TAKES;
  close (fd);
  return answer;
}

enum reason_answer
prime_judge (const struct reason_file *file, bool mapped,
             const struct settings *settings, struct problem *problem)
{
  struct primed primed = { .blocks = 0 };
  struct elf_object elf;
  uint64_t size;
  if (!elfask_read_path (file->path, file->device, file->inode, &elf, &size,
                         problem))
    return problem->code == PROBLEM_PLAIN ? REASON_REFUSES : REASON_UNKNOWN;
  if (!fits (&primed, &elf, size, problem))
    return REASON_REFUSES;
  if (!plan_gains_by_file (&elf, size, settings))
    {
      problem_set (problem, "the file's pages cannot back a whole block of "
                            "text: the file is too short, or the addresses "
                            "and file offsets of the text are not congruent "
                            "modulo the size of a huge page");
      return REASON_REFUSES;
    }
  return judge_cached (file->path, &primed, mapped);
}

bool
prime_file (const char *name, struct primed *primed)
{
  return store_prime_prime_file (name, primed, NULL);
}

/* Until the time END, prime FILES.  If OWN is true, prime only files that the
   caller owns.  */
static void
prime_files (const struct file_list *files, int64_t end, bool own)
{
  const long available = machine_field ("/proc/meminfo", "MemAvailable:");
  const uint64_t memory
      = available > 0 ? (uint64_t) available * 1024 / MEMORY_SHARE : 0;
  struct prime_limits limits
      = { .end = end != 0 ? end : INT64_MAX,
          .bytes = memory < READ_MAX ? memory : READ_MAX,
          .own = own };
  struct primed primed;
  for (size_t i = 0; i < files->count && clock_milliseconds () < limits.end;
       ++i)
    store_prime_prime_file (files->names[i], &primed, &limits);
}

void
prime_list (const struct file_list *files, int64_t end)
{
  prime_files (files, end, false);
}

/* In a child, prime the program PATH (cache it in huge pages) and, if NEEDED
   is true, also the libraries that PATH needs.  Stop at the time END.  Skip
   files that the caller does not own.  */
static void
prime_needed (const char *path, bool needed, int64_t end)
{
  struct file_list files = { 0 };
  file_list_add (&files, path);
  if (needed)
    {
      dependencies_prepare ();
      objects_find_needed (path, readable_open, &files);
    }
  prime_files (&files, end, true);
}

void
prime_program (const char *path, bool needed, int seconds)
{
  struct stat status;
  if (stat (path, &status) != 0 || status.st_uid != geteuid ())
    return;
  const int64_t end = clock_milliseconds () + seconds * 1000;
  const pid_t pid = fork ();
  if (pid == 0)
    {
      prime_needed (path, needed, end);
      _exit (0);
    }
  if (pid > 0)
    wait_until (pid, end + 1000);
}

int
prime_open_directory (const char *name)
{
  char path[PATH_MAX];
  struct problem problem;
  return (path_absolute (name, path) ? placed_find_directory (path, &problem)
                                     : -1);
}

/* A directory below which files are primed.  */
struct place
{
  int fd; /* The directory's descriptor, opened with O_PATH.  */
  const char *path;
  int mount, depth; /* MOUNT is the ID of the mount that contains the directory
                       (mount_number).  DEPTH is the number of directories
                       between the first directory and PATH.  */
  struct primed_directory *sum;
};

static void prime_below (const struct place *place);

/* Prime the file PATH, which has SIZE bytes: cache it in huge pages.  Add the
   result to SUM.  */
static void
store_prime_add_file (struct primed_directory *sum, const char *path,
                      uint64_t size)
{
  struct primed primed;
  if (size < procmaps_block ())
    return;
  prime_file (path, &primed);
  sum->files += primed.blocks > 0;
  sum->blocks += primed.blocks;
  sum->before += primed.before;
  sum->after += primed.after;
  sum->mapped += primed.mapped;
}

/* Prime the file NAME, or the files below the directory NAME (cache them in
   huge pages).  NAME is in the directory PLACE.  Do not access a filesystem
   other than that of PLACE, because another filesystem may never answer.  */
static void
add_entry (const struct place *place, const char *name)
{
  char path[PATH_MAX];
  struct stat status;
  const int length = snprintf (path, sizeof path, "%s/%s", place->path, name);
  const int fd = openat (place->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return;
  if (length < PATH_MAX && mount_number (fd) == place->mount
      && fstat (fd, &status) == 0)
    {
      if (S_ISREG (status.st_mode))
        store_prime_add_file (place->sum, path, status.st_size);
      else if (S_ISDIR (status.st_mode) && place->depth < DEPTH_MAX)
        {
          const struct place below = { .fd = fd,
                                       .path = path,
                                       .mount = place->mount,
                                       .depth = place->depth + 1,
                                       .sum = place->sum };
          prime_below (&below);
        }
    }
  close (fd);
}

/* Prime all files below the directory PLACE: cache them in huge pages.  */
static void
prime_below (const struct place *place)
{
  const int fd = openat (place->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = fd >= 0 ? fdopendir (fd) : NULL;
  if (directory == NULL)
    {
      if (place->depth == 0)
        problem_system (&place->sum->problem, errno);
      if (fd >= 0)
        close (fd);
      return;
    }
  for (const struct dirent *entry; (entry = readdir (directory)) != NULL;)
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      add_entry (place, entry->d_name);
  closedir (directory);
}

void
prime_directory (int fd, const char *name, struct primed_directory *sum)
{
  const struct place place
      = { .fd = fd, .path = name, .mount = mount_number (fd), .sum = sum };
  *sum = (struct primed_directory){ .files = 0 };
  prime_below (&place);
}
