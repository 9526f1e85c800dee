/* "hugetext enable": a service, or a program, gets huge text from its next
   start on.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Two files at most: what the index is to say of the programs (entry.c), and
   for a service the drop-in that gives it our loader (dropin.c).  Everything
   is checked before and after; whatever fails, all is as before.  */

#include "apply.h"
#include "bound.h"
#include "candidates.h"
#include "command.h"
#include "dropin.h"
#include "loader.h"
#include "options.h"
#include "outcome.h"
#include "sections.h"
#include "setting-options.h"
#include "store-refresh.h"
#include "trial.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options
{
  struct settings settings;
  const char *loader, *objects, *lock;
  struct file_list programs;
  bool restart, force, no_store, code;
  char **words;
};

enum
{
  KEY_PROGRAM = 0x100,
  KEY_RESTART,
  KEY_FORCE,
  KEY_CODE,
  KEY_LOCK,
  KEY_OBJECTS,
  KEY_NO_STORE,
};

static const struct argp_option option_list[] = {
  { "program", KEY_PROGRAM, "FILE", 0,
    "The program of SERVICE; may be given again", 0 },
  { "restart", KEY_RESTART, NULL, 0,
    "Restart SERVICE if need be; say what came of it", 0 },
  { "force", KEY_FORCE, NULL, 0,
    "Even a SERVICE whose jobs or sessions outlive it", 0 },
  { "dry-run", 'n', NULL, 0, "Only say what would be done", 0 },
  { "code", KEY_CODE, NULL, 0, "Code made at run time, too (Java, PHP)", 0 },
  { "lock", KEY_LOCK, "on|off", 0, "Keep huge pages of text in memory", 0 },
  { "no-store", KEY_NO_STORE, NULL, 0, "Make no images in the store", 0 },
  { "objects", KEY_OBJECTS, "PATTERNS", 0,
    "Only these objects, or with ! all but these", 0 },
  { 0 },
};

static const struct argp_child children[] = {
  { &setting_options, 0, NULL, 0 },
  { &options_loader, 0, NULL, 0 },
  { 0 },
};

static error_t
parse_option (int key, char *arg, struct argp_state *state)
{
  struct options *options = state->input;
  switch (key)
    {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &options->settings;
      state->child_inputs[1] = &options->loader;
      return 0;
    case KEY_PROGRAM:
      return file_list_add (&options->programs, arg) ? 0 : ENOMEM;
    case KEY_RESTART:
      options->restart = true;
      return 0;
    case KEY_FORCE:
      options->force = true;
      return 0;
    case KEY_CODE:
      options->code = true;
      return 0;
    case KEY_NO_STORE:
      options->no_store = true;
      return 0;
    case 'n':
      change_simulate ();
      return 0;
    case KEY_LOCK:
      if (strcmp (arg, "on") != 0 && strcmp (arg, "off") != 0)
        options_fail ("--lock=%s: must be on or off", arg);
      options->lock = arg;
      return 0;
    case KEY_OBJECTS:
      if (arg[0] == '\0' || strchr (arg, '\n') != NULL)
        options_fail ("--objects=%s: must be patterns with blanks between"
                      " them",
                      arg);
      options->objects = arg;
      return 0;
    case ARGP_KEY_ARGS:
      options->words = options_words (state, "service or program");
      return 0;
    case ARGP_KEY_NO_ARGS:
      options_fail ("which service or program? hugetext enable"
                    " SERVICE|PROGRAM");
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
  .options = option_list,
  .parser = parse_option,
  .children = children,
  .args_doc = "SERVICE|PROGRAM...",
  .doc = "Have SERVICE, a unit of systemd's, start on huge text from its next"
         " start on, or PROGRAM, a path, wherever it is started under"
         " ld-hugetext.so."
         "\vThe exit status is 0, 1 if it could not be done, or nothing came"
         " of it, 2 if an option is wrong. hugetext disable undoes it.",
};

static const char *subject;

#define fail(...) apply_fail ("enable", subject, __VA_ARGS__)

/* Have ENTRY say "KEY = VALUE", in the place of what it says of KEY.  */
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
  for (size_t i = 0; i < list->count; i++)
    if (sections_is_of (list->names[i], key))
      {
        free (list->names[i]);
        list->names[i] = line;
        return;
      }
  file_list_add (list, line);
  free (line);
}

/* What of ENTRY's programs is to be huge, as a word: what is so by now, its
   text, and with OPTIONS code.  */
