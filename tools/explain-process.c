/* "hugetext explain PID": what the loader did, as the kernel has it.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The loader leaves no record in the process; the plan is made again for
   where each object is, and compared with the huge pages that are there.  */

#include "explain.h"
#include "heat.h"
#include "advice.h"
#include "inspect.h"
#include "loader.h"
#include "machine.h"
#include "program.h"
#include "regular.h"
#include "unstored.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is so of the process as a whole.  */
struct circumstances
{
  struct settings settings;
  bool works; /* Our loader is in it, and switched on.  */
  bool alone; /* It is static: no loader is in it.  */
  bool traced, filtered;
  bool limited; /* Its memory is,  */
  bool narrow;  /* or its address space.  */
  bool no_data; /* or its data, which copies are while they are written.  */
  bool no_proc; /* There is none in its root directory.  */
  size_t huge;  /* Blocks,  */
  size_t cap;
  size_t copies; /* and those of them that are copies.  */
  size_t copies_cap;
};

/* Why what FOUND runs is not for our loader, NULL if it can be.  */
static const char *
foreign_program (const struct inspection *found)
{
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/exe", (int)found->process.pid);
  int fd = regular_open (path, 0);
  const char *foreign = fd >= 0 ? program_foreign (fd) : NULL;
  if (fd >= 0)
    close (fd);
  return foreign;
}

/* Find out why there can be no huge text in FOUND at all; "" if nothing
   stands in its way.  */
static void
judge_process (const struct inspection *found, struct circumstances *all,
               char words[static 512])
{
  pid_t pid = found->process.pid;
  const char *loader = inspect_loader (found);
  char *tunables = process_tunables (pid);
  settings_read (&all->settings, tunables);
  free (tunables);
  advice_add_process (&all->settings, pid);
  all->traced = process_number (pid, "TracerPid:") > 0;
  all->filtered = process_number (pid, "Seccomp:") > 0;
  all->limited = process_memory_limited (pid);
  struct rlimit space;
  all->narrow = prlimit (pid, RLIMIT_AS, NULL, &space) == 0
                && space.rlim_cur != RLIM_INFINITY;
  all->no_data = prlimit (pid, RLIMIT_DATA, NULL, &space) == 0
                 && space.rlim_cur != RLIM_INFINITY;
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/root/proc/self", (int)pid);
  struct stat proc;
  all->no_proc = lstat (path, &proc) < 0 && errno == ENOENT;
  all->cap = plan_cap (&all->settings);
  all->copies_cap = plan_copies_cap (&all->settings);
  for (size_t i = 0; i < found->objects.count; i++)
    for (size_t k = 0; k < found->objects.list[i].nblocks; k++)
      {
        all->huge += found->objects.list[i].blocks[k].huge > 0;
        all->copies += found->objects.list[i].blocks[k].copied;
      }
  /* Code made at run time is under the same cap, if our object makes it
     huge.  */
  if ((settings_value (&all->settings, SETTING_MODE) & 2) != 0)
    for (size_t k = 0; k < found->objects.made.nblocks; k++)
      all->huge += found->objects.made.blocks[k].huge > 0;

  all->alone = loader != NULL && strcmp (loader, "none") == 0;
  words[0] = '\0';
  const char *foreign = foreign_program (found);
  if (foreign != NULL)
    strcpy (words, foreign);
  else if (loader == NULL)
    strcpy (words, "which loader it has cannot be read");
  else if (!all->alone && strcmp (loader, "ld-hugetext") != 0)
    strcpy (words, "another loader than ld-hugetext.so has loaded it: start"
                   " it with hugetext run, or hugetext attach");
  else if (process_is_secure (pid))
    strcpy (words, "it got rights of its own when it was executed (AT_SECURE):"
                   " the loader takes no tunables then");
  else if (all->alone
           && (settings_value (&all->settings, SETTING_MODE) & 1) == 0)
    strcpy (words, "it is statically linked, and was not started with"
                   " hugetext run");
  else if ((settings_value (&all->settings, SETTING_MODE) & 1) == 0)
    {
      const char *source = settings_source (&all->settings,
                                            HUGETEXT_KEY_MODE);
      const char *obstacle = source == NULL ? advice_obstacle (pid) : NULL;
      if (source == NULL)
        source = "it was started without glibc.mem.hugetext=1 in"
                 " GLIBC_TUNABLES, and the index has no hugetext = on for it";
      snprintf (words, 512, "huge text is switched off: %s",
                obstacle != NULL ? obstacle : source);
    }
  /* It may have had another user when it read the index, so that only who has
     nothing is asked.  */
  else if (all->huge == 0 && !all->settings.given[SETTING_MODE]
           && advice_obstacle (pid) != NULL)
    snprintf (words, 512, "huge text is switched off: %s",
              advice_obstacle (pid));
  else
    all->works = true;
  if (!all->works)
    return;
  if (process_number (pid, "THP_enabled:") == 0)
    strcpy (words, "transparent huge pages are off in it (prctl"
                   " PR_SET_THP_DISABLE): nothing but the reserved pool can"
                   " be had");
}

