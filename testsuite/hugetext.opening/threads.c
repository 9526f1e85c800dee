/* Load and unload a library while threads call functions of another one.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   threads FILE NAME OTHER COUNT
   Threads call the functions of NAME, an object that the program is linked
   with, all the time.  Meanwhile the program opens, uses and closes FILE, an
   object with the functions OTHER, COUNT times.  */

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "text.h"

#define THREADS 4

static atomic_int stop, wrong;
static atomic_long rounds;

static void *
call_all_the_time (void *name)
{
  while (!stop)
    {
      wrong += text_call (RTLD_DEFAULT, name);
      ++rounds;
    }
  return NULL;
}

int
main (int argc, char **argv)
{
  if (argc != 5)
    return 2;
  int count = atoi (argv[4]), good = 0;
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; ++i)
    if (pthread_create (&thread[i], NULL, call_all_the_time, argv[2]) != 0)
      return 2;
  for (int i = 0; i < count; ++i)
    {
      void *handle = dlopen (argv[1], RTLD_NOW);
      good += handle != NULL && text_call (handle, argv[3]) == 0;
      if (handle == NULL || dlclose (handle) != 0)
        break;
    }
  stop = 1;
  for (int i = 0; i < THREADS; ++i)
    pthread_join (thread[i], NULL);
  printf ("%d of %d loaded, %d wrong results, %s\n", good, count, (int) wrong,
          rounds > THREADS ? "threads ran" : "threads did not run");
  return 0;
}
