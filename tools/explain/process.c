/* "hugetext explain PID": the blocks that are huge, and why not the others.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel says which blocks are huge, and the loader's record why the
   others are not.  A process without our loader has no record, and gets no
   reasons.  */

#include "explain/reason.h"
#include "host/confinement.h"
#include "index/file.h"
#include "object/elfobject.h"
#include "object/loader.h"
#include "object/plan.h"
#include "text/inspect.h"
#include "util/allocate.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The circumstances that hold for the whole process.  */
struct circumstances
{
  struct record record;
  bool read;  /* The record has been read, though the process may keep
                 none.  */
  bool works; /* The process has our loader, with huge text switched on.  */
};

/* Write to WORDS which files the kernel refused to the loader of process PID,
   by its RECORD, and the remedy; "" if none.  Nothing tells which module
   refused them: the words name the AppArmor profile that confines the process,
   or fapolicyd, if it runs.  */
static void
describe_refusal (pid_t pid, const struct record *record,
                  char words[static 512])
{
  const bool index = record->root.index_error == EACCES
                     || record->root.index_error == EPERM;
  const int error
      = index ? record->root.index_error : record->root.image_error;
  const char *what = index ? "the index, " INDEX_PATH : "images in the store";
  char profile[CONFINEMENT_PROFILE], why[256];
  words[0] = '\0';
  if (error != EACCES && error != EPERM)
    return;
  if (confinement_profile (pid, profile))
    snprintf (why, sizeof why,
              ", and AppArmor confines it (profile %s): have the profile"
              " include " CONFINEMENT_SNIPPET,
              profile);
  else if (!index && error == EPERM && confinement_fapolicyd ())
    strcpy (why, ", and fapolicyd runs: give it a rule that allows them (the"
                 " manual, Confined programs)");
  else
    strcpy (why, ": the files' permissions (chmod go+rX the file and its"
                 " folders), InaccessiblePaths= or a security module, as IMA,"
                 " refuse it");
  snprintf (words, 512, "its loader could not use %s (%s)%s", what,
            strerror (error), why);
}

/* Write to WORDS why huge text is switched off by SETTINGS, or because files
   were REFUSED.  */
static void
describe_off (const struct settings *settings, const char *refused,
              char words[static 512])
{
  const char *source = settings_source (settings, HUGETEXT_KEY_MODE);
  if (source == NULL)
    source = "it was started without glibc.mem.hugetext=1 in GLIBC_TUNABLES,"
             " and the index has no hugetext = on for it";
  snprintf (words, 512, "huge text is switched off: %.480s",
            refused[0] != '\0' ? refused : source);
}

/* Read the record of FOUND's process, and find out why it can have no huge
   text at all; set TO's settings and problem.  */
static void
judge_process (const struct inspection *found, struct circumstances *all,
               struct explanation *to)
{
  const pid_t pid = found->process.pid;
  const char *problem = NULL;
  const bool ours = found->loader == INSPECTED_OURS;
  const bool alone = found->loader == INSPECTED_NONE;
  char refused[512] = "";
  if (ours)
    {
      problem = record_of_process (pid, &found->objects, &all->record);
      all->read = problem == NULL;
    }
  if (all->read)
    describe_refusal (pid, &all->record, refused);
  to->settings = found->settings;
  const bool on
      = all->read
            ? all->record.root.text != 0
            : (settings_value (&to->settings, SETTING_MODE) & SETTINGS_TEXT)
                  != 0;
  const char *words = NULL;
  if (found->loader == INSPECTED_UNKNOWN)
    words = "which loader it has cannot be read";
  else if (!alone && !ours)
    words = "another loader than ld-hugetext.so has loaded it: start it with"
            " hugetext run, or hugetext attach";
  else if (process_is_secure (pid))
    words = "it got rights of its own when it was executed (AT_SECURE): the"
            " loader takes no tunables then";
  else if (alone && !on)
    words = "it is statically linked, and was not started with hugetext run";
  else if (!on)
    describe_off (&to->settings, refused, to->problem);
  else
    {
      all->works = true;
      words = problem != NULL      ? problem
              : refused[0] != '\0' ? refused
              : all->record.root.no_gain == HUGETEXT_YES
                  ? "transparent huge pages were off when it was started (echo"
                    " madvise >/sys/kernel/mm/transparent_hugepage/enabled)"
                  : NULL;
    }
  if (words != NULL)
    snprintf (to->problem, sizeof to->problem, "%s", words);
}

/* Explain in TO a block on small pages of which the record has nothing, since
   the loader saw no gain in the object or there is no record.  */
static void
explain_unrecorded (const struct circumstances *all,
                    struct explained_block *to)
{
  if (!all->works)
    reason_set (to, "not-tried", "ld-hugetext.so has not looked at it", "");
  else if (all->record.root.no_gain == HUGETEXT_YES)
    reason_set (to, "thp-off", hugetext_reason_text (HUGETEXT_THP_OFF),
                "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled");
  else if (all->read)
    reason_set (
        to, "no-gain", "the loader saw nothing to gain in this object",
        "a smaller --pad, or link it with -Wl,-z,max-page-size=0x200000");
  else
    reason_set (to, "not-known", "there is no record of it", "");
}