/* Whether BLOCK would be kept free if it had come by dlopen.  */
static bool
would_wait (const struct circumstances *all, const struct plan_block *block)
{
  const struct hugetext_geometry geo = elfobject_geometry ();
  struct hugetext_ranking ranking = { 0 };
  hugetext_ranking_keep_free (&ranking, &geo, all->huge, all->cap);
  return hugetext_ranking_take (&ranking, &geo, block->text, block->heat)
         == HUGETEXT_KEPT_FREE;
}

/* Whether a filter keeps copies from being executed, as far as can be seen: then
   it does not matter how hot they would be.  */
static bool
copies_are_forbidden (const struct circumstances *all)
{
  uint64_t backing = settings_value (&all->settings, SETTING_BACKING);
  return (all->works && all->filtered && all->copies == 0 && !all->limited
          && (backing == CHOICE_AUTO || backing == CHOICE_THP)
          && !machine_thp_off (elfobject_geometry ().block));
}

/* Say in TO why BLOCK, which the plan takes, is on small pages.  */
static void
guess_reason (const struct circumstances *all, const struct plan_block *block,
              bool program, bool copied, struct explained_block *to)
{
  uint64_t backing = settings_value (&all->settings, SETTING_BACKING);
  const char *reason, *remedy = "";
  if (!all->works)
    {
      to->verdict = "not-tried";
      reason = all->alone ? "it could be huge under hugetext run"
                          : "it could be huge under ld-hugetext.so";
    }
  else if (to->small == 0 && backing != CHOICE_THP
           && backing != CHOICE_HUGETLB)
    {
      to->verdict = "untouched";
      reason = "this process has not touched it yet";
    }
  else if (copied)
    {
      to->verdict = "split";
      reason = "it is a copy that was on a huge page, which the kernel has"
               " split since";
      remedy = "more memory, or glibc.mem.hugetext_lock=1";
    }
  else if (program && all->no_proc)
    {
      reason = "there is no /proc in its root directory, by which the loader"
               " could read its file";
      remedy = "mount proc there";
    }
  else if (all->huge >= all->cap)
    {
      to->verdict = plan_name (HUGETEXT_OVER_CAP);
      reason = "the process has all the huge pages that it may have";
      remedy = "a larger --max";
    }
  else if (copies_are_forbidden (all))
    {
      to->verdict = "not-executable";
      reason = "its system calls are filtered (seccomp), and no copy may"
               " become executable, as by MemoryDenyWriteExecute=";
      remedy = "MemoryDenyWriteExecute=no";
    }
  else if (would_wait (all, block))
    {
      struct plan_block late = *block;
      late.verdict = HUGETEXT_KEPT_FREE;
      to->verdict = plan_name (late.verdict);
      reason = plan_reason (&late, &all->settings);
      remedy = "a larger --max";
    }
  else if (backing == CHOICE_HUGETLB)
    {
      reason = all->traced ? "the process is traced, so that the pool is not"
                             " used"
                           : "the pool had no free huge page";
      remedy = "sysctl vm.nr_hugepages";
    }
  else if (backing == CHOICE_FILE && all->filtered)
    {
      reason = "its system calls are filtered (seccomp): it was left where the"
               " kernel had mapped it";
      remedy = "--backing=auto: a copy";
    }
  else if (backing == CHOICE_FILE)
    {
      reason = block->congruent
                   ? "its file is not cached in huge pages"
                   : "its address does not suit its place in the file";
      remedy = "--backing=auto: a copy";
    }
  else if (backing == CHOICE_STORE)
    {
      reason = "the store had no image of it";
      remedy = "hugetext store add; --backing=auto: a copy";
    }
  else if (machine_thp_off (elfobject_geometry ().block))
    {
      reason = "transparent huge pages are off";
      remedy = "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled";
    }
  else if (all->copies >= all->copies_cap)
    {
      to->verdict = "copies-cap";
      reason = "the process has all the copies that it may have";
      remedy = "a larger --max, or hugetext store add";
    }
  else if (all->no_data)
    {
      reason = "when it was loaded there was no room under its limit of data"
               " (RLIMIT_DATA), or no huge page";
      remedy = "ulimit -d unlimited, LimitDATA=infinity";
    }
  else
    {
      /* What could be had at the time is not known any more.  */
      reason = all->narrow
                   ? "when it was loaded there was no room under its limit of"
                     " address space (RLIMIT_AS), or no huge page"
               : all->limited
                   ? "when it was loaded there was no room under its memory"
                     " limit, or no huge page"
                   : "when it was loaded there was no huge page for it";
      remedy = all->narrow ? "ulimit -v unlimited, LimitAS=infinity"
                           : "hugetext doctor says what is in the way";
    }
  if (to->verdict == NULL)
    to->verdict = "not-made";
  snprintf (to->reason, sizeof to->reason, "%s", reason);
  snprintf (to->remedy, sizeof to->remedy, "%s", remedy);
}

