/* A program that tells the kernel that its text is not needed, and then reads
   the text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   discard ADVICE

   Calls madvise with the number ADVICE for a block of the text.  Prints "ok"
   or the error of madvise, and then "same" if the text is unchanged, "zero" if
   it is all zeros, otherwise "else".  */

#define _GNU_SOURCE 1

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <error-name.h>

extern int big_text (void);

/* The size of a block that contains only text.  */
#define LENGTH 0x200000UL

int
main (int argc, char **argv)
{
  static unsigned char before[LENGTH], zero[LENGTH];
  char *text = (char *) (((uintptr_t) big_text + LENGTH - 1) & -LENGTH);

  memcpy (before, text, LENGTH);
  int result = madvise (text, LENGTH, argc > 1 ? atoi (argv[1]) : 0);
  printf ("%s ", result == 0 ? "ok" : error_name (errno));
  puts (memcmp (text, before, LENGTH) == 0 ? "same"
        : memcmp (text, zero, LENGTH) == 0 ? "zero"
                                           : "else");
  return big_text ();
}
