/* Make blocks of code huge.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#ifndef CODE_MAKE_H
#define CODE_MAKE_H 1

#include "blocks.h"
#include "hugetext-code.h"

/* The data that the loader passes to hugetext-code.so.  */
extern struct hugetext_code hugetext_code;

/* The table of the blocks of this process.  */
extern struct code_table code_blocks;

/* If set, hugetext-code.so only passes on the program's calls.  Any thread
   may set this variable, and no thread clears it.  */
extern bool code_is_over;

/* Convert the kernel's RESULT to what libc's function returns, and set
   errno.  */
extern long int code_finish (long int result);

/* Return true if the settings ask for huge pages for code made at run time,
   and no filter prevents this.  */
static inline bool
code_is_on (void)
{
  if (hugetext_code.ledger == NULL
      || __atomic_load_n (&code_is_over, __ATOMIC_SEQ_CST))
    return false;
  /* hugetext_code.block is the size of a block: the loader determines it
     before it maps hugetext-code.so.  */
  if (code_blocks.block == 0)
    code_blocks.block = hugetext_code.block;
  return true;
}

/* From now on, let hugetext-code.so only pass the program's own system calls
   on to the kernel, and add none.  */
extern void code_stop (void);

/* Make the due blocks huge.  The functions in hooks.c call code_make after
   they have made a system call for the program.  */
extern void code_make (void);

/* Declarations of the functions that ask the kernel about the state of a
   block.  */

/* Return true if [START, END) is code, that is, one executable mapping that
   either maps no file or is shared.  */
extern bool code_ask_kind (uintptr_t start, uintptr_t end);

/* Return how many of the N pages at START are in use, or 0 if the kernel does
   not answer.  A page has PAGE bytes.  A page of shared memory is in use if
   any process has touched it.  If FILTERED (under a seccomp filter), count
   only pages that this process itself has mapped.  SCRATCH is a page of
   scratch space for this function.  */
extern size_t code_ask_used (uintptr_t start, size_t n, uintptr_t page,
                             bool filtered, char scratch[4096]);

/* Return true if a filter may kill the calling thread because of a system call
   that libc never makes.  */
extern bool code_ask_filtered (void);

#endif /* make.h */
