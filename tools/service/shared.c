/* Programs that several entries have: the loader looks up settings by program,
   so the entries must not contradict each other.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Two services with the same interpreter have the same settings.  If two
   entries set the same key of a program to different values, the loader uses
   the value in the file whose name sorts last.  Therefore "hugetext enable"
   refuses an entry that contradicts another entry.  */

#include "index/file.h"
#include "service/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two entries with a common program.  */
struct pair
{
  const struct entry *entry; /* The entry that is being written.  */
  const struct entry *other;
  const char *program;
};

/* A function that handles PAIR.  If the function sets PROBLEM, it returns
   false.  */
typedef bool pair_action (const struct service_options *options,
                          const struct pair *pair, struct problem *problem);

/* Call ACTION for each other entry that has a program in common with ENTRY,
   until ACTION returns false.  Return the last result of ACTION.  */
static bool
each_pair (pair_action *action, const struct service_options *options,
           const struct entry *entry, struct problem *problem)
{
  struct entry *list;
  bool good = true;
  const int count = entry_list (&list);
  for (int i = 0; i < count; ++i)
    {
      const char *program = entry_common_program (entry, &list[i]);
      if (good && program != NULL && strcmp (list[i].name, entry->name) != 0)
        good = action (options, &(struct pair){ entry, &list[i], program },
                       problem);
      entry_free (&list[i]);
    }
  if (count >= 0)
    free (list);
  return good;
}

/* Return true if A and B are different values of KEY.  */
static bool
values_differ (enum hugetext_key key, const char *a, const char *b)
{
  struct problem ignored;
  uint64_t x, y;
  if (key < HUGETEXT_VALUES && settings_read_line (key, a, &x, &ignored)
      && settings_read_line (key, b, &y, &ignored))
    return x != y;
  return strcmp (a, b) != 0;
}

/* Return true if the command line of OPTIONS, if there is one, names ENTRY's
   service or program.  */
static bool
service_shared_is_named_entry (const struct service_options *options,
                               const struct entry *entry)
{
  bool named = false;
  for (char **word = options->words; !named && word != NULL && *word != NULL;
       ++word)
    {
      struct problem ignored;
      char real[PATH_MAX];
      const char *name = unit_name (*word);
      if (strchr (*word, '/') != NULL)
        name = program_resolve (*word, real, &ignored) ? real : NULL;
      named = name != NULL && strcmp (name, entry->name) == 0;
    }
  return named;
}

/* Return true if OPTIONS set KEY to the same value in both entries of
   PAIR.  */
static bool
sets_both (const struct service_options *options, const struct pair *pair,
           enum hugetext_key key)
{
  const bool given
      = (key == HUGETEXT_KEY_MODE
             ? options->code
                   && entry_is_service (pair->entry)
                          == entry_is_service (pair->other)
             : key < HUGETEXT_VALUES && options->settings.given[key]);
  return given && service_shared_is_named_entry (options, pair->other);
}

/* The two entries of PAIR would set KEY to different values.  Set REMEDY, a
   buffer of SIZE bytes, to advice on how to avoid the conflict of the two
   values.  VALUE is the value in the entry that is being written.  */
static void
describe_remedy (const struct pair *pair, enum hugetext_key key,
                 const char *value, char *remedy, size_t size)
{
  const char *name = pair->entry->name, *other = pair->other->name;
  const bool service = entry_is_service (pair->entry);
  const bool alike = service == entry_is_service (pair->other);
  if (key != HUGETEXT_KEY_MODE && key < HUGETEXT_VALUES)
    snprintf (
        remedy, size, "to set %s = %s for both: hugetext enable --%s=%s %s %s",
        settings_key (key), value, settings_key (key), value, other, name);
  else if (key == HUGETEXT_KEY_MODE && alike
           && (strstr (value, "code") != NULL)
                  != (strstr (entry_value (pair->other, key), "code") != NULL))
    snprintf (remedy, size,
              "to put code made at run time on huge pages for both services: "
              "hugetext enable --code %s %s",
              other, name);
  else if (service || alike)
    snprintf (remedy, size, "first run: hugetext disable %s", other);
  else
    snprintf (remedy, size,
              "the settings of %s already apply to the program, however it is "
              "started; to change them: hugetext enable OPTION... %s",
              other, other);
}

