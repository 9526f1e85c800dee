/* Totals: sums over the processes of each service, and over all.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Prometheus' documentation describes the format and the names of metrics
   ("Exposition formats", "Metric and label naming"): base units, and no metric
   that contains both a sum and its parts.  */

#include "status/totals.h"
#include "object/plan.h"
#include "text/json.h"
#include "util/allocate.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The numbers that each service has, in JSON and as metrics.  */
static const struct
{
  const char *name;
  const char *help;
  size_t member; /* The offset of the number, a size_t, in struct total.  */
} numbers[] = {
#define MEMBER(member) offsetof (struct total, member)
  { "processes", "Number of processes that could be inspected.",
    MEMBER (processes) },
  { "processes_unreadable",
    "Number of processes that could not be inspected; no other number includes"
    " them.",
    MEMBER (unread) },
  { "processes_loaded", "Number of processes that run under ld-hugetext.so.",
    MEMBER (ours) },
  { "processes_at_cap",
    "Number of processes under ld-hugetext.so with text on small pages because"
    " of the limit of huge pages per process (max).",
    MEMBER (full) },
  { "processes_thp_disabled",
    "Number of processes under ld-hugetext.so that have switched transparent"
    " huge pages off for themselves.",
    MEMBER (disabled) },
  { "processes_outdated",
    "Number of processes under ld-hugetext.so whose settings have changed"
    " since they started.",
    MEMBER (outdated) },
  { "text_bytes",
    "Size of the text of programs and libraries, in use or not, counted once"
    " for each process.",
    MEMBER (sums.text) },
  { "text_small_bytes", "Size of the text in use on small pages.",
    MEMBER (sums.small) },
  { "text_reclaimed_bytes",
    "The part of text_small_bytes in blocks that the loader had put on huge"
    " pages, before the kernel reclaimed these pages.",
    MEMBER (reclaimed) },
  { "copies_bytes",
    "Memory in copies of text; memory that processes share is divided among"
    " them (Pss).",
    MEMBER (cost.copies) },
  { "copies_primed_bytes",
    "The part of copies_bytes that would remain if the files were cached in"
    " huge pages.",
    MEMBER (cost.unfit) },
  { "images_bytes",
    "Memory in images of the store; memory that processes share is divided"
    " among them (Pss).",
    MEMBER (cost.images) },
};
#define NUMBERS (sizeof numbers / sizeof *numbers)

/* The name of the limit, which only services with processes under
   ld-hugetext.so have.  */
#define LIMIT "process_huge_pages_limit"

/* Return the number of TOTAL that row I of the table describes.  */
static size_t
number_of (const struct total *total, size_t i)
{
  return *(const size_t *) ((const char *) total + numbers[i].member);
}

