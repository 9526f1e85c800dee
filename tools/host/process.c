/* Processes: lists of processes, facts about a process, and the reasons why a
   process cannot be read.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "host/process.h"
#include "host/inspector.h"
#include "host/machine.h"
#include "host/procfile.h"
#include "host/procstat.h"
#include "util/allocate.h"
#include "util/budget.h"
#include "util/printable.h"
#include "util/count.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

size_t
process_text (pid_t pid, const char *name, char *text, size_t size)
{
  int fd = procfile_open (pid, name);
  ssize_t length = fd < 0 ? 0 : read (fd, text, size - 1);
  if (fd >= 0)
    close (fd);
  length = length > 0 ? length : 0;
  text[length] = '\0';
  return length;
}

bool
process_has_ended (pid_t pid)
{
  struct pollfd event
      = { .fd = syscall (__NR_pidfd_open, pid, 0), .events = POLLIN };
  if (event.fd < 0)
    return kill (pid, 0) < 0 && errno == ESRCH;
  const bool ended = poll (&event, 1, 0) > 0;
  close (event.fd);
  return ended;
}

/* Set the ID and the owner in PROCESS to those of process PID, and clear the
   other members of PROCESS.  */
static bool
host_process_read_owner (pid_t pid, struct process *process)
{
  uid_t owner;
  if (procfile_owner (pid, &owner) < 0)
    return false;
  *process = (struct process){ .pid = pid, .uid = owner };
  return true;
}

bool
process_read (pid_t pid, struct process *process)
{
  struct procstat stat;
  if (!host_process_read_owner (pid, process))
    return false;
  const int fd = procfile_open (pid, "stat");
  const bool good = fd >= 0 && procstat_read (fd, &stat);
  if (fd >= 0)
    close (fd);
  if (!good)
    return false;
  snprintf (process->name, sizeof process->name, "%s", stat.name);
  printable_string (process->name);
  process->start = stat.start;
  process->state = stat.state;
  process->ended = stat.state == 'Z' || stat.state == 'X' || stat.state == 'x';
  process->others = process->ended && stat.threads > 1;
  /* The flag PF_EXITING.  */
  process->exiting = !process->ended && (stat.flags & 0x00000004) != 0;
  /* The flags PF_KTHREAD, PF_IO_WORKER and PF_USER_WORKER
     (include/linux/sched.h in the source of Linux); doc/experiments/attach
     explains them.  */
  process->kernel = (stat.flags & 0x00200000) != 0;
  process->worker = (stat.flags & 0x00004010) != 0;
  return stat.state != 'X' && stat.state != 'x';
}

bool
process_is_same (const struct process *a, const struct process *b)
{
  return (a->pid == b->pid
          && (a->start == b->start || a->start == 0 || b->start == 0));
}

/* The members of struct process other than its name.  */
#define PROCESS_MEMBERS(NUMBER, FLAG) \
  NUMBER (pid, INT_MAX)               \
  NUMBER (uid, UINT32_MAX)            \
  NUMBER (start, UINT64_MAX)          \
  NUMBER (state, '~')                 \
  FLAG (ended)                        \
  FLAG (exiting)                      \
  FLAG (others)                       \
  FLAG (kernel)                       \
  FLAG (worker)
MESSAGE_MEMBERS (members, struct process, PROCESS_MEMBERS)

void
process_put (struct message *message, const struct process *process)
{
  message_put_text (message, process->name);
  put_members (message, process);
}

void
process_get (struct message *message, struct process *process)
{
  *process = (struct process){ .pid = 0 };
  message_get_printable (message, process->name, sizeof process->name);
  get_members (message, process);
}

/* The questions about a process that the inspector answers.  */
enum asked
{
  ASKED_FACTS,
  ASKED_THP,
  ASKED_PROFILE,
};

bool
process_exe_read (pid_t pid, char *path, size_t size)
{
  const bool known = procfile_exe (pid, path, size);
  printable_string (path);
  return known;
}

/* Set NAME to the AppArmor profile that is enforced for process PID, which
   began at START.  */
static bool
host_process_read_apparmor (pid_t pid, uint64_t start,
                            char name[CONFINEMENT_PROFILE])
{
  const struct process asked = { .pid = pid, .start = start };
  struct process process;
  char line[4096];
  if (!process_read (pid, &process) || !process_is_same (&asked, &process))
    return false;
  if (process_text (pid, "attr/apparmor/current", line, sizeof line) == 0
      && process_text (pid, "attr/current", line, sizeof line) == 0)
    return false;
  return confinement_parse (line, name);
}

