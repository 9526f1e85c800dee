/* dlopen from a thread with a small stack.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   stack FILE NAME EXTRA
   The stack has PTHREAD_STACK_MIN and EXTRA bytes.  */

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "text.h"

static char **arguments;

static void *
load (void *closure)
{
  (void) closure;
  return dlopen (arguments[1], RTLD_NOW);
}

int
main (int argc, char **argv)
{
  if (argc != 4)
    return 2;
  arguments = argv;
  pthread_attr_t attributes;
  pthread_t thread;
  void *handle;
  /* So that the guard page is what an overflow meets.  */
  size_t size = sysconf (_SC_THREAD_STACK_MIN) + atoi (argv[3]);
  if (pthread_attr_init (&attributes) != 0
      || pthread_attr_setstacksize (&attributes, size) != 0
      || pthread_create (&thread, &attributes, load, NULL) != 0
      || pthread_join (thread, &handle) != 0)
    return 2;
  printf ("%d wrong results\n",
          handle != NULL ? text_call (handle, argv[2]) : -1);
  return 0;
}
