/* Without the tunable the loader puts no text on huge pages: all text is
   mapped from its file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tst-hugetext.h"

extern const hugetext_function hugetext_mod1[NFUNCTIONS];

/* Return true if the mapping that contains ADDRESS maps a file.  */
static bool
is_of_file (uintptr_t address)
{
  FILE *maps = xfopen ("/proc/self/maps", "r");
  bool of_file = false;
  char *line = NULL;
  size_t size = 0;
  while (xgetline (&line, &size, maps))
    {
      uintptr_t from, to;
      unsigned long int inode;
      if (sscanf (line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %lu", &from,
                  &to, &inode)
              == 3
          && from <= address && address < to)
        of_file = inode != 0;
    }
  free (line);
  xfclose (maps);
  return of_file;
}

static int
do_test (void)
{
  call_all (hugetext_mod1);
  for (int i = 0; i < NFUNCTIONS; ++i)
    TEST_VERIFY (is_of_file ((uintptr_t) hugetext_mod1[i]));
  return 0;
}

#include <support/test-driver.c>