/* Say in TO why a cold block is on small pages.  Only what costs no memory is
   done for it, and what others want goes first.  */
static void
explain_cold (const struct circumstances *all, struct explained_block *to)
{
  bool full = all->works && all->huge >= all->cap;
  to->verdict = "cold";
  snprintf (to->reason, sizeof to->reason,
            "its profile has not seen it executed, and %s",
            full ? "others have all the huge pages that the process may have"
            : all->works ? "nothing that is shared backs it"
                         : "it is not copied");
  strcpy (to->remedy, full ? "a larger --max" : "");
}

/* Fill in TO from what the kernel has, NOW, and from the plan, BLOCK.  */
static void
explain_block (const struct circumstances *all, const struct text_block *now,
               const struct plan_block *block, bool program,
               struct explained_block *to)
{
  char buffer[40];
  *to = (struct explained_block){ .address = now->start,
                                  .text = now->text,
                                  .huge = now->huge,
                                  .small = now->small,
                                  .backing = now->backing,
                                  .heat = HUGETEXT_HEAT_UNKNOWN };
  if (block != NULL)
    {
      to->heat = block->heat;
      to->ranked = block->verdict == HUGETEXT_TAKE;
    }
  if (now->huge > 0)
    {
      to->verdict = "huge";
      snprintf (to->reason, sizeof to->reason, "%s",
                now->backing == BACKING_FILE ? "the file's own"
                : now->backing == BACKING_STORE
                    ? "of a copy of the file in the store"
                    : backing_names (now->backing, buffer));
    }
  else if (block != NULL && block->verdict == HUGETEXT_TAKE
           && plan_is_cold (block) && !copies_are_forbidden (all))
    explain_cold (all, to);
  else if (block == NULL || block->verdict == HUGETEXT_TAKE)
    {
      struct plan_block none = { 0 };
      guess_reason (all, block != NULL ? block : &none, program, now->copied,
                    to);
    }
  else
    {
      to->verdict = plan_name (block->verdict);
      snprintf (to->reason, sizeof to->reason, "%s",
                plan_reason (block, &all->settings));
      snprintf (to->remedy, sizeof to->remedy, "%s",
                plan_remedy (block, &all->settings));
    }
}

/* Give BLOCK another explanation.  */
static void
replace_reason (struct explained_block *block, const char *verdict,
                const char *reason, const char *remedy)
{
  block->verdict = verdict;
  snprintf (block->reason, sizeof block->reason, "%s", reason);
  snprintf (block->remedy, sizeof block->remedy, "%s", remedy);
}

