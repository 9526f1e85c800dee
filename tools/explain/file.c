/* "hugetext explain FILE": what the loader would do.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain/explain.h"
#include "explain/outlook.h"
#include "explain/unstored.h"
#include "object/dependencies.h"
#include "object/loader.h"
#include "object/program.h"
#include "store/heat.h"
#include "util/regular.h"
#include "util/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file on its way.  */
struct subject
{
  struct explained *explained;
  struct elf_object elf;
  struct outlook_file file;
  struct heat heat;
  struct plan plan;
  int fd; /* -1: there is nothing to plan.  */
};

/* Say whether SUBJECT's file can back its text.  */
static void
describe_file (const struct outlook *outlook, struct subject *subject)
{
  struct explained *explained = subject->explained;
  const struct outlook_file *file = &subject->file;
  uint64_t backing = settings_value (outlook->settings, SETTING_BACKING);
  struct explained_block none = { 0 };
  if (backing == CHOICE_THP || backing == CHOICE_HUGETLB)
    snprintf (explained->file, sizeof explained->file,
              "not asked for: --backing=%s", hugetext_choice_name (backing));
  else if (subject->plan.place == PLACE_ANY)
    /* It does not matter.  */
    ;
  else if (!outlook_may_be_transparent (outlook, &none))
    snprintf (explained->file, sizeof explained->file, "no: %s", none.reason);
  else if (explained->left != NULL)
    strcpy (explained->file, "no: it cannot be moved to where they fit");
  else if (!file->wanted || file->why == NULL)
    strcpy (explained->file,
            "no: where addresses suit the places in the file, less text would"
            " be in huge pages (linked with a max-page-size of a huge page,"
            " it would suit)");
  else
    snprintf (explained->file, sizeof explained->file, "%s: %s, on %s%s",
              file->fits ? "yes" : "no", file->why, file->filesystem.type,
              file->huge == MACHINE_NEVER_HUGE && !file->gathers
                  ? ", which this kernel caches in small pages only"
                  : "");
}

/* Say what would have more of SUBJECT's file cached in huge pages.  What is
   cached in small pages stays so until it is dropped from the page cache,
   which nobody can do to what others have mapped; a new file takes its place
   then.  A file that has just been written is cached in small pages, too.  */
static void
find_remedy (struct subject *subject)
{
  struct explained *explained = subject->explained;
  const struct outlook_file *file = &subject->file;
  if (!file->small || file->huge == MACHINE_NEVER_HUGE
      || explained->left != NULL)
    return;
  char *path = realpath (explained->name, NULL), *copy = NULL;
  char *old = path != NULL ? shell_quote (path) : NULL, *new = NULL;
  if (old != NULL && file->others && asprintf (&copy, "%s.new", path) > 0)
    new = shell_quote (copy);
  static const char drop[] = "iflag=nocache count=0 status=none";
  if (old != NULL && !file->others
      && asprintf (&explained->file_remedy, "sync %s && dd if=%s %s", old, old,
                   drop)
             < 0)
    explained->file_remedy = NULL;
  if (new != NULL
      && asprintf (&explained->file_remedy,
                   "cp -a %s %s && sync %s && dd if=%s %s && mv %s %s", old,
                   new, new, new, drop, new, old)
             < 0)
    explained->file_remedy = NULL;
  free (path);
  free (copy);
  free (old);
  free (new);
}

/* Describe what SUBJECT is and where its plan puts it.  */
static void
describe (const struct subject *subject)
{
  const struct elf_object *elf = &subject->elf;
  const struct plan *plan = &subject->plan;
  struct explained *explained = subject->explained;
  const char *kind = elf->statically_linked ? "static program"
                     : elf->program         ? "program"
                                            : "library";
  int n = snprintf (explained->kind, sizeof explained->kind,
                    "%s with %zu KiB of text, ", kind,
                    (size_t)hugetext_object_text (&elf->object) / 1024);
  char *rest = explained->kind + n;
  size_t size = sizeof explained->kind - n;
  if (explained->left != NULL)
    snprintf (rest, size, "left where it is mapped without us: %s",
              explained->left);
  else switch (plan->place)
    {
    case PLACE_FIXED:
      snprintf (rest, size, "at a fixed address");
      break;
    case PLACE_CONGRUENT:
      snprintf (rest, size,
                "placed where its file's huge pages fit (0x%zx modulo 0x%zx)",
                (size_t)plan->placement.residue,
                (size_t)plan->placement.modulus);
      break;
    case PLACE_BEST:
      snprintf (rest, size,
                "placed where huge pages hold most of it (0x%zx modulo"
                " 0x%zx)",
                (size_t)plan->placement.residue,
                (size_t)plan->placement.modulus);
      break;
    case PLACE_FOUND:
      snprintf (rest, size, "where the kernel maps it, at a huge page");
      break;
    default:
      snprintf (rest, size, "placed anywhere: no huge page for it");
    }
  if (elf->statically_linked)
    {
      n = strlen (explained->kind);
      snprintf (explained->kind + n, sizeof explained->kind - n,
                "; hugetext run sees to it, no loader does");
    }
}

