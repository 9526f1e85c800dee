/* The effect of an entry: how much text of its processes is huge, and why not
   more.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "service/effect.h"
#include "explain/explain.h"
#include "object/loader.h"
#include "service/parts.h"
#include "text/inspect.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The share of huge text, in per cent of the text in use, below which a reason
   is printed.  */
#define MUCH 97.0

const char *
effect_way_name (enum way way)
{
  static const char *const names[] = { [WAY_BOUND] = "bound",
                                       [WAY_SYSTEM] = "system",
                                       [WAY_NAMED] = "named",
                                       [WAY_PRIMED] = "primed",
                                       [WAY_NONE] = "none" };
  return names[way];
}

/* Whether each program of ENTRY names a loader of this project.  */
static bool
all_name_ours (const struct entry *entry)
{
  size_t named = 0;
  for (size_t i = 0; i < entry->programs.count; ++i)
    {
      struct program program;
      struct loader loader;
      named += program_read (entry->programs.names[i], &program)
               && program.kind == PROGRAM_DYNAMIC
               && loader_read (program.interpreter, &loader) && loader.ours;
    }
  return named > 0 && named == entry->programs.count;
}

/* Whether each program of ENTRY is static.  */
static bool
all_static (const struct entry *entry)
{
  size_t n = 0;
  for (size_t i = 0; i < entry->programs.count; ++i)
    {
      struct program program;
      n += program_read (entry->programs.names[i], &program)
           && program.kind == PROGRAM_STATIC;
    }
  return n > 0 && n == entry->programs.count;
}

enum way
effect_way (const struct entry *entry)
{
  struct loader system;
  if (entry_is_service (entry) && all_static (entry))
    return WAY_PRIMED;
  if (loader_read (loader_system (), &system) && system.ours)
    return WAY_SYSTEM;
  if (all_name_ours (entry))
    return WAY_NAMED;
  return entry_is_service (entry) ? WAY_BOUND : WAY_NONE;
}

/* Whether EXE, a process's file, is a program of ENTRY, perhaps one that has
   been replaced since.  */
static bool
runs_program (char *exe, const struct entry *entry)
{
  process_cut_deleted (exe);
  for (size_t i = 0; i < entry->programs.count; ++i)
    if (strcmp (exe, entry->programs.names[i]) == 0)
      return true;
  return false;
}

/* A reason, and the bytes that are on small pages because of it.  */
struct reason
{
  const struct explained_block *block;
  size_t small;
};

/* Return the reason for most small pages in FOUND.  */
static struct reason
main_reason (const struct explanation *found)
{
  struct reason most = { 0 };
  for (size_t i = 0; i < found->count; ++i)
    for (size_t k = 0; k < found->list[i].nblocks; ++k)
      {
        const struct explained_block *block = &found->list[i].blocks[k];
        struct reason sum = { block, 0 };
        for (size_t j = 0; block->small > 0 && j < found->count; ++j)
          for (size_t l = 0; l < found->list[j].nblocks; ++l)
            if (strcmp (found->list[j].blocks[l].reason, block->reason) == 0)
              sum.small += found->list[j].blocks[l].small;
        if (sum.small > most.small)
          most = sum;
      }
  return most;
}

/* Write to TO why much of PID's text is on small pages.  */
static void
explain_small (pid_t pid, char *to, size_t size)
{
  struct explanation found;
  if (explain_process (pid, &found) == NULL)
    {
      struct reason reason = main_reason (&found);
      if (found.problem[0] != '\0')
        snprintf (to, size, "%s", found.problem);
      else if (reason.block != NULL)
        snprintf (to, size, "process %d, %zu KiB: %s%s%s", (int) pid,
                  reason.small / 1024, reason.block->reason,
                  reason.block->remedy[0] != '\0' ? "; change: " : "",
                  reason.block->remedy);
    }
  explain_free (&found);
}

/* Look at the N processes LIST, and keep those in EFFECT that run a program of
   ENTRY.  */
static void
look_at (const struct entry *entry, pid_t *list, size_t n,
         struct effect *effect)
{
  size_t smallest = 0;
  pid_t worst = 0;
  effect->processes = list;
  for (size_t i = 0; i < n; ++i)
    {
      struct inspection found;
      const char *problem;
      char exe[PATH_MAX];
      process_exe (list[i], exe, sizeof exe);
      /* A process whose program this user may not know cannot be inspected
         either.  */
      if (exe[0] != '\0' ? !runs_program (exe, entry)
                         : !entry_is_service (entry))
        continue;
      problem = inspect (list[i], 0, &found);
      effect->closed += problem != NULL && found.unread;
      inspect_say_left_out (&found, problem);
      if (problem != NULL)
        continue;
      effect->processes[effect->count++] = list[i];
      const char *loader = inspect_loader (&found);
      struct text_sums sums = report_sums (&found.objects);
      if (loader != NULL
          && strcmp (loader,
                     effect->way == WAY_PRIMED ? "none" : "ld-hugetext")
                 == 0)
        ++effect->ours;
      effect->sums.text += sums.text;
      effect->sums.huge += sums.huge;
      effect->sums.small += sums.small;
      effect->sums.backing |= sums.backing;
      if (sums.small > smallest)
        {
          smallest = sums.small;
          worst = list[i];
        }
      inspect_free (&found);
    }
  double share = report_share (effect->sums.huge, effect->sums.small);
  if (worst != 0 && effect->ours > 0 && share < MUCH)
    explain_small (worst, effect->small, sizeof effect->small);
}

