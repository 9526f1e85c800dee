/* The entry point of the program debian/stand-in.c, which is installed in
   place of ld-hugetext.so if ld-hugetext.so does not work on the machine.
   AArch64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _STAND_IN_MACHINE_H
#define _STAND_IN_MACHINE_H 1

/* The entry point.  The entry point calls the function TAKE_OVER; the argument
   is the initial stack pointer, which the kernel has set.  The entry point
   then jumps to the address that TAKE_OVER returns, with the same stack
   pointer.  Jump through register x16, because a jump through x16 may go to
   any kind of landing pad (BTI).  */
#define STAND_IN_START(take_over)      \
  __asm__(".text\n"                    \
          ".globl _start\n"            \
          ".hidden _start\n"           \
          ".type _start, %function\n"  \
          "_start:\n\t"                \
          "hint #34\n\t" /* bti c.  */ \
          "mov x29, xzr\n\t"           \
          "mov x30, xzr\n\t"           \
          "mov x0, sp\n\t"             \
          "bl " take_over "\n\t"       \
          "mov x16, x0\n\t"            \
          "mov x0, xzr\n\t"            \
          "mov x30, xzr\n\t"           \
          "br x16\n")

#endif /* stand-in-machine.h */
