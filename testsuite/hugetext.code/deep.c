/* A program that opens libraries and prints whose mprotect they find.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: deep LIBRARY OTHER deepbind|symbolic

   With "deepbind", the program opens the libraries with RTLD_DEEPBIND.  With
   "symbolic", it opens them without RTLD_DEEPBIND, because they are linked
   with -Bsymbolic.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A flag for dlopen: RTLD_DEEPBIND or 0.  */
static int mode;

/* Open the library NAME, and print the object that contains the function which
   the library calls as mprotect.  */
static void *
open_one (const char *name)
{
  Dl_info info;
  void *handle = dlopen (name, RTLD_LAZY | mode);
  if (handle == NULL)
    {
      puts (dlerror ());
      exit (1);
    }
  void *(*which) (void) = (void *(*) (void) ) dlsym (handle, "which");
  if (dladdr (which (), &info) == 0)
    exit (1);
  const char *slash = strrchr (info.dli_fname, '/');
  printf ("mprotect is from %s\n", slash != NULL ? slash + 1 : "?");
  return handle;
}

int
main (int argc, char **argv)
{
  if (argc != 4)
    return 2;
  mode = strcmp (argv[3], "deepbind") == 0 ? RTLD_DEEPBIND : 0;
  /* Close some libraries, and leave others open, in changing order.  */
  for (int i = 0; i < 6; ++i)
    {
      void *library = open_one (argv[1]);
      void *other = open_one (argv[2]);
      void *third = dlopen ("libm.so.6", RTLD_NOW | mode);
      if (i % 2 == 0)
        dlclose (library);
      if (i % 3 == 0)
        dlclose (other);
      if (third != NULL)
        dlclose (third);
    }
  return 0;
}
