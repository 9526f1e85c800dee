/* Services and programs that start on huge text: the public header of this
   module.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SERVICE_H
#define SERVICE_H

#include "object/settings.h"
#include "util/filelist.h"
#include "util/problem.h"

/* The request to "hugetext enable" or "hugetext disable".  */
struct service_options
{
  struct settings settings;
  const char *loader;        /* The loader, or NULL for the installed one.  */
  struct file_list programs; /* The programs of a service, if the user named
                                them.  */
  bool restart, code;
};

/* An action on WORD, a service or the path of a program.  It reports on
   standard output.  False with PROBLEM set.  */
typedef bool service_action (const struct service_options *options,
                             const char *word, struct problem *problem);
extern service_action service_enable, service_disable;

/* Apply ACTION, of the verb VERB, to each of WORDS, and print problems.
   Return the exit status.  */
extern int service_each (const char *verb, service_action *action,
                         const struct service_options *options, char **words);

/* Print the enabled services and programs and their effect.  Return the exit
   status.  */
extern int service_list (const char *loader, bool json);

/* Restart each enabled service that runs and has a process with outdated
   settings.  The caller has the lock.  Return the exit status; the function
   reports what it did, and errors.  */
extern int service_restart_outdated (void);

/* Before the unit NAME starts, link LOADER to the path from which the unit's
   drop-in binds it, if LOADER can replace the system's loader; otherwise
   report why it cannot.  */
extern void service_guard (const char *name, const char *loader);

/* Run a program under LOADER in place of the system's loader, and set PROBLEM
   if it fails.  */
extern bool service_try (const char *loader, struct problem *problem);

/* The first step of the trial's program: bind LOADER over the system's and
   execute this command again as "guard --tried".  Return an exit status if
   that fails.  */
extern int service_enter_trial (const char *loader);

/* Run the trial's program, which prints "good" if everything works.  Return an
   exit status.  */
extern int service_trial_program (void);

/* Take the lock that keeps other commands from changing services.  */
extern bool service_lock (struct problem *problem);

/* Release the lock, if this process has it.  */
extern void service_unlock (void);

/* Compile the index.  */
extern bool service_index (struct problem *problem);

#endif
