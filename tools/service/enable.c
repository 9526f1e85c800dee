/* hugetext enable: a service or a program gets huge text from its next start
   on.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command writes at most two files: the settings of the programs for the
   index (index/entry.c), and for a service the drop-in that gives it our
   loader (dropin.c).  It checks everything before and after; if a step fails,
   all files are restored.  */

#include "index/entry.h"
#include "object/loader.h"
#include "service/effect.h"
#include "service/parts.h"
#include "store/sync.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The work on one service or program.  */
struct enabling
{
  const struct service_options *options;
  struct service_report *report;
  struct problem *problem; /* The problem in REPORT.  */
  struct unit unit;        /* The unit of a service.  */
  struct entry entry;      /* The entry that it will have,  */
  bool was;                /* and whether it had one before.  */
  bool has_folder;         /* The folder of the index existed before.  */
  enum way way;
};

/* Set KEY of ENTRY to a value, in place of its former value.  */
static void __attribute__ ((format (printf, 3, 4)))
set (struct entry *entry, const char *key, const char *format, ...)
{
  char value[1024], *line;
  va_list ap;
  va_start (ap, format);
  vsnprintf (value, sizeof value, format, ap);
  va_end (ap);
  if (asprintf (&line, "%s = %s", key, value) < 0)
    return;
  struct file_list *list = &entry->settings;
  for (size_t i = 0; i < list->count; ++i)
    if (entry_is_of (list->names[i], key))
      {
        free (list->names[i]);
        list->names[i] = line;
        return;
      }
  file_list_add (list, line);
  free (line);
}

/* Return the value of "hugetext" for ENTRY's programs, as a word: their
   present bits, text, and with OPTIONS code.  */
static const char *
mode_of (const struct service_options *options, const struct entry *entry)
{
  uint64_t mode = 0;
  for (size_t i = 0; i < entry->settings.count; ++i)
    {
      const char *line = entry->settings.names[i];
      if (entry_is_of (line, "hugetext"))
        mode = settings_mode (strchr (line, '=') + 1
                              + strspn (strchr (line, '=') + 1, " \t"));
    }
  if (entry->settings.count == 0)
    mode = entry_other_mode (entry);
  return settings_print (HUGETEXT_KEY_MODE,
                         mode | SETTINGS_TEXT
                             | (options->code ? SETTINGS_CODE : 0));
}

/* Set ENTRY's settings from OPTIONS.  */
static void
set_all (const struct service_options *options, struct entry *entry)
{
  const struct settings *settings = &options->settings;
  entry->no_store |= options->no_store;
  set (entry, "hugetext", "%s", mode_of (options, entry));
  if (settings->given[SETTING_BACKING])
    set (entry, "backing", "%s",
         hugetext_choice_name (settings->value[SETTING_BACKING]));
  if (settings->given[SETTING_MAX])
    set (entry, "max", "%ju", (uintmax_t) settings->value[SETTING_MAX]);
  if (settings->given[SETTING_PAD])
    set (entry, "pad", "%ju", (uintmax_t) settings->value[SETTING_PAD]);
  if (options->lock != NULL)
    set (entry, "lock", "%s", options->lock);
  if (options->objects != NULL)
    set (entry, "objects", "%s", options->objects);
}

/* Set IT's entry to the entry NAME, if there is one, else to an empty one.  */
static bool
read_entry (struct enabling *it, const char *name)
{
  it->was = entry_read (name, &it->entry);
  if (!it->was && errno != ENOENT)
    return problem_set (it->problem,
                        "%s: it is not by hugetext enable, or about"
                        " something else",
                        entry_file (name));
  if (!it->was)
    it->entry.name = strdup (name);
  return true;
}

/* Whether the unit of IT can be enabled.

   For the unit's processes the system's loader is a mount point, which none of
   them can replace.  So sessions or jobs of an administrator must not be among
   them: they could not update libc6.  */
static bool
is_fit (struct enabling *it)
{
  const struct unit *unit = &it->unit;
  const char *suffix = strrchr (unit->id, '.');
  const char *starts = unit->triggers != NULL ? unit->triggers : "";
  if (suffix == NULL || strcmp (suffix, ".service") != 0)
    return problem_set (it->problem, "it is no service%s%s",
                        starts[0] != '\0' ? ", but starts " : "", starts);
  if (strcmp (unit->load, "masked") == 0)
    return problem_set (it->problem, "it is masked: nothing starts it");
  if (strcmp (unit->load, "loaded") != 0)
    return problem_set (it->problem, "systemd cannot load it (%s)",
                        unit->load);
  if (unit->transient)
    return problem_set (it->problem,
                        "it is transient, and gone when it stops");
  if (unit->root[0] != '\0')
    return problem_set (it->problem,
                        "it has a root of its own, %s, and so a loader and a"
                        " libc of its own",
                        unit->root);
  if (unit->outlives != NULL && !it->options->force)
    return problem_set (
        it->problem,
        "what it starts may outlive it (%s), as sessions and jobs do: they"
        " could not update libc6, and no other process would see what they"
        " mount; if it starts none, --force",
        unit->outlives);
  const char *rival = dropin_rival (unit);
  return (rival == NULL
          || problem_set (it->problem,
                          "%s is bound over the system's loader for it"
                          " already",
                          rival));
}

