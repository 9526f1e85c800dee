/* The registers of a traced thread, and the code of the trampoline
   (trampoline.h).  x86-64 version.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#ifndef TRACEE_ARCH_H
#define TRACEE_ARCH_H

#include "util/problem.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>

/* The registers that PTRACE_GETREGSET returns (NT_PRSTATUS).  */
struct tracee_registers
{
  struct user_regs_struct user;
};

/* The layout of a trampoline, as offsets in bytes.  The last three words of a
   trampoline are the signal mask, the address to jump to, and the ID of the
   thread that owns the trampoline.  */
#define TRACEE_REGION 288
#define TRACEE_OWNER (TRACEE_REGION - sizeof (uint64_t))

/* Text has no protection in addition to PROT_READ and PROT_EXEC.  */
#define TRACEE_GUARD 0

static inline uintptr_t
tracee_pc (const struct tracee_registers *registers)
{
  return registers->user.rip;
}

static inline uintptr_t
tracee_stack (const struct tracee_registers *registers)
{
  return registers->user.rsp;
}

static inline long
tracee_result (const struct tracee_registers *registers)
{
  return registers->user.rax;
}

/* Return true if thread TID with REGISTERS can execute a trampoline.  A thread
   that runs 32-bit code cannot execute a trampoline.  In a thread that runs
   32-bit code, the register CS is not the kernel's __USER_CS.  AT_EXEC is true
   if the thread has not run since execve.  */
static inline bool
tracee_look (pid_t tid, int memory, struct tracee_registers *registers,
             bool at_exec, struct problem *problem)
{
  (void) tid;
  (void) memory;
  (void) at_exec;
  return registers->user.cs == 0x33
         || problem_set (problem, "the thread runs 32-bit code");
}

/* Return the registers with which a thread that was stopped with REGISTERS
   would continue.  If the stop interrupted a system call, the result makes the
   thread repeat the call.  Interrupted calls have error numbers that are
   internal to the kernel (<linux/errno.h>) and visible only to tracers.  */
static inline struct tracee_registers
tracee_goes_on (const struct tracee_registers *registers)
{
  enum
  {
    ERESTARTSYS = 512,
    ERESTARTNOINTR = 513,
    ERESTARTNOHAND = 514,
    ERESTART_RESTARTBLOCK = 516,
    SYSCALL_LENGTH = 2,
  };
  struct tracee_registers after = *registers;
  if ((long) registers->user.orig_rax < 0)
    return after;
  switch (-(long) registers->user.rax)
    {
    case ERESTARTSYS:
    case ERESTARTNOINTR:
    case ERESTARTNOHAND:
      after.user.rax = registers->user.orig_rax;
      after.user.rip -= SYSCALL_LENGTH;
      break;
    case ERESTART_RESTARTBLOCK:
      after.user.rax = SYS_restart_syscall;
      after.user.rip -= SYSCALL_LENGTH;
      break;
    }
  return after;
}

/* If the kernel would continue the thread's system call by restart_syscall,
   change REGISTERS so that the thread makes the call again, and return true.
   Otherwise return false.  */
static inline bool
tracee_begin_again (struct tracee_registers *registers)
{
  struct tracee_registers after = tracee_goes_on (registers);
  if (after.user.rax != SYS_restart_syscall
      || after.user.rip == registers->user.rip)
    return false;
  after.user.rax = registers->user.orig_rax;
  after.user.orig_rax = -1;
  *registers = after;
  return true;
}

/* True if the thread can repeat a call that has failed with EINTR.  */
#define TRACEE_AGAIN true

/* REGISTERS are those of a stopped thread.  If the thread's last system call
   has failed with EINTR, return the number of this call, and set ARGUMENT to
   its arguments.  Otherwise return -1.  */
static inline long
tracee_interrupted (const struct tracee_registers *registers,
                    unsigned long argument[6])
{
  const struct user_regs_struct *user = &registers->user;
  argument[0] = user->rdi;
  argument[1] = user->rsi;
  argument[2] = user->rdx;
  argument[3] = user->r10;
  argument[4] = user->r8;
  argument[5] = user->r9;
  return (long) user->rax == -EINTR ? (long) user->orig_rax : -1;
}

