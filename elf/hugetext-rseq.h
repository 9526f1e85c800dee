/* Take back what the thread has registered with the kernel.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel writes to a thread's area for restartable sequences (rseq(2))
   and takes but one; glibc registers one from 2.35 on.  Other things that it
   registers, the robust list and the address of the thread's id, are simply
   replaced by who comes next.  */

#ifndef _HUGETEXT_RSEQ_H
#define _HUGETEXT_RSEQ_H 1

#if __GLIBC_PREREQ (2, 35)
# include <sys/rseq.h>
#endif
#include <sysdep.h>

/* Unregister the calling thread's area, if it has one.  */
static inline void
hugetext_forget_rseq (void)
{
#ifdef RSEQ_SIG
  /* In use are but 20 bytes or some more (__rseq_size, from 2.40 on); the
     kernel was told 32 at least.  */
  unsigned int size = __rseq_size < 32 ? 32 : __rseq_size;
  if (__rseq_size != 0)
    INTERNAL_SYSCALL_CALL (rseq,
                           (char *) __builtin_thread_pointer ()
                           + __rseq_offset,
                           size, 1 /* RSEQ_FLAG_UNREGISTER.  */, RSEQ_SIG);
#endif
}

#endif /* hugetext-rseq.h */
