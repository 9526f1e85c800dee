/* "hugetext list": show the enabled services and programs, and how much of
   their text is on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "service/parts.h"
#include "explain/explain.h"
#include "host/mapped.h"
#include "index/behind.h"
#include "index/config.h"
#include "object/elfask.h"
#include "object/loader.h"
#include "text/inspect.h"
#include "text/json.h"
#include "trust/trusted.h"
#include "util/allocate.h"
#include "util/exit-status.h"
#include "util/terminal.h"
#include "util/count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The effect of an entry: how much text of its processes is huge, and the
   reason if its programs do not start with huge text.  */

/* Find out whether the program PATH names ld-hugetext.so as its loader
   (PT_INTERP).  */
static struct truth
names_ours (const char *path)
{
  struct program program;
  struct problem problem;
  char real[PATH_MAX];
  if (!program_ask (path, &program, real, &problem))
    return (problem.code == PROBLEM_PLAIN ? truth_of (false)
                                          : (struct truth){ TRUTH_UNKNOWN });
  if (program.kind != PROGRAM_DYNAMIC)
    return truth_of (false);
  const enum elfask_loader loader = elfask_loader (program.interpreter);
  return (loader == ELFASK_UNKNOWN ? (struct truth){ TRUTH_UNKNOWN }
                                   : truth_of (loader == ELFASK_OURS));
}

/* Find out whether each program of ENTRY starts under ld-hugetext.so without a
   drop-in, because ld-hugetext.so is installed as the system's loader, or
   because the programs name ld-hugetext.so as their loader.  */
static struct truth
has_ours (const struct entry *entry)
{
  struct loader loader;
  if (loader_read (loader_system (), &loader) && loader.ours)
    return truth_of (true);
  struct truth ours = truth_of (entry->programs.count > 0);
  for (size_t i = 0; i < entry->programs.count && ours.is == TRUTH_YES; ++i)
    ours = names_ours (entry->programs.names[i]);
  return ours;
}

bool
effect_is_limited (const struct entry *entry, char *note, size_t size)
{
  if (entry_is_service (entry) || has_ours (entry).is != TRUTH_NO)
    return false;
  snprintf (note, size,
            "%s, so the program gets huge text only under hugetext run and in "
            "enabled services",
            reason_words (REASON_NAMES_OTHER));
  return true;
}

/* Return true if EXE, the path of a process's program, is a program of ENTRY.
   If the program's file has been replaced since the process was started,
   remove the kernel's suffix " (deleted)" from EXE before comparing.  If this
   user may not see the program of a process (EXE is ""), return true for an
   entry of a service, because the process is in the service's control
   group.  */
static bool
service_list_is_program_of (char *exe, const struct entry *entry)
{
  process_cut_deleted (exe);
  return (file_list_has (&entry->programs, exe)
          || (exe[0] == '\0' && entry_is_service (entry)));
}

/* Return true if PROCESS, which is in a census, runs a program of ENTRY.  */
static bool
runs_program (const struct census_process *process, const struct entry *entry)
{
  char exe[PATH_MAX];
  snprintf (exe, sizeof exe, "%s", process->exe);
  return service_list_is_program_of (exe, entry);
}

/* Inspect PROCESS if it runs a program of ENTRY.  Check after the inspection
   that the inspected process runs a program that ENTRY names, because the
   process may have ended since the census, and another process may have got
   its ID.  */
static bool
inspect_program (const struct census_process *process,
                 const struct entry *entry, struct effect *effect,
                 struct inspection *found)
{
  if (!runs_program (process, entry))
    return false;
  const bool good = inspect (process->pid, INSPECT_BRIEF, found);
  effect->closed += !good && found->unread;
  inspect_say_left_out (found);
  if (!good || service_list_is_program_of (found->exe, entry))
    return good;
  inspect_free (found);
  return false;
}

/* Return true if the process of FOUND certainly runs a program of ENTRY,
   because it has mapped the file of this program.  The name of the program's
   file does not suffice, because a user with a mount namespace of his own can
   give any file any name.  */
