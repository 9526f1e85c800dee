/* Open a library, close it and open it again, for the budget of a dlopen.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: budget-open LIBRARY TIMES

   Opens LIBRARY TIMES times, and closes it after each time except the last.
   Then the program writes one byte, waits for a byte or the end of its input,
   and ends.  */

#include <dlfcn.h>
#include <err.h>
#include <stdlib.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  if (argc != 3)
    errx (2, "usage: budget-open LIBRARY TIMES");
  void *library = NULL;
  for (int i = atoi (argv[2]); i > 0; --i)
    if ((library != NULL && dlclose (library) != 0)
        || (library = dlopen (argv[1], RTLD_NOW)) == NULL)
      errx (1, "%s", dlerror ());
  char byte = '\n';
  return write (1, &byte, 1) != 1 || read (0, &byte, 1) < 0;
}
