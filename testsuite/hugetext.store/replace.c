/* Replace the contents of a file so that as little as possible reveals the
   change.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   replace WAY FILE OTHER: FILE gets the contents of OTHER, a file of the same
   size, and keeps its inode, mode and mtime as far as WAY permits.  WAY is:

     inode     remove FILE, create files until one has the inode number that
               FILE had, and rename this file to FILE
     write     write to FILE
     truncate  truncate FILE to 0 bytes, and write to it
     rename    write a new file, and rename it to FILE
     exchange  write a new file, and exchange it with FILE
     link      write a new file, and link it in place of FILE
     mapped    write to FILE through a shared mapping
     range     copy OTHER to FILE with copy_file_range
     links     give FILE a second name, remove this name, then as "write"
     atime     set the atime of FILE, then as "inode"
     held      map FILE and make it dirty, print "ready", wait for a line on
               standard input, and write through this mapping; do not restore
               mode and times

   Except with "held", prints whether FILE has its old inode, size and
   mtime.  */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  TRIES = 4000
};

static const char *file;
static char new_name[4096];
static char *bytes;
static size_t size;
static struct stat before;

static void
fail (const char *what)
{
  perror (what);
  exit (1);
}

/* Write in small pieces, so that the file is cached in small pages and the
   loader looks for an image.  */
static void
put (const char *path, int flags)
{
  int fd = open (path, O_WRONLY | flags, 0755);
  if (fd < 0)
    fail (path);
  for (size_t i = 0; i < size; i += 4096)
    {
      size_t n = size - i < 4096 ? size - i : 4096;
      if (write (fd, bytes + i, n) != (ssize_t) n)
        fail (path);
    }
  if (close (fd) != 0)
    fail (path);
}

/* FILE has been removed.  Create files beside it until one has its inode
   number.  Write the bytes to this file, and rename it to FILE.  */
static void
have_inode (void)
{
  char name[4200];
  struct stat status;
  int i = 0, found = -1;
  for (; i < TRIES && found < 0; ++i)
    {
      snprintf (name, sizeof name, "%s.%d", file, i);
      int fd = open (name, O_WRONLY | O_CREAT | O_EXCL, 0755);
      if (fd < 0 || fstat (fd, &status) != 0)
        fail (name);
      if (status.st_ino == before.st_ino)
        found = i;
      close (fd);
    }
  snprintf (name, sizeof name, "%s.%d", file, found >= 0 ? found : i - 1);
  put (name, 0);
  if (rename (name, file) != 0)
    fail (name);
  while (i-- > 0)
    {
      snprintf (name, sizeof name, "%s.%d", file, i);
      unlink (name);
    }
}

static char *
map_file (void)
{
  int fd = open (file, O_RDWR);
  char *map = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd < 0 || map == MAP_FAILED)
    fail (file);
  close (fd);
  return map;
}

static void
held (void)
{
  char *map = map_file ();
  for (size_t i = 0; i < size; i += 4096)
    ((volatile char *) map)[i] = map[i];
  puts ("ready");
  fflush (stdout);
  if (getchar () == EOF)
    exit (1);
  memcpy (map, bytes, size);
  munmap (map, size);
  exit (0);
}

static void
replace (const char *way, const char *other)
{
  if (strcmp (way, "atime") == 0 || strcmp (way, "inode") == 0)
    {
      const struct timespec times[2] = { before.st_mtim, before.st_mtim };
      if (*way == 'a')
        utimensat (AT_FDCWD, file, times, 0);
      unlink (file);
      have_inode ();
    }
  else if (strcmp (way, "write") == 0)
    put (file, 0);
  else if (strcmp (way, "truncate") == 0)
    put (file, O_TRUNC);
  else if (strcmp (way, "rename") == 0 || strcmp (way, "exchange") == 0
           || strcmp (way, "link") == 0)
    {
      put (new_name, O_CREAT | O_EXCL);
      if (*way == 'l' ? unlink (file) != 0 || link (new_name, file) != 0
                      : renameat2 (AT_FDCWD, new_name, AT_FDCWD, file,
                                   *way == 'e' ? RENAME_EXCHANGE : 0)
                            != 0)
        fail (new_name);
      unlink (new_name);
    }
  else if (strcmp (way, "mapped") == 0)
    munmap (memcpy (map_file (), bytes, size), size);
  else if (strcmp (way, "links") == 0)
    {
      if (link (file, new_name) != 0 || unlink (new_name) != 0)
        fail (new_name);
      put (file, 0);
    }
  else if (strcmp (way, "held") == 0)
    held ();
  else
    {
      int from = open (other, O_RDONLY), to = open (file, O_WRONLY);
      loff_t in = 0, out = 0;
      if (copy_file_range (from, &in, to, &out, size, 0) != (ssize_t) size)
        fail (way);
      close (from);
      close (to);
    }
}

int
main (int argc, char **argv)
{
  struct stat after;
  if (argc != 4)
    return 2;
  file = argv[2];
  snprintf (new_name, sizeof new_name, "%s.new", file);
  int fd = open (argv[3], O_RDONLY);
  if (fd < 0 || stat (file, &before) != 0)
    fail (argv[3]);
  size = before.st_size;
  bytes = malloc (size + 1);
  if (bytes == NULL || read (fd, bytes, size + 1) != (ssize_t) size)
    {
      fprintf (stderr, "%s and %s differ in size\n", argv[3], file);
      return 1;
    }
  close (fd);
  replace (argv[1], argv[3]);
  const struct timespec times[2] = { before.st_atim, before.st_mtim };
  if (utimensat (AT_FDCWD, file, times, 0) != 0
      || chmod (file, before.st_mode & 07777) != 0 || stat (file, &after) != 0)
    fail (file);
  printf ("%s inode, %s size, %s mtime\n",
          before.st_ino == after.st_ino ? "same" : "other",
          before.st_size == after.st_size ? "same" : "other",
          before.st_mtim.tv_sec == after.st_mtim.tv_sec
                  && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec
              ? "same"
              : "other");
  return 0;
}