static bool
has_program (const struct inspection *found, const struct entry *entry)
{
  struct problem problem;
  bool same = false;
  if (found->elsewhere || !file_list_has (&entry->programs, found->exe))
    return false;
  const int fd = (geteuid () == 0 ? trusted_open : readable_open) (found->exe,
                                                                   &problem);
  for (size_t i = 0; fd >= 0 && !same && i < found->objects.count; ++i)
    same = (strcmp (found->objects.list[i].name, found->exe) == 0
            && mapped_is (fd, found->objects.list[i].device,
                          found->objects.list[i].inode));
  if (fd >= 0)
    close (fd);
  return same;
}

/* Append three texts to the note in EFFECT: the IDs of PROCESSES, PROBLEM
   (what is wrong with each of them), and WHAT (the remedy).  */
static void
note_processes (const struct process_ids *processes, const char *problem,
                const char *what, struct effect *effect)
{
  char words[PROCESS_IDS_WORDS];
  const size_t n = strlen (effect->note);
  snprintf (effect->note + n, sizeof effect->note - n, "%s%s %s%s",
            n > 0 ? "; " : "", process_ids_each (processes, words), problem,
            what);
}

/* Append to EFFECT's note which processes have outdated settings.  UNIT is the
   service of the entry, or NULL if the entry is for a program.  */
static void
note_outdated (const struct unit *unit, struct effect *effect)
{
  char words[REASON_SIZE] = "start it again";
  if (effect->outdated.count == 0)
    return;
  const bool helps = unit == NULL || reason_advise_enable (unit->id, words);
  note_processes (&effect->outdated,
                  helps ? "still has the settings with which it was started; "
                          "to apply the new settings: "
                        : "still has the settings with which it was started; ",
                  words, effect);
}

/* Add SETTINGS to EFFECT's list of settings with which ENTRY's programs
   run.  */
static void
add_settings (const struct entry *entry, const struct settings *settings,
              struct effect *effect)
{
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    {
      const char *words = settings_words (settings, key);
      char line[HUGETEXT_OBJECTS_MAX + HUGETEXT_SOURCE_MAX + 32];
      if (words == NULL)
        continue;
      const char *source = settings_source (settings, key);
      const bool own = shared_is_own (entry, settings, key);
      snprintf (line, sizeof line, "%s = %s%s%s%s", settings_key (key), words,
                own ? "" : " (", own ? "" : source, own ? "" : ")");
      if (!file_list_has (&effect->settings, line))
        file_list_add (&effect->settings, line);
    }
}

/* If EFFECT has no settings of processes, add the settings with which the
   programs of ENTRY will be started.  */
static void
add_future_settings (const struct entry *entry, struct effect *effect)
{
  static struct settings settings;
  const bool any = effect->settings.count > 0;
  for (size_t i = 0; i < entry->programs.count && !any; ++i)
    {
      shared_read (entry->programs.names[i], &settings);
      add_settings (entry, &settings, effect);
    }
}

/* Note in EFFECT why PROCESS of ENTRY has text on small pages: the reason of
   the block with the most text on small pages.  If PROCESS has ended since it
   was inspected, or has executed another program, note nothing.  */
static void
note_reason (const struct process *process, const struct entry *entry,
             struct effect *effect)
{
  static struct inspection found;
  struct explanation to;
  if (!inspect_again (process, EXPLAIN_INSPECTS, &found))
    return;
  if (service_list_is_program_of (found.exe, entry))
    {
      struct explained_why why;
      explain_inspected (&found, &to);
      const bool any = explain_why (&to, &why);
      char which[96] = "";
      if (effect->count > 1)
        snprintf (which, sizeof which,
                  " in process %d, which of " COUNT_FORMAT " has most text on "
                  "small pages",
                  (int) process->pid,
                  COUNT_PLURAL (effect->count, "process", "processes"));
      /* If huge text was off in the process, the reason applies to the whole
         process, so the note does not advise "hugetext explain", which prints
         the reason for each block.  */
      if (any)
        snprintf (effect->note, sizeof effect->note, "%s%s: %s%s%s",
                  report_why_small (), which, why.reason,
                  why.remedy[0] != '\0' ? "; to change this: " : "",
                  why.remedy);
      const size_t n = strlen (effect->note);
      if (any && !to.off)
        snprintf (effect->note + n, sizeof effect->note - n,
                  "; for each block: hugetext explain %d", (int) process->pid);
      explain_free (&to);
    }
  inspect_free (&found);
}

