/* An interpreter for filters of system calls (seccomp).
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The interpreter knows the instructions that seccomp_check_filter
   (kernel/seccomp.c) allows.  Jumps go forward only, so each instruction runs
   once at most.  */

#include "tracee/bpf.h"

#include <string.h>

/* The machine: accumulator, index, memory.  */
struct machine
{
  uint32_t a, x, memory[BPF_MEMWORDS];
};

/* Load the part of CALL that INSTRUCTION names into *TO.  */
static bool
load (const struct machine *machine, const struct sock_filter *instruction,
      const struct seccomp_data *call, uint32_t *to)
{
  const uint32_t k = instruction->k;
  switch (BPF_MODE (instruction->code))
    {
    case BPF_IMM:
      *to = k;
      return true;
    case BPF_LEN:
      *to = sizeof *call;
      return true;
    case BPF_MEM:
      if (k >= BPF_MEMWORDS)
        return false;
      *to = machine->memory[k];
      return true;
    case BPF_ABS:
      if (BPF_CLASS (instruction->code) != BPF_LD || k % sizeof *to != 0
          || k >= sizeof *call)
        return false;
      memcpy (to, (const char *) call + k, sizeof *to);
      return true;
    default:
      return false;
    }
}

/* Compute with the accumulator.  A division by zero ends the program with the
   result 0: then *ENDS is set.  */
static bool
compute (struct machine *machine, const struct sock_filter *instruction,
         bool *ends)
{
  const uint32_t by
      = BPF_SRC (instruction->code) == BPF_X ? machine->x : instruction->k;
  uint32_t *a = &machine->a;
  switch (BPF_OP (instruction->code))
    {
    case BPF_ADD:
      *a += by;
      return true;
    case BPF_SUB:
      *a -= by;
      return true;
    case BPF_MUL:
      *a *= by;
      return true;
    case BPF_DIV:
      *ends = by == 0;
      *a = by != 0 ? *a / by : 0;
      return by != 0 || BPF_SRC (instruction->code) == BPF_X;
    case BPF_AND:
      *a &= by;
      return true;
    case BPF_OR:
      *a |= by;
      return true;
    case BPF_XOR:
      *a ^= by;
      return true;
    case BPF_LSH:
      /* The kernel refuses larger constants, and uses as many bits of X.  */
      *a <<= by % 32;
      return by < 32 || BPF_SRC (instruction->code) == BPF_X;
    case BPF_RSH:
      *a >>= by % 32;
      return by < 32 || BPF_SRC (instruction->code) == BPF_X;
    case BPF_NEG:
      *a = -*a;
      return true;
    default:
      return false;
    }
}

/* Set *OVER to the number of instructions to skip of the LEFT that follow
   INSTRUCTION, a jump.  False if none would be left.  */
static bool
jump (const struct machine *machine, const struct sock_filter *instruction,
      size_t left, size_t *over)
{
  const uint32_t with
      = BPF_SRC (instruction->code) == BPF_X ? machine->x : instruction->k;
  bool yes;
  switch (BPF_OP (instruction->code))
    {
    case BPF_JA:
      *over = instruction->k;
      return *over < left;
    case BPF_JEQ:
      yes = machine->a == with;
      break;
    case BPF_JGT:
      yes = machine->a > with;
      break;
    case BPF_JGE:
      yes = machine->a >= with;
      break;
    case BPF_JSET:
      yes = (machine->a & with) != 0;
      break;
    default:
      return false;
    }
  *over = yes ? instruction->jt : instruction->jf;
  return *over < left;
}

bool
bpf_run (const struct sock_filter *code, size_t count,
         const struct seccomp_data *call, uint32_t *result)
{
  struct machine machine = { 0 };
  bool ends = false, good = true;
  *result = 0;
  for (size_t i = 0, over; good && !ends && i < count; i += 1 + over)
    {
      const struct sock_filter *instruction = &code[i];
      over = 0;
      switch (BPF_CLASS (instruction->code))
        {
        case BPF_LD:
          good = load (&machine, instruction, call, &machine.a);
          break;
        case BPF_LDX:
          good = load (&machine, instruction, call, &machine.x);
          break;
        case BPF_ST:
        case BPF_STX:
          good = instruction->k < BPF_MEMWORDS;
          if (good)
            machine.memory[instruction->k]
                = BPF_CLASS (instruction->code) == BPF_ST ? machine.a
                                                          : machine.x;
          break;
        case BPF_ALU:
          good = compute (&machine, instruction, &ends);
          break;
        case BPF_JMP:
          good = jump (&machine, instruction, count - i - 1, &over);
          break;
        case BPF_RET:
          *result = BPF_RVAL (instruction->code) == BPF_A ? machine.a
                                                          : instruction->k;
          return true;
        case BPF_MISC:
          if (BPF_MISCOP (instruction->code) == BPF_TAX)
            machine.x = machine.a;
          else
            machine.a = machine.x;
          break;
        }
    }
  /* The kernel accepts no filter that does not end by returning a value.  */
  return good && ends;
}

uint32_t
bpf_stronger (uint32_t older, uint32_t newer)
{
  /* Actions are ordered as signed numbers, SECCOMP_RET_KILL_PROCESS first.  */
  return (int32_t) (older & SECCOMP_RET_ACTION_FULL)
                 < (int32_t) (newer & SECCOMP_RET_ACTION_FULL)
             ? older
             : newer;
}
