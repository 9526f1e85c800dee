/* A system call outside of libc.  x86-64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _CODE_SYSCALL_H
#define _CODE_SYSCALL_H 1

static inline long int
code_syscall (long int number, long int a, long int b, long int c, long int d,
              long int e, long int f)
{
  register long int r10 __asm__ ("r10") = d;
  register long int r8 __asm__ ("r8") = e;
  register long int r9 __asm__ ("r9") = f;
  long int result;
  __asm__ volatile ("syscall"
                    : "=a" (result)
                    : "0" (number), "D" (a), "S" (b), "d" (c), "r" (r10),
                      "r" (r8), "r" (r9)
                    : "rcx", "r11", "memory");
  return result;
}

#endif /* code-syscall.h */