static void __attribute__ ((format (printf, 2, 3)))
say (struct effect *effect, const char *format, ...)
{
  va_list ap;
  va_start (ap, format);
  vsnprintf (effect->trouble, sizeof effect->trouble, format, ap);
  va_end (ap);
}

static double
seconds (const struct timespec *time)
{
  return time->tv_sec + time->tv_nsec / 1e9;
}

bool
effect_is_since (const struct unit *unit, const char *file)
{
  struct stat status;
  struct timespec real, monotonic;
  if (unit->started == 0 || stat (file, &status) < 0)
    return false;
  clock_gettime (CLOCK_REALTIME, &real);
  clock_gettime (CLOCK_MONOTONIC, &monotonic);
  /* The times of files are those of the last tick, at most 10 ms ago.  */
  return seconds (&real) - (seconds (&monotonic) - unit->started / 1e6)
         > seconds (&status.st_mtim) + 0.01;
}

/* Whether UNIT has been started since its drop-in was written.  */
static bool
started_since (const struct unit *unit)
{
  return effect_is_since (unit, dropin_file (unit->id));
}

/* Note why the service UNIT is, or will be, under the system's loader.  */
static void
judge_service (const struct unit *unit, const char *loader,
               struct effect *effect)
{
  struct problem problem;
  if (access (dropin_file (unit->id), F_OK) < 0)
    say (effect, "%s is missing: it starts under the system's loader",
         dropin_file (unit->id));
  else if (!trial_fits (loader_path (loader), &problem))
    say (effect, "starts under the system's loader: %s", problem.text);
  else if (bound_has_failed (unit->id, &problem))
    say (effect, "was started under the system's loader: %s", problem.text);
  else if (strcmp (unit->active, "failed") == 0)
    say (effect, "has failed: systemctl status %s", unit->id);
  else if (effect->count > effect->ours && started_since (unit))
    say (effect,
         access (bound_file (unit->id), F_OK) == 0
             ? "was started under the system's loader: something in the unit"
               " hides %s, as TemporaryFileSystem= does, or undoes"
               " BindReadOnlyPaths=: systemctl cat %s"
             : "was started under the system's loader: %s was not made;"
               " something in the unit undoes ExecCondition=: systemctl cat"
               " %s",
         bound_file (unit->id), unit->id);
  else if (effect->count > effect->ours)
    say (effect,
         "runs under the system's loader since before: systemctl"
         " restart %s",
         unit->id);
}

/* Note why UNIT, whose program is static, is not primed.  */
static void
judge_primed (const struct unit *unit, struct effect *effect)
{
  if (access (dropin_file (unit->id), F_OK) < 0)
    say (effect, "%s is missing: it starts with its file as it is cached",
         dropin_file (unit->id));
  else if (strcmp (unit->active, "failed") == 0)
    say (effect, "has failed: systemctl status %s", unit->id);
  else if (effect->count > 0 && effect->sums.huge == 0
           && !started_since (unit))
    say (effect, "runs since before: systemctl restart %s", unit->id);
}

void
effect_read (const struct entry *entry, const char *loader,
             struct effect *effect)
{
  struct unit unit;
  pid_t *list = NULL;
  size_t n = 0;
  const char *problem = NULL;
  *effect = (struct effect){ .way = effect_way (entry) };
  if (entry_is_service (entry))
    {
      problem = unit_read (entry->name, &unit);
      if (problem != NULL)
        {
          say (effect, "%s", problem);
          return;
        }
      n = unit_processes (&unit, &list);
    }
  else
    {
      ssize_t all = process_list (NULL, &list);
      n = all > 0 ? all : 0;
    }
  look_at (entry, list, n, effect);
  if (effect->way == WAY_BOUND)
    judge_service (&unit, loader, effect);
  else if (effect->way == WAY_PRIMED)
    judge_primed (&unit, effect);
  else if (effect->way == WAY_NONE && effect->ours == 0)
    snprintf (effect->small, sizeof effect->small,
              "its loader is another: only under hugetext run, and in services"
              " that are enabled");
  if (entry_is_service (entry))
    unit_free (&unit);
}

void
effect_free (struct effect *effect)
{
  free (effect->processes);
}
