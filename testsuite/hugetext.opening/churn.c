/* A program that loads and unloads a library many times, and checks that
   nothing is left behind.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   churn [-m] FILE NAME COUNT WANT
   Opens FILE with dlopen (with -m: dlmopen) and closes it, COUNT times; NAME
   is the object's name in text.S.  Each time, at least WANT bytes of its text
   must be copies on huge pages.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "text.h"

static const char *file, *name;
static int use_namespace;
static size_t want;

/* Load, use and unload the library once.  Return 1 if the results were right
   and enough of the text was on huge pages, otherwise 0.  */
static int
cycle (void)
{
  void *handle = (use_namespace ? dlmopen (LM_ID_NEWLM, file, RTLD_NOW)
                                : dlopen (file, RTLD_NOW));
  if (handle == NULL)
    {
      puts (dlerror ());
      exit (1);
    }
  int good = (text_call (handle, name) == 0
              && (want == 0 || hugetext_copied_text (handle, name) >= want));
  if (dlclose (handle) != 0)
    exit (3);
  return good;
}

int
main (int argc, char **argv)
{
  if (argc > 1 && strcmp (argv[1], "-m") == 0)
    {
      use_namespace = 1;
      --argc;
      ++argv;
    }
  if (argc != 5)
    return 2;
  file = argv[1];
  name = argv[2];
  long int count = atol (argv[3]);
  want = strtoul (argv[4], NULL, 0);

  long int good = 0;
  /* The first rounds allocate memory that is not freed.  */
  for (int i = 0; i < 3; ++i)
    cycle ();
  size_t bytes_before, bytes_after;
  size_t maps_before = hugetext_maps (&bytes_before);
  for (long int i = 0; i < count; ++i)
    good += cycle ();
  size_t maps_after = hugetext_maps (&bytes_after);
  printf ("%ld of %ld rounds good, %ld additional mappings with %ld bytes\n",
          good, count, (long int) (maps_after - maps_before),
          (long int) (bytes_after - bytes_before));
  return 0;
}
