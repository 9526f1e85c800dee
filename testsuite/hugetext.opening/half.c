/* A program whose calls of dlopen fail half-way, and which checks that they
   leave nothing behind.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   half COUNT FILE... [-u GOOD NAME]
   Tries to open each FILE COUNT + 1 times, which must always fail.  Then opens
   and uses GOOD, an object with the functions NAME.  */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "text.h"

int
main (int argc, char **argv)
{
  int count = atoi (argv[1]);
  for (int i = 2; i < argc; ++i)
    {
      if (strcmp (argv[i], "-u") == 0 && i + 2 < argc)
        {
          void *good = dlopen (argv[i + 1], RTLD_NOW);
          if (good == NULL)
            return 2;
          text_use (good, argv[i + 2], 0);
          return 0;
        }
      if (dlopen (argv[i], RTLD_NOW) != NULL)
        return 1;
      puts (dlerror ());
      size_t bytes_before, bytes_after;
      size_t maps_before = hugetext_maps (&bytes_before);
      for (int j = 0; j < count; ++j)
        if (dlopen (argv[i], RTLD_NOW) != NULL)
          return 1;
      size_t maps_after = hugetext_maps (&bytes_after);
      printf ("%ld additional mappings with %ld bytes\n",
              (long int) (maps_after - maps_before),
              (long int) (bytes_after - bytes_before));
    }
  return 0;
}