static const char *
mode_of (const struct options *options, const struct entry *entry)
{
  uint64_t mode = 0;
  for (size_t i = 0; i < entry->settings.count; i++)
    {
      const char *line = entry->settings.names[i];
      if (sections_is_of (line, "hugetext"))
        mode = settings_mode (strchr (line, '=') + 1
                              + strspn (strchr (line, '=') + 1, " \t"));
    }
  if (entry->settings.count == 0)
    mode = sections_mode (entry);
  return settings_print (HUGETEXT_KEY_MODE,
                         mode | SETTINGS_TEXT
                             | (options->code ? SETTINGS_CODE : 0));
}

/* Put what OPTIONS say into ENTRY.  */
static void
set_all (const struct options *options, struct entry *entry)
{
  const struct settings *settings = &options->settings;
  entry->no_store |= options->no_store;
  set (entry, "hugetext", "%s", mode_of (options, entry));
  if (settings->given[SETTING_BACKING])
    set (entry, "backing", "%s",
         settings_choice (settings->value[SETTING_BACKING]));
  if (settings->given[SETTING_MAX])
    set (entry, "max", "%ju", (uintmax_t)settings->value[SETTING_MAX]);
  if (settings->given[SETTING_PAD])
    set (entry, "pad", "%ju", (uintmax_t)settings->value[SETTING_PAD]);
  if (options->lock != NULL)
    set (entry, "lock", "%s", options->lock);
  if (options->objects != NULL)
    set (entry, "objects", "%s", options->objects);
}

/* Set ENTRY to that of NAME, if there is one, else to an empty one.  WAS gets
   whether there is.  Returns why it must stay as it is, NULL if it need
   not.  */
static const char *
read_entry (const char *name, struct entry *entry, bool *was)
{
  static char text[PATH_MAX + 128];
  *was = entry_read (name, entry);
  if (!*was && errno == ENOENT)
    {
      entry->name = strdup (name);
      return NULL;
    }
  if (*was)
    return NULL;
  snprintf (text, sizeof text,
            "%s: it is not by hugetext enable, or about something else",
            entry_file (name));
  return text;
}

/* Why UNIT cannot be enabled; NULL if it can.  In static memory.

   For its processes the system's loader is a mount point, which none of them
   can replace.  So what may be a session or a job of an administrator's must
   not be among them: it could not update libc6.  */
static const char *
refusal (const struct unit *unit, bool force)
{
  static char text[2 * PATH_MAX];
  const char *suffix = strrchr (unit->id, '.');
  if (suffix == NULL || strcmp (suffix, ".service") != 0)
    snprintf (text, sizeof text, "it is no service%s%s",
              unit->triggers != NULL && unit->triggers[0] != '\0'
                  ? ", but starts "
                  : "",
              unit->triggers != NULL ? unit->triggers : "");
  else if (strcmp (unit->load, "masked") == 0)
    snprintf (text, sizeof text, "it is masked: nothing starts it");
  else if (strcmp (unit->load, "loaded") != 0)
    snprintf (text, sizeof text, "systemd cannot load it (%s)", unit->load);
  else if (unit->transient)
    snprintf (text, sizeof text, "it is transient, and gone when it stops");
  else if (unit->root[0] != '\0')
    snprintf (text, sizeof text,
              "it has a root of its own, %s, and so a loader and a libc of"
              " its own",
              unit->root);
  else if (unit->outlives != NULL && !force)
    snprintf (text, sizeof text,
              "what it starts may outlive it (%s), as sessions and jobs do:"
              " they could not update libc6, and nobody else would see what"
              " they mount; if it starts none, --force",
              unit->outlives);
  else
    {
      const char *rival = dropin_rival (unit);
      if (rival == NULL)
        return NULL;
      snprintf (text, sizeof text,
                "%s is bound over the system's loader for it already", rival);
    }
  return text;
}

static void
add_program (struct entry *entry, const char *path)
{
  for (size_t i = 0; i < entry->programs.count; i++)
    if (strcmp (entry->programs.names[i], path) == 0)
      return;
  file_list_add (&entry->programs, path);
}

/* Add to the programs of ENTRY those named, or those that UNIT has.  */
static const char *
choose_programs (const struct options *options, const struct unit *unit,
                 struct entry *entry)
{
  static char text[PATH_MAX + 256];
  if (options->programs.count == 0)
    return candidates_of_unit (unit, &entry->programs);
  for (size_t i = 0; i < options->programs.count; i++)
    {
      struct program program;
      char path[PATH_MAX];
      const char *given = options->programs.names[i];
      const char *problem = candidates_check (given, &program, path);
      if (problem != NULL)
        {
          snprintf (text, sizeof text, "--program=%s: %s", given, problem);
          return text;
        }
      add_program (entry, path);
    }
  return NULL;
}

