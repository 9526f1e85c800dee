/* A program that does almost nothing.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>
#include <stdlib.h>

int
main (void)
{
  char *memory = malloc (10);
  memory[1] = 'x';
  printf ("%c\n", memory[1]);
  free (memory);
  return 0;
}
