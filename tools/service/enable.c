/* "hugetext enable": let a service or program run with huge text from its next
   start on.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The command writes at most two files: an entry with the settings of the
   programs, which is compiled into the index (index/entry.c), and, for a
   service, the drop-in that mounts ld-hugetext.so over the system's loader
   (dropin.c).  If a step fails, the command restores all files.  */

#include "object/loader.h"
#include "object/plan.h"
#include "service/parts.h"
#include "store/sync.h"
#include "util/allocate.h"
#include "util/count.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Write the file for ENTRY, and compile the index.  */
static bool
write_entry (const struct entry *entry, struct problem *problem)
{
  const char *file = entry_file (entry->name);
  char *text = entry_text (entry), *old = prepare_old_text (entry->name);
  bool good = text != NULL || problem_errno (problem, file);
  if (good && (old == NULL || strcmp (old, text) != 0))
    good = change_write (file, text, problem);
  free (text);
  free (old);
  return good
         && ((change_is_simulated () && !change_is_done ())
             || service_index (problem));
}

/* Write the drop-in for IT, and make systemd read it.  */
static bool
write_dropin (struct enabling *it)
{
  const char *id = it->unit.id, *file = dropin_file (id);
  char *text = dropin_text (id, it->options->loader, it->problem);
  if (text == NULL)
    return false;
  const bool same = change_has_text (file, text);
  bool good = change_write (file, text, it->problem);
  free (text);
  return good && (same || apply_units (it->problem));
}

/* Prepare huge text for the objects that ENTRY's programs need or have opened,
   in two steps.  Make the kernel cache the objects in huge pages, except
   objects that a process has mapped.  Make images of the objects in the store.
   If no image of an object can be made, report the problem; programs will use
   copies of the object's text.  */
static void
fill_store (const struct entry *entry)
{
  struct store_work work = { .who = "hugetext enable", .brief = true };
  if (change_is_simulated ())
    {
      if (change_is_done () && store_is_wanted (entry))
        puts ("would add images of the programs and their libraries to the "
              "store");
      return;
    }
  struct problem problem;
  if (!store_fill (entry, &work, &problem))
    work_say (&work, "the store", problem.text);
  else if (work.made > 0)
    printf ("%s: " COUNT_FORMAT " made in the store (%llu MiB)\n", entry->name,
            COUNT (work.made, "image"),
            (unsigned long long) (work.size >> 20));
}

/* If the user has given the option --adaptive, make the service that is being
   enabled adaptive.  */
static bool
start_adaptive (struct enabling *it)
{
  const char *id = it->unit.id;
  const bool was = adaptive_is_on (id);
  if (!it->options->adaptive)
    return true;
  const bool good = apply_adaptive_start (id, it->problem);
  it->adapted = good && !was && !change_is_simulated ();
  return good;
}

/* Restore all files that "hugetext enable" has changed, because IT has a
   problem.  If RESTART is true, also restart the service.  Always return
   false.  */
static bool
service_enable_restore_files (struct enabling *it, bool restart)
{
  struct problem again;
  if (it->adapted)
    apply_adaptive_stop (it->unit.id, &again);
  change_undo ();
  service_index (&again);
  if (entry_is_service (&it->entry))
    apply_units (&again);
  if (entry_is_service (&it->entry) && !it->was)
    dropin_unbind (it->unit.id);
  if (restart && !apply_restart (&it->unit, &again))
    return problem_from (
        it->problem, &again,
        "%s; all changes are undone, but the service also fails to start "
        "without huge text: %s",
        it->problem->text, again.text);
  return problem_from (it->problem, it->problem, "%s; all changes are undone",
                       it->problem->text);
}

/* Call this function if no text of the enabled service is huge after a
   restart.  Restore all files that "hugetext enable" has changed.  Do not
   restart the service a second time.  Always return false.  */
static bool
service_enable_undo_without_huge (struct enabling *it)
{
  service_enable_restore_files (it, false);
  return problem_from (
      it->problem, it->problem,
      "%s (the running service keeps the new loader until its next start); "
      "remove the cause, then run hugetext enable again",
      it->problem->text);
}

/* Find out how much text of the restarted service is huge, and store the sizes
   in EFFECT.  First wait at most 5 seconds for a process that runs one of the
   entry's programs, because systemd may report a service as active before the
   service's program has been executed.  */
