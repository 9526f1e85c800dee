/* Three objects: a library whose IFUNC resolver opens another one while it is
   being relocated, that other one, which needs the first, and a program that
   opens the first.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   opens OPENS NEEDS OTHER
   Prints what functions of the two libraries return, then opens OTHER, closes
   all of them and opens OPENS again.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef MAIN
/* Some blocks of text for each library.  */
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
  /* To relocate the other library calls it again.  */
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
