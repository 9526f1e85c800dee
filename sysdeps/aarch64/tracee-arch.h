/* The registers of a traced thread, and the code of the trampoline
   (trampoline.h).  AArch64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   On AArch64 every jump to an arbitrary address changes a register, so the
   trampoline ends with rt_sigreturn, which restores all registers.  The signal
   frame that rt_sigreturn reads is behind the code of the trampoline, so no
   other memory is needed.  When the kernel stops a thread in a system call, it
   first sets the program counter back to the instruction of the call.  After
   the thread has executed the trampoline, the thread makes the whole call
   again.  If the call is a sleep, it begins again with its full time, so the
   sleep lasts longer than the program has asked for.  */

#ifndef TRACEE_ARCH_H
#define TRACEE_ARCH_H

#include "util/problem.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

struct tracee_registers
{
  struct user_regs_struct user;      /* NT_PRSTATUS */
  struct user_fpsimd_struct vectors; /* NT_PRFPREG */
};

/* A signal frame for rt_sigreturn, without the siginfo at its beginning.
   (rt_sigreturn does not read the siginfo.)  The layout is from the kernel's
   <asm/sigcontext.h> and <asm/ucontext.h>.  */
struct tracee_frame
{
  uint64_t flags, link;
  uint64_t stack, stack_flags, stack_size;
  uint64_t mask;
  uint64_t unused[16];
  uint64_t fault;
  struct user_regs_struct registers;
  uint64_t pad;
  uint32_t magic, size, fpsr, fpcr;
  __uint128_t vectors[32];
  uint64_t end[2];
};

enum
{
  TRACEE_SIGINFO = 128,
  TRACEE_FPSIMD_MAGIC = 0x46508001, /* FPSIMD_MAGIC */
  TRACEE_FPSIMD_SIZE = 528,
};

_Static_assert(offsetof (struct tracee_frame, registers) == 184,
               "the kernel's signal frame has the registers at this offset");
_Static_assert(offsetof (struct tracee_frame, magic) == 464,
               "the kernel's signal frame has FPSIMD_MAGIC at this offset");

/* The layout of a trampoline, as offsets in bytes: code, signal frame, a set
   of all signals, and the ID of the thread that owns the trampoline.  */
#define TRACEE_FRAME 288
#define TRACEE_REGION 1312
#define TRACEE_OWNER (TRACEE_REGION - sizeof (uint64_t))
#define TRACEE_ALL_SIGNALS (TRACEE_OWNER - sizeof (uint64_t))

_Static_assert(
    TRACEE_FRAME + sizeof (struct tracee_frame) <= TRACEE_ALL_SIGNALS,
    "the signal frame must end before the signal mask at TRACEE_ALL_SIGNALS");

#define TRACEE_SVC 0xd4000001 /* svc #0 */

/* The protection that text may have in addition to PROT_READ and PROT_EXEC:
   PROT_BTI (Linux 5.8, arch/arm64/include/uapi/asm/mman.h).  */
#define TRACEE_GUARD 0x10

static inline uintptr_t
tracee_pc (const struct tracee_registers *registers)
{
  return registers->user.pc;
}

static inline uintptr_t
tracee_stack (const struct tracee_registers *registers)
{
  return registers->user.sp;
}

static inline long
tracee_result (const struct tracee_registers *registers)
{
  return registers->user.regs[0];
}

/* Return true if there is a system call instruction at PC or directly before
   PC.  */
static inline bool
tracee_at_call (int memory, uintptr_t pc)
{
  uint32_t code[2];
  return (pread (memory, code, sizeof code, pc - sizeof code[0]) == sizeof code
          && (code[0] == TRACEE_SVC || code[1] == TRACEE_SVC));
}

/* The member USER of REGISTERS already contains the thread's general
   registers.  Read the thread's other registers into REGISTERS.  Return true
   if thread TID can execute a trampoline.  System calls clear the registers of
   the scalable extensions (SVE, SME).  Therefore, on a CPU with SVE or SME, a
   thread can execute a trampoline only if the thread is already at a system
   call.  AT_EXEC is true if the thread has not run since execve, so that the
   registers of SVE and SME are empty.  */
