/* An interpreter for filters of system calls (seccomp).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The interpreter is a pure function for the instructions that libseccomp,
   systemd and container runtimes make: they load, compare, mask and return.  A
   filter with another instruction is not understood.  */

#ifndef BPF_H
#define BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* Return the value of the COUNT instructions CODE, which the kernel has
   accepted, for CALL: for example SECCOMP_RET_ALLOW.
   SECCOMP_RET_KILL_PROCESS if an instruction is not understood.  */
extern uint32_t bpf_run (const struct sock_filter *code, size_t count,
                         const struct seccomp_data *call);

#endif