void
process_answer (struct message *asked, struct message *answer)
{
  struct process process = { .pid = 0 };
  char profile[CONFINEMENT_PROFILE] = "";
  const pid_t pid = message_get_number (asked, INT_MAX);
  switch (message_get_number (asked, ASKED_PROFILE))
    {
    case ASKED_FACTS:
      message_put_number (answer, process_read (pid, &process));
      process_put (answer, &process);
      break;
    case ASKED_THP:
      message_put_number (answer, process_thp_disabled (pid));
      break;
    case ASKED_PROFILE:
      message_put_number (
          answer, host_process_read_apparmor (
                      pid, message_get_number (asked, UINT64_MAX), profile));
      message_put_text (answer, profile);
    }
}

/* Ask the inspector the question WHAT about process PID.  START is the start
   time of PID, if the question depends on this time.  */
static bool
host_process_ask_inspector (pid_t pid, uint64_t start, enum asked what,
                            struct message *answer, struct problem *problem)
{
  struct message asked = { 0 };
  message_put_number (&asked, pid);
  message_put_number (&asked, what);
  message_put_number (&asked, start);
  return inspector_ask (INSPECTOR_PROCESS, pid, 0, &asked, answer, problem);
}

bool
process_ask (pid_t pid, struct process *process, struct problem *problem)
{
  struct message answer;
  *process = (struct process){ .pid = pid };
  if (!host_process_ask_inspector (pid, 0, ASKED_FACTS, &answer, problem))
    return false;
  bool good = message_get_bool (&answer);
  process_get (&answer, process);
  if (!good || process->pid != pid || !message_is_done (&answer))
    {
      *process = (struct process){ .pid = pid };
      good = problem_set (problem, "there is no such process");
    }
  message_free (&answer);
  return good;
}

struct truth
process_ask_thp_disabled (pid_t pid, struct problem *problem)
{
  struct message answer;
  if (!host_process_ask_inspector (pid, 0, ASKED_THP, &answer, problem))
    return (struct truth){ TRUTH_UNKNOWN };
  struct truth disabled = truth_of (message_get_bool (&answer));
  if (!message_is_done (&answer))
    {
      disabled.is = TRUTH_UNKNOWN;
      problem_unknown (problem, "hugetext's helper process sent an invalid "
                                "answer about the process");
    }
  message_free (&answer);
  return disabled;
}

struct truth
process_ask_profile (const struct process *process,
                     char name[static CONFINEMENT_PROFILE])
{
  struct problem problem;
  struct message answer;
  name[0] = '\0';
  if (!host_process_ask_inspector (process->pid, process->start, ASKED_PROFILE,
                                   &answer, &problem))
    return (struct truth){ TRUTH_UNKNOWN };
  struct truth enforced = truth_of (message_get_bool (&answer));
  message_get_printable (&answer, name, CONFINEMENT_PROFILE);
  if (!message_is_done (&answer))
    enforced.is = TRUTH_UNKNOWN;
  message_free (&answer);
  return enforced;
}

bool
process_cut_deleted (char *path)
{
  static const char deleted[] = " (deleted)";
  size_t length = strlen (path), cut = strlen (deleted);
  if (length <= cut || strcmp (path + length - cut, deleted) != 0)
    return false;
  path[length - cut] = '\0';
  return true;
}

/* The kernel's limit for one word of an environment (MAX_ARG_STRLEN).  */
#define WORD_MAX (128 * 1024)

/* Read the next word of ENVIRONMENT, which ends with a null byte, into WORD, a
   buffer of WORD_MAX bytes.  Truncate a longer word.  A process can declare
   any memory to be its environment (PR_SET_MM), so charge each byte to the
   budget.  Return false if ENVIRONMENT has no further word.  */
static bool
read_word (FILE *environment, char *word)
{
  enum
  {
    CHARGED = 4096, /* The number of bytes of an environment that are charged
                       to the budget at a time.  */
  };
  size_t all = 0, length = 0;
  int c;
  while ((c = getc (environment)) != EOF && c != '\0')
    {
      if (length + 1 < WORD_MAX)
        word[length++] = c;
      if (++all % CHARGED == 0 && !budget_spend (CHARGED))
        return false;
    }
  word[length] = '\0';
  return (c != EOF || all > 0) && budget_spend (all % CHARGED + 1);
}

