/* The step that puts blocks of code on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODE_MAKE_H
#define CODE_MAKE_H 1

#include "blocks.h"
#include "hugetext-code.h"

/* The facts that the loader has left for the object.  */
extern struct hugetext_code hugetext_code;

/* The blocks of this process.  */
extern struct code_table code_blocks;

/* Calls are only passed on from now on.  */
extern bool code_is_over;

/* The value that libc returns for RESULT of a system call, with errno set.  */
extern long int code_finish (long int result);

/* Whether code is to be followed.  */
static inline bool
code_is_on (void)
{
  if (hugetext_code.ledger == NULL
      || __atomic_load_n (&code_is_over, __ATOMIC_SEQ_CST))
    return false;
  /* The loader knows, the table has to.  */
  if (code_blocks.block == 0)
    code_blocks.block = hugetext_code.block;
  return true;
}

/* Let no thread make any call of ours any more.  */
extern void code_stop (void);

/* A call has been made: make what is due.  */
extern void code_make (void);

/* N places are free.  */
static inline void
code_give (size_t n)
{
  if (n > 0)
    _dl_hugetext_ledger_give_code (hugetext_code.ledger, n);
}

#endif /* make.h */
