/* Limit the address space of a process that has a second thread, open a
   library, and print by how many KiB the address space has grown: at the end,
   and at its peak.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   space FILE  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void *
wait_for_ever (void *closure)
{
  pause ();
  return closure;
}

/* Return FIELD of /proc/self/status: the size of the process's address space
   in KiB, at present (VmSize) or at its peak (VmPeak).  */
static long int
size (const char *field)
{
  char line[256];
  long int number = -1;
  FILE *stream = fopen ("/proc/self/status", "r");
  while (stream != NULL && fgets (line, sizeof line, stream) != NULL)
    if (strncmp (line, field, strlen (field)) == 0)
      number = strtol (line + strlen (field) + 1, NULL, 10);
  if (number < 0)
    exit (1);
  fclose (stream);
  return number;
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  struct rlimit limit = { .rlim_cur = 1UL << 34, .rlim_max = 1UL << 34 };
  if (argc != 2 || pthread_create (&thread, NULL, wait_for_ever, NULL) != 0
      || setrlimit (RLIMIT_AS, &limit) != 0)
    return 1;
  long int before = size ("VmSize");
  if (dlopen (argv[1], RTLD_NOW) == NULL)
    return 1;
  printf ("%ld %ld\n", size ("VmSize") - before, size ("VmPeak") - before);
  return 0;
}
