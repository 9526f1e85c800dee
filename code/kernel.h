/* The state of a block, as the kernel reports it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODE_KERNEL_H
#define CODE_KERNEL_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif /* kernel.h */
