/* Tests of the interpreter for seccomp filters: its result is the same as the
   kernel's.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-bpf [ROUNDS [SEED]] tries ROUNDS random filters.  For one filter in
   sixteen, the test asks the kernel, in a child that has this filter.  */

#include "bpf-check.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOAD(OFFSET) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, (OFFSET))
#define RETURN(VALUE) BPF_STMT (BPF_RET | BPF_K, (VALUE))
#define COUNT(ARRAY) (sizeof (ARRAY) / sizeof *(ARRAY))

static const struct seccomp_data a_call
    = { .nr = 10, .arch = 0xc000003e, .args = { 0x100000002, 7, 5 } };

/* Filters as libseccomp writes them: they compare numbers, and the two halves
   of an argument.  */
static void
test_usual (void)
{
  static const struct sock_filter code[] = {
    LOAD (4),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, 0xc000003e, 0, 7),
    LOAD (0),
    BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, 20, 6, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, 10, 0, 4),
    LOAD (20),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 2),
    LOAD (16),
    BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, 2, 2, 0),
    RETURN (SECCOMP_RET_KILL_PROCESS),
    RETURN (SECCOMP_RET_ERRNO | 38),
    RETURN (SECCOMP_RET_ALLOW),
  };
  static const struct
  {
    int nr;
    uint32_t arch;
    uint64_t arg;
    uint32_t result;
  } cases[] = {
    { 10, 0xc000003e, 0x100000002, SECCOMP_RET_ALLOW },
    { 10, 0xc000003e, 0x100000001, SECCOMP_RET_KILL_PROCESS },
    { 10, 0xc000003e, 0x000000002, SECCOMP_RET_KILL_PROCESS },
    { 11, 0xc000003e, 0x100000002, SECCOMP_RET_KILL_PROCESS },
    { 20, 0xc000003e, 0x100000002, SECCOMP_RET_ERRNO | 38 },
    { 10, 0x40000003, 0x100000002, SECCOMP_RET_KILL_PROCESS },
  };
  for (size_t i = 0; i < COUNT (cases); ++i)
    {
      struct seccomp_data call = { .nr = cases[i].nr,
                                   .arch = cases[i].arch,
                                   .args = { cases[i].arg } };
      EXPECT_EQUAL (run_twice (code, COUNT (code), &call), cases[i].result);
    }
  group_done ("the usual form", COUNT (cases));
}

/* Filters that the kernel would refuse, and instructions that the interpreter
   does not know.  */
static void
test_unknown (void)
{
  static const struct sock_filter cases[] = {
    LOAD (1),
    LOAD (64),
    LOAD (UINT32_MAX),
    BPF_STMT (BPF_LD | BPF_W | BPF_IND, 0),
    BPF_STMT (BPF_LD | BPF_IMM, 0),
    BPF_STMT (BPF_LD | BPF_MEM, 0),
    BPF_STMT (BPF_LD | BPF_MEM, BPF_MEMWORDS),
    BPF_STMT (BPF_LDX | BPF_IMM, 0),
    BPF_STMT (BPF_LDX | BPF_B | BPF_MSH, 0),
    BPF_STMT (BPF_ST, BPF_MEMWORDS),
    BPF_STMT (BPF_STX, UINT32_MAX),
    BPF_STMT (BPF_ALU | BPF_DIV | BPF_K, 0),
    BPF_STMT (BPF_ALU | BPF_LSH | BPF_K, 32),
    BPF_STMT (BPF_ALU | BPF_MOD | BPF_K, 3),
    BPF_STMT (BPF_ALU | BPF_AND | BPF_X, 0),
    BPF_STMT (BPF_MISC | BPF_TAX, 0),
    BPF_STMT (BPF_RET | BPF_A, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 0),
    BPF_JUMP (BPF_JMP | BPF_JA, 1, 0, 0),
    BPF_JUMP (BPF_JMP | BPF_JA, UINT32_MAX, 0, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 255),
    LOAD (0),
  };
  for (size_t i = 0; i < COUNT (cases) - 1; ++i)
    {
      const struct sock_filter code[] = { cases[i], RETURN (0) };
      EXPECT_EQUAL (run_twice (code, COUNT (code), &a_call), BPF_UNKNOWN);
    }
  /* The last filter is valid except for its end.  */
  EXPECT_EQUAL (run_twice (&cases[COUNT (cases) - 1], 1, &a_call),
                BPF_UNKNOWN);
  EXPECT_EQUAL (run_twice (cases, 0, &a_call), BPF_UNKNOWN);
  group_done ("invalid filters and unknown instructions", COUNT (cases) + 1);
}