static void
add_program (struct entry *entry, const char *path)
{
  for (size_t i = 0; i < entry->programs.count; ++i)
    if (strcmp (entry->programs.names[i], path) == 0)
      return;
  file_list_add (&entry->programs, path);
}

/* Add the named programs to IT, or else those of its unit.  */
static bool
choose_programs (struct enabling *it)
{
  const struct file_list *named = &it->options->programs;
  if (named->count == 0)
    return eligible_of_unit (&it->unit, &it->entry.programs, it->problem);
  for (size_t i = 0; i < named->count; ++i)
    {
      struct program program;
      char path[PATH_MAX];
      if (!eligible_check (named->names[i], &program, path, it->problem))
        return problem_set (it->problem, "--program=%s: %s", named->names[i],
                            it->problem->text);
      add_program (&it->entry, path);
    }
  return true;
}

/* Write the file for ENTRY, and compile the index.  Refuse if changes that
   people have made in the file would be lost.  */
static bool
write_entry (const struct entry *entry, struct problem *problem)
{
  const char *file = entry_file (entry->name);
  struct entry before;
  char *text = entry_text (entry), *old = NULL;
  bool good = text != NULL || problem_errno (problem, file);
  if (good && entry_read (entry->name, &before))
    {
      old = entry_text (&before);
      entry_free (&before);
    }
  if (good && (old == NULL || strcmp (old, text) != 0))
    good = old != NULL && !change_has_text (file, old)
               ? problem_set (problem,
                              "%s was changed by hand, which would be lost:"
                              " change it there and run hugetext index, or"
                              " hugetext disable %s first",
                              file, entry->name)
               : problem_take (problem, change_write (file, text));
  free (text);
  free (old);
  return good
         && ((change_is_simulated () && !change_is_done ())
             || service_index (problem));
}

/* Whether systemd has taken the drop-in of UNIT.  */
static bool
is_taken (const struct unit *unit)
{
  return (unit->dropins != NULL
          && strstr (unit->dropins, dropin_file (unit->id)) != NULL);
}

/* Whether systemd takes the drop-in for the unit ID.  */
static bool
verify (const char *id, struct problem *problem)
{
  struct unit unit;
  if (change_is_simulated ())
    {
      printf ("would run: systemd-analyze verify %s\n", id);
      return true;
    }
  if (!problem_take (problem, unit_verify (id, dropin_file (id)))
      || !problem_take (problem, unit_read (id, &unit)))
    return false;
  bool good = strcmp (unit.load, "loaded") == 0 && is_taken (&unit);
  unit_free (&unit);
  return good
         || problem_set (problem, "systemd does not take %s",
                         dropin_file (id));
}

/* Write the drop-in for IT, and have systemd read it; or remove a drop-in
   without use.  */
static bool
write_dropin (struct enabling *it)
{
  const char *id = it->unit.id, *file = dropin_file (id);
  const bool wanted = it->way == WAY_BOUND || it->way == WAY_PRIMED;
  char *text = NULL;
  if (it->way != WAY_BOUND && !change_is_simulated ())
    bound_remove (id);
  if (it->way == WAY_BOUND)
    text = dropin_text (&it->unit, it->options->loader, it->problem);
  else if (it->way == WAY_PRIMED)
    text = dropin_primed (&it->unit, &it->entry.programs, it->problem);
  if (wanted && text == NULL)
    return false;
  bool same = wanted ? change_has_text (file, text) : access (file, F_OK) < 0;
  bool good = problem_take (it->problem, wanted ? change_write (file, text)
                                                : change_remove (file));
  if (!wanted)
    change_remove_folder (dropin_folder (id));
  free (text);
  if (!good || (same && is_taken (&it->unit) == wanted))
    return good;
  return apply_units (it->problem) && (!wanted || verify (id, it->problem));
}

static void
say_store (const char *what, const char *problem)
{
  fflush (stdout);
  fprintf (stderr, "hugetext enable: %s: %s\n", what, problem);
}

/* Make images of the objects that ENTRY's programs need in the store, or
   report why not; AGAIN: images of objects that they have opened since.
   Without images the programs have copies.  */
