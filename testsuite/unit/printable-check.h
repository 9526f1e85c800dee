/* Checks of the function that makes bytes printable.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PRINTABLE_CHECK_H
#define PRINTABLE_CHECK_H 1

#include <string.h>

#include "plan-test.h"

#include "util/printable.c"

/* Check that nothing in TEXT, of SIZE bytes, controls a terminal.  The C
   library decodes the text here, not the command's code.  */
static void
check_harmless (const char *text, size_t size, bool lines)
{
  for (size_t i = 0; i < size; ++i)
    {
      unsigned char c = text[i];
      EXPECT ((c >= 0x20 || (lines && (c == '\n' || c == '\t'))) && c != 0x7f);
      if (c == 0xc2)
        EXPECT (i + 1 < size && (unsigned char) text[i + 1] >= 0xa0);
      EXPECT (i + 2 > size || memcmp (text + i, "\330\234", 2) != 0);
      if (i + 3 > size || c != 0xe2)
        continue;
      unsigned char a = text[i + 1], b = text[i + 2];
      EXPECT (a != 0x80
              || !(b == 0x8e || b == 0x8f || (b >= 0xa8 && b <= 0xae)));
      EXPECT (a != 0x81 || !(b >= 0xa6 && b <= 0xa9));
    }
}

/* Make the SIZE bytes at DATA printable, first all at once, then in two
   pieces.  */
static void
check_printable_bytes (const void *data, size_t size)
{
  char *whole = malloc (size + 1), *pieces = malloc (size + 1);
  EXPECT (whole != NULL && pieces != NULL);
  memcpy (whole, data, size);
  EXPECT_EQUAL (printable (whole, size, true, false), size);
  check_harmless (whole, size, true);
  for (size_t cut = 0; cut <= size && cut < 16; ++cut)
    {
      memcpy (pieces, data, size);
      size_t done = printable (pieces, cut, true, true);
      EXPECT (done <= cut && cut - done < 4);
      printable (pieces + done, size - done, true, false);
      EXPECT (memcmp (whole, pieces, size) == 0);
    }
  memcpy (pieces, data, size);
  printable (pieces, size, false, false);
  check_harmless (pieces, size, false);
  free (whole);
  free (pieces);
}

#endif /* printable-check.h */