static void
test_stronger (void)
{
  static const uint32_t order[] = {
    SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD, SECCOMP_RET_TRAP,
    SECCOMP_RET_ERRNO | 1,    SECCOMP_RET_USER_NOTIF,  SECCOMP_RET_TRACE,
    SECCOMP_RET_LOG,          SECCOMP_RET_ALLOW,
  };
  for (size_t i = 0; i < COUNT (order); ++i)
    for (size_t k = i; k < COUNT (order); ++k)
      {
        EXPECT_EQUAL (bpf_stronger (order[i], order[k]), order[i]);
        EXPECT_EQUAL (bpf_stronger (order[k], order[i]), order[i]);
      }
  /* If one filter allows a call and another filter cannot be interpreted, the
     result is still "unknown".  */
  EXPECT_EQUAL (bpf_stronger (SECCOMP_RET_ALLOW, BPF_UNKNOWN), BPF_UNKNOWN);
  EXPECT_EQUAL (bpf_stronger (BPF_UNKNOWN, SECCOMP_RET_ERRNO | 1),
                BPF_UNKNOWN);
  EXPECT_EQUAL (bpf_stronger (SECCOMP_RET_ERRNO | 1, SECCOMP_RET_ERRNO | 2),
                SECCOMP_RET_ERRNO | 2);
  group_done ("the stronger one", COUNT (order) * (COUNT (order) + 1) / 2);
}

/* Return a number that often occurs in filters or, more rarely, an arbitrary
   number.  */
static uint32_t
some_number (uint64_t *state)
{
  uint64_t random = next_random (state);
  return random % 4 == 0 ? random >> 32 : (random >> 8) % 40;
}

/* Make a random instruction; it is the first of the last LEFT instructions of
   a filter.  If it returns an error, the error number is at least 1024.  */
static struct sock_filter
some_instruction (uint64_t *state, size_t left)
{
  static const uint16_t jumps[] = { BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET };
  const uint32_t k = some_number (state);
  const uint8_t over[]
      = { next_random (state) % left, next_random (state) % left };
  switch (next_random (state) % 8)
    {
    case 0:
    case 1:
    case 2:
      /* Do not load the instruction pointer, which the test does not
         know.  */
      return (struct sock_filter) LOAD (
          next_random (state) % 2 == 0 ? k % 2 * 4 : 16 + k % 12 * 4);
    case 3:
      return (struct sock_filter) BPF_STMT (BPF_ALU | BPF_AND | BPF_K, k);
    case 4:
      return (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JA, over[0], 0, 0);
    case 5:
      return (struct sock_filter) RETURN (SECCOMP_RET_ERRNO | 1024
                                          | (k & 1023));
    default:
      return (struct sock_filter) BPF_JUMP (
          BPF_JMP | BPF_K | jumps[next_random (state) % 4], k, over[0],
          over[1]);
    }
}

/* Return what the kernel returns for CODE and the system call NUMBER with
   ARGS.  Only 12 bits of the result can be seen.  Return 0 if the process was
   killed, or -1 if the kernel refuses CODE.  */
