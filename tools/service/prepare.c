/* The checks of "hugetext enable", which change nothing.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later
   Other verbs ask whether "hugetext enable" would accept a service or program
   before they advise it (advise.c).  Therefore the functions of this file, and
   the functions that they call, change nothing on the machine.  */

#include "object/loader.h"
#include "service/parts.h"
#include "util/allocate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Set KEY to VALUE in ENTRY.  */
static void
prepare_set_value (struct entry *entry, enum hugetext_key key, uint64_t value)
{
  char line[256], **old = entry_line (entry, key);
  snprintf (line, sizeof line, "%s = %s", settings_key (key),
            settings_print (key, value));
  if (old == NULL)
    file_list_add (&entry->settings, line);
  else
    {
      free (*old);
      *old = allocate_text (line);
    }
}

/* Change the settings of ENTRY to those in OPTIONS and MODE.  Do not change
   other settings.  */
static void
set_all (const struct service_options *options, uint64_t mode,
         struct entry *entry)
{
  const struct settings *settings = &options->settings;
  const char *value = entry_value (entry, HUGETEXT_KEY_MODE);
  prepare_set_value (entry, HUGETEXT_KEY_MODE,
                     settings_mode (value != NULL ? value : "") | SETTINGS_TEXT
                         | mode | (options->code ? SETTINGS_CODE : 0));
  for (enum setting i = SETTING_MODE + 1; i < SETTINGS; ++i)
    if (settings->given[i])
      prepare_set_value (entry, (enum hugetext_key) i, settings->value[i]);
}

/* Read the entry that NAME already has into the member ENTRY of IT.  If there
   is no entry for NAME, create an empty entry.  Return false if the file
   exists, but is not an entry.  */
static bool
read_entry (struct enabling *it, const char *name)
{
  it->was = entry_read (name, &it->entry);
  if (!it->was && errno != ENOENT)
    return entry_problem (it->problem, name);
  if (!it->was)
    {
      it->entry.name = allocate_text (name);
      it->entry.file = allocate_text (entry_file (name));
    }
  return true;
}

/* Add to IT the programs that the user has named.  If the user has named no
   programs, add the programs of the unit.  */
static bool
choose_programs (struct enabling *it)
{
  const struct file_list *named = &it->options->programs;
  if (named->count == 0)
    return eligible_of_unit (&it->unit, &it->entry.programs, it->problem);
  for (size_t i = 0; i < named->count; ++i)
    if (!eligible_add (named->names[i], &it->entry.programs, it->problem))
      return problem_from (it->problem, it->problem, "--program=%s: %s",
                           named->names[i], it->problem->text);
  return true;
}

char *
prepare_old_text (const char *name)
{
  struct entry before;
  if (!entry_read (name, &before))
    return NULL;
  char *text = entry_text (&before);
  entry_free (&before);
  return text;
}

/* Check that writing ENTRY loses no text that a user has written into its file
   by hand.  */
static bool
check_edited (const struct entry *entry, struct problem *problem)
{
  const char *file = entry_file (entry->name);
  char *text = entry_text (entry), *old = prepare_old_text (entry->name);
  const bool loses = text != NULL && old != NULL && strcmp (old, text) != 0
                     && !change_has_text (file, old);
  free (text);
  free (old);
  return (
      !loses
      || problem_set (
          problem,
          "%s was edited by hand, and \"hugetext enable\" would overwrite the "
          "file. To change settings, edit the file and run \"hugetext "
          "index\". To discard your changes, first run: hugetext disable %s",
          file, entry->name));
}

/* Check that the files that "hugetext enable" would write for the unit may be
   overwritten, and that the loader can replace the system's loader
   (loader_fits).  */
static bool
check_files (const struct enabling *it)
{
  const char *id = it->unit.id;
  if (dropin_is_foreign (id))
    return problem_set (it->problem, "%s was not written by hugetext enable",
                        dropin_file (id));
  return (check_edited (&it->entry, it->problem)
          && (loader_fits (loader_wanted (it->options->loader), it->problem)
              || problem_from (it->problem, it->problem,
                               "%s; nothing was changed", it->problem->text)));
}

/* Read the properties of the unit NAME.  Read the existing entry of NAME, if
   any, into the entry of IT, and apply the options in IT to it.  If the unit
   cannot be enabled, return false.  */
static bool
prepare_service (struct enabling *it, const char *name)
{
  if (!unit_read (name, &it->unit, it->problem))
    return (unit_is_missing (&it->unit)
            && problem_from (it->problem, it->problem,
                             "%s; units of users cannot be enabled",
                             it->problem->text));
  if (!accept_unit (&it->unit, it->problem) || !read_entry (it, it->unit.id)
      || !choose_programs (it))
    return false;
  set_all (it->options, SETTINGS_PRCTL, &it->entry);
  return (shared_check (it->options, &it->entry, it->problem)
          && check_files (it)
          && (!it->options->adaptive || loader_check_attach (it->problem))
          && (!it->options->restart
              || accept_restart_now (&it->unit, it->problem)));
}

/* Read the existing entry of the program FILE, if any, into the entry of IT,
   and apply the options in IT to it.  If the program cannot be enabled, return
   false.  */
static bool
prepare_program (struct enabling *it, const char *file)
{
  struct file_list path = { 0 };
  bool good = eligible_add (file, &path, it->problem)
              && read_entry (it, path.names[0]);
  if (good && it->entry.programs.count == 0)
    file_list_add (&it->entry.programs, path.names[0]);
  file_list_free (&path);
  if (!good)
    return false;
  set_all (it->options, 0, &it->entry);
  return (shared_check (it->options, &it->entry, it->problem)
          && check_edited (&it->entry, it->problem));
}

bool
prepare_word (struct enabling *it, const char *word)
{
  const char *name = unit_name (word);
  if (strchr (word, '/') != NULL)
    return prepare_program (it, word);
  if (!unit_systemd_runs ())
    return problem_set (it->problem, UNIT_NO_SYSTEMD);
  if (name == NULL)
    return problem_set (it->problem,
                        UNIT_HAS_NO_SUCH_NAME "; name a program by its path");
  if (strstr (name, "@.") != NULL)
    return problem_set (it->problem,
                        "the unit is a template: name an instance, %.*sNAME",
                        (int) (strchr (name, '@') + 1 - name), name);
  return prepare_service (it, name);
}

void
prepare_free (struct enabling *it)
{
  entry_free (&it->entry);
  unit_free (&it->unit);
}

bool
prepare_accepts (const struct service_options *options, const char *word,
                 struct problem *problem)
{
  struct enabling it = { .options = options, .problem = problem };
  const bool good = prepare_word (&it, word);
  prepare_free (&it);
  return good;
}