/* Note in EFFECT why huge text is off in PROCESS, which belongs to the service
   of ENTRY, but runs no program of ENTRY.  Add the note only if PROCESS runs
   under ld-hugetext.so, and its program has enough text for huge pages.
   PROCESS then probably lacks huge text only because ENTRY does not name its
   program.  */
static void
look_at_other (const struct census_process *process, const struct entry *entry,
               struct effect *effect)
{
  struct inspection found;
  struct problem off;
  const pid_t pid = process->pid;
  if (runs_program (process, entry) || !inspect (pid, INSPECT_BRIEF, &found))
    return;
  const struct reason_about about = inspect_about (&found, &found.settings);
  if (found.loader == INSPECTED_OURS
      && !service_list_is_program_of (found.exe, entry) && !found.small
      && inspect_set_off (&found, &about, &off))
    {
      if (effect->unnamed.count == 0)
        effect->off = off;
      process_ids_add (&effect->unnamed, pid);
    }
  inspect_free (&found);
}

/* FOUND is a process under ld-hugetext.so that runs a program of ENTRY.  If
   the process has outdated settings, add the process to those with outdated
   settings in EFFECT.  If the settings of the process are up to date, add them
   to the settings in EFFECT.  MAIN is the main process of the service, or
   0.  */
static void
take_settings (const struct inspection *found, const struct entry *entry,
               pid_t main, struct effect *effect)
{
  const pid_t pid = found->process.pid;
  if (!found->outdated)
    {
      add_settings (entry, &found->settings, effect);
      return;
    }
  process_ids_add (&effect->outdated, pid);
  effect->main_outdated |= pid == main;
}

/* Inspect the N processes whose IDs are in EFFECT, and which are also in
   CENSUS.  Keep in EFFECT only the processes that run a program of ENTRY.
   MAIN is the main process of the service, or 0.  Set WORST to the process
   with the most text on small pages.  Text that can never be huge does not
   count (report_able_sums).  If no process has text on small pages, set the
   process ID in WORST to 0.  */
static void
service_list_inspect_processes (const struct entry *entry,
                                const struct census *census, size_t n,
                                pid_t main, struct effect *effect,
                                struct process *worst)
{
  pid_t *list = effect->processes;
  size_t smallest = 0;
  *worst = (struct process){ .pid = 0 };
  for (size_t i = 0; i < n; ++i)
    {
      struct inspection found;
      const struct census_process *process = census_process (census, list[i]);
      if (!inspect_program (process, entry, effect, &found))
        {
          if (entry_is_service (entry))
            look_at_other (process, entry, effect);
          continue;
        }
      list[effect->count++] = list[i];
      const struct text_sums sums = report_sums (&found.objects);
      const struct text_sums able = report_able_sums (&found.objects);
      if (found.loader == INSPECTED_OURS)
        ++effect->ours;
      else
        process_ids_add (&effect->other[found.off], list[i]);
      if (found.loader == INSPECTED_OURS && has_program (&found, entry))
        take_settings (&found, entry, main, effect);
      report_add (&effect->sums, &sums);
      report_add (&effect->able, &able);
      const struct reason_about about
          = inspect_about (&found, &found.settings);
      report_add_unseen (&found.objects, &about, effect->unseen);
      if (able.small > smallest)
        {
          smallest = able.small;
          *worst = found.process;
        }
      inspect_free (&found);
    }
}

