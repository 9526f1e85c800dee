/* The functions that the files of the module "service" share.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SERVICE_PARTS_H
#define SERVICE_PARTS_H

#include "host/adaptive.h"
#include "host/process.h"
#include "host/unit.h"
#include "index/entry.h"
#include "object/program.h"
#include "service/service.h"
#include "text/report.h"
#include "trust/change.h"

/* accept.c: the units that "hugetext enable" accepts, and the services that
   hugetext restarts.  */

/* Return true if "hugetext enable" can enable UNIT.

   In the mount namespace of an enabled unit, the system's loader is a mount
   point, so no process of the unit can replace it.  If an administrator
   updated libc6 in a login session or job that the unit runs, the update would
   fail.  Therefore "hugetext enable" refuses units whose processes, such as
   sessions or jobs, may outlive the unit.  */
extern bool accept_unit (const struct unit *unit, struct problem *problem);

/* Return true if hugetext may restart UNIT.  If hugetext may not restart
   UNIT, set PROBLEM to the reason and to the time when changes take effect,
   and return false.  */
extern bool accept_restart (const struct unit *unit, struct problem *problem);

/* Return true if a command with --restart may restart UNIT.  This function is
   like accept_restart, but the caller calls it before any change.  */
extern bool accept_restart_now (const struct unit *unit,
                                struct problem *problem);

/* LOADER is the loader on the command line, or NULL.  Return true if the
   drop-in of UNIT exists, and the loader can replace the system's loader
   (loader_fits).  If there is no drop-in, or the loader cannot replace the
   system's loader, set PROBLEM and return false.  */
extern bool accept_loader (const struct unit *unit, const char *loader,
                           struct problem *problem);

/* "hugetext enable" accepts UNIT.  Return the argument ANSWER of
   reason_restart for the advice about UNIT.  The advice is to use systemctl if
   UNIT is enabled and will start under ld-hugetext.so, otherwise "hugetext
   enable".  If accept_restart refuses a restart, the advice contains no
   restart.  */
extern enum reason_answer accept_how (const struct unit *unit);

/* Print that UNIT, which is running, keeps its old settings.  Also print how
   to restart UNIT, or why hugetext does not advise a restart.  */
extern void accept_say_running (const struct unit *unit);

/* apply.c: apply changed files.  */

/* Make systemd reload its unit files.  */
extern bool apply_units (struct problem *problem);

/* Make systemd restart UNIT, and check that it stays up.  If accept_restart
   refuses the restart, do nothing and return false.  */
extern bool apply_restart (const struct unit *unit, struct problem *problem);

/* apply_adaptive_start enables the timer that adapts the service ID, and
   apply_adaptive_stop disables it (host/adaptive.h).  If the timer already is
   enabled or disabled as requested, do nothing.  */
extern bool apply_adaptive_start (const char *id, struct problem *problem);
extern bool apply_adaptive_stop (const char *id, struct problem *problem);

/* dropin.c: the drop-in file that bind-mounts ld-hugetext.so over the system's
   loader.  */

/* dropin_file returns the path of the drop-in for the unit ID, and
   dropin_directory returns the directory of this path.  The two functions
   return their results in static memory.  The path of the loader in the
   drop-in is the result of entry_bound ("%n").  systemd replaces "%n" by the
   unit's name.  */
extern const char *dropin_file (const char *id);
extern const char *dropin_directory (const char *id);

/* Return the text of the drop-in for the unit ID with LOADER; the caller
   frees it.  If LOADER is NULL, the drop-in uses the loader that is installed
   when the service starts.  On failure set PROBLEM and return NULL.  */
extern char *dropin_text (const char *id, const char *loader,
                          struct problem *problem);

/* Return true if a file has the name of the drop-in for ID, but was not
   written by hugetext.  */
extern bool dropin_is_foreign (const char *id);

/* Remove the link that the drop-in of ID uses to find the loader.  */
extern void dropin_unbind (const char *id);

/* list.c: find out and print how much text is huge in the processes of an
   entry (an enabled service or program).  */

struct effect
{
  pid_t *processes;
  size_t count; /* The number of processes that run the programs of the
                   entry.  */
  size_t ours;  /* The number of the entry's processes under
                   ld-hugetext.so.  */
  /* For each reason why a process may not run under ld-hugetext.so, the
     entry's processes to which the reason applies.  */
  struct process_ids other[HUGETEXT_REASONS];
  struct process_ids outdated; /* The processes with outdated settings.  */
  bool main_outdated;          /* True if OUTDATED contains the service's main
                                  process.  */
  /* UNNAMED has the processes of the service that run under ld-hugetext.so and
     could gain from huge pages, but run a program that the entry does not
     name.  OFF is the reason why huge text is off in the first process of
     UNNAMED.  */
  struct process_ids unnamed;
  struct problem off;
  size_t closed; /* The number of processes that the command could not
                    inspect.  */
  struct file_list settings; /* The settings in effect, as "KEY = VALUE",
                                followed by " (SOURCE)" if they are not from
                                the file of the entry.  */
  struct text_sums sums;
  struct text_sums able; /* The sizes in SUMS, but only for text that the
                            loader can put on huge pages.  */
  struct unseen unseen[OBSERVERS]; /* For each kind of tools (debuggers,
                                      profilers...), the objects that tools of
                                      this kind do not find in a process.  If
                                      the service has several processes, each
                                      element is about the process with the
                                      most objects that tools of this kind do
                                      not find.  */
  bool is_adaptive; /* True if the entry is for an adaptive service.  */
  struct adaptive adaptive;
  struct problem trouble; /* The reason why the programs do not start with huge
                             text.  */
  char note[2048];        /* Other information for the user, or "".  */
};

