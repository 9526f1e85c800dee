/* Open a library in children that are forked while another thread opens and
   closes a library.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   child FILE OTHER COUNT
   The thread opens and closes FILE.  Prints how many of COUNT children could
   not open OTHER.  A child may hang, or be ended by an assertion of glibc;
   this also happens under the stock loader.  */

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int stop;

static void *
open_all_the_time (void *file)
{
  while (!stop)
    {
      void *handle = dlopen (file, RTLD_NOW);
      if (handle == NULL || dlclose (handle) != 0)
        exit (1);
    }
  return NULL;
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  if (argc != 4
      || pthread_create (&thread, NULL, open_all_the_time, argv[1]) != 0)
    return 2;
  for (int i = 0; i < atoi (argv[3]); ++i)
    {
      pid_t pid = fork ();
      if (pid < 0)
        return 2;
      if (pid == 0)
        {
          alarm (1);
          _exit (dlopen (argv[2], RTLD_NOW) == NULL);
        }
      usleep (300);
    }
  stop = 1;
  pthread_join (thread, NULL);
  int failures = 0;
  for (int status; wait (&status) > 0;)
    failures += WIFEXITED (status) && WEXITSTATUS (status) == 1;
  printf ("%d failed\n", failures);
  return 0;
}
