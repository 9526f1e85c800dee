/* Brief facts about processes: owner, name, control group and program.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/brief.h"
#include "host/group.h"
#include "host/inspector.h"
#include "host/procfile.h"
#include "util/allocate.h"
#include "util/printable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert((int) BRIEF_MANY <= (int) INSPECTOR_MANY,
               "BRIEF_MANY is at most INSPECTOR_MANY, the maximum of "
               "questions in one request to the inspector");

/* In the inspector: read the control group and the service of PID into
   FOUND.  */
static bool
read_group (pid_t pid, struct brief *found)
{
  found->service[0] = '\0';
  if (!group_read (procfile_stream (pid, "cgroup"), found->group))
    return false;
  group_name (found->group, found->service);
  return true;
}

bool
brief_read_service (pid_t pid, char name[static PATH_MAX])
{
  static struct brief found;
  errno = EIO;
  const bool known = read_group (pid, &found) || !procfile_has_groups ();
  memcpy (name, found.service, strlen (found.service) + 1);
  return known;
}

/* In the inspector: read the owner, the name, the program and the control
   group of process PID into FOUND, which the caller has cleared.  Return the
   new state of FOUND.  */
static enum brief_state
read_facts (pid_t pid, struct brief *found)
{
  struct process *process = &found->process;
  if (procfile_owner (pid, &process->uid) < 0)
    return BRIEF_UNKNOWN;
  /* A newline follows the name in the file.  */
  const size_t length
      = process_text (pid, "comm", process->name, sizeof process->name);
  process->name[length > 0 ? length - 1 : 0] = '\0';
  if (length == 0 || !process_exe_read (pid, found->exe, sizeof found->exe))
    return BRIEF_UNKNOWN;
  return (!procfile_has_groups () || read_group (pid, found) ? BRIEF_READ
                                                             : BRIEF_NO_GROUP);
}

/* In the inspector: read facts about process PID into FOUND, which the caller
   has cleared.  Return the new state of FOUND.  Treat the process as ended
   only if the kernel reports that it does not exist.  After any other failure,
   for example if the opener does not answer, the state is BRIEF_UNKNOWN.  */
static enum brief_state
read_brief (pid_t pid, struct brief *found)
{
  enum brief_state state = BRIEF_UNKNOWN;
  uid_t owner;
  /* If the process ends while its facts are read, and another process gets its
     ID, the facts of the second process can be read.  */
  for (int i = 0; i < 2; ++i)
    {
      *found = (struct brief){ .process.pid = 0 };
      procfile_prepare_brief (pid);
      state = read_facts (pid, found);
      if (state == BRIEF_READ)
        return BRIEF_READ;
      procfile_prepare (0);
    }
  if (procfile_owner (pid, &owner) < 0 && (errno == ENOENT || errno == ESRCH))
    return BRIEF_GONE;
  return state;
}

void
brief_answer (struct message *asked, struct message *answer)
{
  static struct brief found;
  const pid_t pid = message_get_number (asked, INT_MAX);
  found = (struct brief){ .process.pid = 0 };
  found.state = read_brief (pid, &found);
  found.process.pid = pid;
  procfile_prepare (0);
  message_put_number (answer, found.state);
  process_put (answer, &found.process);
  message_put_text (answer, found.group);
  message_put_text (answer, found.service);
  message_put_text (answer, found.exe);
}

/* Read FOUND, about process PID, from ANSWER, and free ANSWER.  Return false
   if the answer cannot be right.  */
static bool
brief_take_answer (pid_t pid, struct brief *found, struct message *answer)
{
  const enum brief_state state = message_get_number (answer, BRIEF_READ);
  process_get (answer, &found->process);
  message_get_text (answer, found->group, sizeof found->group);
  message_get_printable (answer, found->service, sizeof found->service);
  message_get_printable (answer, found->exe, sizeof found->exe);
  bool good = message_is_done (answer) && found->process.pid == pid;
  message_free (answer);
  if (found->group[0] != '\0' && !group_is_path (found->group))
    good = false;
  if (!group_is_name (found->service))
    good = false;
  if (!good || state < BRIEF_NO_GROUP)
    *found = (struct brief){ .process.pid = pid };
  if (state == BRIEF_NO_GROUP)
    found->group[0] = found->service[0] = '\0';
  found->state = good ? state : BRIEF_UNKNOWN;
  return good;
}

/* Begin the question about process PID.  */
static void
brief_begin_question (pid_t pid, struct brief *found, struct message *asked)
{
  *found = (struct brief){ .state = BRIEF_UNKNOWN, .process.pid = pid };
  *asked = (struct message){ 0 };
  message_put_number (asked, pid);
}

/* Complete FOUND from ANSWER.  */
static void
brief_complete_found (pid_t pid, struct brief *found, struct message *answer,
                      struct problem *problem)
{
  if (!brief_take_answer (pid, found, answer))
    problem_set (problem,
                 "the data that was read from the process is inconsistent");
  else if (found->state == BRIEF_UNKNOWN)
    problem_set (problem, "the files of process %d in /proc cannot be read",
                 (int) pid);
  else if (found->state == BRIEF_NO_GROUP)
    problem_set (problem, "the control group of process %d cannot be read",
                 (int) pid);
}

bool
brief_ask (pid_t pid, struct brief *found, struct problem *problem)
{
  struct message asked, answer;
  brief_begin_question (pid, found, &asked);
  if (inspector_ask (INSPECTOR_BRIEF, pid, 0, &asked, &answer, problem))
    brief_complete_found (pid, found, &answer, problem);
  return found->state == BRIEF_READ;
}

size_t
brief_ask_many (const pid_t *pids, size_t count,
                struct brief found[static BRIEF_MANY], struct problem *problem)
{
  struct message asked[BRIEF_MANY], answers[BRIEF_MANY];
  if (count > BRIEF_MANY)
    count = BRIEF_MANY;
  for (size_t i = 0; i < count; ++i)
    brief_begin_question (pids[i], &found[i], &asked[i]);
  const size_t answered
      = inspector_ask_many (INSPECTOR_BRIEF, pids, asked, answers, count);
  for (size_t i = 0; i < count; ++i)
    {
      struct problem one = { 0 };
      if (i < answered)
        brief_complete_found (pids[i], &found[i], &answers[i], &one);
      else
        brief_ask (pids[i], &found[i], &one);
      if (found[i].state == BRIEF_UNKNOWN
          || (found[i].state == BRIEF_NO_GROUP && !problem_is (problem)))
        *problem = one;
    }
  return count;
}

bool
brief_service (pid_t pid, char name[static PATH_MAX], struct problem *problem)
{
  struct brief found;
  brief_ask (pid, &found, problem);
  memcpy (name, found.service, strlen (found.service) + 1);
  /* The calling process exists, so if /proc does not contain it, /proc belongs
     to another PID namespace.  */
  if (found.state == BRIEF_GONE && pid == getpid ())
    return problem_set (problem, "/proc does not contain this process");
  return found.state != BRIEF_UNKNOWN && found.state != BRIEF_NO_GROUP;
}

bool
brief_exe (pid_t pid, char path[static PATH_MAX])
{
  struct brief found;
  struct problem problem;
  brief_ask (pid, &found, &problem);
  memcpy (path, found.exe, strlen (found.exe) + 1);
  return found.state != BRIEF_UNKNOWN;
}
