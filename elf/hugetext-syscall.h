/* Make a system call without errno.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   glibc's macro has one argument more before 2.32, which is not used.  */

#ifndef _HUGETEXT_SYSCALL_H
#define _HUGETEXT_SYSCALL_H 1

#include <sysdep.h>

#if __GLIBC_PREREQ (2, 32)
# define HUGETEXT_SYSCALL(name, ...) \
  INTERNAL_SYSCALL_CALL (name, ##__VA_ARGS__)
#else
# define HUGETEXT_SYSCALL(name, ...) \
  INTERNAL_SYSCALL_CALL (name, , ##__VA_ARGS__)
#endif

#endif /* hugetext-syscall.h */
