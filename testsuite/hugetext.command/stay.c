/* Use this program's text, which is made from text.S with the name "main", and
   wait to be killed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <unistd.h>

#include "text.h"

int
main (void)
{
  text_use (RTLD_DEFAULT, "main", 0);
  while (1)
    pause ();
}
