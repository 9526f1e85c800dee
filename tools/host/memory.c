/* The memory that the control groups of a process, and the machine, leave for
   copies of text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/memory.h"
#include "host/machine.h"
#include "host/procmaps.h"
#include "host/reader.h"

#include <dl-hugetext-ledger.h>
#include <dl-hugetext-modules.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* The list of this process's control groups, which is missing only if the
   kernel has no control groups.  */
#define OWN_GROUPS "/proc/self/cgroup"

/* In the unprivileged child: put into ANSWER how much memory is left for a
   process.  FILE is the process's /proc/PID/cgroup.  ASKED points to the
   number of the process's blocks that are already copies.  */
static void
answer_room (const struct reader_file *file, const void *asked,
             struct message *answer)
{
  char scratch[4096];
  const struct hugetext_ledger ledger
      = { .used = { .copies = *(const size_t *) asked } };
  machine_set_groups (file->fd);
  message_put_number (
      answer, _dl_hugetext_memory_left (scratch, sizeof scratch, false));
  message_put_number (
      answer, _dl_hugetext_memory_left (scratch, sizeof scratch, true));
  message_put_number (
      answer, _dl_hugetext_ledger_room (&ledger, procmaps_block (), scratch));
}

/* Open the list of control groups of process PID, or of this process if PID is
   0.  */
static int
open_groups (pid_t pid)
{
  char path[64];
  if (pid == 0)
    snprintf (path, sizeof path, OWN_GROUPS);
  else
    snprintf (path, sizeof path, "/proc/%d/cgroup", (int) pid);
  return open (path, O_RDONLY | O_CLOEXEC);
}

bool
memory_ask (pid_t pid, size_t copies, struct memory_room *room,
            struct problem *problem)
{
  struct message answer;
  *room = (struct memory_room){ 0 };
  const int fd = open_groups (pid);
  if (fd < 0 && (errno != ENOENT || access (OWN_GROUPS, F_OK) == 0))
    return problem_errno (problem, "the control groups");
  const bool heard
      = fd >= 0
            ? reader_ask_opened (fd, answer_room, &copies, &answer, problem)
            : reader_ask_parser (answer_room, &copies, &answer, problem);
  if (fd >= 0)
    close (fd);
  if (!heard)
    return false;
  room->free = message_get_number (&answer, SIZE_MAX);
  room->left = message_get_number (&answer, SIZE_MAX);
  room->copies = message_get_number (&answer, SIZE_MAX);
  const bool good = message_is_done (&answer);
  message_free (&answer);
  if (good)
    return true;
  *room = (struct memory_room){ 0 };
  return problem_set (problem, "hugetext's helper process, which reads the "
                               "control groups, sent an invalid answer");
}