/* Return true if ENTRY is for a program whose file names another loader than
   ld-hugetext.so.  A program with another loader gets huge text only under
   "hugetext run" and in enabled services.  If the function returns true, set
   NOTE, a buffer of SIZE bytes, to a text that tells the user when the program
   gets huge text.  */
extern bool effect_is_limited (const struct entry *entry, char *note,
                               size_t size);

/* Find out the EFFECT of ENTRY.  LOADER is the loader on the command line, or
   NULL.  The processes are those in CENSUS, or in a new census if CENSUS is
   NULL.  */
extern void effect_read (const struct entry *entry, const char *loader,
                         struct census *census, struct effect *effect);

extern void effect_free (struct effect *effect);

/* prepare.c: the checks of "hugetext enable", which change nothing.  */

/* The state of enabling one service or program.  */
struct enabling
{
  const struct service_options *options;
  struct problem *problem;
  struct unit unit;   /* The unit of the service that is being enabled; for a
                         program, this member is not used.  */
  struct entry entry; /* The entry that the service or program will get.  */
  bool was;           /* True if the service or program had an entry before
                         this command.  */
  bool adapted;       /* True if this command has made the service
                         adaptive.  */
};

/* WORD is a service or the path of a program.  Read the existing entry of
   WORD, if any, into the entry of IT, and apply the options in IT to it.  If
   WORD cannot be enabled, set the problem of IT and return false.  The caller
   calls prepare_free even if the function returns false.  */
extern bool prepare_word (struct enabling *it, const char *word);

/* Free the memory that prepare_word has allocated.  */
extern void prepare_free (struct enabling *it);

/* Return the text that hugetext would write for the programs and settings in
   the file of the entry NAME, or NULL if there is no such file.  The caller
   frees the text.  */
extern char *prepare_old_text (const char *name);

/* Return true if "hugetext enable" with OPTIONS accepts WORD, a service or the
   path of a program.  This function changes nothing.  */
extern bool prepare_accepts (const struct service_options *options,
                             const char *word, struct problem *problem);

/* eligible.c: programs that can gain from huge text.  */

/* Add the programs of UNIT's processes, and the program that UNIT starts, to
   PROGRAMS.  Skip a program if it and its libraries have too little text to
   gain from huge pages (plan_is_small).  */
extern bool eligible_of_unit (const struct unit *unit,
                              struct file_list *programs,
                              struct problem *problem);

/* Add the path of the program FILE, with symbolic links resolved, to
   PROGRAMS, unless it is already there.  If the program cannot be enabled,
   set PROBLEM and return false.  */
extern bool eligible_add (const char *file, struct file_list *programs,
                          struct problem *problem);

/* shared.c: programs of several entries.  */

/* Set SETTINGS to the settings that the index has for PROGRAM, a path without
   symbolic links.  The settings are in effect, unless the environment of a
   process overrides them.  */
extern void shared_read (const char *program, struct settings *settings);

/* Return true if the value of KEY in SETTINGS is the value in ENTRY, or comes
   from ENTRY's file.  */
extern bool shared_is_own (const struct entry *entry,
                           const struct settings *settings,
                           enum hugetext_key key);

/* Check, before ENTRY is written, that it does not contradict another entry
   for the same program.  If the entries contradict each other, set PROBLEM and
   return false.  OPTIONS are the options of "hugetext enable".  */
extern bool shared_check (const struct service_options *options,
                          const struct entry *entry, struct problem *problem);

/* Print the settings of other entries that also apply to ENTRY, because both
   entries have the same program.  Print also which settings of ENTRY do not
   apply, because another file overrides them.  */
extern void shared_say (const struct entry *entry);

/* guard.c */

/* The maximum time, in seconds, that "hugetext guard" normally takes before a
   service starts: to try the loader, to ask how much memory is left, to prime
   files, to make images, and to kill the processes that do not end in time.
 */
#define GUARD_TIME 26

/* The message of "hugetext list" and "hugetext guard" about a service that
   starts under the system's loader and not under ld-hugetext.so; %s is the
   reason.  */
#define UNDER_SYSTEM_LOADER "starts under the system's loader: %s"

#endif
