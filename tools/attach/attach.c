/* Attach to processes, one after the other: plan the changes, carry them out,
   and report.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A child of the command makes the plan and starts a worker, which changes the
   process.  The command leaves the planning to a child, because reading the
   maps and files of another process may block in the kernel indefinitely.  */

#include "attach/attach.h"
#include "attach/convert.h"
#include "attach/outcome.h"
#include "attach/worker.h"
#include "host/selection.h"
#include "object/reason.h"
#include "text/report.h"
#include "tracee/thread.h"
#include "util/allocate.h"
#include "util/budget.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* LIMIT is the time limit for inspecting one process, changing its text, and
   reporting the result.  REPORT is the part of LIMIT that is reserved for the
   report.  LIMIT_CHECK is the time limit of attach_check, less than the time
   for advice (util/patience.h).  LIMIT, REPORT and LIMIT_CHECK are in
   nanoseconds.  */
#define LIMIT 30000000000L
#define REPORT 2000000000L
#define LIMIT_CHECK 4000000000L

static struct outcome_sums
sum_up (const struct conversion *all)
{
  struct outcome_sums sums = { 0 };
  for (enum hugetext_reason i = 0; i < HUGETEXT_REASONS; ++i)
    sums.left[i].blocks = all->alone[i];
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      {
        const struct convert_block *block = &all->objects[i].blocks[k];
        sums.done += block->done;
        sums.before += block->huge;
        sums.wanted += block->wanted;
        for (size_t bit = 0; block->done && bit < BACKINGS; ++bit)
          sums.by[bit] += (block->backing & (1U << bit)) != 0;
        sums.left[block->reason].blocks += block->reason != HUGETEXT_NONE;
        sums.left[block->reason].wanted += block->wanted;
        if (all->plans[i].blocks[k].heat != HUGETEXT_HEAT_UNKNOWN)
          sums.left[block->reason].heat += all->plans[i].blocks[k].heat;
        sums.left[block->reason].movable |= !all->plans[i].elf.fixed;
        if (sums.left[block->reason].text < all->plans[i].blocks[k].text)
          sums.left[block->reason].text = all->plans[i].blocks[k].text;
      }
  return sums;
}

/* Add OBJECT, which has a block that did not change because of ROW, to the
   files of OUTCOME, unless OUTCOME already contains OBJECT.  */
static void
attach_note_file (const struct object_text *object, enum hugetext_reason row,
                  struct outcome *outcome)
{
  for (size_t i = 0; i < outcome->nfiles; ++i)
    if (outcome->files[i].row == row
        && outcome->files[i].device == object->device
        && outcome->files[i].inode == object->inode)
      return;
  if (outcome->nfiles == OUTCOME_FILES)
    return;
  struct outcome_file *file = &outcome->files[outcome->nfiles++];
  *file = (struct outcome_file){ row, object->device, object->inode, "" };
  snprintf (file->path, sizeof file->path, "%s", object->name);
}

/* Store in OUTCOME which files have blocks that stayed unchanged when ALL's
   plan was carried out.  */
static void
note_files (const struct conversion *all, struct outcome *outcome)
{
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      {
        const enum hugetext_reason reason = all->objects[i].blocks[k].reason;
        if (reason != HUGETEXT_NONE)
          attach_note_file (all->objects[i].text, reason, outcome);
      }
}

/* Print an empty line between the results for two words of the command
   line.  */
static void
begin_text (struct attach_answer *answer)
{
  if (answer->printed)
    putchar ('\n');
  answer->printed = true;
}

/* Report OUTCOME, the result of REQUEST for one process.  If ANSWER is in
   JSON, add OUTCOME to its JSON.  If ANSWER is not in JSON, add OUTCOME to
   ALL, the results for several processes, or print OUTCOME if ALL is NULL.
   Return false if the process cannot be read.  */
static bool
attach_report_outcome (const struct attach_request *request,
                       struct attach_answer *answer,
                       const struct outcome *outcome, struct outcome_all *all,
                       struct problem *problem)
{
  struct inspection now;
  const struct process *process = &outcome->found.process;
  if (!inspect_again (process, INSPECT_BRIEF, &now))
    {
      *problem = now.problem;
      return false;
    }
  if (answer->answer.json)
    json_object_array_add (answer->processes,
                           outcome_json (outcome, &now.objects));
  else if (all != NULL)
    outcome_add (outcome, request, &now, all);
  else
    {
      begin_text (answer);
      outcome_print (outcome, request, &now.objects);
    }
  answer->effect |= (request->dry_run || request->undo
                     || report_sums (&now.objects).huge > 0);
  inspect_free (&now);
  return true;
}