/* Check that the entries of PAIR do not set a key to different values.  */
static bool
check_pair (const struct service_options *options, const struct pair *pair,
            struct problem *problem)
{
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    {
      const char *value = entry_value (pair->entry, key);
      const char *other = entry_value (pair->other, key);
      char remedy[sizeof problem->text / 2];
      if (value == NULL || other == NULL || !values_differ (key, value, other)
          || sets_both (options, pair, key))
        continue;
      describe_remedy (pair, key, value, remedy, sizeof remedy);
      return problem_set (
          problem,
          "%s = %s contradicts %s = %s of %s (%s), because %s can have only "
          "one value: %s; nothing was changed",
          settings_key (key), value, settings_key (key), other,
          pair->other->name, pair->other->file, pair->program, remedy);
    }
  return true;
}

bool
shared_check (const struct service_options *options, const struct entry *entry,
              struct problem *problem)
{
  return each_pair (check_pair, options, entry, problem);
}

/* The loader looks up settings by program, so a setting that only one of the
   entries of PAIR has applies to both entries.  Print these settings.  */
static bool
say_pair (const struct service_options *options, const struct pair *pair,
          struct problem *problem)
{
  char settings[1024] = "";
  (void) options, (void) problem;
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    {
      const char *value = entry_value (pair->entry, key);
      const char *other = entry_value (pair->other, key);
      const size_t n = strlen (settings);
      if ((value == NULL) != (other == NULL))
        snprintf (settings + n, sizeof settings - n, "%s%s = %s",
                  n > 0 ? ", " : "", settings_key (key),
                  value != NULL ? value : other);
    }
  if (settings[0] != '\0')
    printf ("%s: %s also has settings in %s, so these settings apply to both "
            "%s and %s: %s\n",
            pair->entry->name, pair->program, pair->other->file,
            pair->entry->name, pair->other->name, settings);
  return true;
}

/* SOURCE says where a setting comes from.  Return true if SOURCE names the
   file of an entry.  */
static bool
is_from_entry (const char *source)
{
  struct entry *list;
  bool found = false;
  const int count = entry_list (&list);
  for (int i = 0; i < count; ++i)
    {
      found = found || entry_has_source (&list[i], source);
      entry_free (&list[i]);
    }
  if (count >= 0)
    free (list);
  return found;
}

/* Print the settings of ENTRY that do not apply to PROGRAM, because a file
   that a person has written overrides them.  */
static void
say_overridden (const struct entry *entry, const char *program)
{
  static struct settings settings;
  shared_read (program, &settings);
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    {
      const char *value = entry_value (entry, key);
      const char *source = settings_source (&settings, key);
      if (value != NULL && source != NULL
          && !shared_is_own (entry, &settings, key) && !is_from_entry (source))
        printf ("%s: %s sets %s = %s for %s, and so overrides %s = %s\n",
                entry->name, source, settings_key (key),
                settings_words (&settings, key), program, settings_key (key),
                value);
    }
}

void
shared_say (const struct entry *entry)
{
  each_pair (say_pair, NULL, entry, NULL);
  for (size_t i = 0; i < entry->programs.count && !change_is_simulated (); ++i)
    say_overridden (entry, entry->programs.names[i]);
}

void
shared_read (const char *program, struct settings *settings)
{
  *settings = (struct settings){ 0 };
  advice_add_real (settings, program);
}

bool
shared_is_own (const struct entry *entry, const struct settings *settings,
               enum hugetext_key key)
{
  const char *value = entry_value (entry, key);
  return ((value != NULL
           && !values_differ (key, value, settings_words (settings, key)))
          || entry_has_source (entry, settings_source (settings, key)));
}
