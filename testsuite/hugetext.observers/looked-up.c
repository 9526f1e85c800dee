/* Print the path of the mapping that contains AsyncGetCallTrace, the function
   by which profilers find a JVM.  Print the path again for each character of
   input.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Compiled with -DLIBRARY, this file is the library that defines the
   function.  */

#include <stdio.h>

extern void AsyncGetCallTrace (void);

#ifdef LIBRARY
void
AsyncGetCallTrace (void)
{
}
#else
static void
print_path (void)
{
  char line[4400];
  unsigned long low, high;
  const unsigned long function = (unsigned long) AsyncGetCallTrace;
  FILE *maps = fopen ("/proc/self/./maps", "r");
  while (maps != NULL && fgets (line, sizeof line, maps) != NULL)
    {
      int path = 0;
      if (sscanf (line, "%lx-%lx %*s %*s %*s %*s %n", &low, &high, &path) == 2
          && low <= function && function < high)
        fputs (path > 0 && line[path] != '\0' ? line + path : "none\n",
               stdout);
    }
  if (maps != NULL)
    fclose (maps);
  fflush (stdout);
}

int
main (void)
{
  do
    print_path ();
  while (getchar () != EOF);
  return 0;
}
#endif
