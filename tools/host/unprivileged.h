/* Functions by which a child of the command becomes unprivileged before it
   reads or executes untrusted files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A child calls these functions in the order in which they are declared here.
   If unprivileged_become or unprivileged_filter fails, the child must exit,
   without reading or executing anything.  */

#ifndef UNPRIVILEGED_H
#define UNPRIVILEGED_H

#include "util/problem.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The effective user of unprivileged processes of root: nobody, who owns no
   files.  */
#define UNPRIVILEGED_ID 65534

/* The group of unprivileged processes, and their real and saved user.  No
   other process has the IDs UNPRIVILEGED_GROUP and UNPRIVILEGED_REAL_ID,
   because systemd and the programs that create users use no IDs from 2^31 on.
   To trace another process of the same user, to access its memory or to change
   its limits, a process must also have the same group.  To send signals to
   another process, a process must have the same real or saved user.  Because
   of UNPRIVILEGED_GROUP and UNPRIVILEGED_REAL_ID, an unprivileged process of
   root, and another process of the user nobody, cannot trace, change or signal
   each other.  */
#define UNPRIVILEGED_GROUP 4293918720U
#define UNPRIVILEGED_REAL_ID 4293918720U

/* Close all descriptors from FIRST on.  */
extern void unprivileged_close (int first);

/* In a child: close all descriptors except the COUNT different descriptors
   FDS, and give FDS[I] the number FIRST + I.  Open /dev/null for each
   descriptor number below FIRST.  If the child kept the command's standard
   output open, a program that reads this output would wait until the child
   ends, and a blocked child may never end.  This function needs no more than
   FIRST + 2 * COUNT descriptors, because the process's limit may be low.  If
   /dev/null cannot be opened, return false; FDS then have their new numbers
   already.  */
extern bool unprivileged_keep (int fds[], size_t count, int first,
                               struct problem *problem);

/* Enter new namespaces, as far as the kernel and the administrator allow.
   The namespaces are for mounts, network, System V IPC, host name, and (for
   children of this process) process IDs.  Ignore errors, because the
   namespaces are only a second barrier in addition to the user ID.  */
extern void unprivileged_isolate (void);

/* Drop all rights: leave the session and its terminal, drop all capabilities,
   make sure that execve adds no capabilities (no_new_privs), and let no
   process trace this process until it executes a program.  A process of root
   becomes user nobody in the group UNPRIVILEGED_GROUP, without other groups,
   and with the real and saved user UNPRIVILEGED_REAL_ID.  If the user
   namespace lacks UNPRIVILEGED_GROUP or UNPRIVILEGED_REAL_ID, a process of
   root gets the ID of nobody (65534) instead.  A process of a user other than
   root keeps its IDs.  If the user namespace lacks the user nobody as well, a
   process of root keeps its IDs, but drops its capabilities.  At the end,
   check that every step has succeeded.  If dropping a right has failed, set
   PROBLEM and return false.  */
extern bool unprivileged_become (struct problem *problem);

/* Return true if this process has root's rights.  Call this function before
   the process drops its rights.  Return false if the process is only root of a
   user namespace that belongs to an ordinary user.  */
extern bool unprivileged_is_root (void);

/* Set the effective and the saved user ID to the real user ID, before execve.
   If the real, effective and saved user IDs differed, the kernel would set
   AT_SECURE for the program.  If root has called the command, the process has
   the user ID UNPRIVILEGED_REAL_ID after this function.  No file belongs to
   the user UNPRIVILEGED_REAL_ID, so the process has an owner's rights to no
   file.  */
extern bool unprivileged_unite (struct problem *problem);

/* Drop all rights except those of USER and GROUP.  A process of root becomes
   USER and GROUP, without other groups; a process of another user keeps its
   IDs.  After this function, this process has no capabilities and gets none by
   execve, and no process may trace it.  On failure set PROBLEM and return
   false.  */
extern bool unprivileged_become_user (uid_t user, gid_t group,
                                      struct problem *problem);

/* Lower the limit RESOURCE (setrlimit) to MOST.  Ignore errors, because the
   limit is only a precaution.  */
extern void unprivileged_limit (int resource, size_t most);

/* The system calls that libc makes in every process: for memory, identity,
   locks, time, and exit.  A list that is passed to unprivileged_filter should
   contain UNPRIVILEGED_LIBC_CALLS.  */
#define UNPRIVILEGED_LIBC_CALLS                                               \
  __NR_brk, __NR_mmap, __NR_munmap, __NR_mremap, __NR_mprotect, __NR_madvise, \
      __NR_getpid, __NR_getuid, __NR_geteuid, __NR_getrandom, __NR_futex,     \
      __NR_clock_gettime, __NR_exit, __NR_exit_group, __NR_rt_sigreturn,      \
      __NR_restart_syscall

/* From now on, allow this process only the COUNT system calls CALLS.  All
   other system calls fail with EPERM, and system calls of another architecture
   kill the process.  If the kernel does not support filters, do nothing and
   return true.  */
extern bool unprivileged_filter (const int calls[], size_t count,
                                 struct problem *problem);

/* A condition: the system call CALL is allowed only if the bits of MASK in its
   argument number ARGUMENT equal one of VALUES.  Arguments are counted from 0.
   If the argument is an int in the kernel, the upper 32 bits of MASK must be
   zero.  */
struct unprivileged_condition
{
  unsigned int call, argument;
  uint64_t mask, values[2];
};

/* The flags with which open would change a file or its directory.  O_TMPFILE
   contains the bit O_DIRECTORY.  O_DIRECTORY does not let open change
   anything, so this mask omits the bit.  */
#define UNPRIVILEGED_OPEN_CHANGES \
  (O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

/* Restrict the arguments of system calls of this process by a seccomp filter.
   A system call fails with EPERM if one of the COUNT CONDITIONS for this
   system call is false.  If the kernel does not support filters, do nothing
   and return true.  Call this function before unprivileged_filter, which may
   forbid further filters.  */
extern bool unprivileged_filter_arguments (
    const struct unprivileged_condition conditions[], size_t count,
    struct problem *problem);

/* The remedy if a file cannot be read because root's command reads files in an
   unprivileged process.  The text contains two remedies, because the first
   does not help if the file is in root's home directory, which no other user
   may enter.  */
#define UNPRIVILEGED_REMEDY                                                   \
  "let every user read the file and search its directories (chmod o+rX), or " \
  "run the command as a user who may read the file (setpriv --reuid=USER "    \
  "--clear-groups hugetext ...)"

/* Count the questions that an unprivileged process has not answered, because
   it was killed or blocked.  unprivileged_note_failure adds 1 to the count,
   and unprivileged_failures returns the count.  */
extern void unprivileged_note_failure (void);
extern size_t unprivileged_failures (void);

/* Return how many milliseconds to wait for the next answer of an unprivileged
   process.  If the user namespace lacks UNPRIVILEGED_REAL_ID, other processes
   of the user nobody can send SIGSTOP to the unprivileged process, so that it
   does not answer.  Therefore the time limit becomes short when the command
   has waited too long in total for missing answers.  While the command finds
   out which advice to print, it waits no longer than the rest of the time
   limit for advice (util/patience.h).  */
extern int unprivileged_patience (void);

/* Add MILLISECONDS to the time that the command has spent waiting for answers
   that did not arrive in time.  */
extern void unprivileged_note_wait (int64_t milliseconds);

#endif