static void
read_effect (const struct enabling *it, struct effect *effect)
{
  effect_read (&it->entry, it->options->loader, NULL, effect);
  for (int i = 0; i < 50 && effect->count == 0; ++i)
    {
      nanosleep (&(struct timespec){ .tv_nsec = 100 * 1000 * 1000 }, NULL);
      effect_free (effect);
      effect_read (&it->entry, it->options->loader, NULL, effect);
    }
}

/* Print how much text of the enabled service is huge (EFFECT).  If none of the
   text is huge, or if no process has been seen, set the problem of IT and
   return false.  */
static bool
say_effect (struct enabling *it, const struct effect *effect)
{
  const struct entry *entry = &it->entry;
  char share[16];
  if (effect->count > 0)
    printf ("%s: " COUNT_FORMAT
            ", %s of the text in use is on huge pages%s%s\n",
            entry->name, COUNT_PLURAL (effect->count, "process", "processes"),
            column_share_text (
                fmax (column_share (effect->sums.huge, effect->sums.small), 0),
                share),
            effect->note[0] != '\0' ? "; " : "", effect->note);
  if (effect->trouble.text[0] != '\0')
    {
      *it->problem = effect->trouble;
      return false;
    }
  if (effect->count == 0)
    return problem_set (it->problem,
                        "no process of the service runs %s so far; when one "
                        "does, hugetext list shows the effect",
                        entry->programs.names[0]);
  return (
      effect->sums.huge > 0
      || problem_set (it->problem, "no text of the service is on huge pages"));
}

/* Print the settings that the service or program keeps from an earlier
   "hugetext enable" or from manual changes, and the command that returns them
   to the defaults.  Omit settings that are the defaults.  */
static void
service_enable_print_kept (const struct enabling *it)
{
  static const struct settings defaults;
  const struct entry *entry = &it->entry;
  char kept[1024] = "", options[512] = "";
  bool optional = true; /* True if options of "hugetext enable" can return all
                           settings to their defaults.  */
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS && it->was; ++key)
    {
      const char *value = entry_value (entry, key), *standard = "";
      const size_t n = strlen (kept), k = strlen (options);
      bool keeps = value != NULL;
      if (key == HUGETEXT_KEY_MODE)
        keeps = keeps && !it->options->code && strstr (value, "code") != NULL;
      else if (key < HUGETEXT_VALUES)
        {
          standard = settings_print (
              key, settings_value (&defaults, (enum setting) key));
          keeps = (keeps && !it->options->settings.given[key]
                   && strcmp (value, standard) != 0);
        }
      if (!keeps)
        continue;
      snprintf (kept + n, sizeof kept - n, "%s%s = %s", n > 0 ? ", " : "",
                settings_key (key), value);
      optional = optional && standard[0] != '\0';
      snprintf (options + k, sizeof options - k, "--%s=%s ",
                settings_key (key), standard);
    }
  if (kept[0] != '\0' && optional)
    printf (
        "%s: settings from earlier: %s; to return to the defaults: hugetext "
        "enable %s%s\n",
        entry->name, kept, options, entry->name);
  else if (kept[0] != '\0')
    printf (
        "%s: settings from earlier: %s; to return to the defaults: hugetext "
        "disable %s, then hugetext enable %s\n",
        entry->name, kept, entry->name, entry->name);
}

/* If the enabled service is adaptive, print that a timer adapts it, and how to
   stop the timer.  */
static void
say_adaptive (const struct enabling *it)
{
  const char *id = it->unit.id;
  if (entry_is_service (&it->entry) && adaptive_is_on (id))
    printf ("%s: adaptive: %s runs hugetext adapt every few minutes, until "
            "hugetext disable %s\n",
            id, adaptive_timer (id), id);
}

/* If the user has given a maximum number of huge pages (--max) above the
   number that the CPU's TLB holds, print a warning.  */
static void
say_cap (const struct enabling *it)
{
  struct problem problem;
  if (!plan_max_fits (&it->options->settings, &problem))
    printf ("%s: %s\n", it->entry.name, problem.text);
}

/* Print what "hugetext enable" has done for one service or program.  */
static void
say_done (const struct enabling *it)
{
  const struct entry *entry = &it->entry;
  if (!change_is_done () && !it->adapted)
    printf ("%s was enabled already, with the same settings\n", entry->name);
  for (size_t i = 0; change_is_done () && i < entry->programs.count; ++i)
    printf ("%s: %s %s\n", entry->name, entry->programs.names[i],
            change_is_simulated () ? "would be enabled" : "is enabled");
  say_cap (it);
  service_enable_print_kept (it);
  say_adaptive (it);
  shared_say (entry);
}

