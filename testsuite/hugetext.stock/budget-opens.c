/* A program that opens libraries, for the budgets of a dlopen.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: budget-opens LIBRARY...

   It opens each LIBRARY, writes one byte, waits for a byte or the end of its
   input, and ends.  */

#include <dlfcn.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  char byte = '\n';
  for (int i = 1; i < argc; ++i)
    if (dlopen (argv[i], RTLD_NOW) == NULL)
      return 1;
  return write (1, &byte, 1) != 1 || read (0, &byte, 1) < 0;
}