static void
fill_store (const struct entry *entry, bool again)
{
  static const struct store_how how
      = { .who = "hugetext enable", .brief = true, .say = say_store };
  struct store_added added;
  if (!store_is_wanted (entry))
    return;
  if (change_is_simulated ())
    {
      if (!again && change_is_done ())
        printf ("would make images of what it runs in the store\n");
      return;
    }
  const char *problem = store_fill (entry, &how, &added);
  if (problem != NULL)
    say_store ("the store", problem);
  else if ((!again && change_is_done ()) || added.made > 0)
    printf ("%s: %zu images made in the store (%llu MiB), %zu were there%s\n",
            entry->name, added.made, (unsigned long long) (added.size >> 20),
            added.there, again ? "; used when it is restarted" : "");
}

static const char *
index_folder (void)
{
  static char path[sizeof INDEX_PATH];
  snprintf (path, sizeof path, "%.*s",
            (int) (strrchr (INDEX_PATH, '/') - INDEX_PATH), INDEX_PATH);
  return path;
}

/* Restore all files, because IT has a problem, and with RESTART the service.
   Return false.  */
static bool
give_up (struct enabling *it, bool restart)
{
  struct problem again;
  const bool service = entry_is_service (&it->entry);
  change_undo ();
  service_index (&again);
  if (!it->has_folder)
    change_remove_folder (index_folder ());
  if (service)
    apply_units (&again);
  if (service && !it->was)
    bound_remove (it->unit.id);
  if (restart && !apply_restart (it->unit.id, &again))
    return problem_set (it->problem,
                        "%s; all is as before, but it does not start that"
                        " way, either: %s",
                        it->problem->text, again.text);
  return problem_set (it->problem, "%s; all is as before", it->problem->text);
}

/* Report the effect of IT, which has been restarted, or needed no restart.  */
static bool
say_effect (struct enabling *it)
{
  const struct entry *entry = &it->entry;
  struct effect effect;
  /* A service may be up before its program is executed.  */
  effect_read (entry, it->options->loader, &effect);
  for (int i = 0; i < 50 && effect.count == 0; ++i)
    {
      nanosleep (&(struct timespec){ .tv_nsec = 100 * 1000 * 1000 }, NULL);
      effect_free (&effect);
      effect_read (entry, it->options->loader, &effect);
    }
  double share = report_share (effect.sums.huge, effect.sums.small);
  bool good = (effect.count > 0 && effect.trouble[0] == '\0'
               && effect.sums.huge > 0);
  if (effect.count > 0)
    printf ("%s: %zu process%s, %.1f %% of the text in use is on huge pages"
            "%s%s\n",
            entry->name, effect.count, effect.count == 1 ? "" : "es",
            share < 0 ? 0.0 : share, effect.small[0] != '\0' ? ": " : "",
            effect.small);
  if (effect.trouble[0] != '\0')
    problem_set (it->problem, "%s", effect.trouble);
  else if (effect.count == 0)
    problem_set (it->problem, "none of its processes runs %s",
                 entry->programs.names[0]);
  else if (!good)
    problem_set (it->problem, "none of its text is on huge pages");
  effect_free (&effect);
  return good;
}

/* Whether a restart of IT would change anything: its entry is younger than its
   processes, or they do not have its effect.  */
static bool
is_due (const struct enabling *it)
{
  const struct unit *unit = &it->unit;
  struct effect effect;
  if (change_is_done () || !unit_is_up (unit)
      || !effect_is_since (unit, entry_file (unit->id))
      || (access (dropin_file (unit->id), F_OK) == 0
          && !effect_is_since (unit, dropin_file (unit->id))))
    return true;
  effect_read (&it->entry, it->options->loader, &effect);
  bool due = effect.trouble[0] != '\0' || effect.count > effect.ours;
  effect_free (&effect);
  return due;
}

/* Report the result for ENTRY.  */
static void
say_done (const struct entry *entry)
{
  if (!change_is_done ())
    printf ("%s: it is enabled, and stays as it is\n", entry->name);
  for (size_t i = 0; change_is_done () && i < entry->programs.count; ++i)
    printf ("%s: %s %s\n", entry->name, entry->programs.names[i],
            change_is_simulated () ? "would be enabled" : "is enabled");
}

