/* Find the path of this object in /proc/self/maps by an address in its own
   text, as relocatable programs find their files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   own-path [wait]

   Compiled with -DLIBRARY, this file is a library whose function
   own_path_library prints a line with the library's path.  Without -DLIBRARY,
   this file is the program, which prints a line with its own path, the
   library's line, and "end".  With "wait", the program prints these three
   lines again for each line of input.  */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern void own_path_library (void);

static __attribute__ ((noinline)) void
find (const char *object)
{
  char line[4400];
  unsigned long low, high;
  FILE *maps = fopen ("/proc/self/maps", "r");
  while (maps != NULL && fgets (line, sizeof line, maps) != NULL)
    {
      int path = 0;
      if (sscanf (line, "%lx-%lx %*s %*s %*s %*s %n", &low, &high, &path) == 2
          && low <= (unsigned long) find && (unsigned long) find < high)
        printf ("%s %.*s\n", object, (int) strcspn (line + path, "\n"),
                line + path);
    }
  if (maps != NULL)
    fclose (maps);
}

#ifdef LIBRARY
void
own_path_library (void)
{
  find ("library");
}
#else
int
main (int argc, char **argv)
{
  char line[16];
  (void) argv;
  alarm (300);
  do
    {
      find ("program");
      own_path_library ();
      puts ("end");
      fflush (stdout);
    }
  while (argc > 1 && fgets (line, sizeof line, stdin) != NULL);
  return 0;
}
#endif
