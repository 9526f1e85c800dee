/* "hugetext measure" of processes that run: before and after a restart.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Such measurements have no pairs: the load is what it is.  So what differs is
   shown, and no interval pretends to be sure of it.  */

#include "measure-service.h"
#include "chosen.h"
#include "command.h"
#include "json.h"
#include "measure-show.h"
#include "output.h"
#include "slices.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *
find (void *closure, pid_t **list, size_t *count)
{
  const struct service_options *options = closure;
  return chosen_processes (options->process, options->service, list, count);
}

/* What was said of the same before, NAN where nothing was.  */
struct past
{
  struct json_object *json; /* NULL: nothing.  */
  double median[QUANTITIES];
};

/* Read PAST from FILE.  Returns NULL, or what is wrong with it.  */
static const char *
read_past (const char *file, struct past *past)
{
  struct json_object *sampled, *summary, *one, *median;
  past->json = json_object_from_file (file);
  if (past->json == NULL)
    return "it cannot be read as JSON";
  if (!json_object_object_get_ex (past->json, "sampled", &sampled)
      || !json_object_object_get_ex (sampled, "summary", &summary))
    return "it is not of hugetext measure --json of a process or service";
  for (enum quantity q = 0; q < QUANTITIES; q++)
    past->median[q]
        = (json_object_object_get_ex (summary, quantity_rows[q].key, &one)
           && json_object_object_get_ex (one, "median", &median))
              ? json_object_get_double (median)
              : NAN;
  return NULL;
}

/* Add what the kernel says of the text of all processes, and what memory they
   take, to M.  */
static void
look_at_text (const struct service_options *options, struct measurement *m)
{
  pid_t *list;
  size_t count;
  struct family *all = &m->families[0];
  if (find ((void *)options, &list, &count) != NULL)
    return;
  for (size_t i = 0; i < count; i++)
    family_add (list[i], true, all);
  free (list);
  m->runs[m->rounds - 1].value[QUANTITY_HUGE]
      = all->sums.huge + all->sums.small > 0
            ? report_share (all->sums.huge, all->sums.small)
            : NAN;
}

static void
show_row (const struct measurement *m, const struct past *past,
          enum quantity quantity)
{
  char left[32], right[32];
  const struct summary s = measurement_summary (m, 0, quantity);
  const double old = past->json != NULL ? past->median[quantity] : NAN;
  if (s.count == 0)
    return;
  printf ("%-20s", quantity_rows[quantity].words);
  if (past->json != NULL)
    printf (" %10s", quantity_print (quantity, old, left));
  printf (" %10s", quantity_print (quantity, s.median, right));
  if (past->json == NULL && s.count > 1)
    printf ("  (%s to %s)", quantity_print (quantity, s.low, left),
            quantity_print (quantity, s.high, right));
  else if (old > 0 && quantity != QUANTITY_HUGE)
    printf (" %+6.1f %%", 100 * (s.median / old - 1));
  putchar ('\n');
}

static void
show (const struct measurement *m, const struct past *past, size_t nprocesses)
{
  printf ("%s, %zu process%s, for %zu seconds\n", m->contenders[0].name,
          nprocesses, nprocesses == 1 ? "" : "es", m->rounds);
  if (past->json != NULL)
    printf ("%-20s %10s %10s   change\n", "median of a second", "before",
            "now");
  else
    printf ("%-20s %10s  (quartiles)\n", "each second", "median");
  for (enum quantity q = 0; q < QUANTITIES; q++)
    show_row (m, past, q);
  if (m->families[0].part > 0)
    printf ("memory (PSS): %.1f MiB\n", m->families[0].part / 1048576.0);
  if (m->counters.any)
    terminal_say (stdout, 2,
                  "/1000: in a thousand instructions, in user"
                  " mode.");
  else
    terminal_say (stdout, 2,
                  "Not counted: misses of the instruction TLB; %s.  Without"
                  " them nothing here tells how fast it is: ask its clients,"
                  " or measure a command.",
                  m->counters.problem);
  if (past->json != NULL)
    terminal_say (stdout, 2,
                  "Before and now are no pairs: if the load was"
                  " another, so are these.");
}

static void
print_json (const struct measurement *m, size_t nprocesses)
{
  struct json_object *json = json_object_new_object ();
  json_set_number (json, "version", 1);
  json_set_number (json, "processes", nprocesses);
  json_set_number (json, "seconds", m->rounds);
  json_object_object_add (json, "sampled", measure_json_one (m, 0));
  json_set_string (json, "not_counted",
                   m->counters.problem[0] != '\0' ? m->counters.problem
                                                  : NULL);
  json_print (stdout, json, false);
}

int
measure_service (const struct service_options *options, const char *caller)
{
  static struct measurement m;
  static struct past past;
  size_t nprocesses;
  const char *name
      = options->service != NULL ? options->service : options->process;
  const char *problem
      = options->before != NULL ? read_past (options->before, &past) : NULL;
  if (problem != NULL)
    {
      fprintf (stderr, "%s: --before=%s: %s\n", caller, options->before,
               problem);
      return STATUS_PARTLY;
    }
  m = (struct measurement){ .rounds = options->seconds, .count = 1 };
  m.contenders[0].name = name;
  m.runs = calloc (m.rounds, sizeof *m.runs);
  counters_find (&m.counters, options->stand_in);
  problem = m.runs == NULL ? strerror (ENOMEM)
                           : slices_take (find, (void *)options, &m.counters,
                                          m.rounds, m.runs, &nprocesses);
  if (problem != NULL)
    {
      fprintf (stderr, "%s: %s: %s\n", caller, name, problem);
      return STATUS_PARTLY;
    }
  look_at_text (options, &m);
  if (options->json)
    print_json (&m, nprocesses);
  else if (options->csv)
    measure_csv (stdout, &m);
  else
    show (&m, &past, nprocesses);
  return output_flush () ? STATUS_OK : STATUS_PARTLY;
}
