/* The sums of "hugetext status", and their output.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "status/metrics.h"
#include "status/status.h"
#include "store/state.h"
#include "text/json.h"
#include "text/report.h"
#include "trust/rewrite.h"
#include "util/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
status_begin (const struct status_options *options,
              struct status_output *output)
{
  *output = (struct status_output){ .first = true };
  answer_begin (&output->answer, "status", options->json);
  output->processes = answer_array (&output->answer, "processes");
}

/* Print OUTPUT's metrics.  False if they cannot be written.  */
static bool
end_metrics (const struct status_options *options,
             const struct status_output *output,
             const struct store_state *store)
{
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream (&text, &size);
  bool good = stream != NULL;
  if (good)
    {
      metrics_print (stream, &output->totals, store);
      good = fclose (stream) == 0;
    }
  if (good && options->file == NULL)
    fputs (text, stdout);
  else if (good)
    good = rewrite_file (options->file, text);
  if (!good)
    fprintf (stderr, "hugetext status: %s: %s\n",
             options->file != NULL ? options->file : "metrics",
             strerror (errno));
  free (text);
  return good;
}

static void
add_sums (struct status_output *output, const struct store_state *store)
{
  struct json_object *all = output->answer.all;
  struct json_object *held = json_object_new_object ();
  store_state_json (store, held);
  json_object_object_add (all, "services", totals_json (&output->totals));
  json_object_object_add (all, "memory", json_cost (&output->totals.all.cost));
  json_object_object_add (all, "store", held);
}

bool
status_end (const struct status_options *options, struct status_output *output,
            bool several)
{
  char path[PATH_MAX];
  struct store store;
  struct store_state state;
  bool good = true;
  store_path (INDEX_PATH, path);
  store_state_read (&state, &store, path);
  totals_sort (&output->totals);
  if (options->json)
    add_sums (output, &state);
  else if (options->metrics)
    good = end_metrics (options, output, &state);
  else
    {
      if (several)
        report_total (stdout, &output->totals.all.cost);
      if (state.images > 0 && !output->first)
        terminal_fill (stdout, 0, 4, store_state_words (&state));
    }
  answer_end (&output->answer);
  store_state_free (&state);
  store_free (&store);
  totals_free (&output->totals);
  return good;
}

void
status_count (struct status_output *output, const struct inspection *found,
              struct cost *sum)
{
  struct cost *each = calloc (found->objects.count, sizeof *each);
  *sum = (struct cost){ 0 };
  if (each != NULL && cost_read (found->process.pid, &found->objects, each))
    for (size_t i = 0; i < found->objects.count; ++i)
      cost_add (sum, &each[i]);
  free (each);
  totals_add (&output->totals, found, sum);
}

struct json_object *
status_process_json (const struct inspection *found, const struct cost *cost)
{
  struct json_object *json = json_process (
      &found->process, found->exe, inspect_loader (found), &found->objects);
  struct json_object *settings = json_object_new_array ();
  inspect_settings (found, json_add_setting, settings);
  json_object_object_add (json, "bad_settings", settings);
  struct settings set;
  inspect_read_settings (found, &set);
  json_object_object_add (json, "settings", json_settings (&set));
  json_object_object_add (json, "memory", json_cost (cost));
  return json;
}
