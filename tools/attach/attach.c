/* The attach to one process: plan, change and report.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A child plans and has a worker change the process: planning reads its maps
   and opens its files, for which the kernel may wait without an end.  */

#include "attach/attach.h"
#include "attach/convert.h"
#include "attach/worker.h"
#include "host/looker.h"
#include "text/report.h"
#include "tracee/thread.h"
#include "util/budget.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The time for one process, in nanoseconds: longer than that for its plan and
   its worker (BUDGET), with what ends those.  */
#define LIMIT 30000000000L

/* A reason why blocks stay as they are, and their number.  */
struct reason
{
  char words[CONVERT_REASON];
  size_t blocks, wanted;
};

struct sums
{
  size_t done, before, wanted;
  size_t by[BACKINGS]; /* Blocks of DONE by bit of their backing.  */
  struct reason reasons[16];
  size_t nreasons;
};

/* What has become of a process, in memory that the command shares with the
   child that does the work.  */
struct outcome
{
  bool given;
  char problem[400];       /* "" for none.  */
  struct inspection found; /* Without objects.  */
  struct convert_stops stops;
  struct sums sums;
};

static void
add_reason (struct sums *sums, const struct convert_block *block)
{
  size_t i = 0;
  while (i < sums->nreasons
         && strcmp (sums->reasons[i].words, block->reason) != 0)
    ++i;
  if (i == sums->nreasons)
    {
      if (i == sizeof sums->reasons / sizeof *sums->reasons)
        return;
      strcpy (sums->reasons[sums->nreasons++].words, block->reason);
    }
  ++sums->reasons[i].blocks;
  sums->reasons[i].wanted += block->wanted;
}

static struct sums
sum_up (const struct conversion *all)
{
  struct sums sums = { 0 };
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      {
        const struct convert_block *block = &all->objects[i].blocks[k];
        sums.done += block->done;
        sums.before += block->huge;
        sums.wanted += block->wanted;
        for (size_t bit = 0; block->done && bit < BACKINGS; ++bit)
          sums.by[bit] += (block->backing & (1U << bit)) != 0;
        if (block->reason[0] != '\0')
          add_reason (&sums, block);
      }
  return sums;
}

/* Return OUTCOME, in JSON.  */
static struct json_object *
conversion_json (const struct outcome *outcome,
                 const struct object_list *objects)
{
  const struct sums *sums = &outcome->sums;
  struct json_object *json
      = json_process (&outcome->found.process, outcome->found.exe,
                      inspect_loader (&outcome->found), objects);
  struct json_object *left = json_object_new_array ();
  json_set_number (json, "blocks_before", sums->before);
  json_set_number (json, "blocks_changed", sums->done);
  json_set_number (json, "blocks_wanted", sums->wanted);
  json_set_number (json, "stops", outcome->stops.count);
  json_set_fraction (json, "longest_stop_ms", outcome->stops.longest);
  json_set_fraction (json, "stopped_ms", outcome->stops.whole);
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

/* Print the number of blocks that were made, by backing.  */
static void
print_backings (const struct sums *sums)
{
  char name[40];
  const char *separator = " (";
  for (size_t i = 0; i < BACKINGS; ++i)
    if (sums->by[i] > 0)
      {
        printf ("%s%s %zu", separator, backing_names (1U << i, name),
                sums->by[i]);
        separator = ", ";
      }
  if (separator[0] == ',')
    putchar (')');
  if (sums->before > 0)
    printf (", %zu were before", sums->before);
}

/* Print OUTCOME.  */
static void
print_conversion (const struct outcome *outcome,
                  const struct attach_request *request,
                  const struct object_list *objects)
{
  const struct sums *sums = &outcome->sums;
  const char *where = request->undo ? "back as they were" : "on huge pages";
  inspect_heading (stdout, &outcome->found);
  if (request->dry_run)
    printf ("%zu block%s would be put %s\n", sums->wanted,
            plural (sums->wanted), where);
  else
    {
      printf ("%zu block%s put %s", sums->done, plural (sums->done), where);
      if (!request->undo)
        print_backings (sums);
      printf ("; %zu stop%s, the longest %.2f ms\n", outcome->stops.count,
              plural (outcome->stops.count), outcome->stops.longest);
    }
  for (size_t i = 0; i < sums->nreasons; ++i)
    printf ("%zu block%s left: %s\n", sums->reasons[i].blocks,
            plural (sums->reasons[i].blocks), sums->reasons[i].words);
  report_objects (stdout, objects);
}

/* Report OUTCOME, of REQUEST: print it, or add it to ANSWER's JSON; SAID: a
   problem has been reported already.  Return whether everything requested has
   been done.  */
static bool
report (const struct attach_request *request, struct attach_answer *answer,
        const struct outcome *outcome, bool said)
{
  struct inspection now;
  const struct process *process = &outcome->found.process;
  const char *problem = inspect (process->pid, false, &now);
  if (problem != NULL)
    {
      if (!said)
        answer_problem (&answer->answer, process, NULL, problem);
      return false;
    }
  if (!answer->answer.json && answer->printed)
    putchar ('\n');
  answer->printed = true;
  if (answer->answer.json)
    json_object_array_add (answer->processes,
                           conversion_json (outcome, &now.objects));
  else
    print_conversion (outcome, request, &now.objects);
  inspect_free (&now);
  return request->dry_run || outcome->sums.wanted == 0;
}

/* Carry out REQUEST on the process of OUTCOME.  */
static void
work (const struct attach_request *request, struct outcome *outcome)
{
  struct conversion all;
  const char *problem = convert_plan (&all, outcome->found.process.pid,
                                      &request->settings, request->undo);
  if (problem == NULL && !request->dry_run)
    problem = worker_do (&all, request->undo);
  snprintf (outcome->problem, sizeof outcome->problem, "%s",
            problem != NULL ? problem : "");
  outcome->found = all.found;
  outcome->found.objects = (struct object_list){ 0 };
  outcome->stops = all.stops;
  outcome->sums = sum_up (&all);
  outcome->given = true;
}

/* Have a child carry out REQUEST on the process of OUTCOME.  Return NULL or
   why that is not possible, or not to its end.  */
static const char *
have_done (const struct attach_request *request, struct outcome *outcome)
{
  if (outcome->found.process.pid == getpid ())
    return "it is this very command";
  budget_share ();
  const pid_t child = worker_begin ();
  if (child < 0)
    return strerror (errno);
  if (child == 0)
    {
      work (request, outcome);
      _exit (0);
    }
  const enum worker_end end = worker_wait (child, thread_now () + LIMIT);
  if (outcome->given)
    return outcome->problem[0] != '\0' ? outcome->problem : NULL;
  return end == WORKER_ENDED ? "the child that works on it was killed"
                             : LOOKER_SILENT;
}

bool
attach_process (const struct attach_request *request, pid_t pid,
                const char *name, struct attach_answer *answer)
{
  struct process process;
  const char *problem = process_ask (pid, &process);
  struct outcome *outcome
      = mmap (NULL, sizeof *outcome, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (outcome == MAP_FAILED)
    outcome = NULL;
  if (problem == NULL && outcome == NULL)
    problem = strerror (errno);
  if (problem == NULL)
    {
      outcome->found.process = process;
      problem = have_done (request, outcome);
      process = outcome->found.process;
    }
  bool good = problem == NULL;
  if (problem != NULL)
    answer_problem (&answer->answer, &process, name, problem);
  if (problem == NULL || (outcome != NULL && outcome->stops.count > 0))
    good = report (request, answer, outcome, !good) && good;
  if (outcome != NULL)
    munmap (outcome, sizeof *outcome);
  return good;
}
