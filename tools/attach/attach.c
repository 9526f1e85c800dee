/* The attach to one process: plan, change and report.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/attach.h"
#include "attach/convert.h"
#include "text/report.h"
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

/* A reason why blocks stay as they are, and their number.  */
struct reason
{
  const char *words;
  size_t blocks, wanted;
};

/* The result of a conversion, in numbers of blocks.  */
struct sums
{
  size_t done, before, wanted;
  size_t by[BACKINGS]; /* Blocks of DONE by bit of their backing.  */
  struct reason reasons[16];
  size_t nreasons;
};

/* Add BLOCK to SUMS.  */
static void
add_block (struct sums *sums, const struct convert_block *block)
{
  const size_t room = sizeof sums->reasons / sizeof *sums->reasons;
  size_t i = 0;
  sums->done += block->done;
  sums->before += block->huge;
  sums->wanted += block->wanted;
  for (size_t bit = 0; block->done && bit < BACKINGS; ++bit)
    sums->by[bit] += (block->backing & (1U << bit)) != 0;
  if (block->reason[0] == '\0')
    return;
  while (i < sums->nreasons
         && strcmp (sums->reasons[i].words, block->reason) != 0)
    ++i;
  if (i == room)
    return;
  if (i == sums->nreasons)
    sums->reasons[sums->nreasons++].words = block->reason;
  ++sums->reasons[i].blocks;
  sums->reasons[i].wanted += block->wanted;
}

/* Return the result of ALL, SUMS, in JSON.  */
static struct json_object *
in_json (const struct conversion *all, const struct sums *sums,
         const struct object_list *objects)
{
  struct json_object *json
      = json_process (&all->found.process, all->found.exe,
                      inspect_loader (&all->found), objects);
  struct json_object *left = json_object_new_array ();
  json_set_number (json, "blocks_before", sums->before);
  json_set_number (json, "blocks_changed", sums->done);
  json_set_number (json, "blocks_wanted", sums->wanted);
  json_set_number (json, "stops", all->stops);
  json_set_fraction (json, "longest_stop_ms", all->longest);
  for (size_t i = 0; i < sums->nreasons; ++i)
    {
      struct json_object *reason = json_object_new_object ();
      json_set_number (reason, "blocks", sums->reasons[i].blocks);
      json_set_true_false (reason, "wanted", sums->reasons[i].wanted > 0);
      json_set_string (reason, "reason", sums->reasons[i].words);
      json_object_array_add (left, reason);
    }
  json_object_object_add (json, "left", left);
  return json;
}

static const char *
plural (size_t n)
{
  return n == 1 ? "" : "s";
}

/* Print the result of ALL, SUMS, which carried out REQUEST.  */
static void
print (const struct conversion *all, const struct attach_request *request,
       const struct sums *sums, const struct object_list *objects)
{
  const char *where = request->undo ? "back as they were" : "on huge pages";
  const char *separator = " (";
  inspect_heading (stdout, &all->found);
  if (request->dry_run)
    printf ("%zu block%s would be put %s\n", sums->wanted,
            plural (sums->wanted), where);
  else
    {
      printf ("%zu block%s put %s", sums->done, plural (sums->done), where);
      for (size_t i = 0; !request->undo && i < BACKINGS; ++i)
        if (sums->by[i] > 0)
          {
            char name[40];
            printf ("%s%s %zu", separator, backing_names (1U << i, name),
                    sums->by[i]);
            separator = ", ";
          }
      if (separator[0] == ',')
        putchar (')');
      if (!request->undo && sums->before > 0)
        printf (", %zu were before", sums->before);
      printf ("; %zu stop%s, the longest %.2f ms\n", all->stops,
              plural (all->stops), all->longest);
    }
  for (size_t i = 0; i < sums->nreasons; ++i)
    printf ("%zu block%s left: %s\n", sums->reasons[i].blocks,
            plural (sums->reasons[i].blocks), sums->reasons[i].words);
  report_objects (stdout, objects);
}

/* Report the result of ALL, which carried out REQUEST; its process has OBJECTS
   now: print it, or add it to ANSWER's JSON.  Return whether everything
   requested has been done.  */
static bool
report (const struct conversion *all, const struct attach_request *request,
        const struct object_list *objects, struct attach_answer *answer)
{
  struct sums sums = { 0 };
  for (size_t i = 0; i < all->nblocks; ++i)
    add_block (&sums, &all->blocks[i]);
  if (answer->answer.json)
    json_object_array_add (answer->processes, in_json (all, &sums, objects));
  else
    {
      if (answer->printed)
        putchar ('\n');
      print (all, request, &sums, objects);
    }
  return request->dry_run || sums.wanted == 0;
}

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
      if (!report (&all, request, &objects, answer))
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