/* Put what can be had of SUBJECT, which is left where it is, into its
   explanation: where that is differs from start to start.  */
static void
explain_left (struct outlook *outlook, struct subject *subject)
{
  struct explained *explained = subject->explained;
  struct explained_block none = { 0 };
  struct plan_range range;
  if (!outlook_may_copy (outlook, &none))
    snprintf (explained->problem, sizeof explained->problem, "%s%s%s",
              none.reason, none.remedy[0] != '\0' ? ". Change: " : "",
              none.remedy);
  else if (plan_left (&subject->elf, outlook->settings,
                      subject->elf.program && !outlook->start->no_slack,
                      outlook_copies (outlook), &range))
    {
      explained->least = range.least;
      explained->most = range.most;
    }
}

/* Put what its plan says of SUBJECT into its explanation.  */
static void
explain_blocks (struct outlook *outlook, struct subject *subject)
{
  const struct plan *plan = &subject->plan;
  const struct settings *settings = outlook->settings;
  struct explained *explained = subject->explained;
  const char *remedy, *hopeless = plan_hopeless (plan, &remedy);
  explained->blocks = calloc (plan->nblocks, sizeof *explained->blocks);
  if (explained->blocks == NULL)
    return;
  explained->nblocks = plan->nblocks;
  for (size_t i = 0; i < plan->nblocks; i++)
    {
      const struct plan_block *block = &plan->blocks[i];
      struct explained_block *to = &explained->blocks[i];
      to->address = block->start - plan->elf.object.bias;
      to->text = block->text;
      to->heat = block->heat;
      to->ranked = (hopeless == NULL && plan->place != PLACE_ANY
                    && (block->verdict == HUGETEXT_TAKE
                        || block->verdict == HUGETEXT_OVER_CAP
                        || block->verdict == HUGETEXT_KEPT_FREE));
      to->verdict = hugetext_verdict_name (block->verdict);
      if (hopeless != NULL)
        {
          to->verdict = hugetext_verdict_name (HUGETEXT_BELOW_THRESHOLD);
          snprintf (to->reason, sizeof to->reason, "%s", hopeless);
          snprintf (to->remedy, sizeof to->remedy, "%s", remedy);
        }
      else if (block->verdict == HUGETEXT_TAKE && plan->place != PLACE_ANY)
        {
          to->planned = true;
          outlook_block (outlook, &subject->file, block,
                         hugetext_holds_header (&plan->elf.object,
                                                block->start,
                                                block->start + 1),
                         to);
        }
      else
        {
          snprintf (to->reason, sizeof to->reason, "%s",
                    plan_reason (block, settings));
          snprintf (to->remedy, sizeof to->remedy, "%s",
                    plan_remedy (block, settings));
        }
    }
}

/* Open NAME as SUBJECT.  */
static bool
open_subject (struct subject *subject, const char *name)
{
  struct explained *explained = subject->explained;
  subject->fd = regular_open (name, 0);
  if (subject->fd < 0)
    {
      snprintf (explained->problem, sizeof explained->problem, "%s",
                errno == EINVAL ? "it is not a regular file"
                               : strerror (errno));
      return false;
    }
  const char *problem = elfobject_read (subject->fd, &subject->elf);
  if (problem == NULL)
    return true;
  snprintf (explained->problem, sizeof explained->problem, "%s", problem);
  close (subject->fd);
  subject->fd = -1;
  return false;
}

/* Why the program NAME never gets to our loader, or gets it without tunables;
   NULL if it does.  */
