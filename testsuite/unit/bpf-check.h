/* Checks that any bytes can be run as a seccomp filter without harm.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BPF_CHECK_H
#define BPF_CHECK_H 1

#include <string.h>

#include "plan-test.h"

/* Include the command's own source.  */
#include "tracee/bpf.c"

/* Run CODE twice, in memory that ends directly behind it.  CODE must end, and
   give the same result both times.  */
static uint32_t
run_twice (const struct sock_filter *code, size_t count,
           const struct seccomp_data *call)
{
  struct sock_filter *copy = malloc (count * sizeof *copy + 1);
  EXPECT (copy != NULL);
  memcpy (copy, code, count * sizeof *copy);
  uint32_t result = bpf_run (copy, count, call);
  EXPECT_EQUAL (bpf_run (copy, count, call), result);
  free (copy);
  return result;
}

/* Interpret the SIZE bytes at DATA as a system call and a filter.  */
static void
check_bpf_bytes (const uint8_t *data, size_t size)
{
  struct seccomp_data call = { .nr = 7 };
  struct sock_filter code[512];
  if (size > 8)
    memcpy (&call.args[0], data, 8);
  size_t count = size / sizeof *code;
  if (count > sizeof code / sizeof *code)
    count = sizeof code / sizeof *code;
  memcpy (code, data, count * sizeof *code);
  run_twice (code, count, &call);
}

#endif /* bpf-check.h */