/* Set the note in EFFECT (a text for the user) if it is still "".  The note
   says why WORST, the process that service_list_inspect_processes has set, has
   text on small pages, or that some processes could not be inspected.  */
static void
note_rest (const struct process *worst, const struct entry *entry,
           struct effect *effect)
{
  /* If no process runs under ld-hugetext.so, the problem in EFFECT may already
     tell the user why the text is on small pages.  */
  const bool said = effect->ours == 0 && problem_is (&effect->trouble);
  if (effect->note[0] != '\0')
    return;
  if (worst->pid != 0 && !said && report_is_low (&effect->able))
    note_reason (worst, entry, effect);
  else if (effect->closed > 0)
    snprintf (effect->note, sizeof effect->note,
              COUNT_FORMAT " could not be inspected: try as root",
              COUNT_PLURAL (effect->closed, "process", "processes"));
}

/* If processes of the service run programs that the service's entry does not
   name, append the IDs of these processes to the note in EFFECT.  */
static void
note_unnamed (struct effect *effect)
{
  if (effect->unnamed.count > 0)
    note_processes (&effect->unnamed,
                    "runs a program that is not enabled for the service: ",
                    effect->off.text, effect);
}

/* Set TEXT, a buffer of SIZE bytes, to a description of the processes in
   EFFECT that do not run under ld-hugetext.so, and the reasons.  */
static void
describe_others (const struct effect *effect, char *text, size_t size)
{
  char words[PROCESS_IDS_WORDS];
  size_t n = 0;
  for (size_t why = 0; why < HUGETEXT_REASONS; ++why)
    if (effect->other[why].count > 0 && n < size)
      n += snprintf (text + n, size - n, "%s%s: %s", n > 0 ? "; " : "",
                     process_ids_each (&effect->other[why], words),
                     reason_words (why));
}

/* Find out why the service UNIT runs, or will run, under a loader other than
   ld-hugetext.so.  */
static void
judge_service (const struct unit *unit, const char *loader,
               struct effect *effect)
{
  struct problem problem, *to = &effect->trouble;
  char others[sizeof to->text / 2], restart[REASON_SIZE];
  describe_others (effect, others, sizeof others);
  if (!accept_loader (unit, loader, &problem))
    problem_from (to, &problem, UNDER_SYSTEM_LOADER, problem.text);
  else if (strcmp (unit->active, "failed") == 0)
    problem_set (to, "has failed: systemctl status %s", unit->id);
  else if (effect->count > effect->ours
           && reason_advise_enable (unit->id, restart))
    problem_set (to,
                 "%s; to start the service under ld-hugetext.so: %.200s; if "
                 "that does not help: journalctl -u %s",
                 others, restart, unit->id);
  else if (effect->count > effect->ours)
    problem_set (to, "%s; %.200s", others, restart);
}

/* Set the list of processes in EFFECT to the processes in CENSUS that run a
   program of ENTRY.  ENTRY is not a service.  Return their number.  If the
   programs of some processes are unknown, set the problem in EFFECT.  */
static size_t
find_processes (const struct entry *entry, struct census *census,
                struct effect *effect)
{
  size_t count = 0;
  census_take (census);
  for (size_t i = 0; i < census->count; ++i)
    if (runs_program (&census->list[i], entry))
      {
        effect->processes = allocate_more (effect->processes, count,
                                           sizeof *effect->processes);
        effect->processes[count++] = census->list[i].pid;
      }
  if (census->unknown > 0)
    problem_unknown (&effect->trouble, "which %sprocesses run the program: %s",
                     count > 0 ? "other " : "", census->why.text);
  return count;
}

/* Find out the EFFECT of ENTRY, which is a service.  The arguments are those
   of effect_read.  Set WORST to the process with the most text on small pages
   (service_list_inspect_processes).  */
