/* A program that keeps a file mapped until standard input ends.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   holder map FILE     map all of FILE, and print "held".  At the end print
                       "same" if the mapping still has the same file and the
                       same contents, otherwise print which of them differs.
   holder pin FILE:N   keep the page at offset N of FILE in a pipe, and print
                       "held".  The kernel cannot evict this page.  At the end
                       print "same".
   holder self MIB     read the first MIB MiB of the program's own text, and
                       print how many KiB of it are on huge pages according to
                       smaps  */

#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void __attribute__ ((noreturn)) fail (const char *what)
{
  perror (what);
  exit (1);
}

static uint64_t
sum (const unsigned char *from, size_t size)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < size; ++i)
    sum = sum * 31 + from[i];
  return sum;
}

#ifdef SELF
extern unsigned char one_text[];

/* Return how many KiB of the mappings of files as text are on huge pages.  */
static long int
huge_text (void)
{
  char line[512];
  long int kib = 0, n;
  int text = 0;
  FILE *stream = fopen ("/proc/self/smaps", "r");
  if (stream == NULL)
    fail ("smaps");
  while (fgets (line, sizeof line, stream) != NULL)
    if (strstr (line, " r-xp ") != NULL)
      text = 1;
    else if (text && sscanf (line, "FilePmdMapped: %ld", &n) == 1)
      {
        kib += n;
        text = 0;
      }
  fclose (stream);
  return kib;
}
#endif

/* Keep a page of a file in a pipe.  WHAT is the name of the file, a colon, and
   the offset of the page.  */
static int
pin (char *what)
{
  char *colon = strrchr (what, ':');
  int ends[2];
  if (colon == NULL)
    return 2;
  *colon = '\0';
  off64_t offset = strtoull (colon + 1, NULL, 0);
  int fd = open (what, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || pipe (ends) != 0
      || splice (fd, &offset, ends[1], NULL, 4096, 0) <= 0)
    fail (what);
  puts ("held");
  fflush (stdout);
  while (getchar () != EOF)
    ;
  puts ("same");
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc != 3)
    return 2;
  const char *file = argv[2];
  if (strcmp (argv[1], "pin") == 0)
    return pin (argv[2]);
#ifdef SELF
  if (strcmp (argv[1], "self") == 0)
    {
      volatile uint64_t all = sum (one_text, strtoul (file, NULL, 10) << 20);
      (void) all;
      printf ("%ld\n", huge_text ());
      return 0;
    }
#endif
  int fd = open (file, O_RDONLY | O_CLOEXEC);
  struct stat st;
  if (fd < 0 || fstat (fd, &st) != 0)
    fail (file);
  const unsigned char *map
      = mmap (NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  close (fd);
  if (map == MAP_FAILED)
    fail ("mmap");
  uint64_t before = sum (map, st.st_size);
  puts ("held");
  fflush (stdout);
  while (getchar () != EOF)
    ;

  char line[512], inode[32];
  int found = 0;
  snprintf (inode, sizeof inode, " %lu ", (unsigned long int) st.st_ino);
  FILE *stream = fopen ("/proc/self/./maps", "r");
  while (stream != NULL && fgets (line, sizeof line, stream) != NULL)
    found |= strstr (line, inode) != NULL;
  puts (!found                            ? "another file"
        : sum (map, st.st_size) != before ? "other contents"
                                          : "same");
  return 0;
}
