/* "hugetext explain PID": the blocks that are huge, and why not the others.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel says which blocks are huge, and the loader's record why the
   others are not.  Where there is no record, in a process without our loader,
   the plan says which blocks could be huge.  */

#include "explain/explain.h"
#include "explain/reason.h"
#include "explain/refused.h"
#include "explain/no-image.h"
#include "index/advice.h"
#include "object/loader.h"
#include "store/heat.h"
#include "text/inspect.h"
#include "text/process-record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THP "/sys/kernel/mm/transparent_hugepage/"

/* The circumstances that hold for the whole process.  */
struct circumstances
{
  struct settings settings;
  struct loader_record record;
  bool read;   /* The record has been read, though the process may keep
                  none.  */
  bool works;  /* The process has our loader, with huge text switched on.  */
  bool alone;  /* The program is static: the process has no loader.  */
  size_t huge; /* Number of huge blocks,  */
  size_t cap;  /* and of blocks that the cap allows.  */
};

/* Return the number of FOUND's huge blocks.  */
static size_t
huge_blocks (const struct inspection *found, const struct settings *settings)
{
  size_t huge = 0;
  for (size_t i = 0; i < found->objects.count; ++i)
    for (size_t k = 0; k < found->objects.list[i].nblocks; ++k)
      huge += found->objects.list[i].blocks[k].huge > 0;
  /* Code made at run time is under the same cap, if the code object makes it
     huge.  */
  if ((settings_value (settings, SETTING_MODE) & SETTINGS_CODE) != 0)
    for (size_t k = 0; k < found->objects.made.nblocks; ++k)
      huge += found->objects.made.blocks[k].huge > 0;
  return huge;
}

/* Read the settings of process PID: those in force by the RECORD, or without
   one its GLIBC_TUNABLES and the present index's.  */
static void
read_settings (pid_t pid, const struct loader_record *record,
               struct settings *settings)
{
  if (record->kept)
    {
      loader_record_settings (record, settings);
      return;
    }
  char *tunables = process_tunables (pid);
  settings_read (settings, tunables);
  free (tunables);
  advice_add_process (settings, pid);
}

/* Find out why FOUND can have no huge text at all; "" if nothing prevents
   it.  */
static void
judge_process (const struct inspection *found, struct circumstances *all,
               char words[static 512])
{
  pid_t pid = found->process.pid;
  const char *loader = inspect_loader (found), *problem = NULL;
  const bool ours = loader != NULL && strcmp (loader, "ld-hugetext") == 0;
  if (ours)
    {
      problem = process_record_read (pid, &found->objects, &all->record);
      all->read = problem == NULL;
    }
  read_settings (pid, &all->record, &all->settings);
  all->cap = plan_cap (&all->settings);
  all->huge = huge_blocks (found, &all->settings);
  all->alone = loader != NULL && strcmp (loader, "none") == 0;
  char refused[512] = "";
  if (all->read)
    refused_text (pid, &all->record, refused);
  const bool on
      = all->read
            ? all->record.text
            : (settings_value (&all->settings, SETTING_MODE) & SETTINGS_TEXT)
                  != 0;
  words[0] = '\0';
  if (loader == NULL)
    strcpy (words, "which loader it has cannot be read");
  else if (!all->alone && !ours)
    strcpy (words, "another loader than ld-hugetext.so has loaded it: start"
                   " it with hugetext run, or hugetext attach");
  else if (process_is_secure (pid))
    strcpy (words, "it got rights of its own when it was executed (AT_SECURE):"
                   " the loader takes no tunables then");
  else if (all->alone && !on)
    strcpy (words, "it is statically linked, and was not started with"
                   " hugetext run");
  else if (!on)
    {
      const char *source = settings_source (&all->settings, HUGETEXT_KEY_MODE);
      const char *obstacle = refused[0] != '\0' ? refused
                             : source == NULL || all->read
                                 ? advice_obstacle (pid)
                                 : NULL;
      if (source == NULL)
        source = "it was started without glibc.mem.hugetext=1 in"
                 " GLIBC_TUNABLES, and the index has no hugetext = on for it";
      snprintf (words, 512, "huge text is switched off: %.480s",
                obstacle != NULL ? obstacle : source);
    }
  else
    all->works = true;
  if (!all->works)
    return;
  if (problem != NULL)
    snprintf (words, 512, "%s", problem);
  else if (refused[0] != '\0')
    strcpy (words, refused);
  else if (process_number (pid, "THP_enabled:") == 0)
    strcpy (words, "transparent huge pages are off in it (prctl"
                   " PR_SET_THP_DISABLE): nothing but the reserved pool can"
                   " be had");
  else if (all->read && all->record.no_gain)
    strcpy (words, "transparent huge pages were off when it was started (echo"
                   " madvise >" THP "enabled)");
}

/* Write to TO why a block is on small pages of which the record has nothing,
   because the loader saw no gain in the object or because there is no record.
   BLOCK is the plan's block, or NULL.  */
