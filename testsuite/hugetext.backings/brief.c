/* A program with so little text that executing it, which writes to .data, may
   make the kernel read all of the text in small pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

__asm__(".text\n\t.fill 0x100000, 1, 0x90");

/* Read-only data after the text, so that one whole block of the file contains
   all of the text.  */
const char padding[0x200000] = { 1 };
int data = 1;

int
main (void)
{
  return data - 1;
}
