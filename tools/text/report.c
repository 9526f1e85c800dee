/* Tables of the text of processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/report.h"
#include "util/terminal.h"

#include <limits.h>

void
report_add (struct text_sums *sums, const struct text_sums *more)
{
  sums->text += more->text;
  sums->huge += more->huge;
  sums->small += more->small;
  sums->backing |= more->backing;
}

struct text_sums
report_sums (const struct object_list *objects)
{
  struct text_sums sums = { 0 };
  for (size_t i = 0; i < objects->count; ++i)
    report_add (&sums, &objects->list[i].sums);
  return sums;
}

double
report_share (size_t huge, size_t small)
{
  return huge + small > 0 ? 100.0 * huge / (huge + small) : -1.0;
}

char
report_letter (const struct text_block *block)
{
  if (block->guessed)
    return '?';
  if (block->huge == 0)
    return block->small > 0 ? '.' : '_';
  switch (block->backing)
    {
    case BACKING_FILE:
      return 'F';
    case BACKING_STORE:
      return 'S';
    case BACKING_MEMFD:
      return 'M';
    case BACKING_HUGETLB:
      return 'H';
    default:
      return 'T';
    }
}

/* Return SHARE as text in BUFFER.  */
static const char *
share_text (double share, char buffer[static 16])
{
  if (share < 0)
    return "-";
  /* Print 100 % for nothing less.  */
  if (share < 100.0 && share > 99.9)
    share = 99.9;
  snprintf (buffer, 16, "%.1f %%", share);
  return buffer;
}

/* Print a line of a table: FIRST, if it is not NULL, four WORDS with numbers,
   BACKING, if it is not NULL and there is room, and NAME, whose end tells
   most.  */
static void
print_words (FILE *stream, const char *first, const char *const words[4],
             const char *backing, const char *name)
{
  char text[PATH_MAX];
  int columns = terminal_columns (), used = 0;
  if (first != NULL)
    used += fprintf (stream, "%7s ", first);
  used += fprintf (stream, "%9s %9s %9s  %8s  ", words[0], words[1], words[2],
                   words[3]);
  if (backing != NULL && (columns == 0 || columns >= 72))
    used += fprintf (stream, "%-9s ", backing);
  fprintf (stream, "%s\n",
           terminal_tail (name,
                          columns == 0     ? 0
                          : columns > used ? columns - used
                                           : 1,
                          text, sizeof text));
}

void
report_heading (FILE *stream, const char *first, const char *name)
{
  static const char *const words[]
      = { "text KiB", "huge KiB", "small KiB", "share" };
  print_words (stream, first, words, first == NULL ? "backing" : NULL, name);
}

void
report_row (FILE *stream, const char *first, const char *name,
            const struct text_sums *sums)
{
  char digits[3][24], share[16], backing[40];
  snprintf (digits[0], sizeof digits[0], "%zu", sums->text / 1024);
  snprintf (digits[1], sizeof digits[1], "%zu", sums->huge / 1024);
  snprintf (digits[2], sizeof digits[2], "%zu", sums->small / 1024);
  const char *const words[]
      = { digits[0], digits[1], digits[2],
          share_text (report_share (sums->huge, sums->small), share) };
  print_words (stream, first, words,
               first == NULL ? backing_names (sums->backing, backing) : NULL,
               name);
}

void
report_objects (FILE *stream, const struct object_list *objects)
{
  const struct text_sums sums = report_sums (objects);
  report_heading (stream, NULL, "object");
  for (size_t i = 0; i < objects->count; ++i)
    report_row (stream, NULL, objects->list[i].name, &objects->list[i].sums);
  report_row (stream, NULL, "total", &sums);
  if (objects->made.sums.text > 0)
    report_row (stream, NULL, objects->made.name, &objects->made.sums);
}

void
report_cost (FILE *stream, const struct cost *cost, bool several)
{
  const double mib = 1048576.0;
  const char *what = several ? " of text" : "";
  if (cost->copies > 0)
    terminal_say (stream, 4,
                  "copies%s: %.1f MiB of memory (hugetext store add has"
                  " processes share it)",
                  what, cost->copies / mib);
  if (cost->images > 0)
    terminal_say (stream, 4,
                  "images%s: %.1f MiB, a part of what the store holds for all"
                  " processes",
                  what, cost->images / mib);
}
