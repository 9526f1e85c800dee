/* Use the objects made from text.S that are named on the command line.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   use NAME... where an option applies to the names that follow:
   -x            the text of the objects is execute-only
   -d FILE       dlopen FILE first, and look the names up in this library
   -m FILE       dlmopen FILE first, in a new namespace, and look the names up
                 in this library
   -f TAG        print facts now
   -h            leave a hole above the library that is mapped next; between
                 this library and the hole there are only pages of this
                 program, wherever the kernel puts mappings
   -c            dlclose the library that was opened last  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "facts.h"
#include "text.h"

/* Leave SIZE bytes of free address space between two mappings.  This gap is
   too small for a library with megabytes of text, so the kernel maps the
   library below the gap.  */
static void
make_hole (void)
{
  enum
  {
    size = 256 << 10
  };
  char *start = mmap (NULL, 3 * size, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED || munmap (start + size, size) != 0)
    {
      perror ("a hole");
      exit (1);
    }
}

int
main (int argc, char **argv)
{
  void *handle = RTLD_DEFAULT;
  int execute_only = 0;
  for (int i = 1; i < argc; ++i)
    if (strcmp (argv[i], "-x") == 0)
      execute_only = 1;
    else if (strcmp (argv[i], "-h") == 0)
      make_hole ();
    else if (strcmp (argv[i], "-c") == 0)
      {
        printf ("dlclose: %d\n", dlclose (handle));
        handle = RTLD_DEFAULT;
      }
    else if (argv[i][0] == '-' && i + 1 < argc)
      {
        const char *value = argv[i + 1];
        if (argv[i][1] == 'f')
          hugetext_facts (value);
        else
          {
            handle
                = (argv[i][1] == 'm' ? dlmopen (LM_ID_NEWLM, value, RTLD_NOW)
                                     : dlopen (value, RTLD_NOW));
            if (handle == NULL)
              {
                puts (dlerror ());
                return 1;
              }
          }
        ++i;
      }
    else
      text_use (handle, argv[i], execute_only);
  return 0;
}
