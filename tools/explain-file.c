/* "hugetext explain FILE": what the loader would do.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "explain.h"
#include "filecache.h"
#include "loader.h"
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file on its way.  */
struct subject
{
  struct explained *explained;
  struct elf_object elf;
  int fd; /* -1: there is nothing to plan.  */
  struct filesystem filesystem;
  enum machine_huge huge_files;
  bool file_wanted; /* Its own huge pages would be preferred.  */
  bool file_fits;   /* And can be had.  */
};

static bool
thp_is_off (void)
{
  return strcmp (
             machine_choice ("/sys/kernel/mm/transparent_hugepage/enabled"),
             "never")
         == 0;
}

/* The block by which the loader judges the file, the second of PLAN that can
   be its own, or the first; NULL if there is none.  */
static const struct plan_block *
sample_block (const struct plan *plan)
{
  const struct plan_block *found = NULL;
  int n = 0;
  for (size_t i = 0; i < plan->nblocks && n < 2; i++)
    if (plan->blocks[i].verdict == HUGETEXT_TAKE && plan->blocks[i].congruent)
      {
        found = &plan->blocks[i];
        n++;
      }
  return found;
}

/* Whether a huge page of SUBJECT's file can be had where it is PIECE now.
   Sets *WORDS.  */
static bool
piece_fits (const struct subject *subject, enum piece piece,
            const char **words)
{
  bool capable = subject->huge_files != MACHINE_NEVER_HUGE;
  switch (piece)
    {
    case PIECE_HUGE:
      *words = "cached in huge pages";
      return true;
    case PIECE_PARTLY:
      *words = capable ? "partly cached, to be read again in huge pages"
                       : "partly cached in small pages";
      return capable;
    case PIECE_UNREAD:
      *words = capable ? "not cached, to be read in huge pages"
                       : "not cached, to be read in small pages";
      return capable;
    case PIECE_SMALL:
      if (subject->huge_files == MACHINE_HUGE_ALWAYS)
        {
          *words = "cached in small pages, which the kernel can gather";
          return true;
        }
      *words = "cached in small pages";
      return false;
    case PIECE_SHORT:
      *words = "at the file's end, which does not fill a huge page";
      return false;
    case PIECE_UNKNOWN:
      break;
    }
  *words = "not known how it is cached";
  return capable;
}

/* Find out whether SUBJECT's file can back its text.  */
static void
judge_file (struct subject *subject, const char *name,
            const struct settings *settings)
{
  struct explained *explained = subject->explained;
  uint64_t backing = settings_value (settings, SETTING_BACKING);
  const char *words;

  if (backing == CHOICE_THP || backing == CHOICE_HUGETLB)
    {
      snprintf (explained->file, sizeof explained->file,
                "not asked for: --backing=%s", settings_choice (backing));
      return;
    }
  if (!machine_filesystem (name, &subject->filesystem))
    strcpy (subject->filesystem.type, "an unknown filesystem");
  subject->huge_files = machine_huge_files (&subject->filesystem);
  subject->file_wanted = plan_prefers_file (&subject->elf, settings);

  struct plan plan;
  if (!plan_make (&plan, &subject->elf, settings, true))
    return;
  const struct plan_block *sample = sample_block (&plan);
  if (plan.place == PLACE_ANY)
    /* It does not matter.  */
    ;
  else if (!subject->file_wanted || sample == NULL)
    strcpy (explained->file,
            "no: where addresses suit the places in the file, less text would"
            " be in huge pages (linked with a max-page-size of a huge page,"
            " it would suit)");
  else
    {
      subject->file_fits = piece_fits (
          subject, filecache_look (subject->fd, sample->offset), &words);
      snprintf (explained->file, sizeof explained->file, "%s: %s, on %s%s",
                subject->file_fits ? "yes" : "no", words,
                subject->filesystem.type,
                subject->file_fits ? ""
                : subject->huge_files == MACHINE_NEVER_HUGE
                    ? ", which this kernel caches in small pages only"
                    : "; written anew, or dropped from the cache while nobody"
                      " runs it, it would be read in huge pages");
    }
  plan_free (&plan);
}

/* Describe what SUBJECT is and where PLAN puts it.  */
static void
describe (const struct subject *subject, const struct plan *plan)
{
  const struct elf_object *elf = &subject->elf;
  struct explained *explained = subject->explained;
  const char *kind = elf->program ? "program" : "library";
  int n = snprintf (explained->kind, sizeof explained->kind,
                    "%s with %zu KiB of text, ", kind,
                    (size_t)hugetext_object_text (&elf->object) / 1024);
  char *rest = explained->kind + n;
  size_t size = sizeof explained->kind - n;
  switch (plan->place)
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
    default:
      snprintf (rest, size, "placed anywhere: no huge page for it");
    }
}

