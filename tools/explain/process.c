/* "hugetext explain PID": show which blocks are huge, and the reasons why
   other blocks are not.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The kernel says which blocks are huge, and the loader's record says why the
   other blocks are not.  For a process without our loader, which has no
   record, the command gives no reasons.  */

#include "explain/reason.h"
#include "object/elfobject.h"
#include "object/plan.h"
#include "text/inspect.h"
#include "text/report.h"
#include "util/allocate.h"

#include <string.h>

/* Facts that are true of the whole process, not only of one object.  */
struct circumstances
{
  const struct record *record;
  bool read;         /* True if the command was able to look for the record,
                        even if the process has no record.  */
  bool thp_disabled; /* True if the process has switched transparent huge pages
                        off.  */
  bool works; /* True if huge text was on in the process from its start.  */
};

/* Set ALL to the facts about the whole process that FOUND describes.  Set the
   settings in TO to the settings of this process.  If the process can have no
   huge text at all, set the problem in TO.  */
static void
judge_process (const struct inspection *found, struct circumstances *all,
               const struct reason_about *about, struct explanation *to)
{
  char refused[INSPECT_REFUSAL];
  *all = (struct circumstances){ .record = &found->record,
                                 .read = found->recorded,
                                 .works = found->off == HUGETEXT_NONE };
  inspect_describe_refusal (found, refused);
  to->settings = found->settings;
  to->off = inspect_set_off (found, about, &to->problem);
  if (to->off)
    return;
  if (found->loader == INSPECTED_OURS && !found->recorded)
    to->problem = found->record_problem;
  else if (refused[0] != '\0')
    problem_set (&to->problem, "%s", refused);
  else if (all->record->root.no_gain == HUGETEXT_YES)
    reason_problem (&to->problem, REASON_WAS_OFF, about);
}

/* Set TO to the explanation of a block on small pages for which the record has
   no reason.  The record has no reason if the loader expected no gain from
   OBJECT, or if there is no record at all.  The object may stand for code made
   at run time, for which advice about linking makes no sense.  VERDICT is the
   policy's result for the block at its present address.  */
static void
explain_unrecorded (const struct circumstances *all,
                    const struct reason_about *about,
                    const struct object_text *object,
                    enum hugetext_reason verdict, struct explained_block *to)
{
  if (!all->works)
    reason_set_row (to, REASON_NOT_TRIED, about);
  else if (objtext_has_code_name (object))
    reason_set_row (to, REASON_CODE_OBJECT, about);
  else if (!all->read)
    reason_set_row (to, verdict == HUGETEXT_TAKE ? REASON_NOT_KNOWN : verdict,
                    about);
  else if (all->record->root.no_gain == HUGETEXT_YES)
    reason_set_row (to, HUGETEXT_THP_OFF, about);
  else if (all->record->root.small == HUGETEXT_YES)
    reason_set_row (to, HUGETEXT_SMALL_PROGRAM, about);
  else if (verdict == HUGETEXT_TAKE)
    reason_set_row (to, REASON_NO_GAIN, about);
  else
    reason_set_at (to, REASON_NO_GAIN, verdict, about);
}

/* Set the member PLACE of TO to a description of the address of ENTRY's
   object.  The load bias in TO is already set.  SETTINGS are those of the
   process.  */
static void
describe_place (const struct hugetext_entry *entry, bool program, bool fixed,
                const struct settings *settings, struct explained_object *to)
{
  const size_t block = elfobject_geometry ().block;
  if (entry != NULL)
    to->left = reason_left (entry, program, settings);
  if (fixed)
    strcpy (to->place, to->bias == 0
                           ? "linked at a fixed address (not PIE)"
                           : "not at the address for which it was linked, "
                             "because that address was in use");
  else if (to->left != HUGETEXT_NONE)
    snprintf (to->place, sizeof to->place,
              "the loader kept the random address that the kernel chose: %s",
              reason_words (to->left));
  else if (entry != NULL && entry->high != 0)
    snprintf (to->place, sizeof to->place, "placed at 0x%zx modulo 0x%zx",
              (size_t) to->bias & (block - 1), block);
  else
    strcpy (to->place,
            "at an address that the loader has not reserved for the object");
}

/* ENTRY is the record's entry for an object, and REASON is the reason that the
   record contains for a block of this object.  Return true if REASON says that
   the loader has not made the block huge.  */
static bool
is_not_made (const struct circumstances *all,
             const struct hugetext_entry *entry, enum hugetext_reason reason)
{
  const bool full
      = (entry != NULL && (entry->circumstances & HUGETEXT_UNRECORDED) != 0);
  return (all->read && !hugetext_is_made (reason)
          && !(full && reason == HUGETEXT_NONE));
}

/* Describe the backing of BLOCK, which is huge.  ALONE is true if the kernel
   has made the block huge without the loader.  */
static void
reason_huge (struct explained_block *block, bool alone,
             const struct reason_about *about)
{
  char names[40];
  struct reason_about this = *about;
  this.backing = backing_names (block->backing, names);
  reason_set_row (block,
                  block->backing == BACKING_FILE
                      ? (alone ? REASON_NOT_BY_LOADER : REASON_HUGE_FILE)
                  : block->backing == BACKING_STORE ? REASON_HUGE_IMAGE
                                                    : REASON_HUGE_COPY,
                  &this);
}