static void
explain_unrecorded (const struct circumstances *all,
                    const struct plan_block *block, struct explained_block *to)
{
  if (block != NULL && block->verdict != HUGETEXT_TAKE)
    {
      /* Another loader has put data into the block: ours may not.  */
      const bool elsewhere = (!all->works && !all->alone
                              && (block->verdict == HUGETEXT_WRITABLE
                                  || block->verdict == HUGETEXT_RELRO));
      to->verdict = hugetext_verdict_name (block->verdict);
      snprintf (to->reason, sizeof to->reason, "%s%s",
                plan_reason (block, &all->settings),
                elsewhere ? ", at this address" : "");
      snprintf (to->remedy, sizeof to->remedy, "%s",
                elsewhere ? "start it under ld-hugetext.so, which chooses"
                            " another address"
                          : plan_remedy (block, &all->settings));
      return;
    }
  if (all->record.no_gain)
    {
      to->verdict = "thp-off";
      snprintf (to->reason, sizeof to->reason, "%s",
                hugetext_outcome_text (HUGETEXT_THP_OFF));
      strcpy (to->remedy, "echo madvise >" THP "enabled");
      return;
    }
  to->verdict = all->works ? "not-known" : "not-tried";
  strcpy (to->reason,
          all->alone && !all->works ? "it could be huge under hugetext run"
          : !all->works             ? "it could be huge under ld-hugetext.so"
          : all->read ? "the loader saw nothing to gain in this object"
                      : "there is no record of it");
}

/* Fill in TO from NOW, the kernel's account of the block, from the record, and
   from BLOCK, the plan's.  */
static void
explain_block (const struct circumstances *all, const struct text_block *now,
               const struct plan_block *block,
               const struct reason_context *context,
               struct explained_block *to)
{
  char buffer[40];
  const unsigned int fate
      = (loader_record_fate (&all->record, context->entry, now->start)
         & ~HUGETEXT_FATE_UNLOCKED);
  *to = (struct explained_block){ .address = now->start,
                                  .text = now->text,
                                  .huge = now->huge,
                                  .small = now->small,
                                  .backing = now->backing,
                                  .planned = fate >= HUGETEXT_FATE_OUTCOME,
                                  .made = fate >= HUGETEXT_FATE_FILE,
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
  else if (context->entry != NULL)
    reason_of_small (context, fate, to);
  else
    explain_unrecorded (all, block, to);
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

/* Describe in TO, which has its load bias, the place of CONTEXT's object.  */
static void
describe_place (const struct reason_context *context, bool fixed,
                struct explained *to)
{
  const size_t block = elfobject_geometry ().block;
  const char *remedy;
  if (fixed)
    strcpy (to->place, "at a fixed address");
  else if (context->entry == NULL)
    strcpy (to->place, "placed anywhere: no huge page for it");
  else if ((to->left = reason_left (context, &remedy)) != NULL)
    snprintf (to->place, sizeof to->place,
              "left where it is mapped without us: %s", to->left);
  else
    snprintf (to->place, sizeof to->place, "placed at 0x%zx modulo 0x%zx",
              (size_t) to->bias & (block - 1), block);
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
    no_image_reason (fd, object->name, &elf.object, &all->settings,
                     to->no_image);
  if (fd >= 0)
    close (fd);
  if (problem == NULL)
    program = elf.program;
  if (problem == NULL)
    planned
        = plan_found (&plan, &elf, &all->settings, object->bias, &heat.plan);
  struct reason_context context
      = { .entry = loader_record_find (&all->record, object->bias),
          .settings = &all->settings,
          .program = program };
  if (problem == NULL)
    describe_place (&context, elf.fixed, to);
  if (problem == NULL && context.entry != NULL
      && context.entry->left == HUGETEXT_LEFT_CHANGED)
    problem = "its program headers in memory are not those of its file";
  if (planned && context.entry == NULL)
    hopeless = plan_hopeless (&plan, &remedy);
  snprintf (to->kind, sizeof to->kind, "%zu KiB of text, mapped from 0x%zx",
            object->text / 1024, (size_t) object->start);
  if (problem != NULL)
    snprintf (to->problem, sizeof to->problem, "%s", problem);

  for (size_t i = 0; i < object->nblocks; ++i)
    {
      const struct plan_block *block = NULL;
      for (size_t k = 0; planned && k < plan.nblocks; ++k)
        if (plan.blocks[k].start == object->blocks[i].start)
          block = &plan.blocks[k];
      explain_block (all, &object->blocks[i], block, &context, &to->blocks[i]);
      if (object->blocks[i].huge == 0 && problem != NULL)
        replace_reason (&to->blocks[i], "left-alone", problem, "");
      else if (object->blocks[i].huge == 0 && hopeless != NULL)
        replace_reason (&to->blocks[i],
                        hugetext_verdict_name (HUGETEXT_BELOW_THRESHOLD),
                        hopeless, remedy);
      /* An image that has been replaced since the start still serves the
         process.  */
      if (to->blocks[i].backing == BACKING_STORE)
        to->no_image[0] = '\0';
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
  if (say != NULL)
    inspect_settings (&found, say, closure);
  *list = calloc (found.objects.count + 1, sizeof **list);
  struct cost *costs = calloc (found.objects.count, sizeof *costs);
  bool measured = costs != NULL && cost_read (pid, &found.objects, costs);
  for (size_t i = 0; *list != NULL && i < found.objects.count; ++i)
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
  loader_record_free (&all.record);
  inspect_free (&found);
  return *list != NULL ? NULL : strerror (ENOMEM);
}
