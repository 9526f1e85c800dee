/* The table of the programs that would gain.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "survey-table.h"
#include "procmaps.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>

struct survey_context
survey_context (const struct survey *survey, bool sampled)
{
  struct survey_context context
      = { .sampled = sampled, .walks = survey->walks };
  for (size_t i = 0; i < survey->count; i++)
    context.time += (context.sampled ? survey->rows[i]->all
                                     : survey->rows[i]->seconds);
  context.most = survey->count > 0 ? survey->rows[0]->worth : 0;
  return context;
}

/* What a column says something of.  */
enum need
{
  ALWAYS,
  SAMPLES,
  WALKS,
};

/* A column: where there is no room those with the highest number go first.  */
struct column
{
  const char *heading;
  int width, number;
  enum need need;
  void (*print) (char *text, size_t size, const struct survey_row *row,
                 const struct survey_context *context);
};

static double
mib (double bytes)
{
  return bytes / 1048576.0;
}

static void
print_percent (char *text, size_t size, double part, double all)
{
  if (all > 0)
    snprintf (text, size, "%.0f %%", 100 * part / all);
  else
    snprintf (text, size, "-");
}

static void
print_worth (char *text, size_t size, const struct survey_row *row,
             const struct survey_context *context)
{
  enum
  {
    LENGTH = 10,
  };
  char bar[LENGTH + 1];
  double share = context->most > 0 ? 100 * row->worth / context->most : 0;
  if (terminal_columns () == 0)
    {
      snprintf (text, size, "%.0f", share);
      return;
    }
  report_bar (share, LENGTH, bar);
  text[0] = '\0';
  for (char *p = bar; *p != '\0'; p++)
    strcat (text, *p != '#'              ? " "
                  : terminal_is_utf8 () ? "\u2588"
                                        : "#");
}

static void
print_time (char *text, size_t size, const struct survey_row *row,
            const struct survey_context *context)
{
  double share = context->sampled ? row->all : row->seconds;
  if (context->time > 0)
    snprintf (text, size, "%.1f %%", 100 * share / context->time);
  else
    snprintf (text, size, "-");
}

static void
print_in_text (char *text, size_t size, const struct survey_row *row,
               const struct survey_context *context)
{
  (void)context;
  print_percent (text, size, row->in_text, row->all);
}

static void
print_in_made (char *text, size_t size, const struct survey_row *row,
               const struct survey_context *context)
{
  (void)context;
  print_percent (text, size, row->in_made, row->all);
}

static void
print_hot (char *text, size_t size, const struct survey_row *row,
           const struct survey_context *context)
{
  (void)context;
  snprintf (text, size, "%zu", row->misses.hot);
}

static void
print_misses (char *text, size_t size, const struct survey_row *row,
              const struct survey_context *context)
{
  (void)context;
  if (row->pages != NULL)
    snprintf (text, size, "%.0f>%.0f %%", 100 * row->misses.small,
              100 * row->misses.huge);
  else
    snprintf (text, size, "-");
}

static void
print_walks (char *text, size_t size, const struct survey_row *row,
             const struct survey_context *context)
{
  print_percent (text, size, row->walks, context->walks);
}

static void
print_used (char *text, size_t size, const struct survey_row *row,
            const struct survey_context *context)
{
  (void)context;
  snprintf (text, size, "%.1f", mib (row->sums.small + row->sums.huge));
}

static void
print_huge (char *text, size_t size, const struct survey_row *row,
            const struct survey_context *context)
{
  (void)context;
  print_percent (text, size, row->sums.huge, row->sums.huge + row->sums.small);
}

static void
print_copies (char *text, size_t size, const struct survey_row *row,
              const struct survey_context *context)
{
  (void)context;
  snprintf (text, size, "%.0f", mib (row->copies * procmaps_block ()));
}

static void
print_images (char *text, size_t size, const struct survey_row *row,
              const struct survey_context *context)
{
  (void)context;
  snprintf (text, size, "%.0f", mib (row->blocks * procmaps_block ()));
}

