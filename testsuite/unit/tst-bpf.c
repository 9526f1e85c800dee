/* Tests of the interpreter for filters: its answer is the kernel's.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   tst-bpf [ROUNDS [SEED]]: the kernel is asked about so many random filters,
   by children with these filters.  */

#include "plan-test.h"

/* The command's own source.  */
#include "tracee/bpf.c"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOAD(OFFSET) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, (OFFSET))
#define RETURN(VALUE) BPF_STMT (BPF_RET | BPF_K, (VALUE))
#define COUNT(ARRAY) (sizeof (ARRAY) / sizeof *(ARRAY))

#ifdef __aarch64__
enum
{
  ARCHITECTURE = (int) 0xc00000b7
};
#else
enum
{
  ARCHITECTURE = (int) 0xc000003e
};
#endif

/* What is not understood allows nothing.  */
static void
test_others (void)
{
  static const struct sock_filter cases[] = {
    LOAD (64),
    LOAD (UINT32_MAX),
    BPF_STMT (BPF_LD | BPF_W | BPF_IND, 0),
    BPF_STMT (BPF_LD | BPF_MEM, 0),
    BPF_STMT (BPF_LDX | BPF_IMM, 0),
    BPF_STMT (BPF_STX, 3),
    BPF_STMT (BPF_ALU | BPF_ADD | BPF_K, 1),
    BPF_STMT (BPF_RET | BPF_A, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 0),
    BPF_JUMP (BPF_JMP | BPF_JA, 1, 0, 0),
    BPF_JUMP (BPF_JMP | BPF_JA, UINT32_MAX - 1, 0, 0),
    BPF_STMT (BPF_MISC | BPF_TAX, 0),
  };
  const struct seccomp_data call = { .nr = 10 };
  for (size_t i = 0; i < COUNT (cases); ++i)
    {
      const struct sock_filter code[]
          = { cases[i], RETURN (SECCOMP_RET_ALLOW) };
      EXPECT_EQUAL (bpf_run (code, COUNT (code), &call),
                    SECCOMP_RET_KILL_PROCESS);
    }
  EXPECT_EQUAL (bpf_run (cases, 0, &call), SECCOMP_RET_KILL_PROCESS);
  group_done ("what is not understood", COUNT (cases) + 1);
}

/* Return a random instruction, the first of LEFT.  */
static struct sock_filter
some_instruction (uint64_t *state, size_t left)
{
  static const uint16_t jumps[] = { BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET };
  const uint32_t k = next_random (state) % 40;
  const uint8_t yes = next_random (state) % left;
  const uint8_t no = next_random (state) % left;
  switch (next_random (state) % 8)
    {
    case 0:
    case 1:
      return (struct sock_filter) LOAD (k % 2 == 0 ? k % 4 * 2
                                                   : 16 + k % 12 * 4);
    case 2:
      return (struct sock_filter) BPF_STMT (BPF_ALU | BPF_AND | BPF_K, k);
    case 3:
      return (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JA, yes, 0, 0);
    case 4:
      return (struct sock_filter) RETURN (SECCOMP_RET_ERRNO | (1000 + k));
    default:
      return (struct sock_filter) BPF_JUMP (
          BPF_JMP | BPF_K | jumps[next_random (state) % 4], k, yes, no);
    }
}

/* Return the error with which CODE has the kernel make CALL fail, which some
   child asks.  */
static int
ask_kernel (struct sock_filter *code, size_t count,
            const struct seccomp_data *call)
{
  const struct sock_fprog program = { count, code };
  int pipes[2], answer = -1, status;
  EXPECT (pipe (pipes) == 0);
  pid_t pid = fork ();
  EXPECT (pid >= 0);
  if (pid == 0)
    {
      prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      if (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0
          && syscall (call->nr, call->args[0], call->args[1], call->args[2],
                      call->args[3], call->args[4], call->args[5])
                 == -1)
        answer = errno;
      _exit (write (pipes[1], &answer, sizeof answer) < 0);
    }
  close (pipes[1]);
  EXPECT (read (pipes[0], &answer, sizeof answer) == sizeof answer);
  close (pipes[0]);
  EXPECT (waitpid (pid, &status, 0) == pid && status == 0);
  return answer;
}

/* Filters that let all calls but one through, and have that one fail with an
   error that comes out of a random middle.  */
static void
test_kernel (unsigned long int rounds, uint64_t state)
{
  for (unsigned long int round = 0; round < rounds; ++round)
    {
      struct seccomp_data call
          = { .nr = SYS_getppid, .arch = (uint32_t) ARCHITECTURE };
      struct sock_filter code[64]
          = { LOAD (0),
              BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 1, 0),
              RETURN (SECCOMP_RET_ALLOW) };
      size_t count = 3, middle = 1 + next_random (&state) % 40;
      for (size_t i = 0; i < middle; ++i)
        code[count++] = some_instruction (&state, middle - i);
      code[count++] = (struct sock_filter) RETURN (SECCOMP_RET_ERRNO | 999);
      for (int i = 0; i < 6; ++i)
        call.args[i] = next_random (&state) % 40 << 32
                       | (uint32_t) (next_random (&state) % 40);
      EXPECT_EQUAL (bpf_run (code, count, &call),
                    SECCOMP_RET_ERRNO
                        | (uint32_t) ask_kernel (code, count, &call));
    }
  group_done ("as the kernel has it", rounds);
}

int
main (int argc, char **argv)
{
  unsigned long int rounds = argc > 1 ? strtoul (argv[1], NULL, 0) : 500;
  uint64_t state = argc > 2 ? strtoul (argv[2], NULL, 0) : 1;
  test_others ();
  test_kernel (rounds, state != 0 ? state : 1);
  return 0;
}
