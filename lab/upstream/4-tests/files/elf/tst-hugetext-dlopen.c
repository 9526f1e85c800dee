/* A library that is opened has its text on huge pages, and leaves nothing
   behind when it is closed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dlfcn.h>
#include <support/xdlfcn.h>

#include "tst-hugetext.h"

/* The mappings of the process.  */
static unsigned int
count_mappings (void)
{
  FILE *maps = xfopen ("/proc/self/maps", "r");
  unsigned int count = 0;
  char *line = NULL;
  size_t size = 0;
  while (xgetline (&line, &size, maps))
    ++count;
  free (line);
  xfclose (maps);
  return count;
}

/* Open the library by OPEN, use it, and close it again.  Return how many
   bytes of the library were on huge pages.  */
static unsigned long int
use_library (bool in_namespace)
{
  void *library = (in_namespace ? xdlmopen (LM_ID_NEWLM,
                                            "tst-hugetext-mod2.so", RTLD_NOW)
                                : xdlopen ("tst-hugetext-mod2.so", RTLD_NOW));
  const hugetext_function *functions = xdlsym (library, "hugetext_mod2");
  call_all (functions);
  const unsigned long int huge = huge_text (functions);
  xdlclose (library);
  return huge;
}

static int
do_test (void)
{
  need_huge_pages ();
  for (int in_namespace = 0; in_namespace < 2; ++in_namespace)
    {
      TEST_VERIFY (use_library (in_namespace) >= 4UL << 20);
      const unsigned int before = count_mappings ();
      for (int i = 0; i < 20; ++i)
        TEST_VERIFY (use_library (in_namespace) >= 4UL << 20);
      TEST_COMPARE (count_mappings (), before);
    }
  return 0;
}

#include <support/test-driver.c>