/* Write the file for ENTRY, and compile the index.  What people have written
   into it, and would be lost, stays.  */
static const char *
write_entry (const struct entry *entry)
{
  static char words[PATH_MAX + 256];
  const char *file = entry_file (entry->name);
  struct entry before;
  char *text = entry_text (entry), *old = NULL;
  const char *problem = text == NULL ? strerror (ENOMEM) : NULL;
  if (problem == NULL && entry_read (entry->name, &before))
    {
      old = entry_text (&before);
      entry_free (&before);
    }
  if (problem == NULL && (old == NULL || strcmp (old, text) != 0))
    {
      if (old != NULL && !change_has_text (file, old))
        {
          snprintf (words, sizeof words,
                    "%s was changed by hand, which would be lost: change it"
                    " there and run hugetext index, or hugetext disable %s"
                    " first",
                    file, entry->name);
          problem = words;
        }
      else
        problem = change_write (file, text);
    }
  free (text);
  free (old);
  return problem != NULL || (change_is_simulated () && !change_is_done ())
             ? problem
             : apply_index ();
}

/* Whether systemd has taken the drop-in of UNIT.  */
static bool
is_taken (const struct unit *unit)
{
  return (unit->dropins != NULL
          && strstr (unit->dropins, dropin_file (unit->id)) != NULL);
}

/* See that systemd has taken the drop-in for the unit ID.  */
static const char *
verify (const char *id)
{
  static char text[PATH_MAX + 64];
  struct unit unit;
  if (change_is_simulated ())
    {
      printf ("would run: systemd-analyze verify %s\n", id);
      return NULL;
    }
  const char *problem = unit_verify (id, dropin_file (id));
  if (problem != NULL || (problem = unit_read (id, &unit)) != NULL)
    return problem;
  if (strcmp (unit.load, "loaded") != 0 || !is_taken (&unit))
    {
      snprintf (text, sizeof text, "systemd does not take %s",
                dropin_file (id));
      problem = text;
    }
  unit_free (&unit);
  return problem;
}

/* Write the drop-in for UNIT, and have it taken; or take away one that is of
   no use any more.  */
static const char *
write_dropin (const struct options *options, const struct unit *unit,
              const struct entry *entry, enum way way)
{
  const char *id = unit->id;
  const char *problem = NULL;
  const bool dropin = way == WAY_BOUND || way == WAY_PRIMED;
  bool same;
  if (way != WAY_BOUND && !change_is_simulated ())
    bound_remove (id);
  if (!dropin)
    {
      same = access (dropin_file (id), F_OK) < 0;
      problem = change_remove (dropin_file (id));
      change_remove_folder (dropin_folder (id));
    }
  else
    {
      char *text = way == WAY_BOUND
                       ? dropin_text (unit, options->loader, &problem)
                       : dropin_primed (unit, &entry->programs, &problem);
      same = text != NULL && change_has_text (dropin_file (id), text);
      if (text != NULL)
        problem = change_write (dropin_file (id), text);
      free (text);
    }
  if (problem == NULL && same && is_taken (unit) == dropin)
    return NULL;
  if (problem == NULL)
    problem = apply_units ();
  return problem != NULL || !dropin ? problem : verify (id);
}

static void
say_store (const char *what, const char *problem)
{
  fflush (stdout);
  fprintf (stderr, "hugetext enable: %s: %s\n", what, problem);
}

/* Make images of what ENTRY's programs need in the store, or say so; AGAIN:
   of what has been opened since.  Without any they have copies.  */
static void
fill_store (const struct entry *entry, bool again)
{
  static const struct store_how how
      = { .watched = true,
          .brief = true,
          .silent = true,
          .say = say_store };
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
            entry->name, added.made, (unsigned long long)(added.size >> 20),
            added.there, again ? "; used when it is restarted" : "");
}

/* Whether the folder of the index was there before.  */
static bool has_folder;

static const char *
index_folder (void)
{
  static char path[sizeof INDEX_PATH];
  snprintf (path, sizeof path, "%.*s",
            (int)(strrchr (INDEX_PATH, '/') - INDEX_PATH), INDEX_PATH);
  return path;
}