/* Remove one block from ALL's plan: the coldest of the blocks that attach
   would put on huge pages.  */
static void
drop_coldest (struct conversion *all)
{
  struct convert_block *coldest = NULL;
  uint32_t least = UINT32_MAX;
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      if (all->objects[i].blocks[k].wanted
          && all->plans[i].blocks[k].heat < least)
        {
          coldest = &all->objects[i].blocks[k];
          least = all->plans[i].blocks[k].heat;
        }
  if (coldest != NULL)
    coldest->wanted = false;
}

/* Move the blocks that ALL's plan marks as cold back to small pages, to make
   room for hotter blocks.  For each cold block that cannot be moved back, drop
   one block from the blocks that the plan puts on huge pages.  Set *TAKEN to
   the number of blocks that have moved back to small pages.  Return false if
   the process cannot be changed any further.  */
static bool
take_back (struct conversion *all, size_t *taken, struct problem *problem)
{
  size_t left = 0;
  bool good = worker_do (all, true, problem);
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      {
        struct convert_block *block = &all->objects[i].blocks[k];
        if (!block->back)
          continue;
        left += !block->done;
        *taken += block->done;
        if (!block->done)
          continue;
        --all->ledger.used.blocks;
        all->ledger.used.copies -= (block->backing & BACKINGS_SHARED) == 0;
        block->done = block->huge = false;
      }
  for (; left > 0; --left)
    drop_coldest (all);
  return good;
}

/* Carry out ALL's plan, which chose blocks by heat: first move cold blocks
   back to small pages, then put hot blocks on huge pages.  Set *TAKEN to how
   many blocks were moved back to small pages.  Return true only if the whole
   plan was carried out.  */
static bool
exchange (struct conversion *all, size_t *taken, struct problem *problem)
{
  bool back = false;
  for (size_t i = 0; i < all->count; ++i)
    for (size_t k = 0; k < all->plans[i].nblocks; ++k)
      back |= all->objects[i].blocks[k].back;
  const bool good = !back || take_back (all, taken, problem);
  const struct convert_stops before = all->stops;
  if (!good)
    return false;
  all->stops = (struct convert_stops){ .count = 0 };
  const bool done = worker_do (all, false, problem);
  all->stops.count += before.count;
  all->stops.whole += before.whole;
  if (before.longest > all->stops.longest)
    all->stops.longest = before.longest;
  return done;
}

/* Carry out REQUEST on process I of SELECTED, and write the result to OUTCOME,
   which already contains the process.  END is the time limit.  */
static void
attach_change_process (const struct attach_request *request,
                       const struct selected *selected, size_t i,
                       struct outcome *outcome, long end)
{
  struct conversion all;
  struct problem *problem = &outcome->result.problem;
  bool good = convert_plan (&all, outcome->found.process.pid,
                            end - WORKER_END_ALL, &request->settings,
                            request->undo, request->heats, problem);
  /* Check this after the plan has recorded facts that identify the process.
     The worker later compares these facts with the process that it stops, so
     that it does not change another process with the same ID.  */
  if (good && selected_has_ended (selected, i))
    good = problem_set (problem, "the process has ended");
  if (good && request->heats != NULL)
    good = exchange (&all, &outcome->taken_back, problem);
  else if (good && !request->dry_run)
    good = worker_do (&all, request->undo, problem);
  outcome->found = all.found;
  outcome->found.objects = (struct object_list){ 0 };
  outcome->settings = all.settings;
  outcome->stops = all.stops;
  outcome->room = all.room;
  outcome->sums = sum_up (&all);
  note_files (&all, outcome);
  if (good && request->dry_run && (outcome->sums.wanted > 0 || request->trace))
    good = tracee_try (outcome->found.process.pid, &all.facts, problem);
  outcome->result.good = good;
  outcome->given = true;
}

/* Let a child carry out REQUEST on process I of SELECTED, and write the result
   to OUTCOME, which already contains the process.  END is the time limit.
   Return true only if the child has carried out the whole request.  */
