/* What survey-rows.h found out, as JSON.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "json.h"
#include "procmaps.h"
#include "survey-print.h"
#include "survey-table.h"
#include "tlb.h"

#include <stdio.h>

/* Of the JSON: keys may be added to a version, but none goes, and none
   changes what it means.  */
#define VERSION 1

static struct json_object *
row_json (const struct survey_row *row, const struct survey_context *context)
{
  struct json_object *json = json_object_new_object ();
  json_set_string (json, "program", row->name);
  json_set_string (json, "path", row->path);
  json_set_string (json, "service", row->service);
  json_set_number (json, "processes", row->processes);
  json_set_number (json, "unreadable", row->unread);
  json_set_true_false (json, "ld_hugetext", row->ours);
  json_set_fraction (json, "worth",
                     context->most > 0 ? row->worth / context->most : 0);
  json_set_fraction (json, "user_seconds", row->seconds);
  json_set_number (json, "starts", row->starts);
  json_set_true_false (json, "short_lived", row->short_lived);
  json_set_number (json, "samples", row->all);
  json_set_number (json, "samples_in_text", row->in_text);
  json_set_number (json, "samples_made_at_run_time", row->in_made);
  json_set_number (json, "walk_samples", row->walks);
  json_set_number (json, "pages", row->misses.pages);
  json_set_number (json, "hot_pages", row->misses.hot);
  json_set_fraction (json, "misses_small", row->misses.small);
  json_set_fraction (json, "misses_huge", row->misses.huge);
  json_set_fraction (json, "misses_huge_and_made", row->misses.code);
  json_set_sums (json, &row->sums);
  json_set_number (json, "copies_bytes", row->copies * procmaps_block ());
  json_set_number (json, "images_bytes", row->blocks * procmaps_block ());
  return json;
}

void
survey_print_json (const struct survey *survey,
                   const struct survey_how *how)
{
  const struct survey_context context = survey_context (survey, how->problem == NULL);
  struct json_object *json = json_object_new_object ();
  struct json_object *programs = json_object_new_array ();
  for (size_t i = 0; i < survey->count; i++)
    json_object_array_add (programs, row_json (survey->rows[i], &context));
  json_set_number (json, "version", VERSION);
  json_set_fraction (json, "seconds", how->seconds);
  json_set_string (json, "sampled", how->event);
  json_set_true_false (json, "too_few_samples", survey->too_few);
  json_set_true_false (json, "walks_counted", how->walks);
  json_set_string (json, "problem", how->problem);
  json_set_true_false (json, "own_processes_only", how->own);
  json_set_number (json, "unreadable", survey->unread);
  json_set_number (json, "images_bytes", survey->stored);
  json_set_string (json, "tlb", tlb_look ().words);
  json_object_object_add (json, "programs", programs);
  json_print (stdout, json, false);
}