/* Make all files as they were.  */
static void
undo (void)
{
  change_undo ();
  apply_index ();
  if (!has_folder)
    change_remove_folder (index_folder ());
}

/* Make all as it was, since PROBLEM came.  RESTART: the service, too.  */
static int
give_up (const char *name, bool restart, bool was_enabled, const char *problem)
{
  char first[1024];
  snprintf (first, sizeof first, "%s", problem);
  undo ();
  apply_units ();
  if (!was_enabled)
    bound_remove (name);
  problem = restart ? apply_restart (name) : NULL;
  if (problem != NULL)
    return fail ("%s; all is as before, but it does not start that way,"
                 " either: %s",
                 first, problem);
  return fail ("%s; all is as before", first);
}

/* Say what came of ENTRY.  */
static int
report (const struct entry *entry, const char *loader)
{
  struct outcome outcome;
  /* A service may be up before the program is executed.  */
  outcome_read (entry, loader, &outcome);
  for (int i = 0; i < 50 && outcome.count == 0; i++)
    {
      nanosleep (&(struct timespec){ .tv_nsec = 100 * 1000 * 1000 }, NULL);
      outcome_free (&outcome);
      outcome_read (entry, loader, &outcome);
    }
  double share = report_share (outcome.sums.huge, outcome.sums.small);
  int status = outcome.trouble[0] == '\0' && outcome.sums.huge > 0
                   ? STATUS_OK
                   : STATUS_PARTLY;
  if (outcome.count == 0)
    fail ("none of its processes runs %s",
          entry->programs.names[0]);
  else
    printf ("%s: %zu process%s, %.1f %% of the text in use is on huge pages"
            "%s%s\n",
            entry->name, outcome.count, outcome.count == 1 ? "" : "es",
            share < 0 ? 0.0 : share, outcome.small[0] != '\0' ? ": " : "",
            outcome.small);
  if (outcome.trouble[0] != '\0')
    fail ("%s", outcome.trouble);
  outcome_free (&outcome);
  return status;
}

/* Whether a restart of UNIT would change anything: what ENTRY says is younger
   than its processes, or they do not have it.  */
static bool
is_due (const struct unit *unit, const struct entry *entry,
        const char *loader)
{
  struct outcome outcome;
  if (change_is_done () || !unit_is_up (unit)
      || !outcome_is_since (unit, entry_file (unit->id))
      || (access (dropin_file (unit->id), F_OK) == 0
          && !outcome_is_since (unit, dropin_file (unit->id))))
    return true;
  outcome_read (entry, loader, &outcome);
  bool due = outcome.trouble[0] != '\0' || outcome.count > outcome.ours;
  outcome_free (&outcome);
  return due;
}

/* Say what was done for ENTRY.  */
static void
say_done (const struct entry *entry)
{
  if (!change_is_done ())
    printf ("%s: it is enabled, and stays as it is\n", entry->name);
  for (size_t i = 0; change_is_done () && i < entry->programs.count; i++)
    printf ("%s: %s %s\n", entry->name, entry->programs.names[i],
            change_is_simulated () ? "would be enabled" : "is enabled");
}

/* Enable the service UNIT with what is in ENTRY but its way.  */
static int
enable_unit (const struct options *options, const struct unit *unit,
             const struct entry *entry, bool was_enabled)
{
  if (dropin_is_foreign (unit->id))
    return fail ("%s: it is not by hugetext enable", dropin_file (unit->id));
  enum way way = outcome_way (entry);
  const char *problem
      = way == WAY_BOUND ? trial_problem (loader_path (options->loader))
                         : NULL;
  if (problem != NULL)
    return fail ("%s; nothing is changed", problem);

  problem = write_entry (entry);
  if (problem == NULL)
    problem = write_dropin (options, unit, entry, way);
  if (problem != NULL)
    return give_up (unit->id, false, was_enabled, problem);
  sections_say (entry, "hugetext enable");
  if (way != WAY_PRIMED)
    fill_store (entry, false);
  bool due = is_due (unit, entry, options->loader);
  if (options->restart && due)
    {
      problem = apply_restart (unit->id);
      if (problem != NULL)
        return give_up (unit->id, unit_is_up (unit), was_enabled, problem);
    }
  say_done (entry);
  if (options->restart && !change_is_simulated ())
    {
      int status = report (entry, options->loader);
      if (way != WAY_PRIMED && due)
        fill_store (entry, true);
      return status;
    }
  if (unit_is_up (unit) && !change_is_simulated () && due)
    printf ("%s: it runs as before until: systemctl restart %s\n", unit->id,
            unit->id);
  return STATUS_OK;
}

