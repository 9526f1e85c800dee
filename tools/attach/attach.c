/* The attach to one process: plan, change and report.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/attach.h"
#include "attach/convert.h"
#include "attach/report.h"
#include "tracee/thread.h"
#include "util/output.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The time for one process, in nanoseconds: a little more than for its
   conversion (plan.c).  */
#define LIMIT 22000000000L

/* The exit status of a worker, of these bits.  */
enum
{
  WORKER_BAD = 1, /* Not everything requested has been done.  */
  WORKER_PRINTED = 2,
};

/* Carry out REQUEST on the process of ALL, which is planned.  Return NULL, or
   why that is not possible, or not to its end.  */
static const char *
change (const struct attach_request *request, struct conversion *all)
{
  struct tracee tracee;
  if (request->dry_run)
    return NULL;
  const char *problem = tracee_open (&tracee, all->pid, &all->facts);
  if (problem == NULL)
    problem = request->undo ? convert_undo (all, &tracee)
                            : convert_do (all, &tracee);
  tracee_close (&tracee);
  return problem;
}

/* Do the work of attach_process, and add the result to ANSWER.  Return the
   worker's exit status.  */
static int
work (const struct attach_request *request, pid_t pid, const char *name,
      struct attach_answer *answer)
{
  struct conversion all;
  struct object_list objects;
  const char *problem
      = convert_plan (&all, pid, &request->settings, request->undo);
  if (problem == NULL)
    problem = change (request, &all);
  if (problem != NULL)
    answer_problem (&answer->answer, &all.found.process, name, problem);
  int status = problem != NULL ? WORKER_BAD : 0;
  if ((problem == NULL || all.stops > 0)
      && objtext_read (pid, 0, &objects) == 0)
    {
      if (!attach_report (&all, request, &objects, answer))
        status |= WORKER_BAD;
      status |= WORKER_PRINTED;
      objtext_free (&objects);
    }
  else if (problem == NULL)
    {
      answer_problem (&answer->answer, &all.found.process, NULL,
                      "it has ended");
      status = WORKER_BAD;
    }
  convert_free (&all);
  return status;
}

/* Be the worker: write to FILE, in JSON, what belongs into ANSWER.  It has a
   process group of its own, so that the terminal's signals do not reach it:
   its work ends soon.  It has no session of its own, which would have its own
   share of the processors (sched(7), autogroup), and its priority would mean
   nothing to others.  */
static void __attribute__ ((noreturn))
be_worker (const struct attach_request *request, pid_t pid, const char *name,
           const struct attach_answer *answer, int file, pid_t parent)
{
  struct attach_answer ours = { .printed = answer->printed };
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid () != parent)
    _exit (WORKER_BAD);
  answer_begin (&ours.answer, answer->answer.verb, answer->answer.json);
  ours.processes = json_object_new_array ();
  const int status = work (request, pid, name, &ours);
  json_object_object_add (ours.answer.all, "processes", ours.processes);
  json_object_object_add (ours.answer.all, "problems", ours.answer.problems);
  output_flush ();
  json_object_to_fd (file, ours.answer.all, JSON_C_TO_STRING_PLAIN);
  _exit (status);
}

/* Move the elements of the array KEY of FROM to the array TO.  */
static void
take (struct json_object *from, const char *key, struct json_object *to)
{
  struct json_object *array = json_object_object_get (from, key);
  for (size_t i = 0; i < json_object_array_length (array); ++i)
    json_object_array_add (
        to, json_object_get (json_object_array_get_idx (array, i)));
}

/* Wait for the worker CHILD, which is killed when its time is over.  Return
   its wait status.  */
static int
wait_for (pid_t child)
{
  const long end = thread_now () + LIMIT;
  int status;
  pid_t ended;
  while ((ended = waitpid (child, &status, WNOHANG)) == 0
         && thread_now () < end)
    usleep (1000);
  if (ended == 0)
    {
      kill (child, SIGKILL);
      waitpid (child, &status, 0);
    }
  return status;
}

bool
attach_process (const struct attach_request *request, pid_t pid,
                const char *name, struct attach_answer *answer)
{
  struct process process;
  const pid_t parent = getpid ();
  const int file = memfd_create ("hugetext", MFD_CLOEXEC);
  process.name[0] = '\0';
  output_flush ();
  const pid_t child = file < 0 ? -1 : fork ();
  if (child == 0)
    be_worker (request, pid, name, answer, file, parent);
  const int error = errno;
  const int status = child < 0 ? 0 : wait_for (child);
  struct json_object *said = NULL;
  if (child > 0 && WIFEXITED (status) && lseek (file, 0, SEEK_SET) == 0)
    said = json_object_from_fd (file);
  if (file >= 0)
    close (file);
  if (said != NULL)
    {
      take (said, "processes", answer->processes);
      take (said, "problems", answer->answer.problems);
      json_object_put (said);
      answer->printed |= (WEXITSTATUS (status) & WORKER_PRINTED) != 0;
      return (WEXITSTATUS (status) & WORKER_BAD) == 0;
    }
  process_read (pid, &process);
  answer_problem (&answer->answer, &process, name,
                  child < 0 ? strerror (error)
                            : "it was stopped for too long, or the work took"
                              " too long (is the machine overloaded?): given"
                              " up, and it goes on");
  return false;
}
