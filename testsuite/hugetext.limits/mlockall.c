/* Open a library in a process that has called mlockall.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   mlockall FLAGS FILE NAME
   FLAGS are letters: "c" is MCL_CURRENT, "f" is MCL_FUTURE, "o" is
   MCL_ONFAULT.  A second thread opens FILE with dlopen.  Then the program
   calls the functions of NAME in FILE and, if it runs as root, writes a record
   "open" (facts.h).  The last line is "VmLck N": the dlopen has locked N KiB.
   The exit status is 77 if mlockall fails.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "facts.h"
#include "text.h"

#ifndef MCL_ONFAULT
#  define MCL_ONFAULT 4 /* Linux 4.4.  */
#endif

static long int
locked (void)
{
  char line[256];
  long int kib = -1;
  FILE *f = fopen ("/proc/self/status", "r");
  while (f != NULL && fgets (line, sizeof line, f) != NULL)
    sscanf (line, "VmLck: %ld", &kib);
  if (f != NULL)
    fclose (f);
  return kib;
}

static void *
open_library (void *file)
{
  void *handle = dlopen (file, RTLD_NOW);
  if (handle == NULL)
    puts (dlerror ());
  return handle;
}

int
main (int argc, char **argv)
{
  pthread_t thread;
  void *handle = NULL;
  if (argc != 4)
    return 2;
  int flags = ((strchr (argv[1], 'c') != NULL ? MCL_CURRENT : 0)
               | (strchr (argv[1], 'f') != NULL ? MCL_FUTURE : 0)
               | (strchr (argv[1], 'o') != NULL ? MCL_ONFAULT : 0));
  /* Let stdio and pthread_create allocate their memory before mlockall,
     because it must not be counted.  */
  locked ();
  if (pthread_create (&thread, NULL, open_library, "/nonexistent.so") != 0)
    return 2;
  pthread_join (thread, NULL);
  if (mlockall (flags) != 0)
    return 77;
  long int before = locked ();
  /* The new thread gets its stack from the cache of libc.  If the thread
     cannot be created, open FILE in this thread.  */
  if (pthread_create (&thread, NULL, open_library, argv[2]) != 0)
    handle = open_library (argv[2]);
  else
    pthread_join (thread, &handle);
  long int after = locked ();
  if (handle == NULL)
    return 1;
  printf ("%d wrong results\n", text_call (handle, argv[3]));
  if (getuid () == 0)
    hugetext_facts ("open");
  printf ("dlclose: %d\n", dlclose (handle));
  printf ("VmLck %ld\n", after - before);
  return 0;
}
