/* An interpreter for filters of system calls (seccomp).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A pure function: the classic BPF that seccomp(2) takes, run as the kernel
   runs it.  */

#ifndef BPF_H
#define BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Run the COUNT instructions CODE on CALL.  False if the kernel would not have
   taken them, or they are of a kind that we do not know; else RESULT is what
   they return: SECCOMP_RET_ALLOW, for one.  */
extern bool bpf_run (const struct sock_filter *code, size_t count,
                     const struct seccomp_data *call, uint32_t *result);

/* Of what two filters of one thread return the one that the kernel heeds.  */
extern uint32_t bpf_stronger (uint32_t older, uint32_t newer);

#endif