char *
process_tunables (pid_t pid)
{
  static const char name[] = "GLIBC_TUNABLES=", more[] = "glibc.";
  char *word = allocate (WORD_MAX), *value = NULL;
  size_t length;
  bool found = false;
  FILE *environment = procfile_stream (pid, "environ");
  FILE *stream = environment != NULL ? open_memstream (&value, &length) : NULL;
  while (stream != NULL && read_word (environment, word))
    if (!found && strncmp (word, name, strlen (name)) == 0)
      {
        fprintf (stream, "%s", word + strlen (name));
        found = true;
      }
    else if (found && strncmp (word, more, strlen (more)) == 0)
      /* Up to glibc 2.38, the loader overwrites the end of each tunable's
         value with a null byte.  */
      fprintf (stream, ":%s", word);
    else if (found)
      break;
  if (stream != NULL)
    fclose (stream);
  free (word);
  if (environment != NULL)
    fclose (environment);
  if (found)
    return value;
  free (value);
  return NULL;
}

long
process_number (pid_t pid, const char *field)
{
  return (pid == 0
              ? machine_field ("/proc/self/status", field)
              : machine_number_after (procfile_stream (pid, "status"), field));
}

bool
process_is_filtered (pid_t pid)
{
  return process_number (pid, "Seccomp:") > 0;
}

bool
process_thp_disabled (pid_t pid)
{
  return process_number (pid, "THP_enabled:") == 0;
}

bool
process_check_ids (struct problem *problem)
{
  const long id = process_number (0, "Pid:");
  if (id < 0)
    return problem_set (problem, "/proc/self/status cannot be read");
  return id == getpid ()
         || problem_set (problem, "/proc belongs to another PID namespace, in "
                                  "which processes have other IDs");
}

uintptr_t
process_auxiliary (pid_t pid, unsigned long type)
{
  ElfW (auxv_t) vector[64];
  size_t size = process_text (pid, "auxv", (char *) vector, sizeof vector);
  for (size_t i = 0; i < size / sizeof vector[0]; ++i)
    if (vector[i].a_type == type)
      return vector[i].a_un.a_val;
  return 0;
}

bool
process_is_secure (pid_t pid)
{
  return process_auxiliary (pid, AT_SECURE) != 0;
}

ssize_t
process_list (pid_t **list)
{
  size_t count = 0;
  *list = NULL;
  DIR *dir = opendir ("/proc");
  if (dir == NULL)
    return -1;
  const struct dirent *entry;
  while ((entry = readdir (dir)) != NULL)
    {
      pid_t pid = atoi (entry->d_name);
      if (!isdigit ((unsigned char) entry->d_name[0]))
        continue;
      *list = allocate_more (*list, count, sizeof **list);
      (*list)[count++] = pid;
    }
  closedir (dir);
  return count;
}

bool
process_explain (const struct process *process, int error,
                 struct problem *problem)
{
  struct process now;
  if (!process_ask (process->pid, &now, problem)
      || !process_is_same (process, &now))
    return problem_set (problem, "the process ended while it was being read");
  if (now.ended)
    return problem_set (
        problem, now.others
                     ? PROCESS_LEADERLESS
                     : "the process has ended and is a zombie without text");
  if (now.kernel)
    return problem_set (
        problem,
        "the process is a kernel thread, which has no text of its own");
  if (error == EDQUOT && !budget_check (problem))
    return false;
  if (error == ESRCH || error == ENOENT)
    return problem_set (problem,
                        "the process has no address space, or has just ended");
  if (error != EACCES && error != EPERM)
    return problem_system (problem, error);
  if (geteuid () == 0 || now.uid == geteuid ())
    return problem_set (
        problem,
        "the kernel does not allow the command to inspect the process (the "
        "process has changed its user or group ID, or is protected)");
  const struct passwd *owner = getpwuid (now.uid);
  char number[32];
  snprintf (number, sizeof number, "user %u", (unsigned int) now.uid);
  return problem_set (problem, "the process belongs to %s: try as root",
                      owner != NULL ? owner->pw_name : number);
}

void
process_ids_add (struct process_ids *ids, pid_t pid)
{
  const size_t used = strlen (ids->text), room = sizeof ids->text - used;
  if (room > 16)
    snprintf (ids->text + used, room, "%s%d", used > 0 ? ", " : "", (int) pid);
  else if (ids->text[used - 1] != '.')
    strcpy (ids->text + used, ", ...");
  ++ids->count;
}

const char *
process_ids_each (const struct process_ids *ids,
                  char words[static PROCESS_IDS_WORDS])
{
  if (ids->count == 1)
    snprintf (words, PROCESS_IDS_WORDS, "process %s", ids->text);
  else
    snprintf (words, PROCESS_IDS_WORDS, "each of " COUNT_FORMAT " (%s)",
              COUNT_PLURAL (ids->count, "process", "processes"), ids->text);
  return words;
}