static void
read_service (const struct entry *entry, const char *loader,
              struct census *census, struct effect *effect,
              struct process *worst)
{
  struct unit unit;
  size_t n;
  effect->is_adaptive = adaptive_is_on (entry->name);
  if (effect->is_adaptive)
    adaptive_read (entry->name, &effect->adaptive);
  if (!unit_read (entry->name, &unit, &effect->trouble))
    return;
  const bool whole = unit_processes (&unit, census, &effect->processes, &n,
                                     &effect->trouble);
  service_list_inspect_processes (entry, census, n, unit.main, effect, worst);
  note_outdated (&unit, effect);
  if (whole && has_ours (entry).is == TRUTH_NO)
    judge_service (&unit, loader, effect);
  unit_free (&unit);
}

void
effect_read (const struct entry *entry, const char *loader,
             struct census *census, struct effect *effect)
{
  struct process worst = { .pid = 0 };
  struct census own = { .taken = false };
  *effect = (struct effect){ .count = 0 };
  if (census == NULL)
    census = &own;
  if (entry_is_service (entry))
    read_service (entry, loader, census, effect, &worst);
  else
    {
      const size_t n = find_processes (entry, census, effect);
      service_list_inspect_processes (entry, census, n, 0, effect, &worst);
      note_outdated (NULL, effect);
      if (effect->count == 0)
        effect_is_limited (entry, effect->note, sizeof effect->note);
    }
  add_future_settings (entry, effect);
  note_rest (&worst, entry, effect);
  note_unnamed (effect);
  census_free (&own);
}

void
effect_free (struct effect *effect)
{
  free (effect->processes);
  file_list_free (&effect->settings);
}

/* ENTRY is for an adaptive service.  Print the result of the last run of
   "hugetext adapt" for this service, according to EFFECT.  */
static void
print_adaptive (const struct entry *entry, const struct effect *effect)
{
  const enum adaptive_result result = effect->adaptive.result;
  char time[32] = "";
  if (result == ADAPTIVE_NONE)
    {
      terminal_say (
          stdout, 6,
          "    adaptive: no result of hugetext adapt, because it "
          "has not run yet, is running now, or found the service stopped");
      return;
    }
  strftime (time, sizeof time, "%F %T", localtime (&effect->adaptive.time));
  const bool good = result == ADAPTIVE_SUCCEEDED;
  terminal_say (stdout, 6,
                "    adaptive: the last run of hugetext adapt %s (%s)%s%s",
                result == ADAPTIVE_INCOMPLETE ? "was incomplete"
                                              : adaptive_word (result),
                time, good ? "" : "; to see why: journalctl -u ",
                good ? "" : adaptive_unit (entry->name));
}

/* Return the JSON for the last run of "hugetext adapt", according to EFFECT.
   If the service is not adaptive, return NULL, which is JSON's null.  */
static struct json_object *
adaptive_json (const struct effect *effect)
{
  if (!effect->is_adaptive)
    return NULL;
  struct json_object *json = json_object_new_object ();
  const enum adaptive_result result = effect->adaptive.result;
  json_set_string (json, "last_result", adaptive_word (result));
  json_object_object_add (json, "last_time",
                          result != ADAPTIVE_NONE
                              ? json_object_new_int64 (effect->adaptive.time)
                              : NULL);
  return json;
}

/* Print the row of ENTRY.  Below the row, print the settings in effect, except
   ENTRY's own "hugetext = on", and the problem of ENTRY, if there is one.  */
static void
service_list_print_row (const struct entry *entry, const struct effect *effect)
{
  char processes[24];
  snprintf (processes, sizeof processes, "%zu", effect->count);
  report_row (stdout, processes, entry->name, &effect->sums);
  for (size_t i = 0; i < effect->settings.count; ++i)
    if (strcmp (effect->settings.names[i], "hugetext = on") != 0)
      terminal_say (stdout, 6, "    %s", effect->settings.names[i]);
  if (effect->is_adaptive)
    print_adaptive (entry, effect);
  if (effect->trouble.text[0] != '\0')
    terminal_say (stdout, 6, "    %s", effect->trouble.text);
  if (effect->note[0] != '\0')
    terminal_say (stdout, 6, "    %s", effect->note);
  report_unseen (stdout, 6, "    ", effect->unseen);
}

