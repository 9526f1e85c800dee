/* Run a program under the filter that systemd's MemoryDenyWriteExecute= makes
   on kernels without PR_SET_MDWE.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   deny-exec refuse|kill PROGRAM [ARGUMENT...]
   Memory that is there does not become executable, and none is mapped that is
   writable and executable: refused with EPERM, or the process is killed.
   Exit status 77: not possible here.  */

#define _GNU_SOURCE 1
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <errno.h>

#define LOAD(member) \
  BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, member))
#define UNLESS_EQUAL(value, skip) \
  BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define UNLESS_SET(bits, skip) \
  BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, (bits), 0, (skip))
#define RETURN(value) BPF_STMT (BPF_RET | BPF_K, (value))

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  unsigned int no = (strcmp (argv[1], "kill") == 0
                     ? SECCOMP_RET_KILL_PROCESS
                     : SECCOMP_RET_ERRNO | EPERM);
  /* Protection is the third argument of both; little-endian.  */
  struct sock_filter code[] = {
    LOAD (nr),
    UNLESS_EQUAL (SYS_mprotect, 3),
    LOAD (args[2]),
    UNLESS_SET (PROT_EXEC, 1),
    RETURN (no),
    LOAD (nr),
    UNLESS_EQUAL (SYS_mmap, 4),
    LOAD (args[2]),
    UNLESS_SET (PROT_EXEC, 2),
    UNLESS_SET (PROT_WRITE, 1),
    RETURN (no),
    RETURN (SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { sizeof code / sizeof code[0], code };
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 77;
  execvp (argv[2], argv + 2);
  perror (argv[2]);
  return 127;
}
