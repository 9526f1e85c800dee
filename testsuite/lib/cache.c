/* A program that brings files into a certain state in the page cache, and
   checks the result.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   cache show FILE...           print a line for each file
   cache cold FILE...           no part of the files is cached
   cache small FILE...          the files are cached, without huge pages
   cache huge FILE...           the files are cached, whole blocks in huge
                                pages
   cache mixed FILE...          the files are cached, every other block in a
                                huge page: the first block is in small pages
   cache hold cold|small|huge|mixed FILE...
                                bring the files into the state, print "held",
                                and keep the state until standard input ends;
                                for each line of standard input, bring the
                                files into the state again, and print "held".
                                The program cannot keep a cold file cold.

   What "show" prints, and what the program checks after each change, comes
   from the kernel: from mincore, which tells the truth to the owner of a
   file, and from smaps of a mapping in which the blocks of the file are
   aligned.  A file that is already in the wanted state is left alone.  If a
   file cannot be brought into the state, the program prints a message and
   exits with 1.  For example, another process may have mapped the file, or the
   filesystem of the file may not support huge pages.  */

#define _GNU_SOURCE 1
#include "cached.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The number of tries to reach a state, and the pause after the first tries in
   nanoseconds.  Later pauses are longer, because on a busy machine another
   process may keep a page of the file for a while.  All pauses together take
   four seconds.  */
#define TRIES 40
#define PAUSE 5000000L

static size_t page;
static size_t block;

struct file
{
  const char *name;
  int fd;
  size_t size;    /* The size in bytes, rounded up to pages.  */
  size_t nblocks; /* The number of blocks that the file fills completely.  */
  char *map;      /* An aligned mapping of the file, whose pages have not been
                     touched.  */
  void *reserved;
  size_t nreserved;
  size_t resident; /* The number of cached pages.  */
  size_t huge;     /* The number of blocks that the kernel maps as huge
                      pages.  */
};

static void __attribute__ ((noreturn, format (printf, 1, 2)))
fail (const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  fputs ("cache: ", stderr);
  vfprintf (stderr, format, ap);
  fputc ('\n', stderr);
  va_end (ap);
  exit (1);
}

/* Map FILE anew, so that this process has no page of it in its page
   tables.  */
static void
map_file (struct file *file)
{
  if (file->reserved != NULL)
    munmap (file->reserved, file->nreserved);
  file->nreserved = file->size + block;
  file->map = cached_map (file->fd, 0, file->size, block, &file->reserved);
  if (file->map == NULL)
    fail ("%s cannot be mapped", file->name);
}

static void
open_file (struct file *file, const char *name)
{
  struct stat st;
  *file
      = (struct file){ .name = name, .fd = open (name, O_RDONLY | O_CLOEXEC) };
  if (file->fd < 0 || fstat (file->fd, &st) != 0 || st.st_size == 0)
    fail ("%s cannot be read", name);
  file->size = (st.st_size + page - 1) & -page;
  file->nblocks = st.st_size / block;
  map_file (file);
}

/* Find out the state of FILE in the page cache, without reading the file.  */
static void
look (struct file *file)
{
  size_t npages = file->size / page;
  unsigned char *in = malloc (npages);
  if (in == NULL)
    fail ("no memory");
  map_file (file);
  if (mincore (file->map, file->size, in) != 0)
    fail ("mincore of %s fails", file->name);
  file->resident = 0;
  for (size_t i = 0; i < npages; ++i)
    file->resident += in[i] & 1;
  for (size_t k = 0; k < file->nblocks; ++k)
    {
      size_t first = k * (block / page);
      size_t n = 0;
      while (n < block / page && (in[first + n] & 1))
        ++n;
      if (n == block / page)
        *(volatile char *) (file->map + k * block);
    }
  free (in);
  file->huge = cached_huge (file->map) / block;
}

static const char *
state (const struct file *file)
{
  if (file->resident == 0)
    return "cold";
  if (file->resident * page < file->size)
    return "partial";
  if (file->huge == 0)
    return "small";
  return file->huge == file->nblocks ? "huge" : "mixed";
}

static void
show (const struct file *file)
{
  printf ("%s %s: %zu of %zu pages, %zu of %zu blocks huge\n", file->name,
          state (file), file->resident, file->size / page, file->huge,
          file->nblocks);
}

/* Read [START, END) into small pages: after this advice the kernel does not
   read ahead; reading ahead could make larger pages.  */
static void
read_small (const struct file *file, size_t start, size_t end)
{
  static char buffer[65536];
  posix_fadvise (file->fd, 0, 0, POSIX_FADV_RANDOM);
  while (start < end)
    {
      size_t most = end - start < sizeof buffer ? end - start : sizeof buffer;
      ssize_t n = pread (file->fd, buffer, most, start);
      if (n <= 0)
        break;
      start += n;
    }
}