static inline bool
tracee_look (pid_t tid, int memory, struct tracee_registers *registers,
             bool at_exec, struct problem *problem)
{
  enum
  {
    SVE = 1 << 22,      /* HWCAP_SVE */
    SME = 1 << 23,      /* HWCAP2_SME */
    MODE_32 = 0x10,     /* A bit of PSTATE.  */
    REGSET_GCS = 0x410, /* NT_ARM_GCS */
  };
  uint64_t gcs[3] = { 0 };
  struct iovec vector = { &registers->vectors, sizeof registers->vectors };
  if (ptrace (PTRACE_GETREGSET, tid, (void *) NT_PRFPREG, &vector) != 0
      || vector.iov_len != sizeof registers->vectors)
    return problem_set (problem,
                        "the vector registers of the thread cannot be read");
  if ((registers->user.pstate & MODE_32) != 0)
    return problem_set (problem, "the thread runs 32-bit code");
  vector = (struct iovec){ gcs, sizeof gcs };
  if (ptrace (PTRACE_GETREGSET, tid, (void *) REGSET_GCS, &vector) == 0
      && (gcs[0] & 1) != 0)
    return problem_set (problem, "the thread has a guarded control stack");
  if (!at_exec
      && ((getauxval (AT_HWCAP) & SVE) != 0
          || (getauxval (AT_HWCAP2) & SME) != 0)
      && !tracee_at_call (memory, registers->user.pc))
    return problem_set (problem, "none of its threads is in a system call");
  return true;
}

static inline struct tracee_registers
tracee_goes_on (const struct tracee_registers *registers)
{
  return *registers;
}

/* If the kernel would continue the thread's system call by restart_syscall,
   change REGISTERS so that the thread makes the call again, and return true.
   Otherwise return false.  On AArch64 this function always returns false,
   because the registers do not show how the call continues: the kernel decides
   this only when the thread runs again.  */
static inline bool
tracee_begin_again (struct tracee_registers *registers)
{
  (void) registers;
  return false;
}

/* True if the thread can repeat a call that has failed with EINTR.  On AArch64
   a thread cannot repeat a system call that has failed, because the result has
   overwritten the register of the first argument.  */
#define TRACEE_AGAIN false

static inline long
tracee_interrupted (const struct tracee_registers *registers,
                    unsigned long argument[6])
{
  (void) registers;
  (void) argument;
  return -1;
}

static inline void
tracee_make_again (struct tracee_registers *registers)
{
  (void) registers;
}

/* REGISTERS contains the registers with which the thread was stopped.  Change
   REGISTERS so that the thread continues in the trampoline at the address
   REGION.  The trampoline makes the call NUMBER.  If NUMBER is -1, the
   trampoline makes no call, and continues as if a call had returned -1.  */
static inline void
tracee_enter (struct tracee_registers *registers, uintptr_t region,
              long number, const uintptr_t argument[6])
{
  registers->user.pc = region + (number < 0 ? sizeof (uint32_t) : 0);
  registers->user.regs[0] = -1;
  if (number < 0)
    return;
  memcpy (registers->user.regs, argument, 6 * sizeof *argument);
  registers->user.regs[8] = number;
}

/* Change REGISTERS as if the trampoline's call had returned RESULT.  Call this
   function only after a call of tracee_enter with -1 as the NUMBER.  */
static inline void
tracee_set_result (struct tracee_registers *registers, long result)
{
  registers->user.regs[0] = result;
}

/* Return the result of the first system call of the trampoline.  The
   trampoline stops the thread after its first call.  */
static inline long
tracee_kept_result (const struct tracee_registers *registers)
{
  return registers->user.regs[9];
}

/* Return the number of the system call that a thread with REGISTERS has just
   made.  */
static inline long
tracee_number (const struct tracee_registers *registers)
{
  return registers->user.regs[8];
}

/* A buffer for the instructions of a trampoline.  */
struct tracee_code
{
  unsigned char *bytes;
  size_t used;
};

static inline void
tracee_emit (struct tracee_code *code, uint32_t instruction)
{
  memcpy (code->bytes + code->used, &instruction, sizeof instruction);
  code->used += sizeof instruction;
}