/* Fill in how BLOCK, which is to be taken, is backed.  */
static void
choose_backing (const struct subject *subject, const struct plan_block *block,
                const struct settings *settings, struct explained_block *to)
{
  uint64_t backing = settings_value (settings, SETTING_BACKING);
  const char *words = "its address does not suit its place in the file";
  if (backing == CHOICE_HUGETLB)
    {
      to->backing = BACKING_HUGETLB;
      strcpy (to->reason, "a copy from the reserved pool");
      return;
    }
  if (thp_is_off () && backing != CHOICE_FILE)
    {
      to->verdict = "thp-off";
      strcpy (to->reason, "transparent huge pages are off");
      strcpy (to->remedy,
              "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled");
      return;
    }
  if (subject->file_wanted && block->congruent)
    {
      if (!subject->file_fits)
        words = "its file is cached in small pages";
      else if (piece_fits (subject,
                           filecache_look (subject->fd, block->offset),
                           &words))
        {
          to->backing = BACKING_FILE;
          snprintf (to->reason, sizeof to->reason, "the file's own, %s",
                    words);
          return;
        }
    }
  if (backing == CHOICE_FILE)
    {
      to->verdict = "not-file";
      snprintf (to->reason, sizeof to->reason, "%s", words);
      strcpy (to->remedy, "--backing=auto: a copy");
      return;
    }
  to->backing = BACKING_THP;
  if (backing == CHOICE_THP)
    strcpy (to->reason, "a copy");
  else
    snprintf (to->reason, sizeof to->reason, "a copy: %s", words);
}

/* Put what PLAN says of SUBJECT into its explanation.  */
static void
explain_blocks (const struct subject *subject, const struct plan *plan,
                const struct settings *settings)
{
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
      to->verdict = plan_name (block->verdict);
      if (hopeless != NULL)
        {
          to->verdict = plan_name (HUGETEXT_BELOW_THRESHOLD);
          snprintf (to->reason, sizeof to->reason, "%s", hopeless);
          snprintf (to->remedy, sizeof to->remedy, "%s", remedy);
        }
      else if (block->verdict == HUGETEXT_TAKE && plan->place != PLACE_ANY)
        choose_backing (subject, block, settings, to);
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
  subject->fd = open (name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (subject->fd < 0)
    {
      snprintf (explained->problem, sizeof explained->problem, "%s",
                strerror (errno));
      return false;
    }
  /* Have no more of it cached than is looked at.  */
  posix_fadvise (subject->fd, 0, 0, POSIX_FADV_RANDOM);
  const char *problem = elfobject_read (subject->fd, &subject->elf);
  if (problem == NULL)
    return true;
  snprintf (explained->problem, sizeof explained->problem, "%s", problem);
  close (subject->fd);
  subject->fd = -1;
  return false;
}

size_t
explain_files (char *const names[], size_t count,
               const struct settings *settings, struct explained all[])
{
  struct subject *subjects = calloc (count, sizeof *subjects);
  struct plan *plans = calloc (count, sizeof *plans);
  size_t unread = 0;
  if (subjects == NULL || plans == NULL)
    {
      free (subjects);
      free (plans);
      return count;
    }

  for (size_t i = 0; i < count; i++)
    {
      struct subject *subject = &subjects[i];
      subject->explained = &all[i];
      all[i] = (struct explained){ .name = names[i] };
      if (!open_subject (subject, names[i]))
        {
          unread++;
          continue;
        }
      const char *problem = elfobject_problem (&subject->elf);
      if (problem == NULL && loader_is_loader (names[i], subject->fd))
        problem = "it is a loader: its code runs while it maps the others";
      if (problem == NULL)
        judge_file (subject, names[i], settings);
      else
        snprintf (all[i].problem, sizeof all[i].problem, "%s", problem);
      if (problem == NULL
          && plan_make (&plans[i], &subject->elf, settings,
                        subject->file_fits))
        describe (subject, &plans[i]);
    }
  plan_cut (plans, count, plan_cap (settings));
  for (size_t i = 0; i < count; i++)
    {
      if (plans[i].nblocks > 0)
        explain_blocks (&subjects[i], &plans[i], settings);
      if (subjects[i].fd >= 0)
        close (subjects[i].fd);
      plan_free (&plans[i]);
    }
  free (subjects);
  free (plans);
  return unread;
}
