/* Make a system call without errno, outside of glibc.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Stands in for elf/hugetext-syscall.h, so that the object that follows code
   has its calls from elf/dl-hugetext-sys.h.  */

#ifndef _HUGETEXT_SYSCALL_H
#define _HUGETEXT_SYSCALL_H 1

#include <stddef.h>
#include <sys/syscall.h>

#include <code-syscall.h>

#define CODE_SIX(number, a, b, c, d, e, f, ...)                         \
  code_syscall (number, (long int) (a), (long int) (b), (long int) (c), \
                (long int) (d), (long int) (e), (long int) (f))
#define HUGETEXT_SYSCALL(name, ...)                                     \
  CODE_SIX (SYS_##name, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)

#endif /* hugetext-syscall.h */
