/* An interpreter for filters of system calls (seccomp).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The interpreter is a pure function for the classic BPF that seccomp(2)
   takes, and computes what the kernel computes.  */

#ifndef BPF_H
#define BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Run the COUNT instructions CODE on CALL, and set RESULT to their value, for
   example SECCOMP_RET_ALLOW.  False if the kernel would refuse the
   instructions, or if the interpreter does not know one.  */
extern bool bpf_run (const struct sock_filter *code, size_t count,
                     const struct seccomp_data *call, uint32_t *result);

/* Return the one of the results of two filters of a thread that the kernel
   obeys.  */
extern uint32_t bpf_stronger (uint32_t older, uint32_t newer);

#endif
