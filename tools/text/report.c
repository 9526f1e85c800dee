/* Tables of the text of processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "text/report.h"
#include "util/terminal.h"

#include <limits.h>
#include <string.h>

struct text_sums
report_sums (const struct object_list *objects)
{
  struct text_sums sums = { 0 };
  for (size_t i = 0; i < objects->count; ++i)
    {
      sums.text += objects->list[i].text;
      sums.huge += objects->list[i].huge;
      sums.small += objects->list[i].small;
      sums.backing |= objects->list[i].backing;
    }
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

/* Whether the terminal has room for the column of backings.  */
static bool
has_backings (void)
{
  return terminal_columns () == 0 || terminal_columns () >= 72;
}

static void
print_words_of_row (FILE *stream, const char *const words[5], const char *name)
{
  enum
  {
    NUMBERS = 40, /* Columns of numbers.  */
    BACKING = 10,
  };
  char tail[PATH_MAX];
  int columns = terminal_columns ();
  fprintf (stream, "%9s %9s %9s  %7s  ", words[0], words[1], words[2],
           words[3]);
  columns -= NUMBERS;
  if (has_backings ())
    {
      fprintf (stream, "%-9s ", words[4]);
      columns -= BACKING;
    }
  fprintf (stream, "%s\n",
           terminal_tail (name, columns > 0 ? columns : 0, tail, sizeof tail));
}

static void
print_row (FILE *stream, size_t text, size_t huge, size_t small,
           const char *backing, const char *name)
{
  char digits[3][24], share[16];
  snprintf (digits[0], sizeof digits[0], "%zu", text / 1024);
  snprintf (digits[1], sizeof digits[1], "%zu", huge / 1024);
  snprintf (digits[2], sizeof digits[2], "%zu", small / 1024);
  const char *const words[]
      = { digits[0], digits[1], digits[2],
          share_text (report_share (huge, small), share), backing };
  print_words_of_row (stream, words, name);
}

void
report_objects (FILE *stream, const struct object_list *objects)
{
  char buffer[40];
  struct text_sums sums = report_sums (objects);

  const char *const words[]
      = { "text KiB", "huge KiB", "small KiB", "share", "backing" };
  print_words_of_row (stream, words, "object");
  for (size_t i = 0; i < objects->count; ++i)
    {
      const struct object_text *object = &objects->list[i];
      print_row (stream, object->text, object->huge, object->small,
                 backing_names (object->backing, buffer), object->name);
    }
  print_row (stream, sums.text, sums.huge, sums.small,
             backing_names (sums.backing, buffer), "total");
  const struct object_text *made = &objects->made;
  if (made->text > 0)
    print_row (stream, made->text, made->huge, made->small,
               backing_names (made->backing, buffer), made->name);
}

static double
mib (size_t bytes)
{
  return bytes / 1048576.0;
}

void
report_cost (FILE *stream, const char *indent, const struct cost *cost)
{
  char part[64] = "", shared[80] = "";
  int hang = strlen (indent) + 4;
  if (cost->copies_part < cost->copies)
    snprintf (part, sizeof part, ", %.1f with others' part taken off",
              mib (cost->copies_part));
  if (cost->shareable > 0)
    snprintf (shared, sizeof shared,
              "; %.1f could be shared by all processes, from the store",
              mib (cost->shareable));
  if (cost->copies > 0)
    terminal_say (stream, hang, "%scopies: %.1f MiB of memory%s%s", indent,
                  mib (cost->copies), part, shared);
  if (cost->images > 0)
    terminal_say (stream, hang,
                  "%simages: %.1f MiB of the store, shared by all processes;"
                  " %.1f is its part",
                  indent, mib (cost->images), mib (cost->images_part));
}

void
report_total (FILE *stream, const struct cost *sum)
{
  char shared[96] = "";
  if (sum->shareable > 0)
    snprintf (shared, sizeof shared,
              "; %.1f could be shared, from the store (hugetext store add)",
              mib (sum->shareable));
  if (sum->copies > 0)
    terminal_say (stream, 4, "copies of text: %.1f MiB of memory%s",
                  mib (sum->copies_part), shared);
  if (sum->images > 0)
    terminal_say (stream, 4, "images of text: %.1f MiB of the store in use",
                  mib (sum->images_part));
}

/* Print a line of words.  */
static void
print_words (FILE *stream, const char *const words[5], const char *name)
{
  enum
  {
    NUMBERS = 49, /* Columns of numbers.  */
  };
  char text[512];
  int columns = terminal_columns ();
  int room = columns == 0 ? 0 : columns > NUMBERS ? columns - NUMBERS : 1;
  fprintf (stream, "%7s %9s %9s %9s  %8s  %s\n", words[0], words[1], words[2],
           words[3], words[4], terminal_text (name, room, text, sizeof text));
}

void
report_process_heading (FILE *stream, const char *pid, const char *name)
{
  const char *const words[]
      = { pid, "text KiB", "huge KiB", "small KiB", "share" };
  print_words (stream, words, name);
}

void
report_process (FILE *stream, const char *pid, const char *name,
                const struct text_sums *sums)
{
  char digits[3][24], buffer[16];
  double share = report_share (sums->huge, sums->small);
  snprintf (digits[0], sizeof digits[0], "%zu", sums->text / 1024);
  snprintf (digits[1], sizeof digits[1], "%zu", sums->huge / 1024);
  snprintf (digits[2], sizeof digits[2], "%zu", sums->small / 1024);
  const char *const words[]
      = { pid, digits[0], digits[1], digits[2], share_text (share, buffer) };
  print_words (stream, words, name);
}
