/* Metrics: the sums of totals.h in Prometheus' text format.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Prometheus' documentation describes the format and the names ("Exposition
   formats", "Metric and label naming"): base units, and no sums beside their
   parts in one metric.  So sums over the machine have names of their own.  */

#include "status/metrics.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* A metric that each service has.  */
struct metric
{
  const char *name; /* The name without the common prefix.  */
  const char *help;
  size_t member; /* Offset of the value, a size_t, in struct total.  */
};

#define MEMBER(member) offsetof (struct total, member)

static const struct metric metrics[] = {
  { "processes", "Processes that could be read.", MEMBER (processes) },
  { "processes_unreadable", "Processes that could not be read.",
    MEMBER (unread) },
  { "processes_loaded", "Processes that ld-hugetext.so has loaded.",
    MEMBER (ours) },
  { "processes_at_cap",
    "Of those, processes with as many huge blocks as they may have.",
    MEMBER (full) },
  { "text_bytes", "Text of programs and libraries, used or not.",
    MEMBER (sums.text) },
  { "text_small_bytes", "Text in use that is mapped by small pages.",
    MEMBER (sums.small) },
  { "code_huge_bytes", "Code made at run time, in use, on huge pages.",
    MEMBER (made.huge) },
  { "code_small_bytes", "Code made at run time, in use, on small pages.",
    MEMBER (made.small) },
  { "blocks",
    "Huge pages of text in processes that ld-hugetext.so has loaded.",
    MEMBER (blocks) },
  { "blocks_cap", "Huge pages of text that these may have.", MEMBER (cap) },
  { "copies_bytes", "Memory in copies of text (Pss).",
    MEMBER (cost.copies_part) },
  { "copies_shareable_bytes",
    "Of that, what images in the store could be instead.",
    MEMBER (cost.shareable) },
  { "images_bytes", "Part of these processes in images of the store (Pss).",
    MEMBER (cost.images_part) },
};

/* Return the value of METRIC in TOTAL.  */
static size_t
value_of (const struct metric *metric, const struct total *total)
{
  return *(const size_t *) ((const char *) total + metric->member);
}

static void
print_head (FILE *stream, const char *scope, const char *name,
            const char *help)
{
  fprintf (stream, "# HELP hugetext_%s%s %s\n# TYPE hugetext_%s%s gauge\n",
           scope, name, help, scope, name);
}

/* Print VALUE, which other users have chosen, as a label's value.  */
static void
print_label_value (FILE *stream, const char *value)
{
  putc ('"', stream);
  for (; *value != '\0'; ++value)
    if (*value == '\n')
      fputs ("\\n", stream);
    else
      {
        if (*value == '\\' || *value == '"')
          putc ('\\', stream);
        putc (*value, stream);
      }
  putc ('"', stream);
}

/* Print the text of TOTAL on huge pages, by backing.  */
static void
print_backings (FILE *stream, const char *scope, const struct total *total)
{
  char name[40];
  for (size_t bit = 0; bit < BACKINGS; ++bit)
    {
      fprintf (stream, "hugetext_%stext_huge_bytes{", scope);
      if (total->service != NULL)
        {
          fputs ("service=", stream);
          print_label_value (stream, total->service);
          putc (',', stream);
        }
      fprintf (stream, "backing=\"%s\"} %zu\n",
               backing_names (1U << bit, name), total->huge[bit]);
    }
}

/* Print all metrics of the COUNT TOTALS, whose names begin with SCOPE.  */
static void
print_scope (FILE *stream, const char *scope, const struct total *totals,
             size_t count)
{
  for (size_t m = 0; m < sizeof metrics / sizeof *metrics; ++m)
    {
      print_head (stream, scope, metrics[m].name, metrics[m].help);
      for (size_t i = 0; i < count; ++i)
        {
          fprintf (stream, "hugetext_%s%s", scope, metrics[m].name);
          if (totals[i].service != NULL)
            {
              fputs ("{service=", stream);
              print_label_value (stream, totals[i].service);
              putc ('}', stream);
            }
          fprintf (stream, " %zu\n", value_of (&metrics[m], &totals[i]));
        }
    }
  print_head (stream, scope, "text_huge_bytes",
              "Text in use that is on huge pages, by what these are.");
  for (size_t i = 0; i < count; ++i)
    print_backings (stream, scope, &totals[i]);
}

static void
print_number (FILE *stream, const char *name, const char *help, uint64_t value)
{
  print_head (stream, "", name, help);
  fprintf (stream, "hugetext_%s %ju\n", name, (uintmax_t) value);
}

void
metrics_print (FILE *stream, const struct totals *totals,
               const struct store_state *store)
{
  print_head (stream, "", "build_info", "Which hugetext has looked.");
  fprintf (stream, "hugetext_build_info{version=\"%s\"} 1\n", PACKAGE_VERSION);
  print_scope (stream, "", totals->list, totals->count);
  print_scope (stream, "machine_", &totals->all, 1);
  print_number (stream, "store_images", "Images in the store.", store->images);
  print_number (stream, "store_blocks", "Blocks of all images.",
                store->blocks);
  print_number (stream, "store_disk_bytes",
                "Bytes of the disk that images take.", store->disk);
  if (!store->known)
    return;
  print_number (stream, "store_huge_blocks",
                "Blocks of images that are cached in huge pages.",
                store->huge);
  print_number (stream, "store_cached_bytes",
                "Bytes of the page cache that images take.", store->cached);
}
