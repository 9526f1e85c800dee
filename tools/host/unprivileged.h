/* Unprivileged processes: a child of the command gives up all rights before it
   reads or executes what other users have made.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A child calls these functions in this order, and ends if unprivileged_become
   or unprivileged_filter fails: it must not read or execute anything then.  */

#ifndef UNPRIVILEGED_H
#define UNPRIVILEGED_H

#include "util/problem.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The user and the group of unprivileged processes of root: nobody, which owns
   no files.  */
#define UNPRIVILEGED_ID 65534

/* Close all descriptors from FIRST on.  */
extern void unprivileged_close (int first);

/* Enter namespaces of this process's own, as far as the kernel and the
   administrator allow them: mounts, network, System V IPC, host name, and for
   children of this process, process IDs.  Not required: they are a second
   barrier behind the user ID.  */
extern void unprivileged_isolate (void);

/* Give up all rights: leave the session and its terminal, have no
   capabilities, get none by execve (no_new_privs), and let nobody trace this
   process until it executes a program.  A process of root's becomes user and
   group nobody, without other groups; other users stay who they are, and so
   does root of a user namespace that has no nobody.  Read back whether all
   that is so.  False with PROBLEM set if it is not.  */
extern bool unprivileged_become (struct problem *problem);

/* Give up all rights but those of USER and GROUP: root's process becomes them,
   without other groups; another user's stays who it is.  No capabilities stay,
   execve gives none, and nobody may trace this process.  False with PROBLEM
   set if that is not so.  */
extern bool unprivileged_become_user (uid_t user, gid_t group,
                                      struct problem *problem);

/* Lower a limit, RESOURCE of setrlimit, to MOST.  No more than a precaution:
   whether that succeeds is not said.  */
extern void unprivileged_limit (int resource, size_t most);

/* From now on, allow this process no system calls but the COUNT numbers CALLS;
   others fail with EPERM, and those of another architecture kill the process.
   True on a kernel without filters, too.  */
extern bool unprivileged_filter (const int calls[], size_t count,
                                 struct problem *problem);

/* A system call that is allowed only if its argument ARGUMENT, counted from 0,
   is one of VALUES under MASK.  Arguments that the kernel takes for ints have
   a mask of 32 bits.  */
struct unprivileged_condition
{
  unsigned int call, argument;
  uint64_t mask, values[2];
};

/* Flags by which open changes a file or its folder: O_TMPFILE has the bit of
   O_DIRECTORY, which is only for reading.  */
#define UNPRIVILEGED_OPEN_CHANGES \
  (O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

/* From now on, allow system calls that COUNT CONDITIONS are about only if all
   of those hold; others fail with EPERM.  True on a kernel without filters,
   too.  This comes before unprivileged_filter, which may allow no other
   filter.  */
extern bool unprivileged_filter_arguments (
    const struct unprivileged_condition conditions[], size_t count,
    struct problem *problem);

/* Count a question that a process without rights has left unanswered: it was
   killed, or waits.  Return how many there have been.  */
extern void unprivileged_note_failure (void);
extern size_t unprivileged_failures (void);

#endif
