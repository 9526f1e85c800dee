/* Limit the size of a process's data, and open and close a library again and
   again while a second thread maps and unmaps 2 MiB.  Print how often mmap
   failed in the second thread.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   data FILE KIB: the limit leaves KIB KiB for more data.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define SIZE (2UL << 20)

static volatile int phase; /* 1: the thread counts failures; 2: it ends.  */
static long int failures;

static void *
map_memory (void *closure)
{
  while (phase < 2)
    {
      void *memory = mmap (NULL, SIZE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory != MAP_FAILED)
        munmap (memory, SIZE);
      else
        failures += phase;
    }
  return closure;
}

/* Return the size of the process's data in bytes.  */
static rlim_t
data (void)
{
  char line[256];
  unsigned long int kib = 0;
  FILE *stream = fopen ("/proc/self/status", "r");
  while (stream != NULL && fgets (line, sizeof line, stream) != NULL)
    sscanf (line, "VmData: %lu", &kib);
  if (kib == 0)
    exit (1);
  fclose (stream);
  return kib << 10;
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  if (argc != 3 || pthread_create (&thread, NULL, map_memory, NULL) != 0)
    return 1;
  struct rlimit limit;
  limit.rlim_cur = limit.rlim_max
      = data () + (strtoul (argv[2], NULL, 0) << 10);
  if (setrlimit (RLIMIT_DATA, &limit) != 0)
    return 1;
  phase = 1;
  for (int i = 0; i < 20; ++i)
    {
      void *handle = dlopen (argv[1], RTLD_NOW);
      if (handle == NULL || dlclose (handle) != 0)
        return 1;
    }
  phase = 2;
  pthread_join (thread, NULL);
  printf ("%ld\n", failures);
  return 0;
}