/* Return NAME without ROOT at the beginning.  */
static const char *
below_root (const char *name, const char *root)
{
  const size_t length = strlen (root);
  return strncmp (name, root, length) == 0 && name[length] == '/'
             ? name + length
             : name;
}

/* Fill TO with the explanation of object I of the process that FOUND
   describes.  ALL_ABOUT contains facts about this process for reasons and
   remedies.  The kernel shows the paths of the process's files with the prefix
   ROOT.  */
static void
explain_object (const struct circumstances *all,
                const struct reason_about *all_about, const char *root,
                const struct inspection *found, size_t i,
                struct explained_object *to)
{
  const struct object_text *object = &found->objects.list[i];
  const char *name = below_root (object->name, root);
  const struct reason_file source = { name, object->device, object->inode };
  struct reason_about with_file = *all_about, *const about = &with_file;
  const struct inspected_file *file = &found->files[i];
  const struct hugetext_entry *entry = record_find (all->record, object->bias);
  about->files = &source;
  about->nfiles = 1;
  *to = (struct explained_object){ .name = allocate_text (name),
                                   .path = allocate_text (name),
                                   .device = object->device,
                                   .inode = object->inode,
                                   .bias = object->bias,
                                   .blocks = allocate (object->nblocks
                                                       * sizeof *to->blocks),
                                   .nblocks = object->nblocks };
  snprintf (to->kind, sizeof to->kind, "%zu KiB of text",
            object->sums.text / 1024);
  const enum hugetext_reason alone
      = inspect_alone (found, i, about->settings, &to->problem);
  if (alone == HUGETEXT_NONE && all->read)
    describe_place (entry, object->program, file->fixed, about->settings, to);
  for (enum observer k = 0; k < OBSERVERS; ++k)
    if (object->unseen[k])
      reason_set_row (&to->unseen[k], observer_reason (k), about);

  for (size_t k = 0; k < object->nblocks; ++k)
    {
      const struct text_block *now = &object->blocks[k];
      struct explained_block *block = &to->blocks[k];
      const enum hugetext_reason reason = inspect_reason (found, object, now);
      *block = (struct explained_block){ .address = now->start,
                                         .text = now->text,
                                         .small = now->small,
                                         .backing = now->backing,
                                         .made = hugetext_is_made (reason) };
      if (now->huge > 0)
        reason_huge (block, is_not_made (all, entry, reason), about);
      else if (alone != HUGETEXT_NONE)
        reason_set_alone (block, alone, &to->problem);
      else if (entry != NULL)
        {
          reason_of_small (entry, to->left, about, reason, block);
          if (now->small > 0 && record_is_taken_back (reason, now))
            reason_set_row (block, REASON_TAKEN_BACK, about);
          else if (all->thp_disabled && now->small > 0 && block->made)
            reason_set_row (block, REASON_RECLAIMED, about);
        }
      else
        explain_unrecorded (
            all, about, object,
            file->verdicts != NULL ? file->verdicts[k] : HUGETEXT_TAKE, block);
    }
}

/* Set TO to the explanation of FOUND's process, which ABOUT describes.  The
   kernel shows the paths of the process's files with the prefix ROOT.  */
static void
explain_about (const struct inspection *found,
               const struct reason_about *about, const char *root,
               struct explanation *to)
{
  struct circumstances all;
  *to = (struct explanation){ .source = EXPLAINED_PROCESS,
                              .process = found->process,
                              .about = *about };
  if (about->service != NULL)
    to->about.service = allocate_text (about->service);
  judge_process (found, &all, about, to);
  inspect_describe_code (found, about, to->code_left);
  to->thp_disabled = all.thp_disabled = found->thp_disabled;
  to->count = found->objects.count;
  to->list = allocate (to->count * sizeof *to->list);
  for (size_t i = 0; i < to->count; ++i)
    explain_object (&all, about, root, found, i, &to->list[i]);
}

void
explain_inspected (const struct inspection *found, struct explanation *to)
{
  const struct reason_about about = inspect_about (found, &found->settings);
  explain_about (found, &about, "", to);
}

void
explain_inspected_own (const struct inspection *found, struct explanation *to)
{
  struct reason_about about = inspect_about_run (found, &found->settings);
  about.later = true;
  explain_about (found, &about, "", to);
}

bool
explain_process (pid_t pid, const char *root, struct explanation *to,
                 struct problem *problem)
{
  static struct inspection found;
  *to = (struct explanation){ .source = EXPLAINED_PROCESS };
  const bool good = inspect (pid, EXPLAIN_INSPECTS, &found);
  to->process = found.process;
  if (!good)
    {
      *problem = found.problem;
      return false;
    }
  const struct reason_about about
      = (root != NULL ? inspect_about_own : inspect_about) (&found,
                                                            &found.settings);
  explain_about (&found, &about, root != NULL ? root : "", to);
  inspect_free (&found);
  return true;
}