/* Return the total of FOUND's service, a new total if it has none.  */
static struct total *
find (struct totals *totals, const struct inspection *found)
{
  /* On a kernel without control groups, the process has no group.  */
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

/* Lower TOTAL's limit of huge pages to LIMIT, SIZE_MAX for none.  */
static void
lower_limit (struct total *total, size_t limit)
{
  if (limit < SIZE_MAX && (total->limit == 0 || limit < total->limit))
    total->limit = limit;
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
    lower_limit (total, plan_cap (&found->settings));
  total->full += ours && found->wants_more;
  total->copying += found->cost.copies > 0;
  total->disabled += ours && found->thp_disabled;
  total->outdated += ours && found->outdated;
  cost_add (&total->cost, &found->cost);
}

/* Record the blocks of which FOUND, a process of SERVICE, has copies.  */
static void
note_copies (struct totals *totals, const struct inspection *found,
             const char *service)
{
  for (size_t i = 0; found->cost.copies > 0 && i < found->objects.count; ++i)
    {
      const struct object_text *object = &found->objects.list[i];
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

void
totals_add (struct totals *totals, const struct inspection *found)
{
  struct total *total = find (totals, found);
  bool ours = found->loader == INSPECTED_OURS;
  note_copies (totals, found, total->service);
  add_to (total, found, ours);
  add_to (&totals->all, found, ours);
}

void
totals_add_unread (struct totals *totals, const struct inspection *found)
{
  ++find (totals, found)->unread;
  ++totals->all.unread;
}

static int
by_small (const void *a, const void *b)
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
    qsort (totals->list, totals->count, sizeof *totals->list, by_small);
}

struct json_object *
totals_json (const struct totals *totals)
{
  struct json_object *array = json_object_new_array ();
  char name[40];
  for (size_t i = 0; i < totals->count; ++i)
    {
      const struct total *total = &totals->list[i];
      struct json_object *json = json_object_new_object ();
      struct json_object *huge = json_object_new_object ();
      json_set_string (json, "name", total->service);
      for (size_t n = 0; n < NUMBERS; ++n)
        json_set_number (json, numbers[n].name, number_of (total, n));
      for (size_t bit = 0; bit < BACKINGS; ++bit)
        json_set_number (huge, backing_names (1U << bit, name),
                         total->huge[bit]);
      json_object_object_add (json, "text_huge_bytes", huge);
      json_set_percent (json, column_rows[COLUMN_SAMPLES].json,
                        column_value (COLUMN_SAMPLES, &total->sums));
      if (total->limit > 0)
        json_set_number (json, LIMIT, total->limit);
      json_object_array_add (array, json);
    }
  return array;
}

static void
print_head (FILE *stream, const char *name, const char *help)
{
  fprintf (stream, "# HELP hugetext_%s %s\n# TYPE hugetext_%s gauge\n", name,
           help, name);
}

/* Print the label NAME with VALUE, which other users may have chosen.  */
static void
print_label (FILE *stream, const char *name, const char *value)
{
  fprintf (stream, "%s=\"", name);
  for (; *value != '\0'; ++value)
    {
      if (*value == '\\' || *value == '"')
        putc ('\\', stream);
      putc (*value, stream);
    }
  putc ('"', stream);
}

static void
print_service (FILE *stream, const char *value)
{
  putc ('{', stream);
  print_label (stream, "service", value);
}

/* Print what share of the samples of profiles is on huge pages, for services
   that have profiles.  */
static void
print_samples (FILE *stream, const struct totals *totals)
{
  bool headed = false;
  for (size_t i = 0; i < totals->count; ++i)
    {
      const double share
          = column_value (COLUMN_SAMPLES, &totals->list[i].sums);
      if (share < 0)
        continue;
      if (!headed)
        print_head (
            stream, "samples_huge_ratio",
            "Share of the profiles' samples of text that is on huge pages,"
            " for services with profiles.");
      headed = true;
      fputs ("hugetext_samples_huge_ratio", stream);
      print_service (stream, totals->list[i].service);
      fprintf (stream, "} %.4f\n", share / 100);
    }
}

/* Print the limits of huge pages.  */
static void
print_limits (FILE *stream, const struct totals *totals)
{
  print_head (stream, LIMIT,
              "Smallest limit of huge pages per process (max) among the"
              " processes under ld-hugetext.so, for services with a limit.");
  for (size_t i = 0; i < totals->count; ++i)
    if (totals->list[i].limit > 0)
      {
        fputs ("hugetext_" LIMIT, stream);
        print_service (stream, totals->list[i].service);
        fprintf (stream, "} %zu\n", totals->list[i].limit);
      }
}

void
totals_metrics (FILE *stream, const struct totals *totals)
{
  char name[40];
  for (size_t n = 0; n < NUMBERS; ++n)
    {
      print_head (stream, numbers[n].name, numbers[n].help);
      for (size_t i = 0; i < totals->count; ++i)
        {
          fprintf (stream, "hugetext_%s", numbers[n].name);
          print_service (stream, totals->list[i].service);
          fprintf (stream, "} %zu\n", number_of (&totals->list[i], n));
        }
    }
  print_samples (stream, totals);
  print_limits (stream, totals);
  print_head (stream, "text_huge_bytes",
              "Size of the text in use on huge pages, by backing.");
  for (size_t i = 0; i < totals->count; ++i)
    for (size_t bit = 0; bit < BACKINGS; ++bit)
      {
        fputs ("hugetext_text_huge_bytes", stream);
        print_service (stream, totals->list[i].service);
        fprintf (stream, ",backing=\"%s\"} %zu\n",
                 backing_names (1U << bit, name), totals->list[i].huge[bit]);
      }
}

void
totals_metric_enabled (FILE *stream, const struct entry *list, size_t count)
{
  print_head (stream, "service_enabled", "1 for each enabled service.");
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
  print_head (stream, "service_trial_passed",
              "1 if the guard's trial of the loader passed at the last start"
              " of the enabled service, 0 if it failed or the service is"
              " stopped.");
  for (size_t i = 0; i < count; ++i)
    if (entry_is_service (&list[i]))
      {
        fputs ("hugetext_service_trial_passed", stream);
        print_service (stream, list[i].name);
        fprintf (stream, "} %d\n", entry_was_tried (&list[i]));
      }
}

void
totals_metric (FILE *stream, const char *name, const char *help, size_t value)
{
  print_head (stream, name, help);
  fprintf (stream, "hugetext_%s %zu\n", name, value);
}

void
totals_free (struct totals *totals)
{
  for (size_t i = 0; i < totals->count; ++i)
    free (totals->list[i].service);
  free (totals->list);
  free (totals->copied);
  *totals = (struct totals){ .list = NULL };
}

void
totals_info (FILE *stream, const char *name, const char *help,
             const char *const *labels)
{
  char before = '{';
  print_head (stream, name, help);
  fprintf (stream, "hugetext_%s", name);
  for (; *labels != NULL; labels += 2, before = ',')
    {
      putc (before, stream);
      print_label (stream, labels[0], labels[1]);
    }
  fputs ("} 1\n", stream);
}