static struct json_object *
row_json (const struct entry *entry, const struct effect *effect)
{
  struct json_object *json = json_object_new_object ();
  struct json_object *processes = json_object_new_array ();
  json_set_string (json, "name", entry->name);
  json_set_string (json, "file", entry->file);
  json_object_object_add (json, "programs", json_names (&entry->programs));
  json_object_object_add (json, "settings", json_names (&effect->settings));
  for (size_t i = 0; i < effect->count; ++i)
    json_object_array_add (processes,
                           json_object_new_int64 (effect->processes[i]));
  json_object_object_add (json, "processes", processes);
  json_set_number (json, "processes_unreadable", effect->closed);
  json_set_sums (json, &effect->sums);
  for (enum observer k = 0; k < OBSERVERS; ++k)
    {
      char key[64];
      snprintf (key, sizeof key, "%s_objects", observer_key (k));
      json_set_number (json, key, effect->unseen[k].count);
    }
  json_object_object_add (json, "adaptive", adaptive_json (effect));
  json_set_string (json, "problem",
                   effect->trouble.text[0] != '\0' ? effect->trouble.text
                                                   : NULL);
  json_set_string (json, "note",
                   effect->note[0] != '\0' ? effect->note : NULL);
  return json;
}

/* If LINE reports an error in a settings file, add it to CLOSURE.  */
static void
take_error (void *closure, bool wrong, const char *line)
{
  if (wrong)
    file_list_add (closure, line);
}

/* Add to ERRORS the errors in settings files.  */
static void
read_errors (struct file_list *errors)
{
  struct config config;
  config_read (CONFIG_PATH, &config, take_error, errors);
  config_free (&config);
}

/* Print why settings files have no effect: the errors ERRORS, or the file
   NEWER, which is newer than the index.  */
static void
print_files (const struct file_list *errors, const char *newer)
{
  for (size_t i = 0; i < errors->count; ++i)
    terminal_say (stdout, 4, "%s", errors->names[i]);
  if (errors->count > 0)
    terminal_say (
        stdout, 4,
        "until you correct this and run \"hugetext index\", programs "
        "start with the old settings");
  else if (newer != NULL)
    terminal_say (stdout, 4,
                  "%s is newer than the index: until you run \"hugetext "
                  "index\", programs start with the old settings",
                  newer);
}

int
service_list (const char *loader, bool json)
{
  struct file_list errors = { 0 };
  struct census census = { .taken = false };
  struct entry *list;
  bool good = true;
  int count = entry_list (&list);
  if (count < 0)
    {
      fprintf (stderr, "hugetext list: %s: %s\n", entry_directory (),
               strerror (errno));
      return STATUS_PARTLY;
    }
  struct json_object *all = json_begin ();
  struct json_object *array = json_object_new_array ();
  const char *newer = behind_file ();
  read_errors (&errors);
  json_object_object_add (all, "enabled", array);
  json_object_object_add (all, "settings_errors", json_names (&errors));
  json_set_string (all, "index_behind", newer);
  if (!json)
    print_files (&errors, newer);
  if (!json && count == 0)
    puts ("nothing is enabled");
  else if (!json)
    report_heading (stdout, "procs", "enabled");
  for (int i = 0; i < count; ++i)
    {
      struct effect effect;
      effect_read (&list[i], loader, &census, &effect);
      if (json)
        json_object_array_add (array, row_json (&list[i], &effect));
      else
        service_list_print_row (&list[i], &effect);
      good = good && effect.trouble.text[0] == '\0';
      effect_free (&effect);
      entry_free (&list[i]);
    }
  free (list);
  census_free (&census);
  if (json)
    json_print (stdout, all);
  else
    json_object_put (all);
  good = good && errors.count == 0;
  file_list_free (&errors);
  return good ? STATUS_OK : STATUS_PARTLY;
}