/* Explain OBJECT of process PID in TO.  */
static bool
explain_object (pid_t pid, const struct circumstances *all,
                const struct object_text *object, struct explained *to)
{
  struct elf_object elf;
  struct plan plan = { 0 };
  struct heat heat = { 0 };
  const char *hopeless = NULL, *remedy = "";
  bool planned = false, program = false;

  *to = (struct explained){ .name = strdup (object->name),
                            .in_process = true,
                            .bias = object->bias,
                            .nblocks = object->nblocks };
  to->blocks = calloc (object->nblocks, sizeof *to->blocks);
  if (to->name == NULL || (to->blocks == NULL && object->nblocks > 0))
    return false;

  int fd = objtext_open (pid, object);
  const char *problem
      = fd < 0 ? "its file cannot be read" : elfobject_read (fd, &elf);
  if (problem == NULL)
    problem = elfobject_problem (&elf);
  if (problem == NULL && loader_is_loader (object->name, fd))
    problem = "it is the loader: its code ran while it mapped the others";
  if (problem == NULL)
    problem = plan_forbidden (&all->settings, object->name);
  if (problem == NULL)
    heat_read (&heat, NULL, fd, &elf.object);
  if (heat.plan.heat.weight != NULL)
    heat_text (&heat, to->profile);
  if (problem == NULL)
    unstored_text (fd, object->name, &elf.object, &all->settings,
                   to->unstored);
  if (fd >= 0)
    close (fd);
  if (problem == NULL)
    program = elf.program;
  if (problem == NULL)
    planned = plan_found (&plan, &elf, &all->settings, object->bias,
                          &heat.plan);
  if (planned)
    hopeless = plan_hopeless (&plan, &remedy);
  snprintf (to->kind, sizeof to->kind, "%zu KiB of text, mapped from 0x%zx",
            object->text / 1024, (size_t)object->start);
  if (problem != NULL)
    snprintf (to->problem, sizeof to->problem, "%s", problem);

  for (size_t i = 0; i < object->nblocks; i++)
    {
      const struct plan_block *block = NULL;
      for (size_t k = 0; planned && k < plan.nblocks; k++)
        if (plan.blocks[k].start == object->blocks[i].start)
          block = &plan.blocks[k];
      explain_block (all, &object->blocks[i], block, program, &to->blocks[i]);
      if (object->blocks[i].huge == 0 && problem != NULL)
        replace_reason (&to->blocks[i], "left-alone", problem, "");
      else if (object->blocks[i].huge == 0 && hopeless != NULL)
        replace_reason (&to->blocks[i], plan_name (HUGETEXT_BELOW_THRESHOLD),
                        hopeless, remedy);
      /* An image that has been replaced since then serves it still.  */
      if (to->blocks[i].backing == CHOICE_STORE)
        to->unstored[0] = '\0';
    }
  if (planned)
    plan_free (&plan);
  heat_free (&heat);
  return true;
}

const char *
explain_process (pid_t pid, struct process *process, char words[static 512],
                 struct explained **list, size_t *count,
                 struct settings *settings, settings_say *say, void *closure)
{
  struct inspection found;
  const char *problem = inspect (pid, 0, &found);
  *process = found.process;
  *list = NULL;
  *count = 0;
  if (problem != NULL)
    return problem;

  struct circumstances all = { 0 };
  judge_process (&found, &all, words);
  *settings = all.settings;
  inspect_settings (&found, say, closure);
  *list = calloc (found.objects.count + 1, sizeof **list);
  struct cost *costs = calloc (found.objects.count, sizeof *costs);
  bool measured
      = costs != NULL && cost_read (pid, &found.objects, costs);
  for (size_t i = 0; *list != NULL && i < found.objects.count; i++)
    if (explain_object (pid, &all, &found.objects.list[i], &(*list)[*count]))
      {
        if (measured)
          (*list)[*count].cost = costs[i];
        ++*count;
      }
  if (*list != NULL)
    {
      explain_rank (*list, *count);
      *count += explain_code (&found, &all.settings, all.huge, all.cap,
                              &(*list)[*count]);
    }
  free (costs);
  inspect_free (&found);
  return *list != NULL ? NULL : strerror (ENOMEM);
}
