/* System calls of hugetext-code.so, without libc.  x86-64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef _CODE_SYSCALL_H
#define _CODE_SYSCALL_H 1

static inline long int
code_syscall (long int number, long int a, long int b, long int c, long int d,
              long int e, long int f)
{
  register long int r10 __asm__("r10") = d;
  register long int r8 __asm__("r8") = e;
  register long int r9 __asm__("r9") = f;
  long int result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
                     "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

/* Return the thread pointer of the calling thread, a number that identifies
   it.  */
static inline unsigned long int
code_thread (void)
{
  unsigned long int result;
  __asm__ volatile("mov %%fs:0, %0" : "=r"(result));
  return result;
}

#define CODE_STRING(x) CODE_STRING_OF (x)
#define CODE_STRING_OF(x) #x

/* Define the function syscall().  The function uses the stack in the same way
   as libc's syscall(): if a caller passes SYS_clone a new stack, the call
   returns on that stack.  SECCOMP and PRCTL are the numbers of two system
   calls.  If the caller asks for a filter (by SECCOMP with operation 0 or 1,
   or by PRCTL with OPTION), syscall() jumps to code_install_filter.  */
#define CODE_SYSCALL_FUNCTION(seccomp, prctl, option)                    \
  __asm__(".text\n"                                                      \
          ".globl syscall\n"                                             \
          ".type syscall, @function\n"                                   \
          "syscall:\n\t"                                                 \
          ".cfi_startproc\n\t"                                           \
          "endbr64\n\t"                                                  \
          "cmp $" CODE_STRING (                                          \
              seccomp) ", %rdi\n\t"                                      \
                       "jne 1f\n\t"                                      \
                       "cmp $1, %esi\n\t"                                \
                       "jbe code_install_filter\n"                       \
                       "1:\tcmp $" CODE_STRING (                         \
                           prctl) ", %rdi\n\t"                           \
                                  "jne 2f\n\t"                           \
                                  "cmp $" CODE_STRING (                  \
                                      option) ", %esi\n\t"               \
                                              "je code_install_filter\n" \
                                              "2:\tmov %rdi, %rax\n\t"   \
                                              "mov %rsi, %rdi\n\t"       \
                                              "mov %rdx, %rsi\n\t"       \
                                              "mov %rcx, %rdx\n\t"       \
                                              "mov %r8, %r10\n\t"        \
                                              "mov %r9, %r8\n\t"         \
                                              "mov 8(%rsp), %r9\n\t"     \
                                              "syscall\n\t"              \
                                              "cmp $-4095, %rax\n\t"     \
                                              "jae 3f\n\t"               \
                                              "ret\n"                    \
                                              "3:\tmov %rax, %rdi\n\t"   \
                                              "jmp code_finish\n"        \
                                              ".cfi_endproc\n"           \
                                              ".size syscall, . - syscall")

#endif /* code-syscall.h */
