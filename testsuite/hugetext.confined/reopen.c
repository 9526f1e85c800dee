/* Open and close libraries a hundred times.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   usage: reopen LIBRARY...  */

#include <dlfcn.h>
#include <stdio.h>

int
main (int argc, char **argv)
{
  for (int i = 0; i < 100; ++i)
    for (int k = 1; k < argc; ++k)
      {
        void *library = dlopen (argv[k], RTLD_NOW);
        if (library == NULL)
          {
            puts (dlerror ());
            return 1;
          }
        dlclose (library);
      }
  return 0;
}
