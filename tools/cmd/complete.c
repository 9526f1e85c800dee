/* "hugetext complete": print names that a shell offers for completion, one on
   each line.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Only the shells' completion runs this verb.  "hugetext complete" does not
   print a name that contains a line break, or a character that is special to a
   shell or a terminal, because any user can choose names of processes, and an
   administrator's shell reads the output.  */

#include "cmd/command.h"
#include "host/census.h"
#include "host/process.h"
#include "host/unit.h"
#include "index/entry.h"
#include "object/settings.h"
#include "util/allocate.h"
#include "util/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All characters that may be in a name that this verb prints.  */
static const char plain_characters[]
    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
      "_+,-./:@%";

static void
complete_processes (struct file_list *names)
{
  struct census census = { .taken = false };
  census_take (&census);
  for (size_t i = 0; i < census.count; ++i)
    if (census.list[i].state >= BRIEF_NO_GROUP)
      file_list_add (names, census.list[i].name);
  census_free (&census);
}

/* Add to NAMES the names of settings that can be given as options, without the
   leading dashes.  */
static void
complete_settings (struct file_list *names)
{
  for (enum setting setting = SETTING_MODE + 1; setting < SETTINGS; ++setting)
    file_list_add (names, settings_key ((enum hugetext_key) setting));
}

static void
complete_backings (struct file_list *names)
{
  for (enum hugetext_choice i = 0; i < HUGETEXT_CHOICES; ++i)
    file_list_add (names, hugetext_choice_name (i));
}

static const struct kind
{
  const char *name;
  void (*list) (struct file_list *names);
} kinds[] = {
  { "processes", complete_processes }, { "services", unit_list_services },
  { "enabled", entry_list_names },     { "settings", complete_settings },
  { "backings", complete_backings },
};

/* Return true if NAME is not an option, and contains only plain
   characters.  */
static bool
is_plain (const char *name)
{
  return (name[0] != '\0' && name[0] != '-'
          && name[strspn (name, plain_characters)] == '\0');
}

static int
complete_compare_names (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Print the names in NAMES that begin with PREFIX and pass is_plain; print
   each name only once.  */
static void
print_names (struct file_list *names, const char *prefix)
{
  const char *last = "";
  if (names->count > 0)
    qsort (names->names, names->count, sizeof names->names[0],
           complete_compare_names);
  for (size_t i = 0; i < names->count; ++i)
    {
      const char *name = names->names[i];
      if (is_plain (name) && strncmp (name, prefix, strlen (prefix)) == 0
          && strcmp (name, last) != 0)
        printf ("%s\n", last = name);
    }
}

struct options
{
  char **words;
};

static const struct command_usage usage = {
  .arguments = "KIND [PREFIX]",
  .words = "words",
  .field = offsetof (struct options, words),
  .missing = "KIND is missing; it must be processes, services, enabled, "
             "settings or backings",
  .doc = "Print the names of KIND that begin with PREFIX, for a shell's "
         "completion. KIND is processes, services, enabled (services and "
         "programs for which huge text is enabled), settings or backings. "
         "Leave out names with characters other than letters, digits and "
         "_+,-./:@%.",
};

int
command_complete (int argc, char **argv)
{
  struct options options = { .words = NULL };
  struct file_list names = { 0 };
  options_parse (&usage, argc, argv, STATUS_USAGE, &options);
  const char *prefix = options.words[1] != NULL ? options.words[1] : "";
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
    if (strcmp (options.words[0], kinds[i].name) == 0)
      {
        kinds[i].list (&names);
        print_names (&names, prefix);
        file_list_free (&names);
        return STATUS_OK;
      }
  options_fail ("%s: must be processes, services, enabled, settings or"
                " backings",
                options.words[0]);
}