/* The thread's system call has failed with EINTR: make the kernel repeat this
   call.  After ERESTARTNOHAND (514) the kernel repeats a call unless a handler
   for a signal runs.  If a handler runs, the call fails with EINTR.  */
static inline void
tracee_make_again (struct tracee_registers *registers)
{
  registers->user.rax = -514L;
}

/* REGISTERS contains the registers with which the thread was stopped.  Change
   REGISTERS so that the thread continues in the trampoline at REGION.  The
   trampoline makes the call NUMBER.  If NUMBER is -1, the trampoline makes no
   call, and continues as if a call had returned -1.  Leave the flags as they
   are: neither the instructions of the trampoline nor its system calls change
   the flags.  */
static inline void
tracee_enter (struct tracee_registers *registers, uintptr_t region,
              long number, const uintptr_t argument[6])
{
  enum
  {
    TRAP_FLAG = 0x100,
    SYSCALL_LENGTH = 2,
  };
  registers->user.orig_rax = -1;
  registers->user.eflags &= ~(unsigned long) TRAP_FLAG;
  registers->user.rip = region + (number < 0 ? SYSCALL_LENGTH : 0);
  registers->user.rax = number;
  if (number < 0)
    return;
  registers->user.rdi = argument[0];
  registers->user.rsi = argument[1];
  registers->user.rdx = argument[2];
  registers->user.r10 = argument[3];
  registers->user.r8 = argument[4];
  registers->user.r9 = argument[5];
}

/* Change REGISTERS as if the trampoline's call had returned RESULT.  Call this
   function only after a call of tracee_enter with -1 as the NUMBER.  */
static inline void
tracee_set_result (struct tracee_registers *registers, long result)
{
  registers->user.rax = result;
}

/* Return the result of the trampoline's first system call.  The trampoline
   stops the thread after its first system call.  */
static inline long
tracee_kept_result (const struct tracee_registers *registers)
{
  return registers->user.r9;
}

/* Return the number of the system call that a thread with REGISTERS has just
   made.  */
static inline long
tracee_number (const struct tracee_registers *registers)
{
  return registers->user.orig_rax;
}

/* A buffer for the instructions of a trampoline.  */
struct tracee_code
{
  unsigned char *bytes;
  size_t used;
};

static inline void
tracee_emit (struct tracee_code *code, const void *bytes, size_t size)
{
  memcpy (code->bytes + code->used, bytes, size);
  code->used += size;
}

#define TRACEE_EMIT(CODE, BYTES) tracee_emit (CODE, BYTES, sizeof (BYTES) - 1)

/* Emit a mov of the 32-bit VALUE to the register that OPCODE names.  */
static inline void
tracee_emit_short (struct tracee_code *code, unsigned char opcode,
                   uint32_t value)
{
  tracee_emit (code, &opcode, 1);
  tracee_emit (code, &value, sizeof value);
}

/* Emit a mov of the 64-bit VALUE to a register; the register is given by the
   bytes PREFIX and OPCODE of the instruction.  If VALUE fits in 32 bits, use
   the shorter form.  */
static inline void
tracee_emit_long (struct tracee_code *code, unsigned char prefix,
                  unsigned char opcode, uint64_t value)
{
  const bool is_short = value <= UINT32_MAX;
  enum
  {
    REX_W = 8, /* 64-bit operand.  */
  };
  if (is_short)
    prefix &= ~REX_W;
  tracee_emit (code, &prefix, 1);
  tracee_emit (code, &opcode, 1);
  tracee_emit (code, &value, is_short ? sizeof (uint32_t) : sizeof value);
}

#define TRACEE_SYSCALL "\x0f\x05"
#define TRACEE_TO_EAX 0xb8
#define TRACEE_TO_EDX 0xba
#define TRACEE_TO_EDI 0xbf
#define TRACEE_REX 0x48   /* rax to rdi */
#define TRACEE_REX_B 0x49 /* r8 to r15 */

/* Emit the requested system call of the trampoline.  The result of the call
   stays in r9.  */
