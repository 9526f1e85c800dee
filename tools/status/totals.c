/* Totals: sums over the processes of each service, and over all processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The metrics follow the documentation of Prometheus ("Exposition formats",
   "Metric and label naming"): their values are in base units, and no metric
   contains both a sum and its parts.  */

#include "status/totals.h"
#include "host/adaptive.h"
#include "object/plan.h"
#include "text/json.h"
#include "util/allocate.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind
{
  ALWAYS,
  POSITIVE,
  BY_BACKING
};

/* The rows of status/totals.def.  */
static const struct
{
  enum kind kind;
  const char *name;
  const char *help;
  size_t member; /* The offset of the number (a size_t), or of the array of
                    numbers, in struct total.  */
} numbers[] = {
#define TOTAL(kind, name, member, help) \
  { kind, #name, help, offsetof (struct total, member) },
#include "status/totals.def"
};
#define NUMBERS (sizeof numbers / sizeof *numbers)

/* Return the numbers of TOTAL for row N of the table: one number, or one for
   each backing.  */
static const size_t *
numbers_of (const struct total *total, size_t n)
{
  return (const size_t *) ((const char *) total + numbers[n].member);
}

/* Return the struct total of the service to which FOUND's process belongs.  If
   there is none yet, add one.  */
static struct total *
totals_find_service (struct totals *totals, const struct inspection *found)
{
  /* On a kernel without control groups, the process has no group, so use the
     name of the root group.  */
  const char *name = found->group[0] != '\0' ? found->group : "/";
  for (size_t i = totals->count; i-- > 0;)
    if (strcmp (totals->list[i].service, name) == 0)
      return &totals->list[i];
  totals->list
      = allocate_more (totals->list, totals->count, sizeof *totals->list);
  totals->list[totals->count]
      = (struct total){ .service = allocate_text (name) };
  return &totals->list[totals->count++];
}

/* If LIMIT is lower than the limit on huge pages in TOTAL, set that limit to
   LIMIT.  The limit SIZE_MAX means that there is no limit.  */
static void
lower_limit (struct total *total, size_t limit)
{
  if (limit < SIZE_MAX && (total->limit == 0 || limit < total->limit))
    total->limit = limit;
}

/* Count FOUND's process, which runs under ld-hugetext.so, in TOTAL.  */
static void
count_version (struct total *total, const struct inspection *found)
{
  size_t i = 0;
  while (i < total->nversions
         && (strcmp (total->versions[i].version, found->version) != 0
             || strcmp (total->versions[i].build, found->build) != 0))
    ++i;
  if (i == total->nversions)
    {
      total->versions = allocate_more (total->versions, total->nversions++,
                                       sizeof *total->versions);
      total->versions[i] = (struct version_count){ .processes = 0 };
      strcpy (total->versions[i].version, found->version);
      strcpy (total->versions[i].build, found->build);
    }
  ++total->versions[i].processes;
}

static void
add_to (struct total *total, const struct inspection *found, bool ours)
{
  struct text_sums sums = report_sums (&found->objects);
  ++total->processes;
  report_add (&total->sums, &sums);
  for (size_t i = 0; i < found->objects.count; ++i)
    for (size_t j = 0; j < found->objects.list[i].nblocks; ++j)
      {
        const struct text_block *block = &found->objects.list[i].blocks[j];
        for (size_t bit = 0; bit < BACKINGS; ++bit)
          if (block->huge > 0 && block->backing == 1U << bit)
            total->huge[bit] += block->huge;
      }
  total->ours += ours;
  total->reclaimed += found->reclaimed;
  if (ours)
    {
      lower_limit (total, plan_cap (&found->settings));
      count_version (total, found);
    }
  total->full += ours && found->beyond_cap > 0;
  total->copying += found->cost.copies > 0;
  total->disabled += ours && found->thp_disabled;
  total->outdated += ours && found->outdated;
  cost_add (&total->cost, &found->cost);
}

/* Add the file of OBJECT to the list in TOTALS.  FOUND is a process of SERVICE
   that has copies of OBJECT's text.  */
static void
totals_note_file (struct totals *totals, const struct inspection *found,
                  const struct object_text *object, const char *service)
{
  for (size_t i = 0; i < totals->nfiles; ++i)
    if (totals->files[i].device == object->device
        && totals->files[i].inode == object->inode
        && strcmp (totals->files[i].name, object->name) == 0
        && strcmp (totals->files[i].service, service) == 0)
      return;
  totals->files
      = allocate_more (totals->files, totals->nfiles, sizeof *totals->files);
  totals->files[totals->nfiles++]
      = (struct copied_file){ allocate_text (object->name),
                              object->device,
                              object->inode,
                              service,
                              found->settings,
                              inspect_about (found, &found->settings) };
}

/* Add the blocks that FOUND, a process of SERVICE, has copied, and the files
   of the copied blocks, to the lists in TOTALS.  */
static void
note_copies (struct totals *totals, const struct inspection *found,
             const char *service)
{
  for (size_t i = 0; found->cost.copies > 0 && i < found->objects.count; ++i)
    {
      const struct object_text *object = &found->objects.list[i];
      if (!found->elsewhere && objtext_has_copies (object))
        totals_note_file (totals, found, object, service);
      for (size_t k = 0; k < object->nblocks; ++k)
        if (object->blocks[k].huge > 0
            && (object->blocks[k].backing & BACKINGS_SHARED) == 0)
          {
            totals->copied = allocate_more (totals->copied, totals->ncopied,
                                            sizeof *totals->copied);
            totals->copied[totals->ncopied++] = (struct copied_block){
              object->device, object->inode,
              object->blocks[k].start - object->bias, service
            };
          }
    }
}

static int
by_block (const void *a, const void *b)
{
  const struct copied_block *x = a, *y = b;
  if (x->device != y->device)
    return x->device < y->device ? -1 : 1;
  if (x->inode != y->inode)
    return x->inode < y->inode ? -1 : 1;
  return (x->address > y->address) - (x->address < y->address);
}

size_t
totals_as_images (struct totals *totals, const char *service)
{
  const struct copied_block *last = NULL;
  size_t blocks = 0;
  if (totals->ncopied > 0)
    qsort (totals->copied, totals->ncopied, sizeof *totals->copied, by_block);
  for (size_t i = 0; i < totals->ncopied; ++i)
    {
      const struct copied_block *block = &totals->copied[i];
      if (service != NULL && strcmp (block->service, service) != 0)
        continue;
      blocks += last == NULL || by_block (last, block) != 0;
      last = block;
    }
  return blocks * procmaps_block ();
}

bool
totals_advise (const struct totals *totals, const char *service,
               const char *remedy, char words[static REASON_SIZE])
{
  bool any = false, good = false;
  for (size_t i = 0; i < totals->nfiles && !good; ++i)
    {
      const struct copied_file *file = &totals->files[i];
      const struct reason_file source
          = { file->name, file->device, file->inode };
      struct reason_about about = file->about;
      char tried[REASON_SIZE];
      if (service != NULL && strcmp (file->service, service) != 0)
        continue;
      about.settings = &file->settings;
      about.service = about.service != NULL ? file->service : NULL;
      about.files = &source;
      about.nfiles = 1;
      good = reason_advise (remedy, &about, tried);
      if (good || !any)
        strcpy (words, tried);
      any = true;
    }
  if (!any)
    words[0] = '\0';
  return good;
}

void
totals_add (struct totals *totals, const struct inspection *found)
{
  struct total *total = totals_find_service (totals, found);
  bool ours = found->loader == INSPECTED_OURS;
  note_copies (totals, found, total->service);
  add_to (total, found, ours);
  add_to (&totals->all, found, ours);
}

void
totals_add_unread (struct totals *totals, const struct inspection *found)
{
  ++totals_find_service (totals, found)->unread;
  ++totals->all.unread;
}

static int
totals_compare_small (const void *a, const void *b)
{
  const struct total *x = a, *y = b;
  if (x->sums.small != y->sums.small)
    return x->sums.small < y->sums.small ? 1 : -1;
  return strcmp (x->service, y->service);
}

void
totals_sort (struct totals *totals)
{
  if (totals->count > 0)
    qsort (totals->list, totals->count, sizeof *totals->list,
           totals_compare_small);
}

/* Set the keys of JSON for row N of the table to the numbers of TOTAL.  */
static void
set_numbers (struct json_object *json, const struct total *total, size_t n)
{
  const size_t *values = numbers_of (total, n);
  char name[40];
  if (numbers[n].kind == BY_BACKING)
    {
      struct json_object *all = json_object_new_object ();
      for (size_t bit = 0; bit < BACKINGS; ++bit)
        json_set_number (all, backing_names (1U << bit, name), values[bit]);
      json_object_object_add (json, numbers[n].name, all);
    }
  else if (numbers[n].kind == ALWAYS || *values > 0)
    json_set_number (json, numbers[n].name, *values);
}

/* Return the versions of ld-hugetext.so under which processes of TOTAL run,
   with the number of processes for each.  A version may have several builds.
 */
static struct json_object *
versions_json (const struct total *total)
{
  struct json_object *json = json_object_new_object ();
  for (size_t i = 0; i < total->nversions; ++i)
    {
      const struct version_count *one = &total->versions[i];
      struct json_object *before = NULL;
      json_object_object_get_ex (json, one->version, &before);
      json_set_number (json, one->version,
                       json_object_get_int64 (before) + one->processes);
    }
  return json;
}

struct json_object *
totals_json (const struct totals *totals)
{
  struct json_object *array = json_object_new_array ();
  for (size_t i = 0; i < totals->count; ++i)
    {
      const struct total *total = &totals->list[i];
      struct json_object *json = json_object_new_object ();
      json_set_string (json, "name", total->service);
      for (size_t n = 0; n < NUMBERS; ++n)
        set_numbers (json, total, n);
      json_object_object_add (json, column_rows[COLUMN_SAMPLES].json,
                              json_column (COLUMN_SAMPLES, &total->sums));
      json_object_object_add (json, "loader_processes", versions_json (total));
      json_object_array_add (array, json);
    }
  return array;
}

static void
totals_print_head (FILE *stream, const char *name, const char *help)
{
  fprintf (stream, "# HELP hugetext_%s %s\n# TYPE hugetext_%s gauge\n", name,
           help, name);
}

/* Print the label NAME with VALUE.  Escape backslashes, quotes and unprintable
   characters in VALUE, which another user may have chosen.  */
static void
print_label (FILE *stream, const char *name, const char *value)
{
  fprintf (stream, "%s=\"", name);
  for (; *value != '\0'; ++value)
    {
      if (*value == '\\' || *value == '"')
        putc ('\\', stream);
      putc (*value == '\n' ? '?' : *value, stream);
    }
  putc ('"', stream);
}

static void
print_service (FILE *stream, const char *value)
{
  putc ('{', stream);
  print_label (stream, "service", value);
}

/* For each service whose objects have profiles, print which share of the
   profiles' samples is in text that is now on huge pages.  */
static void
print_samples (FILE *stream, const struct totals *totals)
{
  bool headed = false;
  for (size_t i = 0; i < totals->count; ++i)
    {
      const double share = column_samples (&totals->list[i].sums);
      if (share < 0)
        continue;
      if (!headed)
        totals_print_head (
            stream, "samples_huge_ratio",
            "Share of the profiles' samples that are in text on huge "
            "pages, for services whose text has profiles.");
      headed = true;
      fputs ("hugetext_samples_huge_ratio", stream);
      print_service (stream, totals->list[i].service);
      fprintf (stream, "} %.4f\n", column_share_shown (share, 0.01) / 100);
    }
}

/* Print VALUE as a value of the metric for row N of the table.  The labels of
   the value are the service of TOTAL and, unless BACKING is NULL, BACKING.  */
static void
print_number (FILE *stream, size_t n, const struct total *total,
              const char *backing, size_t value)
{
  fprintf (stream, "hugetext_%s", numbers[n].name);
  print_service (stream, total->service);
  if (backing != NULL)
    {
      putc (',', stream);
      print_label (stream, "backing", backing);
    }
  fprintf (stream, "} %zu\n", value);
}

/* Print the metrics for row N of the table with the numbers of TOTAL.  */
static void
print_numbers (FILE *stream, size_t n, const struct total *total)
{
  const size_t *values = numbers_of (total, n);
  char name[40];
  if (numbers[n].kind == BY_BACKING)
    for (size_t bit = 0; bit < BACKINGS; ++bit)
      print_number (stream, n, total, backing_names (1U << bit, name),
                    values[bit]);
  else if (numbers[n].kind == ALWAYS || *values > 0)
    print_number (stream, n, total, NULL, *values);
}

/* Print the builds of ld-hugetext.so under which the processes run.  */
static void
print_versions (FILE *stream, const struct totals *totals)
{
  totals_print_head (
      stream, "loader_processes",
      "Number of processes that run under this version and build of "
      "ld-hugetext.so.");
  for (size_t i = 0; i < totals->count; ++i)
    for (size_t j = 0; j < totals->list[i].nversions; ++j)
      {
        const struct version_count *one = &totals->list[i].versions[j];
        fputs ("hugetext_loader_processes", stream);
        print_service (stream, totals->list[i].service);
        putc (',', stream);
        print_label (stream, "version", one->version);
        putc (',', stream);
        print_label (stream, "build", one->build);
        fprintf (stream, "} %zu\n", one->processes);
      }
}

void
totals_metrics (FILE *stream, const struct totals *totals)
{
  for (size_t n = 0; n < NUMBERS; ++n)
    {
      totals_print_head (stream, numbers[n].name, numbers[n].help);
      for (size_t i = 0; i < totals->count; ++i)
        print_numbers (stream, n, &totals->list[i]);
    }
  print_versions (stream, totals);
  print_samples (stream, totals);
}

void
totals_metric_enabled (FILE *stream, const struct entry *list, size_t count)
{
  totals_print_head (stream, "service_enabled", "1 for each enabled service.");
  for (size_t i = 0; i < count; ++i)
    if (entry_is_service (&list[i]))
      {
        fputs ("hugetext_service_enabled", stream);
        print_service (stream, list[i].name);
        fputs ("} 1\n", stream);
      }
}

void
totals_metric_trial (FILE *stream, const struct entry *list, size_t count)
{
  totals_print_head (
      stream, "service_trial_passed",
      "1 if hugetext guard tried the loader successfully at the last start of "
      "the enabled service, 0 if the trial failed or the service is stopped.");
  for (size_t i = 0; i < count; ++i)
    if (entry_is_service (&list[i]))
      {
        fputs ("hugetext_service_trial_passed", stream);
        print_service (stream, list[i].name);
        fprintf (stream, "} %d\n", entry_was_tried (&list[i]));
      }
}

void
totals_metric_adaptive (FILE *stream, const struct entry *list, size_t count)
{
  totals_print_head (
      stream, "service_adaptive",
      "1 for each service that was enabled with hugetext enable --adaptive.");
  for (size_t i = 0; i < count; ++i)
    if (entry_is_service (&list[i]) && adaptive_is_on (list[i].name))
      {
        fputs ("hugetext_service_adaptive", stream);
        print_service (stream, list[i].name);
        fputs ("} 1\n", stream);
      }
  totals_print_head (stream, "service_adapt_success_timestamp_seconds",
                     "For each adaptive service, the Unix time when the last "
                     "successful run of hugetext adapt ended.");
  for (size_t i = 0; i < count; ++i)
    {
      struct adaptive adaptive = { .result = ADAPTIVE_NONE };
      if (entry_is_service (&list[i]) && adaptive_is_on (list[i].name))
        adaptive_read (list[i].name, &adaptive);
      if (adaptive.succeeded == 0)
        continue;
      fputs ("hugetext_service_adapt_success_timestamp_seconds", stream);
      print_service (stream, list[i].name);
      fprintf (stream, "} %lld\n", (long long) adaptive.succeeded);
    }
}

void
totals_metric (FILE *stream, const char *name, const char *help, size_t value)
{
  totals_print_head (stream, name, help);
  fprintf (stream, "hugetext_%s %zu\n", name, value);
}

void
totals_free (struct totals *totals)
{
  for (size_t i = 0; i < totals->count; ++i)
    {
      free (totals->list[i].service);
      free (totals->list[i].versions);
    }
  free (totals->all.versions);
  free (totals->list);
  for (size_t i = 0; i < totals->nfiles; ++i)
    free (totals->files[i].name);
  free (totals->files);
  free (totals->copied);
  *totals = (struct totals){ .list = NULL };
}

void
totals_info (FILE *stream, const char *name, const char *help,
             const char *const *labels)
{
  char before = '{';
  totals_print_head (stream, name, help);
  fprintf (stream, "hugetext_%s", name);
  for (; *labels != NULL; labels += 2, before = ',')
    {
      putc (before, stream);
      print_label (stream, labels[0], labels[1]);
    }
  fputs ("} 1\n", stream);
}
