/* An interpreter for seccomp filters.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tracee/bpf.h"

#include <string.h>

uint32_t
bpf_run (const struct sock_filter *code, size_t count,
         const struct seccomp_data *call)
{
  uint32_t value = 0;
  /* All jumps in a seccomp filter go forward, so each instruction is executed
     at most once.  */
  for (size_t i = 0; i < count; ++i)
    {
      const struct sock_filter *at = &code[i];
      switch (at->code)
        {
        case BPF_LD | BPF_W | BPF_ABS:
          if (at->k % sizeof value != 0 || at->k >= sizeof *call)
            return BPF_UNKNOWN;
          memcpy (&value, (const char *) call + at->k, sizeof value);
          break;
        case BPF_ALU | BPF_AND | BPF_K:
          value &= at->k;
          break;
        case BPF_JMP | BPF_JA:
          i += at->k;
          break;
        case BPF_JMP | BPF_JEQ | BPF_K:
          i += value == at->k ? at->jt : at->jf;
          break;
        case BPF_JMP | BPF_JGT | BPF_K:
          i += value > at->k ? at->jt : at->jf;
          break;
        case BPF_JMP | BPF_JGE | BPF_K:
          i += value >= at->k ? at->jt : at->jf;
          break;
        case BPF_JMP | BPF_JSET | BPF_K:
          i += (value & at->k) != 0 ? at->jt : at->jf;
          break;
        case BPF_RET | BPF_K:
          return at->k;
        default:
          return BPF_UNKNOWN;
        }
    }
  return BPF_UNKNOWN;
}

uint32_t
bpf_stronger (uint32_t older, uint32_t newer)
{
  /* Compare actions as signed numbers, so that SECCOMP_RET_KILL_PROCESS is
     the lowest.  */
  return (int32_t) (older & SECCOMP_RET_ACTION_FULL)
                 < (int32_t) (newer & SECCOMP_RET_ACTION_FULL)
             ? older
             : newer;
}