static bool
have_done (const struct attach_request *request,
           const struct selected *selected, size_t i, struct outcome *outcome,
           long end, struct problem *problem)
{
  const long killed = end - WORKER_END;
  if (outcome->found.process.pid == getpid ())
    return problem_set (problem,
                        "hugetext attach cannot attach to its own process");
  budget_share ();
  const pid_t child = worker_begin ();
  if (child < 0)
    return problem_system (problem, errno);
  if (child == 0)
    {
      attach_change_process (request, selected, i, outcome, killed);
      _exit (0);
    }
  const enum worker_end how
      = worker_wait (child, outcome->found.process.pid, killed);
  if (outcome->given)
    return result_take (&outcome->result, problem);
  switch (how)
    {
    case WORKER_ENDED:
      return problem_set (
          problem, "hugetext's child process was killed while it changed this "
                   "process; call hugetext attach again");
    case WORKER_WAITED:
    case WORKER_STUCK:
      return problem_set (problem, INSPECTOR_SILENT);
    default:
      return problem_set (problem, INSPECTOR_LATE);
    }
}

/* Set the time limit for changing a process to LIMIT nanoseconds from now, and
   return the time at which the change must end.  Each step of the change may
   use all the time that is left.  */
static long
attach_begin_request (long limit)
{
  const long end = thread_now () + limit;
  inspector_until (end / 1000000);
  return end;
}

/* Report that hugetext was unable to change PROCESS, which the user has
   selected by NAME, because of PROBLEM.  If ALL is not NULL, add the report to
   ALL, the results for several processes; otherwise print it at once.  */
static void
attach_report_unchanged (struct attach_answer *answer, struct outcome_all *all,
                         const struct process *process, const char *name,
                         const char *problem)
{
  const char *known = process->name[0] != '\0' ? process->name : name;
  if (all != NULL)
    several_add_problem (&all->processes, &answer->answer, process, known,
                         problem);
  else
    answer_problem (&answer->answer, process, known, problem);
}

/* Carry out REQUEST on process I of SELECTED, and add the result to ANSWER or,
   if there are several processes, to ALL. Return true if the process was
   changed as REQUEST asks.  */
