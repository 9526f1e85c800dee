/* Find the path of this object in /proc/PID/maps in the two ways that programs
   use: by an address in its own text, and by its name.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Compiled with -DPROGRAM, this file is a program that prints what it finds,
   and what the library finds.  Compiled without -DPROGRAM, this file is the
   library, with the function reader_find.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return 1 if the mapping in LINE contains ADDRESS, otherwise 0.  */
static int
has (const char *line, unsigned long address)
{
  unsigned long low, high;
  return (sscanf (line, "%lx-%lx", &low, &high) == 2 && low <= address
          && address < high);
}

static __attribute__ ((noinline)) void
find (const char *name)
{
  char line[4096], maps[64] = "/proc/self/maps";
#ifdef BY_NUMBER
  snprintf (maps, sizeof maps, "/proc/%d/maps", (int) getpid ());
#endif
  FILE *stream = fopen (maps, "r");
  if (stream == NULL)
    exit (2);
  while (fgets (line, sizeof line, stream) != NULL)
    {
      const char *path = strchr (line, '/');
      const char *found = path != NULL ? strstr (path, name) : NULL;
      if (has (line, (unsigned long) find))
        printf ("address: %s", path != NULL ? path : "\n");
      /* Search for the name as graphviz searches for the directory of its
         plugins.  */
      if (found != NULL && strstr (line, " r-xp ") != NULL)
        printf ("name: %.*s\n", (int) (found - path), path);
    }
  fclose (stream);
}

#ifdef PROGRAM
extern void reader_find (const char *name);

int
main (int argc, char **argv)
{
  if (argc != 3)
    return 1;
  find (argv[1]);
  reader_find (argv[2]);
  return 0;
}
#else
void
reader_find (const char *name)
{
  find (name);
}
#endif