static const char *
program_problem (const char *name)
{
  static char text[320];
  struct program program;
  if (!program_read (name, &program) || program.kind != PROGRAM_DYNAMIC)
    return NULL;
  if (program.secure)
    return "it gets rights of its own when it is executed (AT_SECURE): the"
           " loader takes no tunables then";
  if (same_path (program.interpreter, loader_system ())
      || loader_is_ours (program.interpreter))
    return NULL;
  snprintf (text, sizeof text, "it has a loader of its own, %.256s",
            program.interpreter);
  return text;
}

/* Make the plan for SUBJECT, which is FILES's NAME.  Returns why it is left
   alone, or NULL.  */
static const char *
plan_subject (const struct outlook *outlook, struct subject *subject,
              const char *name)
{
  struct explained *explained = subject->explained;
  const char *problem = elfobject_problem (&subject->elf);
  if (problem == NULL && loader_is_loader (name, subject->fd))
    problem = "it is a loader: its code runs while it maps the others";
  if (problem == NULL && subject->elf.program)
    problem = program_problem (name);
  /* A program is known by its own path.  */
  char real[PATH_MAX];
  if (problem == NULL)
    problem = plan_forbidden (outlook->settings,
                              subject->elf.program
                                      && realpath (name, real) != NULL
                                  ? real
                                  : name);
  if (problem != NULL)
    return problem;
  struct plan plan;
  const struct plan_heat *heat = &subject->heat.plan;
  heat_read (&subject->heat, NULL, subject->fd, &subject->elf.object);
  if (heat->heat.weight != NULL)
    heat_text (&subject->heat, explained->profile);
  if (!plan_make (&plan, &subject->elf, outlook->settings, true, NULL, heat))
    return strerror (ENOMEM);
  outlook_file (outlook, &subject->elf, subject->fd, name, heat,
                &subject->file);
  plan_free (&plan);
  unstored_text (subject->fd, name, &subject->elf.object, outlook->settings,
                 explained->unstored);
  const struct hugetext_index_image *image
      = subject->file.stored ? &subject->file.image.image : NULL;
  bool made
      = subject->elf.statically_linked
            ? plan_static (&subject->plan, &subject->elf, outlook->settings,
                           machine_aligns_programs (), heat)
            : plan_make (&subject->plan, &subject->elf, outlook->settings,
                         subject->file.fits, image, heat);
  if (!made)
    return strerror (ENOMEM);
  explained->left = outlook_left (outlook, &subject->plan);
  describe (subject);
  describe_file (outlook, subject);
  return NULL;
}

/* Fill in what OUTLOOK has for SUBJECT.  */
static void
finish (struct outlook *outlook, struct subject *subject)
{
  if (subject->explained->left != NULL)
    explain_left (outlook, subject);
  else if (subject->plan.nblocks > 0)
    explain_blocks (outlook, subject);
  if (subject->fd >= 0)
    {
      find_remedy (subject);
      close (subject->fd);
    }
  plan_free (&subject->plan);
  heat_free (&subject->heat);
}

size_t
explain_files (const struct file_list *files, const struct settings *settings,
               struct explained all[])
{
  const size_t count = files->count, early = count - files->late;
  struct subject *subjects = calloc (count, sizeof *subjects);
  struct plan *plans = calloc (count, sizeof *plans);
  struct outlook outlook;
  size_t unread = 0;
  if (subjects == NULL || plans == NULL)
    {
      free (subjects);
      free (plans);
      return count;
    }

  outlook_open (&outlook, settings);
  for (size_t i = 0; i < count; i++)
    {
      subjects[i].explained = &all[i];
      all[i] = (struct explained){ .name = files->names[i],
                                   .late = i >= early };
      const char *problem = NULL;
      if (!open_subject (&subjects[i], files->names[i]))
        unread++;
      else
        {
          all[i].readable = true;
          problem = plan_subject (&outlook, &subjects[i], files->names[i]);
        }
      if (problem != NULL)
        snprintf (all[i].problem, sizeof all[i].problem, "%s", problem);
      /* What is left has no blocks that are known.  */
      if (all[i].left == NULL)
        plans[i] = subjects[i].plan;
    }
  plan_cut (plans, early, plan_cap (settings));
  for (size_t i = 0; i < count; i++)
    {
      if (i >= early)
        plan_cut_late (&plans[i], outlook.ledger.used.blocks,
                       plan_cap (settings));
      finish (&outlook, &subjects[i]);
    }
  explain_rank (all, count);
  free (subjects);
  free (plans);
  return unread;
}
