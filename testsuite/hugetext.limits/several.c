/* Open several libraries, one after the other, close them, and do this again.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   several FILE,NAME...
   The program opens and uses each FILE, then closes all of them.  It does this
   twice.  The second time, when all are open, it writes a record "open"
   (facts.h).  */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "facts.h"
#include "text.h"

#define HANDLES_MAX 16

int
main (int argc, char **argv)
{
  void *handle[HANDLES_MAX];
  char file[4096];
  if (argc > HANDLES_MAX)
    return 2;
  for (int round = 0; round < 2; ++round)
    {
      for (int i = 1; i < argc; ++i)
        {
          snprintf (file, sizeof file, "%s", argv[i]);
          char *name = strchr (file, ',');
          if (name == NULL)
            return 2;
          *name++ = '\0';
          handle[i] = dlopen (file, RTLD_NOW);
          if (handle[i] == NULL)
            {
              puts (dlerror ());
              return 1;
            }
          printf ("%s: %d wrong results\n", name, text_call (handle[i], name));
        }
      if (round == 1)
        hugetext_facts ("open");
      for (int i = 1; i < argc; ++i)
        if (dlclose (handle[i]) != 0)
          return 3;
    }
  return 0;
}
