/* The facts about an inspected process that the descriptions of reasons and
   remedies need.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "index/entry.h"
#include "dl-hugetext-ways.h"
#include "text/inspect.h"
#include "text/report.h"
#include "util/allocate.h"
#include "util/printable.h"
#include "util/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return true if "hugetext enable SERVICE" has enabled the service of FOUND's
   process. The setting that switches huge text on may be in the file of
   another service with the same program.  */
static bool
inspect_about_is_enabled (const struct inspection *found,
                          const struct settings *settings)
{
  const char *source = settings_source (settings, HUGETEXT_KEY_MODE);
  struct entry entry;
  if (source == NULL || source[0] != '/' || !entry_read (found->group, &entry))
    return false;
  entry_free (&entry);
  return true;
}

/* The entries whose settings apply to the processes of a service.  */
struct sharing
{
  char *service;
  char *source;             /* The place, "FILE:LINE", of the setting that
                               switches huge text on.  */
  char *others;             /* The names of all entries except SERVICE,
                               separated by spaces, or NULL.  */
  struct file_list entries; /* The files of the entries in OTHERS, and of
                               SERVICE's entry.  */
};

/* Set SHARING to the entries, among the COUNT entries of LIST, that have a
   program in common with BASE.  */
static void
collect_entries (const struct entry *list, int count, const struct entry *base,
                 struct sharing *sharing)
{
  struct file_list names = { 0 };
  size_t size = 1;
  for (int i = 0; i < count; ++i)
    if (entry_common_program (base, &list[i]) != NULL)
      {
        file_list_add (&sharing->entries, list[i].file);
        if (strcmp (list[i].name, sharing->service) != 0)
          file_list_add (&names,
                         is_plain_word (list[i].name) ? list[i].name : "NAME");
      }
  for (size_t i = 0; i < names.count; ++i)
    size += strlen (names.names[i]) + 1;
  sharing->others = names.count > 0 ? allocate (size) : NULL;
  char *end = sharing->others;
  for (size_t i = 0; i < names.count; ++i)
    end += sprintf (end, "%s%s", i > 0 ? " " : "", names.names[i]);
  file_list_free (&names);
}

/* Read the entries whose settings apply to processes of SHARING's service:
   those that have a program in common with the service's own entry.  If the
   service is not enabled, use the entry with the file in SOURCE ("FILE:LINE")
   instead of the entry of the service.  */
static void
read_sharing (struct sharing *sharing, const char *source)
{
  struct entry *list;
  const struct entry *base = NULL;
  const int count = entry_list (&list);
  for (int i = 0; i < count; ++i)
    if (strcmp (list[i].name, sharing->service) == 0
        || (base == NULL && entry_has_source (&list[i], source)))
      base = &list[i];
  if (base != NULL)
    collect_entries (list, count, base, sharing);
  for (int i = 0; i < count; ++i)
    entry_free (&list[i]);
  if (count >= 0)
    free (list);
}

/* Set the entries of ABOUT, which describes a process of a service.  Read the
   entries only once for all processes of the service.  */
static void
set_entries (struct reason_about *about, const struct settings *settings)
{
  static struct sharing **known;
  static size_t count;
  const char *source = settings_source (settings, HUGETEXT_KEY_MODE);
  size_t i = 0;
  if (source == NULL || source[0] != '/')
    return;
  while (i < count
         && (strcmp (known[i]->service, about->service) != 0
             || strcmp (known[i]->source, source) != 0))
    ++i;
  if (i == count)
    {
      struct sharing *new = allocate (sizeof *new);
      new->service = allocate_text (about->service);
      new->source = allocate_text (source);
      read_sharing (new, source);
      known = allocate_more (known, count, sizeof *known);
      known[count++] = new;
    }
  about->others = known[i]->others;
  about->entries = &known[i]->entries;
}

/* Return how many blocks of FOUND's process are pages of the hugetlb pool.  */
static size_t
count_pooled (const struct inspection *found)
{
  size_t count = 0;
  for (size_t i = 0; i < found->objects.count; ++i)
    for (size_t k = 0; k < found->objects.list[i].nblocks; ++k)
      count += (found->objects.list[i].blocks[k].backing == BACKING_HUGETLB);
  return count;
}

