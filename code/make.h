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

/* Whether the settings say that code is followed.  */
static inline bool
code_is_on (void)
{
  if (hugetext_code.ledger == NULL
      || __atomic_load_n (&code_is_over, __ATOMIC_SEQ_CST))
    return false;
  /* The loader has the size of a block; the table needs it.  */
  if (code_blocks.block == 0)
    code_blocks.block = hugetext_code.block;
  return true;
}

/* Prevent that any thread makes a call of ours from now on.  */
extern void code_stop (void);

/* Make the blocks that are due, after a call of the program.  */
extern void code_make (void);

/* The state of a block, as the kernel reports it.  */

/* Whether [START, END) is code: one executable mapping, either of no file or
   of shared memory.  */
extern bool code_ask_kind (uintptr_t start, uintptr_t end);

/* Return how many of the N pages, of PAGE bytes each, at START are in use:
   pages of shared memory that any process has touched, and under a filter
   (FILTERED) those that this process has mapped; 0 if the kernel does not say.
   SCRATCH is a page of scratch space.  */
extern size_t code_ask_used (uintptr_t start, size_t n, uintptr_t page,
                             bool filtered, char scratch[4096]);

/* Whether a filter may kill the calling thread for system calls that no libc
   makes.  */
extern bool code_ask_filtered (void);

#endif /* make.h */
