/* Checks of any program that is run as a filter of system calls.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BPF_CHECK_H
#define BPF_CHECK_H 1

#include <string.h>

#include "plan-test.h"

/* The command's own source.  */
#include "tracee/bpf.c"

/* Run CODE, in memory of just its size, twice: it ends, and says the same.  */
static bool
run_twice (const struct sock_filter *code, size_t count,
           const struct seccomp_data *call, uint32_t *result)
{
  struct sock_filter *copy = malloc (count * sizeof *copy + 1);
  uint32_t again;
  EXPECT (copy != NULL);
  memcpy (copy, code, count * sizeof *copy);
  bool good = bpf_run (copy, count, call, result);
  EXPECT_EQUAL (bpf_run (copy, count, call, &again), good);
  EXPECT (!good || again == *result);
  free (copy);
  return good;
}

/* Take the SIZE bytes at DATA for a call and a program.  */
static bool
check_bpf_bytes (const uint8_t *data, size_t size)
{
  struct seccomp_data call = { .nr = 7 };
  struct sock_filter code[512];
  uint32_t result;
  if (size > 8)
    memcpy (&call.args[0], data, 8);
  size_t count = size / sizeof *code;
  if (count > sizeof code / sizeof *code)
    count = sizeof code / sizeof *code;
  memcpy (code, data, count * sizeof *code);
  return run_twice (code, count, &call, &result);
}

#endif /* bpf-check.h */
