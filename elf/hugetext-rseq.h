/* Take back what the thread has registered with the kernel.  Linux version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel writes to a thread's area for restartable sequences (rseq(2))
   and takes but one; glibc registers one from 2.35 on.  Other things that it
   registers, the robust list and the address of the thread's id, are simply
   replaced by who comes next.  */

#ifndef _HUGETEXT_RSEQ_H
#define _HUGETEXT_RSEQ_H 1

#include <hugetext-libc.h>
#include <hugetext-syscall.h>
#include <ldsodefs.h>
#if __GLIBC_PREREQ (2, 35)
# include <sys/rseq.h>
# include <thread_pointer.h>
#endif

/* The loader's variable NAME, NULL if it has none.  HASH is dl_new_hash of
   the name.  Looked up, because a reference would cost every start one
   look-up more.  */
static inline const void *
hugetext_rseq_variable (const char *name, uint32_t hash)
{
  struct link_map *l = GL(dl_ns)[LM_ID_BASE]._ns_loaded;
  while (l != NULL && l->l_ld != _DYNAMIC)
    l = l->l_next;
  if (l == NULL)
    return NULL;
  const ElfW(Sym) *symbol = hugetext_symbol (l, name, hash);
  return symbol != NULL ? DL_SYMBOL_ADDRESS (l, symbol) : NULL;
}

/* Unregister the calling thread's area, if it has one.  */
static inline void
hugetext_forget_rseq (void)
{
#ifdef RSEQ_SIG
  const unsigned int *size
    = hugetext_rseq_variable ("__rseq_size", 0x5702b738);
  const ptrdiff_t *offset
    = hugetext_rseq_variable ("__rseq_offset", 0x18f7caa4);
  /* In use are but 20 bytes or some more; the kernel was told 32 at
     least.  */
  if (size != NULL && *size != 0 && offset != NULL)
    HUGETEXT_SYSCALL (rseq,
                      (char *) __thread_pointer () + *offset,
                      *size < 32 ? 32 : *size,
                      1 /* RSEQ_FLAG_UNREGISTER.  */, RSEQ_SIG);
#endif
}

#endif /* hugetext-rseq.h */