static void
print_processes (char *text, size_t size, const struct survey_row *row,
                 const struct survey_context *context)
{
  (void)context;
  snprintf (text, size, "%zu", row->processes);
}

/* Between the name of a program and that of its service.  */
static const struct column columns[] = {
  { "worth", 10, 0, ALWAYS, print_worth },
  { "time", 7, 1, ALWAYS, print_time },
  { "text", 5, 2, SAMPLES, print_in_text },
  { "made", 5, 5, SAMPLES, print_in_made },
  { "pages", 6, 3, SAMPLES, print_hot },
  { "misses", 9, 4, SAMPLES, print_misses },
  { "walks", 5, 6, WALKS, print_walks },
  { "MiB used", 8, 7, ALWAYS, print_used },
  { "huge", 5, 8, ALWAYS, print_huge },
  { "copies", 6, 9, ALWAYS, print_copies },
  { "store", 6, 10, ALWAYS, print_images },
  { "procs", 5, 11, ALWAYS, print_processes },
};

#define COLUMNS (sizeof columns / sizeof columns[0])

enum
{
  SERVICE_WIDTH = 12, /* At least.  */
};

/* How wide the columns are.  */
struct widths
{
  int name;
  bool shown[COLUMNS];
  int service; /* 0: any.  */
};

/* Find out what there is room for, with COUNT lines.  */
static struct widths
choose_widths (const struct survey *survey, size_t count,
               const struct survey_context *context)
{
  const int room = terminal_columns ();
  const int most = room > 0 && room < 80 ? 12 : 20;
  struct widths widths = { .name = 7 };
  for (size_t i = 0; i < count; i++)
    {
      int length = strlen (survey->rows[i]->name);
      length = length < most ? length : most;
      widths.name = widths.name > length ? widths.name : length;
    }
  int left = room - widths.name - 2;
  for (int number = 0; number < (int)COLUMNS; number++)
    for (size_t i = 0; i < COLUMNS; i++)
      if (columns[i].number == number
          && (columns[i].need != SAMPLES || context->sampled)
          && (columns[i].need != WALKS || context->walks > 0))
        {
          int rest = left - columns[i].width - 2;
          widths.shown[i] = room == 0 || rest >= SERVICE_WIDTH;
          if (!widths.shown[i])
            /* Those behind it are not more important.  */
            number = COLUMNS;
          else
            left = rest;
          break;
        }
  widths.service = room == 0 ? 0 : left > 0 ? left : 1;
  return widths;
}

/* Print a line of ROW, or the headings if that is NULL.  */
static void
print_line (const struct survey_row *row, const struct survey_context *context,
            const struct widths *widths)
{
  char text[256];
  terminal_text (row != NULL ? row->name : "program", widths->name, text,
                 sizeof text);
  printf ("%-*s  ", widths->name, text);
  for (size_t i = 0; i < COLUMNS; i++)
    {
      if (!widths->shown[i])
        continue;
      /* A bar fills its column, whatever bytes that takes.  */
      bool bar = columns[i].print == print_worth && terminal_columns () > 0;
      if (row != NULL)
        columns[i].print (text, sizeof text, row, context);
      else
        snprintf (text, sizeof text, "%s", columns[i].heading);
      printf (bar ? "%-*s  " : "%*s  ",
              bar && row != NULL ? 0 : columns[i].width, text);
    }
  const char *service = row != NULL ? row->service : "service";
  /* Of a path the end says most.  */
  printf ("%s\n",
          (service[0] == '/' ? terminal_tail : terminal_text) (
              service, widths->service, text, sizeof text));
}

void
survey_table (const struct survey *survey, size_t count,
              const struct survey_context *context)
{
  const struct widths widths = choose_widths (survey, count, context);
  print_line (NULL, context, &widths);
  for (size_t i = 0; i < count; i++)
    print_line (survey->rows[i], context, &widths);
}
