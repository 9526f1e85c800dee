/* Three objects: a first library, whose IFUNC resolver opens a second library
   while the first one is being relocated; the second library, which needs the
   first one; and a program that opens the first library.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   OPENS is the first library and NEEDS the second library.  Prints what a
   function of each library returns, opens OTHER, closes all three libraries,
   and opens OPENS again.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef MAIN
/* Each library has some blocks of text.  */
asm(".text\n.skip 0x500000, 0x90");
#endif

#if defined OPENS
static void *opened;

static int
one (void)
{
  return 1;
}

static void *
resolve (void)
{
  static int called;
  /* This function is called again when the second library is relocated.  */
  if (called++ == 0)
    opened = dlopen (getenv ("NEEDS"), RTLD_NOW);
  return one;
}

static int __attribute__ ((ifunc ("resolve"))) number (void);

int
opens_number (void)
{
  return number ();
}

void *
opens_opened (void)
{
  return opened;
}
#elif !defined MAIN
extern int opens_number (void);

int
needs_number (void)
{
  return 1 + opens_number ();
}
#else
static void *
open_file (const char *file)
{
  void *handle = dlopen (file, RTLD_NOW);
  if (handle == NULL)
    {
      puts (dlerror ());
      exit (2);
    }
  return handle;
}

static int
call (void *handle, const char *name)
{
  int (*function) (void) = dlsym (handle, name);
  return function != NULL ? function () : 0;
}

int
main (int argc, char **argv)
{
  if (argc != 4 || setenv ("NEEDS", argv[2], 1) != 0)
    return 3;
  void *opens = open_file (argv[1]);
  void *(*opened) (void) = dlsym (opens, "opens_opened");
  void *needs = opened ();
  if (needs == NULL)
    return 4;
  printf ("%d %d\n", call (opens, "opens_number"),
          call (needs, "needs_number"));
  void *other = open_file (argv[3]);
  dlclose (needs);
  dlclose (opens);
  dlclose (other);
  open_file (argv[1]);
  puts ("again");
  return 0;
}
#endif
