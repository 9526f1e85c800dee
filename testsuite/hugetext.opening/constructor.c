/* A constructor that loads another library, INNER.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dlfcn.h>
#include <stdio.h>

#include "text.h"

static int wrong = -1;

static void __attribute__ ((constructor)) load_inner (void)
{
  void *handle = dlopen (INNER, RTLD_NOW);
  if (handle == NULL)
    puts (dlerror ());
  else
    wrong = text_call (handle, "inner");
}

/* For text_use.  */
int
outer_test (void)
{
  return wrong;
}
