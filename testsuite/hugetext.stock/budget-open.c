/* Open a library and close it again, for the budget of a dlopen.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: budget-open LIBRARY TIMES  */

#include <dlfcn.h>
#include <err.h>
#include <stdlib.h>

int
main (int argc, char **argv)
{
  if (argc != 3)
    errx (2, "usage: budget-open LIBRARY TIMES");
  for (int i = atoi (argv[2]); i > 0; --i)
    {
      void *library = dlopen (argv[1], RTLD_NOW);
      if (library == NULL || dlclose (library) != 0)
        errx (1, "%s", dlerror ());
    }
  return 0;
}