/* If GIVEN, the path of a program on the command line, leads to a file with
   another name through symbolic links, print that the settings are for this
   file.  A user may have changed a link in GIVEN since the file was
   enabled.  */
static void
say_link (const struct enabling *it, const char *given)
{
  char real[PATH_MAX];
  struct problem ignored;
  if (program_resolve (given, real, &ignored) && given[0] == '/'
      && strcmp (given, real) != 0
      && file_list_has (&it->entry.programs, real))
    printf ("%s: %s leads to the file %s; the settings apply to this file "
            "under all of its names\n",
            it->entry.name, given, real);
}

/* ENTRY is an enabled program.  If the program's file names another loader
   than ld-hugetext.so, print under which conditions the program gets huge text
   (effect_is_limited).  */
static void
say_limit (const struct entry *entry)
{
  char note[REASON_SIZE];
  if (effect_is_limited (entry, note, sizeof note))
    printf ("%s: %s\n", entry->name, note);
}

/* If systemd may kill the guard of UNIT before the guard is ready, print a
   warning, because the service would then fail to start.  */
static void
say_short_start (const struct unit *unit)
{
  if (unit->start_limit >= 0 && unit->start_limit < GUARD_TIME)
    printf (
        "%s: warning: hugetext guard may take %d s before each start, and a "
        "start that takes longer than TimeoutStartSec= fails: set "
        "TimeoutStartSec=%d or more\n",
        unit->id, GUARD_TIME, GUARD_TIME);
}

/* Print that the service is enabled.  */
static void
say_enabled (const struct enabling *it)
{
  say_done (it);
  for (size_t i = 0; i < it->options->programs.count; ++i)
    say_link (it, it->options->programs.names[i]);
  say_short_start (&it->unit);
}

/* "hugetext enable" has restarted the service.  Print how much text of the
   service is huge now.  If processes of the service have been seen and none of
   their text is huge, undo all changes.  If no process of the enabled programs
   has been seen, keep the changes, because the programs may start later, or
   only on demand.  */
static bool
finish_restart (struct enabling *it)
{
  struct effect effect;
  read_effect (it, &effect);
  const bool useless
      = (effect.count > 0 && effect.sums.huge == 0 && change_is_done ());
  if (!useless)
    say_enabled (it);
  const bool good = say_effect (it, &effect);
  effect_free (&effect);
  if (useless)
    return service_enable_undo_without_huge (it);
  /* The service may have opened more libraries since it was started.  */
  if (good)
    fill_store (&it->entry);
  return good;
}

/* Enable the service of IT, for which prepare_word has completed the
   entry.  */
static bool
enable_unit (struct enabling *it)
{
  if (!write_entry (&it->entry, it->problem) || !write_dropin (it)
      || !start_adaptive (it))
    return service_enable_restore_files (it, false);
  fill_store (&it->entry);

  if (it->options->restart && !apply_restart (&it->unit, it->problem))
    return service_enable_restore_files (it, unit_is_up (&it->unit));
  if (it->options->restart && !change_is_simulated ())
    return finish_restart (it);
  say_enabled (it);
  if (!change_is_simulated () && change_is_done () && unit_is_up (&it->unit))
    accept_say_running (&it->unit);
  return true;
}

/* The unit of IT cannot be enabled, because it is not a service.  If the unit
   starts a service that can be enabled, print the name of the service.  */
static void
say_started (struct enabling *it)
{
  const struct service_options none = { .words = NULL };
  struct problem ignored;
  if (it->unit.starts != NULL && strchr (it->unit.starts, ' ') == NULL
      && prepare_accepts (&none, it->unit.starts, &ignored))
    problem_from (it->problem, it->problem,
                  "%s; to enable this service: hugetext enable %s",
                  it->problem->text, it->unit.starts);
}

/* Enable the program of IT, for which prepare_word has completed the entry.
   GIVEN is the path on the command line.  */
static bool
enable_program (struct enabling *it, const char *given)
{
  if (!write_entry (&it->entry, it->problem))
    return service_enable_restore_files (it, false);
  fill_store (&it->entry);
  say_done (it);
  say_link (it, given);
  say_limit (&it->entry);
  return true;
}

bool
service_enable (const struct service_options *options, const char *word,
                struct problem *problem)
{
  struct enabling it = { .options = options, .problem = problem };
  bool good = prepare_word (&it, word);
  if (!good)
    say_started (&it);
  else if (entry_is_service (&it.entry))
    good = enable_unit (&it);
  else
    good = enable_program (&it, word);
  prepare_free (&it);
  return good;
}