static inline void
tracee_emit_call (struct tracee_code *code)
{
  TRACEE_EMIT (code, TRACEE_SYSCALL);
  TRACEE_EMIT (code, "\x49\x89\xc1"); /* mov %rax, %r9 */
  /* The following system call has two arguments.  Set the other argument
     registers to zero, because prctl requires this.  */
  TRACEE_EMIT (code, "\xba\0\0\0\0");     /* mov $0, %edx */
  TRACEE_EMIT (code, "\x41\xba\0\0\0\0"); /* mov $0, %r10d */
  TRACEE_EMIT (code, "\x41\xb8\0\0\0\0"); /* mov $0, %r8d */
}

/* Emit the instructions that make the system call NUMBER with the arguments A,
   B and C.  If RESULT is true, ignore A: the first argument is the result of
   the trampoline's first system call.  */
static inline void
tracee_emit_cleanup (struct tracee_code *code, long number, bool result,
                     uintptr_t a, uintptr_t b, uint32_t c)
{
  if (c != 0)
    tracee_emit_short (code, TRACEE_TO_EDX, c);
  if (result)
    TRACEE_EMIT (code, "\x4c\x89\xcf"); /* mov %r9, %rdi */
  else
    tracee_emit_long (code, TRACEE_REX, TRACEE_TO_EDI, a);
  tracee_emit_long (code, TRACEE_REX, 0xbe, b); /* %rsi */
  tracee_emit_short (code, TRACEE_TO_EAX, number);
  TRACEE_EMIT (code, TRACEE_SYSCALL);
  if (c != 0)
    tracee_emit_short (code, TRACEE_TO_EDX, 0);
}

/* Emit the end of the trampoline.  At its end, the trampoline restores the
   thread's signal mask to MASK, and restores from REGISTERS the registers that
   a system call uses or changes.  The trampoline changes only registers that
   its end restores.  The caller will write CODE to the address REGION.  Return
   false if there is not enough space in CODE.  */
static inline bool
tracee_emit_end (struct tracee_code *code, uintptr_t region, uint64_t mask,
                 const struct tracee_registers *registers)
{
  const struct user_regs_struct *r = &registers->user;
  const size_t words = TRACEE_OWNER - 2 * sizeof (uint64_t);
  tracee_emit_short (code, TRACEE_TO_EAX, SYS_rt_sigprocmask);
  tracee_emit_short (code, TRACEE_TO_EDI, 2);                /* SIG_SETMASK */
  tracee_emit_long (code, TRACEE_REX, 0xbe, region + words); /* %rsi */
  tracee_emit_short (code, TRACEE_TO_EDX, 0);
  TRACEE_EMIT (code, "\x41\xba\x08\0\0\0"); /* mov $8, %r10d */
  TRACEE_EMIT (code, TRACEE_SYSCALL);

  tracee_emit_long (code, TRACEE_REX, 0xb8, r->rax);
  tracee_emit_long (code, TRACEE_REX, 0xb9, r->rcx);
  tracee_emit_long (code, TRACEE_REX, 0xba, r->rdx);
  tracee_emit_long (code, TRACEE_REX, 0xbe, r->rsi);
  tracee_emit_long (code, TRACEE_REX, 0xbf, r->rdi);
  tracee_emit_long (code, TRACEE_REX_B, 0xb8, r->r8);
  tracee_emit_long (code, TRACEE_REX_B, 0xb9, r->r9);
  tracee_emit_long (code, TRACEE_REX_B, 0xba, r->r10);
  tracee_emit_long (code, TRACEE_REX_B, 0xbb, r->r11);
  /* Emit "jmp *ADDRESS": the word that contains the target is addressed
     relative to the next instruction.  */
  uint32_t distance = words + sizeof (uint64_t) - (code->used + 6);
  TRACEE_EMIT (code, "\xff\x25");
  tracee_emit (code, &distance, sizeof distance);
  if (code->used > words)
    return false;
  memcpy (code->bytes + words, &mask, sizeof mask);
  memcpy (code->bytes + words + sizeof mask, &r->rip, sizeof r->rip);
  return true;
}

#endif
