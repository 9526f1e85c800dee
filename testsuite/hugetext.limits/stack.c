/* A program that opens a library in a thread whose stack has the minimum size.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: stack LIBRARY

   Prints "opened", and on standard error how many bytes of the stack were
   used.  The program has filled the stack with a pattern: the used part begins
   where the pattern ends.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PATTERN 0x5a

static void *
open_library (void *path)
{
  void *library = dlopen (path, RTLD_NOW);
  if (library != NULL)
    dlclose (library);
  return library;
}

int
main (int argc, char **argv)
{
  size_t page = getpagesize ();
  size_t size = (sysconf (_SC_THREAD_STACK_MIN) + page - 1) & -page;
  pthread_attr_t attr;
  pthread_t thread;
  void *opened = NULL;

  if (argc != 2)
    return 2;
  /* The page below the stack must not be accessible.  */
  char *memory = mmap (NULL, page + size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect (memory, page, PROT_NONE) != 0)
    return 77;
  char *stack = memory + page;
  memset (stack, PATTERN, size);
  if (pthread_attr_init (&attr) != 0
      || pthread_attr_setstack (&attr, stack, size) != 0
      || pthread_create (&thread, &attr, open_library, argv[1]) != 0
      || pthread_join (thread, &opened) != 0)
    return 77;
  size_t unused = 0;
  while (unused < size && stack[unused] == PATTERN)
    ++unused;
  puts (opened != NULL ? "opened" : "not opened");
  fprintf (stderr, "stack %zu of %zu\n", size - unused, size);
  return opened == NULL;
}
