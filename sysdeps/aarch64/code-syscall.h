/* System calls of hugetext-code.so, without libc.  AArch64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _CODE_SYSCALL_H
#define _CODE_SYSCALL_H 1

static inline long int
code_syscall (long int number, long int a, long int b, long int c, long int d,
              long int e, long int f)
{
  register long int x8 __asm__("x8") = number;
  register long int x0 __asm__("x0") = a;
  register long int x1 __asm__("x1") = b;
  register long int x2 __asm__("x2") = c;
  register long int x3 __asm__("x3") = d;
  register long int x4 __asm__("x4") = e;
  register long int x5 __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
}

/* Return the thread pointer of the calling thread, a number that identifies
   it.  */
static inline unsigned long int
code_thread (void)
{
  unsigned long int result;
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(result));
  return result;
}

#define CODE_STRING(x) CODE_STRING_OF (x)
#define CODE_STRING_OF(x) #x

/* Define the function syscall().  The function uses the stack in the same way
   as libc's syscall(): if a caller passes SYS_clone a new stack, the call
   returns on that stack.  SECCOMP and PRCTL are the numbers of two system
   calls.  If the caller asks for a filter (by SECCOMP with operation 0 or 1,
   or by PRCTL with OPTION), syscall() jumps to code_install_filter.  */
#define CODE_SYSCALL_FUNCTION(seccomp, prctl, option)                      \
  __asm__(".text\n"                                                        \
          ".globl syscall\n"                                               \
          ".type syscall, %function\n"                                     \
          "syscall:\n\t"                                                   \
          ".cfi_startproc\n\t"                                             \
          "hint #34\n\t" /* bti c.  */                                     \
          "cmp x0, #" CODE_STRING (                                        \
              seccomp) "\n\t"                                              \
                       "b.ne 1f\n\t"                                       \
                       "cmp w1, #1\n\t"                                    \
                       "b.ls code_install_filter\n"                        \
                       "1:\tcmp x0, #" CODE_STRING (                       \
                           prctl) "\n\t"                                   \
                                  "b.ne 2f\n\t"                            \
                                  "cmp w1, #" CODE_STRING (                \
                                      option) "\n\t"                       \
                                              "b.eq code_install_filter\n" \
                                              "2:\tmov x8, x0\n\t"         \
                                              "mov x0, x1\n\t"             \
                                              "mov x1, x2\n\t"             \
                                              "mov x2, x3\n\t"             \
                                              "mov x3, x4\n\t"             \
                                              "mov x4, x5\n\t"             \
                                              "mov x5, x6\n\t"             \
                                              "svc 0\n\t"                  \
                                              "cmn x0, #4095\n\t"          \
                                              "b.hs code_finish\n\t"       \
                                              "ret\n"                      \
                                              ".cfi_endproc\n"             \
                                              ".size syscall, . - syscall")

#endif /* code-syscall.h */