/* Emit movz and movk instructions that set register X to VALUE.  */
static inline void
tracee_emit_value (struct tracee_code *code, unsigned int x, uint64_t value)
{
  tracee_emit (code, 0xd2800000 | (value & 0xffff) << 5 | x);
  for (unsigned int i = 1; i < 4; ++i)
    if ((value >> 16 * i & 0xffff) != 0)
      tracee_emit (code,
                   0xf2800000 | i << 21 | (value >> 16 * i & 0xffff) << 5 | x);
}

/* Emit the requested system call of the trampoline.  The result of the system
   call stays in x9.  */
static inline void
tracee_emit_call (struct tracee_code *code)
{
  tracee_emit (code, TRACEE_SVC);
  tracee_emit (code, 0xaa0003e9); /* mov x9, x0 */
  /* The following system call has two arguments.  Set the third, fourth and
     fifth argument to zero, because prctl requires this.  */
  tracee_emit (code, 0xd2800002); /* mov x2, #0 */
  tracee_emit (code, 0xd2800003); /* mov x3, #0 */
  tracee_emit (code, 0xd2800004); /* mov x4, #0 */
}

/* Emit the instructions that make the system call NUMBER with the arguments A,
   B and C.  If RESULT is true, ignore A: the first argument is the result of
   the trampoline's first system call.  */
static inline void
tracee_emit_cleanup (struct tracee_code *code, long number, bool result,
                     uintptr_t a, uintptr_t b, uint32_t c)
{
  if (c != 0)
    tracee_emit_value (code, 2, c);
  if (result)
    tracee_emit (code, 0xaa0903e0); /* mov x0, x9 */
  else
    tracee_emit_value (code, 0, a);
  tracee_emit_value (code, 1, b);
  tracee_emit_value (code, 8, number);
  tracee_emit (code, TRACEE_SVC);
  if (c != 0)
    tracee_emit_value (code, 2, 0);
}

/* Emit the end of the trampoline, which sets the thread's signal mask to MASK
   and its registers to REGISTERS.  The caller will write CODE to the address
   REGION.  Return false if there is not enough space in CODE.  */
static inline bool
tracee_emit_end (struct tracee_code *code, uintptr_t region, uint64_t mask,
                 const struct tracee_registers *registers)
{
  const uint64_t all = UINT64_MAX;
  const struct tracee_frame frame = {
    /* UINT32_MAX is not a valid value for the flags of a signal stack, so the
       kernel does not change the thread's signal stack.  */
    .stack_flags = UINT32_MAX,       .mask = mask,
    .registers = registers->user,    .magic = TRACEE_FPSIMD_MAGIC,
    .size = TRACEE_FPSIMD_SIZE,      .fpsr = registers->vectors.fpsr,
    .fpcr = registers->vectors.fpcr,
  };
  /* Block all signals while the stack pointer points to the signal frame in
     the trampoline.  (hugetext usually blocks the thread's signals before the
     thread executes the trampoline.  If hugetext was killed, the signals may
     be unblocked.)  */
  tracee_emit_value (code, 0, 2); /* SIG_SETMASK */
  tracee_emit_value (code, 1, region + TRACEE_ALL_SIGNALS);
  tracee_emit_value (code, 2, 0);
  tracee_emit_value (code, 3, sizeof mask);
  tracee_emit_value (code, 8, SYS_rt_sigprocmask);
  tracee_emit (code, TRACEE_SVC);
  tracee_emit_value (code, 9, region + TRACEE_FRAME - TRACEE_SIGINFO);
  tracee_emit (code, 0x9100013f); /* mov sp, x9 */
  tracee_emit_value (code, 8, SYS_rt_sigreturn);
  tracee_emit (code, TRACEE_SVC);
  if (code->used > TRACEE_FRAME)
    return false;
  unsigned char *to = code->bytes + TRACEE_FRAME;
  memcpy (to, &frame, sizeof frame);
  memcpy (to + offsetof (struct tracee_frame, vectors),
          registers->vectors.vregs, sizeof frame.vectors);
  memcpy (code->bytes + TRACEE_ALL_SIGNALS, &all, sizeof all);
  return true;
}

#endif
