/* The entry point of the program debian/stand-in.c, which is installed in
   place of ld-hugetext.so if ld-hugetext.so does not work on the machine.
   x86-64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _STAND_IN_MACHINE_H
#define _STAND_IN_MACHINE_H 1

/* The entry point.  The entry point calls the function TAKE_OVER; the argument
   is the initial stack pointer, which the kernel has set.  The entry point
   then jumps to the address that TAKE_OVER returns, with the same stack
   pointer.  */
#define STAND_IN_START(take_over)     \
  __asm__(".text\n"                   \
          ".globl _start\n"           \
          ".hidden _start\n"          \
          ".type _start, @function\n" \
          "_start:\n\t"               \
          "endbr64\n\t"               \
          "xorl %ebp, %ebp\n\t"       \
          "movq %rsp, %rbx\n\t"       \
          "movq %rsp, %rdi\n\t"       \
          "andq $-16, %rsp\n\t"       \
          "call " take_over "\n\t"    \
          "movq %rbx, %rsp\n\t"       \
          "xorl %edx, %edx\n\t"       \
          "jmp *%rax\n")

#endif /* stand-in-machine.h */
