/* A program without a libc, for the budgets of a start.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   It writes one byte, waits for a byte or the end of its input, and ends.
   While it waits, the kernel's counts are those of the start, in which nearly
   all instructions are the loader's.  */

static long int
call (long int number, long int a, const void *b, long int c)
{
#if defined __x86_64__
  long int result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return result;
#elif defined __aarch64__
  register long int x8 __asm__("x8") = number;
  register long int x0 __asm__("x0") = a;
  register const void *x1 __asm__("x1") = b;
  register long int x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
#endif
}

#include <sys/syscall.h>

void
_start (void)
{
  char byte = '\n';
  call (SYS_write, 1, &byte, 1);
  call (SYS_read, 0, &byte, 1);
  call (SYS_exit_group, 0, &byte, 0);
  __builtin_unreachable ();
}