enum hugetext_reason
inspect_reason (const struct inspection *found,
                const struct object_text *object,
                const struct text_block *block)
{
  return record_reason_now (&found->record, object, block,
                            found->attached_cap);
}

/* Return how many blocks of code made at run time would be huge in FOUND's
   process if there were no cap.  */
static size_t
count_code (const struct inspection *found)
{
  size_t count = found->code_beyond_cap;
  for (size_t i = 0; i < found->objects.made.nblocks; ++i)
    count += found->objects.made.blocks[i].huge > 0;
  return count;
}

struct reason_about
inspect_about (const struct inspection *found, const struct settings *settings)
{
  struct reason_about about
      = reason_about (settings, where_runs (found->group, found->contained));
  about.running = true;
  /* In a container, a process has another ID than on the host.  */
  if (about.where != WHERE_CONTAINER || where_own () != WHERE_CONTAINER)
    about.pid = about.process = found->process.pid;
  /* Blocks of text and blocks of code made at run time count towards one
     cap.  */
  about.beyond = found->not_made_for_cap + found->code_beyond_cap;
  about.code = count_code (found);
  about.candidates = found->candidates;
  about.pooled = count_pooled (found);
  /* If huge text was off from the start, only "hugetext attach" can apply
     settings to the process.  */
  if (found->off != HUGETEXT_NONE || found->attached_cap != 0)
    about.change = REASON_BY_ATTACH;
  about.cap = found->attached_cap;
  about.off = (found->off == REASON_OTHER_LOADER
               || found->off == REASON_NOT_SWITCHED_ON);
  if (about.where == WHERE_SERVICE && is_plain_word (found->group))
    {
      about.service = found->group;
      about.enabled = inspect_about_is_enabled (found, settings);
      set_entries (&about, settings);
    }
  return about;
}

struct reason_about
inspect_about_own (const struct inspection *found,
                   const struct settings *settings)
{
  struct reason_about about = inspect_about (found, settings);
  if (found->attached_cap == 0)
    about.change = REASON_AT_START;
  about.where = where_own ();
  about.service = NULL;
  about.others = NULL;
  about.entries = NULL;
  about.enabled = false;
  about.running = false;
  about.pid = about.process = 0;
  return about;
}

struct reason_about
inspect_about_run (const struct inspection *found,
                   const struct settings *settings)
{
  struct reason_about about = inspect_about_own (found, settings);
  if (about.change == REASON_AT_START)
    about.change = REASON_BY_RUN;
  return about;
}

bool
inspect_describe_cap (const struct inspection *found,
                      const struct reason_about *about,
                      char words[static INSPECT_CAP_WORDS])
{
  char reason[REASON_SIZE], remedy[REASON_SIZE];
  struct reason_file files[REPORT_FILES];
  struct reason_about this = *about;
  if (found->cap_reason == HUGETEXT_NONE)
    return false;
  report_files (&found->objects, NULL, NULL, files, &this);
  reason_describe (found->cap_reason, &this, reason);
  reason_remedy (found->cap_reason, &this, remedy);
  snprintf (words, INSPECT_CAP_WORDS,
            COUNT_FORMAT " of text on small pages: %s. Remedy: %s",
            COUNT (found->beyond_cap, "block"), reason, remedy);
  return true;
}

bool
inspect_lacks_thp (const struct inspection *found)
{
  const struct text_sums sums = report_able_sums (&found->objects);
  const enum hugetext_choice backing
      = settings_value (&found->settings, SETTING_BACKING);
  return (found->thp_disabled && !hugetext_takes_pool (backing)
          && report_is_low (&sums));
}

bool
inspect_describe_code (const struct inspection *found,
                       const struct reason_about *about,
                       char words[static INSPECT_CODE_WORDS])
{
  char reason[REASON_SIZE], remedy[REASON_SIZE];
  if (found->code_left[0] != '\0' || found->code_beyond_cap == 0)
    {
      snprintf (words, INSPECT_CODE_WORDS, "%s", found->code_left);
      return words[0] != '\0';
    }
  reason_describe (REASON_CODE_OVER_CAP, about, reason);
  reason_remedy (REASON_CODE_OVER_CAP, about, remedy);
  snprintf (words, INSPECT_CODE_WORDS, COUNT_FORMAT ": %s. Remedy: %s",
            COUNT (found->code_beyond_cap, "block"), reason, remedy);
  return true;
}