/* Try once to put FILE into state WANT.  */
static void
change (struct file *file, const char *want)
{
  munmap (file->reserved, file->nreserved);
  file->reserved = NULL;
  fsync (file->fd);
  posix_fadvise (file->fd, 0, 0, POSIX_FADV_DONTNEED);
  if (strcmp (want, "small") == 0)
    read_small (file, 0, file->size);
  else if (strcmp (want, "huge") == 0 || strcmp (want, "mixed") == 0)
    {
      const bool mixed = strcmp (want, "mixed") == 0;
      map_file (file);
      /* With MADV_RANDOM, each fault reads exactly one block.  */
      madvise (file->map, file->size, MADV_HUGEPAGE);
      madvise (file->map, file->size, MADV_RANDOM);
      for (size_t k = 0; k < file->nblocks; ++k)
        if (mixed && k % 2 == 0)
          read_small (file, k * block, (k + 1) * block);
        else
          *(volatile char *) (file->map + k * block);
      read_small (file, file->nblocks * block, file->size);
    }
}

static bool
is (const struct file *file, const char *want)
{
  const char *now = state (file);
  if (strcmp (want, "mixed") == 0 && file->huge != file->nblocks / 2)
    return false;
  /* A file with one block has no other block that could be huge.  */
  if (strcmp (want, "mixed") == 0 && file->nblocks < 2)
    return strcmp (now, "small") == 0;
  return (strcmp (now, want) == 0
          /* A file that fills no block counts as small and also as huge.  */
          || (file->nblocks == 0 && strcmp (now, "small") == 0
              && strcmp (want, "huge") == 0));
}

static void
make (struct file *file, const char *want)
{
  look (file);
  for (int i = 0; !is (file, want); ++i)
    {
      if (i == TRIES)
        {
          show (file);
          fail ("%s cannot be made %s", file->name, want);
        }
      const struct timespec pause = { .tv_nsec = i * PAUSE };
      nanosleep (&pause, NULL);
      change (file, want);
      look (file);
    }
}

/* Keep FILE's pages in the cache: the kernel does not evict pages that are
   mapped and locked.  */
static void
hold (struct file *file)
{
  for (size_t i = 0; i < file->size; i += page)
    *(volatile char *) (file->map + i);
  /* Lock as much as the limit allows.  */
  mlock (file->map, file->size);
}

static void __attribute__ ((noreturn)) usage (void)
{
  fputs ("usage: cache show|[[hold] cold|small|huge|mixed] FILE...\n", stderr);
  exit (2);
}

/* Bring each of the N files NAMES into state WANT, and keep it in this
   state.  */
static void
hold_all (char **names, int n, const char *want)
{
  for (int i = 0; i < n; ++i)
    {
      struct file file;
      open_file (&file, names[i]);
      make (&file, want);
      if (strcmp (want, "cold") == 0)
        munmap (file.reserved, file.nreserved);
      else
        {
          hold (&file);
          /* From now on the file stays in this state, unless another process
             has just changed the state.  */
          file.reserved = NULL;
          look (&file);
          if (!is (&file, want))
            fail ("%s did not stay %s", file.name, want);
          munmap (file.reserved, file.nreserved);
        }
      close (file.fd);
    }
}

/* Bring each of the N files NAMES into state WANT.  If WANT is "show", only
   print the state.  */
static void
make_all (char **names, int n, const char *want)
{
  for (int i = 0; i < n; ++i)
    {
      struct file file;
      open_file (&file, names[i]);
      if (strcmp (want, "show") == 0)
        {
          look (&file);
          show (&file);
        }
      else
        make (&file, want);
      munmap (file.reserved, file.nreserved);
      close (file.fd);
    }
}

int
main (int argc, char **argv)
{
  page = sysconf (_SC_PAGESIZE);
  block = page * (page / sizeof (uint64_t));

  bool holding = argc > 1 && strcmp (argv[1], "hold") == 0;
  int first = holding ? 3 : 2;
  const char *want = argc > first ? argv[first - 1] : "";
  if (strcmp (want, "small") != 0 && strcmp (want, "huge") != 0
      && strcmp (want, "mixed") != 0 && strcmp (want, "cold") != 0
      && (holding || strcmp (want, "show") != 0))
    usage ();

  if (!holding)
    {
      make_all (argv + first, argc - first, want);
      return 0;
    }
  hold_all (argv + first, argc - first, want);
  for (int c = '\n'; c != EOF; c = getchar ())
    if (c == '\n')
      {
        make_all (argv + first, argc - first, want);
        puts ("held");
        fflush (stdout);
      }
  return 0;
}
