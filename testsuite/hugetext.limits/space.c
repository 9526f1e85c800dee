/* Limit the address space of a process that has a second thread, open a
   library, and print how many KiB of address space that took.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   space FILE  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void *
wait_for_ever (void *closure)
{
  pause ();
  return closure;
}

/* Return the size of the process's address space in KiB.  */
static long int
size (void)
{
  long int pages = -1;
  FILE *stream = fopen ("/proc/self/statm", "r");
  if (stream == NULL || fscanf (stream, "%ld", &pages) != 1)
    exit (1);
  fclose (stream);
  return pages * (sysconf (_SC_PAGESIZE) / 1024);
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  struct rlimit limit = { .rlim_cur = 1UL << 34, .rlim_max = 1UL << 34 };
  if (argc != 2 || pthread_create (&thread, NULL, wait_for_ever, NULL) != 0
      || setrlimit (RLIMIT_AS, &limit) != 0)
    return 1;
  long int before = size ();
  if (dlopen (argv[1], RTLD_NOW) == NULL)
    return 1;
  printf ("%ld\n", size () - before);
  return 0;
}
