/* The calls by which programs install filters of system calls.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A filter may kill for calls that the program does not make itself, and
   nothing tells what a filter allows.  So from the moment when any thread is
   about to install a filter, the code object makes no more calls of its own.
   A filter that was installed before the program started has let the loader
   open files, so it lets the code object do so, too.  */

#include <stdarg.h>
#include <sys/prctl.h>

#include "dl-hugetext-sys.h"

#include "make.h"

#define EXPORT __attribute__ ((visibility ("default")))

/* Make system call NUMBER, which installs a filter.  */
extern long int code_install_filter (long int number, long int a, long int b,
                                     long int c, long int d, long int e,
                                     long int f);

long int
code_install_filter (long int number, long int a, long int b, long int c,
                     long int d, long int e, long int f)
{
  code_stop ();
  return code_finish (code_syscall (number, a, b, c, d, e, f));
}

EXPORT int
prctl (int option, ...)
{
  va_list arguments;
  va_start (arguments, option);
  long int a = va_arg (arguments, long int);
  long int b = va_arg (arguments, long int);
  long int c = va_arg (arguments, long int);
  long int d = va_arg (arguments, long int);
  va_end (arguments);
  if (option == PR_SET_SECCOMP)
    return code_install_filter (SYS_prctl, option, a, b, c, d, 0);
  return code_finish (code_syscall (SYS_prctl, option, a, b, c, d, 0));
}

/* The function syscall is needed because libc has none for seccomp(2), whose
   operations 0 and 1 install filters.  */
CODE_SYSCALL_FUNCTION (SYS_seccomp, SYS_prctl, PR_SET_SECCOMP);
