/* hugetext list: the enabled services and programs, and their effect.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "service/parts.h"
#include "text/json.h"
#include "util/exit-status.h"
#include "util/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Print a row, and below it the settings but "hugetext = on", and what is the
   matter.  */
static void
print_row (const struct entry *entry, const struct effect *effect)
{
  char processes[24];
  snprintf (processes, sizeof processes, "%zu", effect->count);
  report_row (stdout, processes, entry->name, &effect->sums);
  for (size_t i = 0; i < entry->settings.count; ++i)
    if (strcmp (entry->settings.names[i], "hugetext = on") != 0)
      terminal_say (stdout, 6, "    %s", entry->settings.names[i]);
  if (effect->trouble.text[0] != '\0')
    terminal_say (stdout, 6, "    %s", effect->trouble.text);
  if (effect->note[0] != '\0')
    terminal_say (stdout, 6, "    %s", effect->note);
}

static struct json_object *
row_json (const struct entry *entry, const struct effect *effect)
{
  struct json_object *json = json_object_new_object ();
  struct json_object *processes = json_object_new_array ();
  json_set_string (json, "name", entry->name);
  json_set_string (json, "file", entry->file);
  json_object_object_add (json, "programs", json_names (&entry->programs));
  json_object_object_add (json, "settings", json_names (&entry->settings));
  for (size_t i = 0; i < effect->count; ++i)
    json_object_array_add (processes,
                           json_object_new_int64 (effect->processes[i]));
  json_object_object_add (json, "processes", processes);
  json_set_number (json, "processes_unreadable", effect->closed);
  json_set_sums (json, &effect->sums);
  json_object_object_add (json, "backing",
                          json_backings (effect->sums.backing));
  json_set_string (json, "problem",
                   effect->trouble.text[0] != '\0' ? effect->trouble.text
                                                   : NULL);
  json_set_string (json, "note",
                   effect->note[0] != '\0' ? effect->note : NULL);
  return json;
}

int
service_list (const char *loader, bool json)
{
  struct entry *list;
  bool good = true;
  int count = entry_list (&list);
  if (count < 0)
    {
      fprintf (stderr, "hugetext list: %s: %s\n", entry_folder (),
               strerror (errno));
      return STATUS_PARTLY;
    }
  struct json_object *all = json_begin ();
  struct json_object *array = json_object_new_array ();
  json_object_object_add (all, "enabled", array);
  if (!json && count == 0)
    puts ("nothing is enabled");
  else if (!json)
    report_heading (stdout, "procs", "enabled");
  for (int i = 0; i < count; ++i)
    {
      struct effect effect;
      effect_read (&list[i], loader, &effect);
      if (json)
        json_object_array_add (array, row_json (&list[i], &effect));
      else
        print_row (&list[i], &effect);
      good = good && effect.trouble.text[0] == '\0';
      effect_free (&effect);
      entry_free (&list[i]);
    }
  free (list);
  if (json)
    json_print (stdout, all, false);
  else
    json_object_put (all);
  return good ? STATUS_OK : STATUS_PARTLY;
}