/* Describe in TO, which has its load bias, the place of ENTRY's object.  */
static void
describe_place (const struct hugetext_entry *entry, bool program, bool fixed,
                struct explained_object *to)
{
  const size_t block = elfobject_geometry ().block;
  if (entry != NULL)
    to->left = reason_left (entry, program);
  if (fixed)
    strcpy (to->place, to->bias == 0 ? "at a fixed address"
                                     : "its own address was taken");
  else if (entry == NULL)
    strcpy (to->place, "placed anywhere: no huge page for it");
  else if (to->left != NULL)
    snprintf (to->place, sizeof to->place,
              "left where it is mapped without us, which differs from start to"
              " start: %s",
              to->left);
  else
    snprintf (to->place, sizeof to->place, "placed at 0x%zx modulo 0x%zx",
              (size_t) to->bias & (block - 1), block);
}

/* Return why all of OBJECT of process PID is left alone by ENTRY and SETTINGS;
   NULL if it is not.  Describe its file in ELF.  */
static const char *
object_problem (pid_t pid, const struct object_text *object,
                const struct hugetext_entry *entry,
                const struct settings *settings, struct elf_object *elf)
{
  int fd = objtext_open (pid, object);
  if (fd < 0)
    return "its file cannot be read";
  const char *problem = elfobject_read (fd, elf);
  if (problem == NULL)
    problem = elfobject_problem (elf);
  if (problem == NULL && loader_is_loader (object->name, fd))
    problem = "it is the loader: its code ran while it mapped the others";
  if (problem == NULL)
    problem = plan_forbidden (settings, object->name);
  if (problem == NULL && entry != NULL
      && (entry->circumstances & HUGETEXT_WAS_CHANGED) != 0)
    problem = "its program headers in memory are not those of its file";
  close (fd);
  return problem;
}

/* Say of BLOCK, which is huge, what its huge page is.  */
static void
reason_huge (struct explained_block *block)
{
  char names[40], copy[64];
  snprintf (copy, sizeof copy, "a copy (%s)",
            backing_names (block->backing, names));
  reason_set (block, "huge",
              block->backing == BACKING_FILE    ? "the file's own"
              : block->backing == BACKING_STORE ? "its image in the store"
                                                : copy,
              "");
}

/* Explain OBJECT of process PID in TO.  */
static void
explain_object (pid_t pid, const struct circumstances *all,
                const struct settings *settings,
                const struct object_text *object, struct explained_object *to)
{
  struct elf_object elf;
  const struct hugetext_entry *entry
      = record_find (&all->record, object->bias);
  *to = (struct explained_object){ .name = allocate_text (object->name),
                                   .bias = object->bias,
                                   .blocks = allocate (object->nblocks
                                                       * sizeof *to->blocks),
                                   .nblocks = object->nblocks };
  const char *problem = object_problem (pid, object, entry, settings, &elf);
  snprintf (to->kind, sizeof to->kind, "%zu KiB of text",
            object->sums.text / 1024);
  if (problem != NULL)
    snprintf (to->problem, sizeof to->problem, "%s", problem);
  else if (all->read)
    describe_place (entry, elf.program, elf.fixed, to);

  for (size_t i = 0; i < object->nblocks; ++i)
    {
      const struct text_block *now = &object->blocks[i];
      struct explained_block *block = &to->blocks[i];
      const unsigned int fate = record_fate (&all->record, entry, now->start);
      *block = (struct explained_block){ .address = now->start,
                                         .text = now->text,
                                         .small = now->small,
                                         .backing = now->backing,
                                         .made = fate >= HUGETEXT_FATE_FILE };
      if (now->huge > 0)
        reason_huge (block);
      else if (problem != NULL)
        reason_set (block, "left-alone", problem, "");
      else if (entry != NULL)
        reason_of_small (entry, to->left, settings, fate, block);
      else
        explain_unrecorded (all, block);
    }
}

/* An explanation, or why there is none.  */
struct answer
{
  struct explanation to;
  char problem[256]; /* "" if there is one.  */
};

/* Explain the process of CLOSURE, an answer.  */
static void
look (void *closure)
{
  struct answer *answer = closure;
  struct explanation *to = &answer->to;
  const pid_t pid = to->process.pid;
  struct inspection found;
  struct circumstances all = { 0 };
  const char *problem = inspect (pid, false, &found);
  to->process = found.process;
  if (problem != NULL)
    {
      snprintf (answer->problem, sizeof answer->problem, "%s", problem);
      return;
    }
  judge_process (&found, &all, to);
  to->count = found.objects.count;
  to->list = allocate (to->count * sizeof *to->list);
  for (size_t i = 0; i < to->count; ++i)
    explain_object (pid, &all, &to->settings, &found.objects.list[i],
                    &to->list[i]);
  record_free (&all.record);
  inspect_free (&found);
}

static void
pass (struct parcel *parcel, void *closure)
{
  struct explanation *to = &((struct answer *) closure)->to;
  parcel_list (parcel, &to->list, to->count * sizeof *to->list);
  for (size_t i = 0; i < to->count; ++i)
    {
      struct explained_object *object = &to->list[i];
      parcel_text (parcel, &object->name);
      parcel_list (parcel, &object->blocks,
                   object->nblocks * sizeof *object->blocks);
    }
  if (parcel_is_sent (parcel))
    explain_free (to);
}

const char *
explain_process (pid_t pid, struct explanation *to)
{
  static struct answer answer;
  answer = (struct answer){ .to = { .source = EXPLAINED_PROCESS,
                                    .process.pid = pid } };
  const char *problem = looker_ask (pid, look, pass, &answer, sizeof answer);
  *to = answer.to;
  if (problem != NULL)
    {
      process_brief (pid, &to->process);
      return problem;
    }
  return answer.problem[0] != '\0' ? answer.problem : NULL;
}
