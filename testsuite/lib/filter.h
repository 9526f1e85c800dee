/* The seccomp filters under which test programs run.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILTER_H
#define FILTER_H 1

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_RET_KILL_PROCESS
#  define SECCOMP_RET_KILL_PROCESS 0x80000000U /* In Linux since 4.14.  */
#endif

#define FILTER_LOAD(member) \
  BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, member))
#define FILTER_RETURN(value) BPF_STMT (BPF_RET | BPF_K, (value))

/* The maximum number of calls in a filter below.  */
enum
{
  FILTER_MAX = 61
};

/* Install the COUNT instructions CODE as a filter, with the FLAGS of
   seccomp(2).  Return 0, or -1 if the kernel has no filters.  */
static inline int
filter_install (struct sock_filter *code, size_t count, unsigned int flags)
{
  struct sock_fprog program = { count, code };
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  return syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

/* Write a filter to CODE, which has space for FILTER_MAX + 3 instructions: the
   filter returns ACTION for the COUNT calls in LIST, and REST for all other
   calls.  Return the number of instructions.  */
static inline size_t
filter_fill (struct sock_filter *code, const int *list, size_t count,
             unsigned int action, unsigned int rest)
{
  size_t n = 0;
  code[n++] = (struct sock_filter) FILTER_LOAD (nr);
  for (size_t i = 0; i < count; ++i)
    code[n++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K,
                                               list[i], count - i, 0);
  code[n++] = (struct sock_filter) FILTER_RETURN (rest);
  code[n++] = (struct sock_filter) FILTER_RETURN (action);
  return n;
}

/* Write a filter with filter_fill, and install it.  */
static inline int
filter_calls (const int *list, size_t count, unsigned int action,
              unsigned int rest, unsigned int flags)
{
  struct sock_filter code[FILTER_MAX + 3];
  return filter_install (code, filter_fill (code, list, count, action, rest),
                         flags);
}

#endif /* filter.h */
