/* An interpreter for filters of system calls (seccomp).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The interpreter is a pure function for the classic BPF of seccomp(2).  It
   supports the instructions that libseccomp and the sandboxes of browsers,
   OpenSSH and virtual machines write: they load a word of the call, mask it,
   compare it with a number, and return a number.  For these it gives the
   kernel's result.  */

#ifndef BPF_H
#define BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* The value for instructions that the interpreter does not know, or that the
   kernel would refuse.  No filter returns it: the kernel has no such action,
   and kills.  */
#define BPF_UNKNOWN UINT32_MAX

/* Run the COUNT instructions CODE on CALL.  Return their value, for example
   SECCOMP_RET_ALLOW.  */
extern uint32_t bpf_run (const struct sock_filter *code, size_t count,
                         const struct seccomp_data *call);

/* Given the results of two filters of a thread, return the one that the kernel
   obeys.  */
extern uint32_t bpf_stronger (uint32_t older, uint32_t newer);

#endif