/* Start UNIT, which is not up, so that its processes can be looked at.  */
static const char *
start (struct unit *unit)
{
  char id[sizeof unit->id];
  strcpy (id, unit->id);
  const char *problem = unit_do ("start", id);
  unit_free (unit);
  const char *other = unit_read (id, unit);
  return problem != NULL ? problem : other;
}

static int
enable_service (const struct options *options, const char *word)
{
  struct unit unit;
  struct entry entry = { 0 };
  bool was;
  if (!unit_systemd_runs ())
    return fail ("systemd does not run here: only a program can be enabled,"
                 " by its path");
  const char *name = unit_name (word);
  if (name == NULL)
    return fail ("no unit can have this name; a program is named by its"
                 " path");
  if (strstr (name, "@.") != NULL)
    return fail ("it is a template: name an instance, %.*sNAME",
                 (int)(strchr (name, '@') + 1 - name), name);
  const char *problem = unit_read (name, &unit);
  if (problem != NULL)
    return fail ("%s", problem);
  if ((problem = refusal (&unit, options->force)) != NULL)
    return fail ("%s", problem);

  problem = read_entry (unit.id, &entry, &was);
  if (problem == NULL)
    problem = choose_programs (options, &unit, &entry);
  if (problem != NULL && options->restart && !unit_is_up (&unit)
      && options->programs.count == 0 && !change_is_simulated ())
    {
      problem = start (&unit);
      if (problem == NULL)
        problem = choose_programs (options, &unit, &entry);
    }
  int status;
  if (problem != NULL)
    status = fail ("%s", problem);
  else
    {
      set_all (options, &entry);
      status = enable_unit (options, &unit, &entry, was);
    }
  entry_free (&entry);
  unit_free (&unit);
  return status;
}

static int
enable_program (const struct options *options, const char *word)
{
  struct program program;
  struct entry entry = { 0 };
  char path[PATH_MAX];
  bool was;
  if (options->programs.count > 0 || options->restart || options->force)
    usage_fail (STATUS_USAGE,
                "%s: --program, --restart and --force are for services",
                word);
  const char *problem = candidates_check (word, &program, path);
  if (problem == NULL && program.kind == PROGRAM_STATIC)
    problem = "it is statically linked: hugetext run can start it, hugetext"
              " prime have its file in huge pages";
  if (problem == NULL)
    problem = read_entry (path, &entry, &was);
  if (problem != NULL)
    return fail ("%s", problem);
  add_program (&entry, path);
  set_all (options, &entry);
  problem = write_entry (&entry);
  if (problem != NULL)
    {
      char first[1024];
      snprintf (first, sizeof first, "%s", problem);
      undo ();
      entry_free (&entry);
      return fail ("%s; all is as before", first);
    }
  sections_say (&entry, "hugetext enable");
  fill_store (&entry, false);
  if (!change_is_done ())
    say_done (&entry);
  else if (outcome_way (&entry) == WAY_NONE)
    printf ("%s: its loader is %s: on huge text under hugetext run, and in"
            " services that are enabled\n",
            path, program.interpreter);
  else
    printf ("%s: its loader, %s, is ours: on huge text from its next start"
            " on\n",
            path, program.interpreter);
  entry_free (&entry);
  return STATUS_OK;
}

/* Enable WORD.  */
static int
enable (const struct options *options, const char *word)
{
  subject = word;
  has_folder = access (index_folder (), F_OK) == 0;
  int status = strchr (word, '/') != NULL ? enable_program (options, word)
                                          : enable_service (options, word);
  change_keep ();
  return status;
}

int
command_enable (int argc, char **argv)
{
  struct options options = { 0 };
  options_parse (&argp, argc, argv, STATUS_USAGE, &options);
  subject = options.words[0];
  if (options.words[1] != NULL && options.programs.count > 0)
    usage_fail (STATUS_USAGE, "%s: --program is for one service",
                options.words[1]);
  if (geteuid () != 0 && !change_is_simulated ())
    return fail ("this takes root; --dry-run does not");
  const char *problem = apply_lock ();
  if (problem != NULL)
    return fail ("%s", problem);
  int status = STATUS_OK;
  for (char **word = options.words; *word != NULL; word++)
    if (enable (&options, *word) != STATUS_OK)
      status = STATUS_PARTLY;
  file_list_free (&options.programs);
  return status;
}
