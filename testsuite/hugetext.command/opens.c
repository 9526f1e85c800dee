/* Open libraries, and wait to be killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   opens READY FILE...

   "-N" instead of a FILE closes library number N; the first has number 0.
   When all is done, the program makes the file READY.  */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  void **handles = calloc (argc, sizeof *handles);
  int n = 0;
  for (int i = 2; i < argc; ++i)
    {
      if (argv[i][0] == '-')
        dlclose (handles[atoi (argv[i] + 1)]);
      else if ((handles[n++] = dlopen (argv[i], RTLD_NOW)) == NULL)
        {
          puts (dlerror ());
          return 1;
        }
    }
  if (open (argv[1], O_WRONLY | O_CREAT, 0600) < 0)
    return 1;
  while (1)
    pause ();
}
