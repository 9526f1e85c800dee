/* Use a library after others could not be loaded.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   half-use FILE... GOOD NAME
   Each FILE is dlopened 10 times, which must fail; then GOOD, with functions
   NAME, is used.  */

#include <dlfcn.h>
#include <stddef.h>

#include "text.h"

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc - 2; ++i)
    for (int j = 0; j < 10; ++j)
      if (dlopen (argv[i], RTLD_NOW) != NULL)
        return 1;
  void *handle = dlopen (argv[argc - 2], RTLD_NOW);
  if (handle == NULL)
    return 2;
  text_use (handle, argv[argc - 1], 0);
  return 0;
}
