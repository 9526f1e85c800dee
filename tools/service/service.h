/* The public header of the module "service": services and programs that start
   with huge text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SERVICE_H
#define SERVICE_H

#include "object/reason.h"
#include "object/settings.h"
#include "util/filelist.h"
#include "util/problem.h"

/* The options of "hugetext enable" and "hugetext disable".  */
struct service_options
{
  struct settings settings;
  const char *loader;        /* The path of the loader, or NULL for the
                                installed loader.  */
  struct file_list programs; /* The programs of a service, if the user named
                                them.  */
  bool restart, code;
  bool adaptive; /* True if the user wants a timer to adapt the service
                    (host/adaptive.h).  */
  char **words;  /* The services and programs on the command line, a list that
                    ends with NULL.  */
};

/* A function that enables or disables WORD, a service or the path of a
   program, and reports on standard output.  On failure the function sets
   PROBLEM and returns false.  */
typedef bool service_action (const struct service_options *options,
                             const char *word, struct problem *problem);
extern service_action service_enable, service_disable;

/* The function that answers what "hugetext enable" would do; programs pass it
   to reason_ask_with (object/reason.h).  */
extern reason_asker service_advise;

/* Call ACTION, the function for the verb VERB, for each word in OPTIONS, and
   print problems.  Return an exit status.  */
extern int service_each (const char *verb, service_action *action,
                         const struct service_options *options);

/* Print the enabled services and programs, and how much of their text is
   huge.  Return an exit status.  */
extern int service_list (const char *loader, bool json);

/* Restart each enabled service that is running and has a process with outdated
   settings.  The caller must hold the lock (service_lock).  Report restarts
   and errors.  Return an exit status.  */
extern int service_restart_outdated (void);

/* Call this function before the unit NAME starts: try the loader, and renew
   images for the service.  If LOADER can replace the system's loader, create
   the link to LOADER that the unit's drop-in uses.  If LOADER cannot replace
   the system's loader, report the reason.  If the unit is not enabled, only
   print a message and return false.  */
extern bool service_guard (const char *name, const char *loader);

/* Run a program with LOADER in place of the system's loader.  If the program
   fails, set PROBLEM and return false.  */
extern bool service_try (const char *loader, struct problem *problem);

/* Bind-mount LOADER over the system's loader, and execute this command again
   as "guard --tried".  This function is the first step of the trial, in the
   process of the trial.  On failure return an exit status.  */
extern int service_enter_trial (const char *loader);

/* Run the trial's program, which prints "good" if everything works.  Return
   an exit status.  */
extern int service_trial_program (void);

/* Take the lock that keeps other commands from changing services.  */
extern bool service_lock (struct problem *problem);

/* Release the lock, if this process holds it.  */
extern void service_unlock (void);

/* Compile the index.  */
extern bool service_index (struct problem *problem);

#endif
