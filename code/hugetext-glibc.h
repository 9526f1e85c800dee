/* System calls without errno, for files that are built outside of glibc.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This header replaces elf/hooks/hugetext-glibc.h, so that hugetext-code.so
   can use the system calls in elf/core/dl-hugetext-sys.h.  Once a thread is
   about to install a seccomp filter, hugetext-code.so adds no system calls to
   those of the program, so these functions fail with ECANCELED.  In files that
   define CODE_PASSES_ON, these functions always make the system call, because
   the files pass on the program's own calls.  */

#ifndef _HUGETEXT_GLIBC_H
#define _HUGETEXT_GLIBC_H 1

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>

#include <code-syscall.h>

/* The functions of this header need no check for filters, because
   hugetext-code.so itself checks for filters.  */
#define HUGETEXT_ALLOWED(liberty) true

#define CODE_SIX(number, a, b, c, d, e, f, ...)                         \
  code_syscall (number, (long int) (a), (long int) (b), (long int) (c), \
                (long int) (d), (long int) (e), (long int) (f))
#define CODE_CALL(name, ...) \
  CODE_SIX (SYS_##name, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)

/* If this variable is true, hugetext-code.so only passes the program's calls
   on to the kernel.  Any thread may set this variable; no thread clears
   it.  */
extern bool code_is_over __attribute__ ((visibility ("hidden")));

#ifdef CODE_PASSES_ON
#  define HUGETEXT_SYSCALL CODE_CALL
#else
#  define HUGETEXT_SYSCALL(name, ...)                  \
    (__atomic_load_n (&code_is_over, __ATOMIC_SEQ_CST) \
         ? -ECANCELED                                  \
         : CODE_CALL (name, ##__VA_ARGS__))
#endif

#endif /* hugetext-glibc.h */
