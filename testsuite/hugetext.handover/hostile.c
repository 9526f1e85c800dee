/* A file named libc.so.6 that is not a libc: each of its functions creates the
   file "owned" in the current directory, so that a test sees that its code has
   run.  VERSION is the release that the file claims to be.  With WILD, the
   address of a symbol is outside of the file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <fcntl.h>
#include <sys/syscall.h>

static long
call (long number, long a, long b, long c, long d)
{
  long result;
#ifdef __x86_64__
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
#else
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
                   : "memory");
  result = x0;
#endif
  return result;
}

const char *
gnu_get_libc_version (void)
{
  call (SYS_openat, AT_FDCWD, (long) "owned", O_CREAT | O_WRONLY, 0644);
  return "2.36";
}

void
__libc_start_main (void)
{
  gnu_get_libc_version ();
  for (;;)
    call (SYS_exit_group, 0, 0, 0, 0);
}

#ifdef WILD
__asm__(".globl __nptl_version\n"
        ".type __nptl_version, %object\n"
        "__nptl_version = 0x600000000000\n"
        ".size __nptl_version, 5");
#elif defined VERSION
const char __nptl_version[] = VERSION;
#endif
