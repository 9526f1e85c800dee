/* Load a library when all memory is locked.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   locked FILE NAME
   Facts, with the tag "open", are those of the time when it is open.  */

#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>

#include "facts.h"
#include "text.h"

int
main (int argc, char **argv)
{
  if (argc != 3 || mlockall (MCL_CURRENT | MCL_FUTURE) != 0)
    return 77;
  void *handle = dlopen (argv[1], RTLD_NOW);
  printf ("%d wrong results\n",
          handle != NULL ? text_call (handle, argv[2]) : -1);
  hugetext_facts ("open");
  if (handle != NULL)
    printf ("dlclose: %d\n", dlclose (handle));
  return 0;
}
