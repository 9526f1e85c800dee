/* A system call outside of libc.  AArch64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _CODE_SYSCALL_H
#define _CODE_SYSCALL_H 1

static inline long int
code_syscall (long int number, long int a, long int b, long int c, long int d,
              long int e, long int f)
{
  register long int x8 __asm__ ("x8") = number;
  register long int x0 __asm__ ("x0") = a;
  register long int x1 __asm__ ("x1") = b;
  register long int x2 __asm__ ("x2") = c;
  register long int x3 __asm__ ("x3") = d;
  register long int x4 __asm__ ("x4") = e;
  register long int x5 __asm__ ("x5") = f;
  __asm__ volatile ("svc 0"
                    : "+r" (x0)
                    : "r" (x8), "r" (x1), "r" (x2), "r" (x3), "r" (x4),
                      "r" (x5)
                    : "memory");
  return x0;
}

#endif /* code-syscall.h */
