/* hugetext list: the enabled services and programs, and their effect.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "service/effect.h"
#include "service/parts.h"
#include "text/json.h"
#include "util/exit-status.h"
#include "util/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return the settings of ENTRY without "hugetext = on", with commas, in static
   memory.  */
static const char *
settings_text (const struct entry *entry)
{
  static char text[1024];
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < entry->settings.count && used < sizeof text; ++i)
    if (strcmp (entry->settings.names[i], "hugetext = on") != 0)
      used += snprintf (text + used, sizeof text - used, "%s%s",
                        used > 0 ? ", " : "", entry->settings.names[i]);
  return text;
}

enum
{
  NAME = 32,   /* Columns of the name,  */
  OTHERS = 41, /* of the numbers behind it,  */
  LEAST = 12,  /* and of the name at least.  */
};

/* Print a line with LAST at its end; on a terminal without room LAST gets a
   line of its own.  */
static void
print_words (const char *name, const char *way, const char *processes,
             const char *text, const char *share, const char *last)
{
  char buffer[256];
  int columns = terminal_columns ();
  int width = NAME;
  if (columns > 0 && columns < NAME + OTHERS)
    width = columns > LEAST + OTHERS ? columns - OTHERS : LEAST;
  printf ("%-*s  %-6s  %9s  %10s  %8s", width,
          terminal_text (name, columns > 0 ? width : 0, buffer, sizeof buffer),
          way, processes, text, share);
  bool fits = (columns == 0
               || (size_t) columns >= width + OTHERS + 2 + strlen (last));
  if (last[0] == '\0')
    putchar ('\n');
  else
    {
      fputs (fits ? "  " : "\n    ", stdout);
      terminal_fill (stdout, fits ? width + OTHERS + 2 : 4, 4, last);
    }
}

static void
print_heading (void)
{
  print_words ("enabled", "way", "processes", "text KiB", "huge",
               "settings; what is the matter");
}

static void
print_row (const struct entry *entry, const struct effect *effect)
{
  char share[16] = "-", processes[24], text[24], last[2048];
  double percent = report_share (effect->sums.huge, effect->sums.small);
  /* Print 100 % for nothing less.  */
  if (percent >= 0)
    snprintf (share, sizeof share, "%.1f %%",
              percent < 100.0 && percent > 99.9 ? 99.9 : percent);
  const char *settings = settings_text (entry);
  const char *matter = effect->trouble[0] != '\0' ? effect->trouble
                       : effect->small[0] != '\0' ? effect->small
                       : effect->closed > 0
                           ? "processes that could not be read: try as root"
                           : "";
  snprintf (processes, sizeof processes, "%zu", effect->count);
  snprintf (text, sizeof text, "%zu", effect->sums.text / 1024);
  snprintf (last, sizeof last, "%s%s%s", settings,
            settings[0] != '\0' && matter[0] != '\0' ? "; " : "", matter);
  print_words (entry->name, effect_way_name (effect->way), processes, text,
               share, last);
}

static struct json_object *
row_json (const struct entry *entry, const struct effect *effect)
{
  struct json_object *json = json_object_new_object ();
  struct json_object *processes = json_object_new_array ();
  json_set_string (json, "name", entry->name);
  json_set_true_false (json, "service", entry_is_service (entry));
  json_set_string (json, "file", entry->file);
  json_set_string (json, "way", effect_way_name (effect->way));
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
                   effect->trouble[0] != '\0' ? effect->trouble : NULL);
  json_set_string (json, "reason",
                   effect->small[0] != '\0' ? effect->small : NULL);
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
  struct json_object *array = json_object_new_array ();
  if (!json && count == 0)
    puts ("nothing is enabled");
  else if (!json)
    print_heading ();
  for (int i = 0; i < count; ++i)
    {
      struct effect effect;
      effect_read (&list[i], loader, &effect);
      if (json)
        json_object_array_add (array, row_json (&list[i], &effect));
      else
        print_row (&list[i], &effect);
      good = good && effect.trouble[0] == '\0';
      effect_free (&effect);
      entry_free (&list[i]);
    }
  free (list);
  struct json_object *all = json_begin ();
  json_object_object_add (all, "enabled", array);
  if (json)
    json_print (stdout, all, false);
  else
    json_object_put (all);
  return good ? STATUS_OK : STATUS_PARTLY;
}
