/* A program that prints nothing, uses text of its own and of a library, and
   ends with status 7.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   quiet FILE NAME: opens FILE with dlopen, and calls the functions of NAME in
   it.  The program writes to no file, because the test may limit the size of
   files.  */

#include <dlfcn.h>
#include <stddef.h>

#include "text.h"

int
main (int argc, char **argv)
{
  if (argc != 3 || text_call (RTLD_DEFAULT, "main") != 0)
    return 2;
  void *handle = dlopen (argv[1], RTLD_NOW);
  if (handle == NULL)
    return 3;
  if (text_call (handle, argv[2]) != 0)
    return 4;
  return dlclose (handle) == 0 ? 7 : 5;
}
