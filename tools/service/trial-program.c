/* The program that is executed to try a loader: this command with the
   arguments "guard --tried".
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   The program uses features that work only if the loader and libc match:
   threads with thread-local variables, malloc in all threads, and a library
   that is loaded while the threads run.  If all these features work, the
   program prints "good" and exits with 0.  If this file is compiled with
   -Dservice_trial_program=main, it is a separate program (examples/).  */

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  THREADS = 8,
  ROUNDS = 500,
  CHUNKS = 32,
  /* The sizes of the memory blocks that the trial allocates: powers of 2, at
     most 8 KiB.  The blocks are small, because the kernel kills a process of
     the service if the blocks exceed the memory limit of the service's control
     group, and systemd then stops the service.  */
  SIZES = 14
};

static __thread struct
{
  char *data;
  size_t size;
} chunks[CHUNKS];

/* Allocate and free chunks of all sizes, and check that the contents of the
   chunks and the value of errno do not change.  */
static void *
use_memory (void *number)
{
  unsigned int seed = errno = (int) (size_t) number + 1;
  for (int i = 0; i < ROUNDS; ++i)
    {
      int k = rand_r (&seed) % CHUNKS;
      for (size_t j = 0; j < chunks[k].size; ++j)
        if (chunks[k].data[j] != (char) k)
          return "memory was changed";
      chunks[k].size = 1u << rand_r (&seed) % SIZES;
      free (chunks[k].data);
      chunks[k].data = malloc (chunks[k].size);
      if (chunks[k].data == NULL)
        return "malloc failed";
      memset (chunks[k].data, k, chunks[k].size);
    }
  return errno == (int) (size_t) number + 1 ? NULL : "errno was changed";
}

/* Load a library that is part of libc6, and call one of its functions.  */
static const char *
use_library (void)
{
  for (int i = 0; i < 20; ++i)
    {
      void *library = dlopen ("libm.so.6", RTLD_NOW);
      if (library == NULL)
        return dlerror ();
      double (*round_down) (double);
      *(void **) &round_down = dlsym (library, "floor");
      if (round_down == NULL || round_down (2.5) != 2.0)
        return "under the loader, the function floor of libm.so.6 returned a "
               "wrong result";
      if (dlclose (library) != 0)
        return dlerror ();
    }
  return NULL;
}

int
service_trial_program (void)
{
  pthread_t thread[THREADS];
  for (size_t i = 0; i < THREADS; ++i)
    if (pthread_create (&thread[i], NULL, use_memory, (void *) i) != 0)
      {
        puts ("no thread");
        return 1;
      }
  const char *problem = use_library ();
  for (size_t i = 0; i < THREADS; ++i)
    {
      void *result;
      pthread_join (thread[i], &result);
      if (result != NULL)
        problem = result;
    }
  printf ("%s\n", problem == NULL ? "good" : problem);
  return problem != NULL;
}
