/* Services and programs that start on huge text: the door of this room.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SERVICE_H
#define SERVICE_H

#include "object/settings.h"
#include "util/filelist.h"
#include "util/problem.h"

#include <limits.h>

/* The request to hugetext enable.  */
struct service_options
{
  struct settings settings;
  const char *loader, *objects, *lock; /* The options' arguments, or NULL.  */
  struct file_list programs;           /* The programs of a service, if they
                                          were named.  */
  bool restart, force, no_store, code;
};

/* The changes for a service or a program.  */
struct service_report
{
  char name[PATH_MAX]; /* The name of the unit, or the program's path.  */
  bool changed;        /* A file was changed, or would be in a dry run.  */
  bool restarted;      /* The service was restarted.  */
  bool due;            /* The service runs, and only a restart gives all
                          changes effect.  */
  struct file_list programs, settings;
  struct problem problem; /* Why it failed.  */
};

/* An action on WORD, a service or a program's path, reported on standard
   output.  False with REPORT's problem set.  */
typedef bool service_action (const struct service_options *options,
                             const char *word, struct service_report *report);
extern service_action service_enable, service_disable;

/* Do ACTION, of the verb VERB, to each of WORDS, and print problems, or with
   JSON all results.  Return the exit status.  */
extern int service_each (const char *verb, service_action *action,
                         const struct service_options *options, char **words,
                         bool json);

/* Print the enabled services and programs and their effect.  Return the exit
   status.  */
extern int service_list (const char *loader, bool json);

/* Put a copy of LOADER where the drop-in of the unit NAME binds it, before the
   unit starts, if it can take the place of the system's loader; else report
   why not.  */
extern void service_guard (const char *name, const char *loader);

/* Run a program under LOADER in place of the system's loader, and set PROBLEM
   if it fails.  PATIENCE: take fewer milliseconds in all, if it is not 0.  */
extern bool service_try (const char *loader, long patience,
                         struct problem *problem);

/* The first step of the trial's program: bind LOADER over the system's and
   execute this command again as "guard --tried", for at most TIME
   milliseconds.  Return an exit status if that fails.  */
extern int service_enter_trial (const char *loader, long time);

/* Do the trial's program, which prints "good" if all works.  Return an exit
   status.  */
extern int service_trial_program (void);

/* Take the lock that keeps other commands from changing services.  */
extern bool service_lock (struct problem *problem);

/* Compile the index.  */
extern bool service_index (struct problem *problem);

#endif