/* Enable the service of IT.  */
static bool
enable_unit (struct enabling *it)
{
  const struct unit *unit = &it->unit;
  const bool restart = it->options->restart;
  if (dropin_is_foreign (unit->id))
    return problem_set (it->problem, "%s: it is not by hugetext enable",
                        dropin_file (unit->id));
  it->way = effect_way (&it->entry);
  if (it->way == WAY_BOUND
      && !trial_fits (loader_path (it->options->loader), it->problem))
    return problem_set (it->problem, "%s; nothing is changed",
                        it->problem->text);
  if (!write_entry (&it->entry, it->problem) || !write_dropin (it))
    return give_up (it, false);
  entry_say_others (&it->entry, "hugetext enable");
  if (it->way != WAY_PRIMED)
    fill_store (&it->entry, false);

  bool due = is_due (it);
  if (restart && due && !apply_restart (unit->id, it->problem))
    return give_up (it, unit_is_up (unit));
  it->report->restarted = restart && due && !change_is_simulated ();
  it->report->due = due && !it->report->restarted && unit_is_up (unit);
  say_done (&it->entry);
  if (restart && !change_is_simulated ())
    {
      bool good = say_effect (it);
      if (it->way != WAY_PRIMED && due)
        fill_store (&it->entry, true);
      return good;
    }
  if (it->report->due && !change_is_simulated ())
    printf ("%s: it runs as before until: systemctl restart %s\n", unit->id,
            unit->id);
  return true;
}

/* Start the unit of IT, which is not up, so that its processes can be looked
   at.  */
static bool
start (struct enabling *it)
{
  char id[sizeof it->unit.id];
  strcpy (id, it->unit.id);
  bool good = problem_take (it->problem, unit_do ("start", id));
  unit_free (&it->unit);
  return problem_take (it->problem, unit_read (id, &it->unit)) && good;
}

/* Find the programs of IT, if needed by starting it.  */
static bool
find_programs (struct enabling *it)
{
  if (choose_programs (it))
    return true;
  return (it->options->restart && !unit_is_up (&it->unit)
          && it->options->programs.count == 0 && !change_is_simulated ()
          && start (it) && choose_programs (it));
}

/* Enable the unit NAME.  */
static bool
enable_service (struct enabling *it, const char *name)
{
  if (!problem_take (it->problem, unit_read (name, &it->unit)))
    return false;
  bool good
      = (is_fit (it) && read_entry (it, it->unit.id) && find_programs (it));
  if (good)
    {
      /* From here on the unit's full name is used.  */
      strcpy (it->report->name, it->unit.id);
      it->problem->text[0] = '\0';
      set_all (it->options, &it->entry);
      good = enable_unit (it);
    }
  unit_free (&it->unit);
  return good;
}

/* Enable the program at PATH, which is PROGRAM.  */
static bool
enable_program (struct enabling *it, const char *path,
                const struct program *program)
{
  if (!read_entry (it, path))
    return false;
  snprintf (it->report->name, sizeof it->report->name, "%s", path);
  add_program (&it->entry, path);
  set_all (it->options, &it->entry);
  if (!write_entry (&it->entry, it->problem))
    return give_up (it, false);
  entry_say_others (&it->entry, "hugetext enable");
  fill_store (&it->entry, false);
  if (!change_is_done ())
    say_done (&it->entry);
  else if (effect_way (&it->entry) == WAY_NONE)
    printf ("%s: its loader is %s: on huge text under hugetext run, and in"
            " services that are enabled\n",
            path, program->interpreter);
  else
    printf ("%s: its loader, %s, is ours: on huge text from its next start"
            " on\n",
            path, program->interpreter);
  return true;
}

/* Enable WORD, a program or the name of a unit.  */
static bool
enable (struct enabling *it, const char *word)
{
  struct program program;
  char path[PATH_MAX];
  if (strchr (word, '/') != NULL)
    {
      if (!eligible_check (word, &program, path, it->problem))
        return false;
      if (program.kind == PROGRAM_STATIC)
        return problem_set (it->problem,
                            "it is statically linked: hugetext run can start"
                            " it, hugetext prime have its file in huge pages");
      return enable_program (it, path, &program);
    }
  const char *name = unit_name (word);
  if (!unit_systemd_runs ())
    return problem_set (it->problem,
                        "systemd does not run here: only a program can be"
                        " enabled, by its path");
  if (name == NULL)
    return problem_set (it->problem, "no unit can have this name; a program"
                                     " is named by its path");
  if (strstr (name, "@.") != NULL)
    return problem_set (it->problem,
                        "it is a template: name an instance, %.*sNAME",
                        (int) (strchr (name, '@') + 1 - name), name);
  return enable_service (it, name);
}

bool
service_enable (const struct service_options *options, const char *word,
                struct service_report *report)
{
  struct enabling it = { .options = options,
                         .report = report,
                         .problem = &report->problem,
                         .has_folder = access (index_folder (), F_OK) == 0 };
  bool good = enable (&it, word);
  report->programs = it.entry.programs;
  report->settings = it.entry.settings;
  it.entry.programs = it.entry.settings = (struct file_list){ .count = 0 };
  entry_free (&it.entry);
  return good;
}