static int
ask_kernel (const struct sock_filter *code, size_t count, int number,
            const uint64_t args[6])
{
  struct sock_fprog program
      = { count, (struct sock_filter *) (uintptr_t) code };
  int pipes[2], answer = -1, status;
  EXPECT (pipe (pipes) == 0);
  pid_t pid = fork ();
  EXPECT (pid >= 0);
  if (pid == 0)
    {
      /* The filter is also run for write and exit_group; it allows both.  */
      prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      if (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        answer = syscall (number, args[0], args[1], args[2], args[3], args[4],
                          args[5])
                         == -1
                     ? errno
                     : 0;
      if (write (pipes[1], &answer, sizeof answer) < 0)
        _exit (2);
      _exit (0);
    }
  close (pipes[1]);
  if (read (pipes[0], &answer, sizeof answer) != sizeof answer)
    answer = 0;
  close (pipes[0]);
  EXPECT (waitpid (pid, &status, 0) == pid);
  EXPECT (answer == 0 ? WIFSIGNALED (status) : status == 0);
  return answer;
}

/* Make CODE of at most MOST random instructions.  CODE allows all calls
   except NUMBER, and makes NUMBER fail with an error that shows which
   instruction has returned.  Return the number of instructions.  */
static size_t
some_program (struct sock_filter *code, int number, size_t most,
              uint64_t *state)
{
  size_t count = 0, middle = 1 + next_random (state) % most;
  code[count++] = (struct sock_filter) LOAD (0);
  code[count++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K,
                                                 number, 1, 0);
  code[count++] = (struct sock_filter) RETURN (SECCOMP_RET_ALLOW);
  for (size_t i = 0; i < middle; ++i)
    code[count++] = some_instruction (state, middle - i);
  code[count++]
      = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JGT | BPF_K, 7, 0, 1);
  code[count++] = (struct sock_filter) RETURN (SECCOMP_RET_ERRNO | 2048);
  code[count++] = (struct sock_filter) RETURN (SECCOMP_RET_ERRNO | 2049);
  return count;
}

static void
test_kernel (unsigned long int rounds, uint64_t state)
{
  const int number = SYS_getppid;
  unsigned long int taken = 0;
  for (unsigned long int round = 0; round < rounds; ++round)
    {
      struct sock_filter code[64];
      size_t count = some_program (code, number, 40, &state);
      struct seccomp_data call = { .nr = number, .arch = 0 };
#ifdef __aarch64__
      call.arch = 0xc00000b7;
#else
      call.arch = 0xc000003e;
#endif
      uint64_t args[6];
      for (int i = 0; i < 6; ++i)
        call.args[i] = args[i]
            = (uint64_t) some_number (&state) << 32 | some_number (&state);
      const uint32_t result = run_twice (code, count, &call);
      EXPECT (result != BPF_UNKNOWN);
      if (round % 16 != 0)
        continue;
      ++taken;
      EXPECT_EQUAL ((int) (result & SECCOMP_RET_DATA),
                    ask_kernel (code, count, number, args));
    }
  group_done ("random filters have the same result in the kernel", taken);
}

static void
test_random (unsigned long int rounds, uint64_t state)
{
  for (unsigned long int round = 0; round < rounds; ++round)
    {
      uint8_t data[256];
      size_t size = next_random (&state) % sizeof data;
      for (size_t i = 0; i < size; ++i)
        data[i] = next_random (&state) >> 32;
      /* Filters with small values in these bytes are accepted more often.  */
      for (size_t i = 0; round % 2 == 0 && i < size; ++i)
        data[i] = i % 8 > 1 ? data[i] % 8 : i % 8 == 1 ? 0 : data[i];
      check_bpf_bytes (data, size);
    }
  group_done ("random bytes", rounds);
}

int
main (int argc, char **argv)
{
  unsigned long int rounds = argc > 1 ? strtoul (argv[1], NULL, 0) : 20000;
  uint64_t state = argc > 2 ? strtoul (argv[2], NULL, 0) : 1;
  state = state != 0 ? state : 1;
  test_usual ();
  test_unknown ();
  test_stronger ();
  test_kernel (rounds < 8000 ? rounds : 8000, state);
  test_random (rounds, state);
  return 0;
}