static bool
attach_one (const struct attach_request *request,
            const struct selected *selected, size_t i, const char *name,
            struct attach_answer *answer, struct outcome_all *all)
{
  const long end = attach_begin_request (LIMIT);
  const pid_t pid = selected->pids[i];
  struct process process;
  struct problem problem;
  bool good = process_ask (pid, &process, &problem);
  struct outcome *outcome
      = mmap (NULL, sizeof *outcome, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (outcome == MAP_FAILED)
    outcome = NULL;
  if (good && outcome == NULL)
    good = problem_system (&problem, errno);
  if (good)
    {
      outcome->found.process = process;
      good = have_done (request, selected, i, outcome, end - REPORT, &problem);
      process = outcome->found.process;
    }
  bool omitted = !good && selected_held_has_gone (selected, i);
  if (!good && !omitted)
    attach_report_unchanged (answer, all, &process, name, problem.text);
  /* Remove the time limit now, so that the report is always written.  */
  inspector_until (0);
  if (good || (!omitted && outcome != NULL && outcome->stops.count > 0))
    {
      const bool shown
          = attach_report_outcome (request, answer, outcome, all, &problem);
      omitted = good && !shown && selected_held_has_gone (selected, i);
      if (good && !shown && !omitted)
        attach_report_unchanged (answer, all, &process, name, problem.text);
      /* The request is complete if all blocks that the plan wanted to change
         have changed.  Blocks that cannot be huge are not in the plan.  */
      good = good && shown && (request->dry_run || outcome->sums.wanted == 0);
    }
  if (outcome != NULL)
    munmap (outcome, sizeof *outcome);
  return good || omitted;
}

bool
attach_processes (const struct attach_request *request,
                  const struct selected *selected, const char *name,
                  struct attach_answer *answer)
{
  struct outcome_all *all
      = selected->count > 1 ? allocate (sizeof *all) : NULL;
  bool good = true;
  for (size_t i = 0; i < selected->count; ++i)
    good = attach_one (request, selected, i, name, answer, all) && good;
  if (all != NULL && all->processes.nlines > 0)
    {
      begin_text (answer);
      outcome_print_all (all, request);
    }
  if (all != NULL)
    {
      several_print_problems (&all->processes, &answer->answer);
      several_free (&all->processes);
    }
  free (all);
  return good;
}

/* Write to CHANGE two of the reasons why blocks of OUTCOME stayed unchanged:
   the reason of the blocks with the highest total heat, and the reason of the
   largest number of planned blocks.  */
static void
note_left (const struct outcome *outcome, struct attach_change *change)
{
  const struct outcome_sums *sums = &outcome->sums;
  enum hugetext_reason hottest = HUGETEXT_NONE, failed = HUGETEXT_NONE;
  for (enum hugetext_reason i = HUGETEXT_NONE + 1; i < HUGETEXT_REASONS; ++i)
    if (sums->left[i].blocks > 0
        && (hottest == HUGETEXT_NONE
            || sums->left[i].heat > sums->left[hottest].heat))
      hottest = i;
  for (enum hugetext_reason i = HUGETEXT_NONE + 1; i < HUGETEXT_REASONS; ++i)
    if (sums->left[i].wanted > 0
        && (failed == HUGETEXT_NONE
            || sums->left[i].wanted > sums->left[failed].wanted))
      failed = i;
  change->failed = failed;
  if (hottest == HUGETEXT_NONE)
    return;
  change->left = sums->left[hottest].blocks;
  change->heat = sums->left[hottest].heat;
  outcome_describe_left (outcome, hottest, change->why);
  outcome_describe_remedy (outcome, hottest, change->remedy);
}

/* Carry out REQUEST on process I of SELECTED, which may take LIMIT
   nanoseconds.  Return the result, in memory that the caller unmaps, or NULL
   if there is no memory.  Set *GOOD to false, and set PROBLEM, if REQUEST was
   impossible, or was not completed.  */
static struct outcome *
carry_out (const struct attach_request *request,
           const struct selected *selected, size_t i, long limit, bool *good,
           struct problem *problem)
{
  struct outcome *outcome
      = mmap (NULL, sizeof *outcome, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *good = outcome != MAP_FAILED;
  if (!*good)
    {
      problem_system (problem, errno);
      return NULL;
    }
  const long end = attach_begin_request (limit);
  *good = process_ask (selected->pids[i], &outcome->found.process, problem)
          && have_done (request, selected, i, outcome, end, problem);
  inspector_until (0);
  return outcome;
}

bool
attach_by_heat (const struct attach_request *request,
                const struct selected *selected, size_t i,
                struct attach_change *change, struct problem *problem)
{
  bool good;
  struct outcome *outcome
      = carry_out (request, selected, i, LIMIT, &good, problem);
  *change = (struct attach_change){ .added = 0 };
  if (outcome == NULL)
    return false;
  *change = (struct attach_change){ .added = outcome->sums.done,
                                    .taken_back = outcome->taken_back,
                                    .wanted = outcome->sums.wanted,
                                    .stops = outcome->stops.count,
                                    .longest = outcome->stops.longest };
  if (good)
    note_left (outcome, change);
  munmap (outcome, sizeof *outcome);
  return good;
}

/* Set PROBLEM to the reason why attach would change no block of OUTCOME's
   process: the reason of most blocks.  */
static void
say_no_block (const struct outcome *outcome, struct problem *problem)
{
  enum hugetext_reason most = HUGETEXT_NONE;
  char line[REASON_SIZE];
  for (enum hugetext_reason i = HUGETEXT_NONE + 1; i < HUGETEXT_REASONS; ++i)
    if (outcome->sums.left[i].blocks > outcome->sums.left[most].blocks)
      most = i;
  if (outcome->sums.left[most].blocks == 0)
    problem_set (problem, "no block of text can become huge");
  else
    {
      outcome_describe_left (outcome, most, line);
      problem_set (problem, "no block of text would become huge; %s", line);
    }
}

enum reason_answer
attach_check (const char *pid, const struct settings *settings, bool helps,
              struct problem *problem)
{
  struct selected selected;
  const struct attach_request request
      = { .settings = *settings, .dry_run = true, .trace = true };
  enum reason_answer answer = REASON_REFUSES;
  bool good;
  *problem = (struct problem){ 0 };
  if (!selected_hold (pid, NULL, &selected, problem))
    return problem->code == PROBLEM_PLAIN ? REASON_REFUSES : REASON_UNKNOWN;
  struct outcome *outcome
      = carry_out (&request, &selected, 0, LIMIT_CHECK, &good, problem);
  if (good && helps && outcome->sums.wanted == 0)
    say_no_block (outcome, problem);
  else if (good)
    {
      answer = REASON_TAKES;
      *problem = outcome->result.problem;
    }
  else if (outcome == NULL || !outcome->given
           || problem->code != PROBLEM_PLAIN)
    answer = REASON_UNKNOWN;
  if (outcome != NULL)
    munmap (outcome, sizeof *outcome);
  selected_free (&selected);
  return answer;
}
