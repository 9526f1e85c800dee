/* The lines of "hugetext status" about the machine.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "status/status.h"
#include "text/report.h"
#include "util/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lines of a table of the machine, unless the user asks for all: a screen.  */
#define TABLE_LENGTH 20

/* A line of the table of processes.  */
struct line
{
  struct process process;
  struct text_sums sums;
};

static int
by_small (const void *a, const void *b)
{
  const struct line *x = a, *y = b;
  if (x->sums.small != y->sums.small)
    return x->sums.small < y->sums.small ? 1 : -1;
  return x->process.pid < y->process.pid ? -1 : 1;
}

/* Return the words for UNREAD processes that could not be read.  */
static const char *
unread_text (size_t unread)
{
  static char text[64];
  snprintf (text, sizeof text, "%zu could not be read%s", unread,
            geteuid () != 0 ? " (try as root)" : "");
  return text;
}

/* Return how many of COUNT lines are shown.  */
static size_t
shown (const struct status_options *options, size_t count)
{
  return options->all || count < TABLE_LENGTH ? count : TABLE_LENGTH;
}

static void
print_processes (const struct status_options *options,
                 const struct line *lines, size_t count)
{
  report_process_heading (stdout, "PID", "name");
  for (size_t i = 0; i < shown (options, count); ++i)
    {
      char pid[16];
      snprintf (pid, sizeof pid, "%d", (int) lines[i].process.pid);
      report_process (stdout, pid, lines[i].process.name, &lines[i].sums);
    }
}

static void
print_services (const struct status_options *options,
                const struct totals *totals)
{
  char count[24];
  report_process_heading (stdout, "procs", "service");
  for (size_t i = 0; i < shown (options, totals->count); ++i)
    {
      const struct total *total = &totals->list[i];
      snprintf (count, sizeof count, "%zu", total->processes);
      report_process (stdout, count, total->service, &total->sums);
    }
}

/* Print the table of the machine: LINES of processes, or of services.  */
static void
print_table (const struct status_options *options,
             struct status_output *output, const struct line *lines,
             size_t count)
{
  const struct totals *totals = &output->totals;
  bool services
      = (options->services
         || (!options->all && count > TABLE_LENGTH && totals->count > 1));
  size_t length = services ? totals->count : count;
  if (services)
    {
      totals_sort (&output->totals);
      print_services (options, totals);
    }
  else
    print_processes (options, lines, count);
  report_process (stdout, "all", "", &totals->all.sums);

  char of[48] = "", rest[80] = "";
  if (services)
    snprintf (of, sizeof of, " of %zu services", length);
  if (shown (options, length) < length)
    snprintf (rest, sizeof rest,
              "; %zu with less text on small pages are left out (--all)",
              length - shown (options, length));
  else if (services && !options->services)
    snprintf (rest, sizeof rest, " (--all: each by itself)");
  terminal_say (stdout, 4, "%zu processes%s%s%s%s", count, of, rest,
                totals->all.unread > 0 ? "; " : "",
                totals->all.unread > 0 ? unread_text (totals->all.unread)
                                       : "");
}

/* Inspect process PID.  Return whether it is in LINE.  */
static bool
look (const struct status_options *options, struct status_output *output,
      pid_t pid, struct line *line)
{
  struct inspection found;
  struct cost cost;
  const char *problem = inspect (pid, options->flags, &found);
  if (problem != NULL)
    {
      inspect_say_left_out (&found, problem);
      if (found.unread)
        {
          totals_add_unread (&output->totals, pid);
          answer_note (&output->answer, &found.process, found.process.name,
                       problem);
        }
      return false;
    }
  line->process = found.process;
  line->sums = report_sums (&found.objects);
  status_count (output, &found, &cost);
  if (options->json)
    json_object_array_add (output->processes,
                           status_process_json (&found, &cost));
  inspect_free (&found);
  return true;
}

bool
status_machine (const struct status_options *options,
                struct status_output *output)
{
  pid_t *list;
  ssize_t n = process_list (NULL, &list);
  struct line *lines = n > 0 ? calloc (n, sizeof *lines) : NULL;
  if (lines == NULL)
    {
      answer_problem (&output->answer, NULL, "/proc",
                      n == 0 ? "there are no processes: it is not mounted"
                             : strerror (errno));
      free (list);
      return false;
    }

  size_t count = 0;
  for (ssize_t i = 0; i < n; ++i)
    count += look (options, output, list[i], &lines[count]);
  qsort (lines, count, sizeof *lines, by_small);
  output->first = false;
  const struct total *all = &output->totals.all;
  if (!options->json && !options->metrics)
    print_table (options, output, lines, count);
  else if (all->unread > 0 && !options->metrics)
    fprintf (stderr, "hugetext status: of the machine's processes %s\n",
             unread_text (all->unread));
  free (lines);
  free (list);
  /* Unreadable processes are in the table, in JSON and in the metrics, and are
     no failure: a user other than root always has such, and in many containers
     root has, too.  */
  return true;
}
