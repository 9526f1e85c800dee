/* The attach to one process: plan, change and report.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "attach/attach.h"
#include "attach/convert.h"
#include "attach/worker.h"
#include "text/report.h"

#include <stdio.h>
#include <string.h>

/* A reason why blocks stay as they are, and their number.  */
struct reason
{
  const char *words;
  size_t blocks, wanted;
};

struct sums
{
  size_t done, before, wanted;
  size_t by[BACKINGS]; /* Blocks of DONE by bit of their backing.  */
  struct reason reasons[16];
  size_t nreasons;
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
      sums->reasons[sums->nreasons++].words = block->reason;
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

/* Return the result of ALL, in JSON.  */
static struct json_object *
conversion_json (const struct conversion *all, const struct sums *sums,
                 const struct object_list *objects)
{
  struct json_object *json
      = json_process (&all->found.process, all->found.exe,
                      inspect_loader (&all->found), objects);
  struct json_object *left = json_object_new_array ();
  json_set_number (json, "blocks_before", sums->before);
  json_set_number (json, "blocks_changed", sums->done);
  json_set_number (json, "blocks_wanted", sums->wanted);
  json_set_number (json, "stops", all->stops.count);
  json_set_fraction (json, "longest_stop_ms", all->stops.longest);
  json_set_fraction (json, "stopped_ms", all->stops.whole);
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

/* Print the result of ALL.  */
static void
print_conversion (const struct conversion *all,
                  const struct attach_request *request,
                  const struct sums *sums, const struct object_list *objects)
{
  const char *where = request->undo ? "back as they were" : "on huge pages";
  inspect_heading (stdout, &all->found);
  if (request->dry_run)
    printf ("%zu block%s would be put %s\n", sums->wanted,
            plural (sums->wanted), where);
  else
    {
      printf ("%zu block%s put %s", sums->done, plural (sums->done), where);
      if (!request->undo)
        print_backings (sums);
      printf ("; %zu stop%s, the longest %.2f ms\n", all->stops.count,
              plural (all->stops.count), all->stops.longest);
    }
  for (size_t i = 0; i < sums->nreasons; ++i)
    printf ("%zu block%s left: %s\n", sums->reasons[i].blocks,
            plural (sums->reasons[i].blocks), sums->reasons[i].words);
  report_objects (stdout, objects);
}

/* Report the result of ALL, which carried out REQUEST: print it, or add it to
   ANSWER's JSON; SAID: a problem has been reported already.  Return whether
   everything requested has been done.  */
static bool
report (const struct attach_request *request, struct attach_answer *answer,
        const struct conversion *all, bool said)
{
  struct inspection now;
  const char *problem = inspect (all->pid, false, &now);
  if (problem != NULL)
    {
      if (!said)
        answer_problem (&answer->answer, &all->found.process, NULL, problem);
      return false;
    }
  if (!answer->answer.json && answer->printed)
    putchar ('\n');
  answer->printed = true;
  const struct sums sums = sum_up (all);
  if (answer->answer.json)
    json_object_array_add (answer->processes,
                           conversion_json (all, &sums, &now.objects));
  else
    print_conversion (all, request, &sums, &now.objects);
  inspect_free (&now);
  return request->dry_run || sums.wanted == 0;
}

bool
attach_process (const struct attach_request *request, pid_t pid,
                const char *name, struct attach_answer *answer)
{
  struct conversion all;
  const char *problem
      = convert_plan (&all, pid, &request->settings, request->undo);
  if (problem == NULL && !request->dry_run)
    problem = worker_do (&all, request->undo);
  bool good = problem == NULL;
  if (problem != NULL)
    answer_problem (&answer->answer, &all.found.process, name, problem);
  if (problem == NULL || all.stops.count > 0)
    good = report (request, answer, &all, !good) && good;
  convert_free (&all);
  return good;
}
