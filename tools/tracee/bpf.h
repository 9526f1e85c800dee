/* An interpreter for seccomp filters.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   The interpreter is a pure function for the classic BPF of seccomp(2).  The
   interpreter supports the instructions in the filters of libseccomp and of
   the sandboxes of browsers, OpenSSH and virtual machines.  The supported
   instructions load a word of struct seccomp_data, mask it, compare it with a
   number, and return a number.  For filters that consist of supported
   instructions, the interpreter gives the same result as the kernel.  */

#ifndef BPF_H
#define BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* The result if the interpreter does not know an instruction, or the kernel
   would refuse it.  A filter has no reason to return the value BPF_UNKNOWN
   itself: because the kernel has no action with this value, it would kill the
   process.  */
#define BPF_UNKNOWN UINT32_MAX

/* Run the filter CODE, which has COUNT instructions, on CALL.  Return the
   filter's result, for example SECCOMP_RET_ALLOW.  */
extern uint32_t bpf_run (const struct sock_filter *code, size_t count,
                         const struct seccomp_data *call);

/* Return the result that has precedence in the kernel if two filters of a
   thread have the results OLDER and NEWER.  */
extern uint32_t bpf_stronger (uint32_t older, uint32_t newer);

#endif
