/* A program that prints how much anonymous memory it has according to smaps.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   small [LIBRARY|close]...: opens each LIBRARY; at the word "close", closes
   the library that was opened last.  Prints the memory in KiB, without the
   stack: how many pages of the stack are in use depends on the stack's
   address.  Then waits for the end of standard input.  */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Do not use malloc, which would take memory that the program counts.  */
static char smaps[1 << 18];

static void
read_all (const char *path)
{
  size_t n = 0;
  ssize_t got;
  const int fd = open (path, O_RDONLY);
  while ((got = read (fd, smaps + n, sizeof smaps - 1 - n)) > 0)
    n += got;
  smaps[n] = '\0';
  close (fd);
}

int
main (int argc, char **argv)
{
  static const char field[] = "\nAnonymous:";
  void *handle = NULL;
  for (int i = 1; i < argc; ++i)
    if (strcmp (argv[i], "close") == 0)
      dlclose (handle);
    else if ((handle = dlopen (argv[i], RTLD_NOW)) == NULL)
      {
        puts (dlerror ());
        return 1;
      }
  /* Write to all pages of SMAPS before they are counted.  */
  memset (smaps, 1, sizeof smaps);
  read_all ("/proc/self/smaps");
  long int sum = 0;
  const char *at = smaps, *next;
  for (; (next = strstr (at, field)) != NULL; at = next + 1)
    {
      const char *stack = strstr (at, "[stack]");
      if (stack == NULL || stack > next)
        sum += strtol (next + sizeof field - 1, NULL, 10);
    }
  printf ("%ld KiB\n", sum);
  fflush (stdout);
  while (getchar () != EOF)
    continue;
  return 0;
}
