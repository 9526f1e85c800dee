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
  const char *loader, *objects, *lock; /* As they were given, or NULL.  */
  struct file_list programs;           /* Of a service, if they were named.  */
  bool restart, force, no_store, code;
};

/* The changes for a service or a program.  */
struct service_report
{
  char name[PATH_MAX]; /* Of the unit, or the program's path.  */
  bool changed;        /* A file was, or would be in a dry run.  */
  bool restarted;      /* The service was restarted.  */
  bool due;            /* It runs, and only a restart has all take effect.  */
  struct file_list programs, settings;
  struct problem problem; /* Why it failed.  */
};

/* Something that is done to WORD, a service or a program's path, and said on
   standard output.  False with REPORT's problem set.  */
typedef bool service_action (const struct service_options *options,
                             const char *word, struct service_report *report);
extern service_action service_enable, service_disable;

/* Do ACTION, of the verb VERB, to each of WORDS, and say what is wrong, or
   with JSON print all of it as that.  Returns the exit status.  */
extern int service_each (const char *verb, service_action *action,
                         const struct service_options *options, char **words,
                         bool json);

/* Print what is enabled and what has come of it.  Returns the exit status.  */
extern int service_list (const char *loader, bool json);

/* Before the unit NAME starts: put a copy of LOADER where its drop-in binds
   it, if it can take the place of the system's loader; else say why not.  */
extern void service_guard (const char *name, const char *loader);

/* Have a program run under LOADER in place of the system's loader, and say in
   PROBLEM why it does not.  PATIENCE: take less than so many milliseconds in
   all, if it is not 0.  */
extern bool service_try (const char *loader, long patience,
                         struct problem *problem);

/* The first step of the trial's program: put LOADER in the place of the
   system's and execute this command again as "guard --tried", for TIME
   milliseconds at most.  Returns an exit status, if that fails.  */
extern int service_enter_trial (const char *loader, long time);

/* That program.  Prints "good" if all works.  Returns an exit status.  */
extern int service_trial_program (void);

/* Wait until no other hugetext changes anything.  */
extern bool service_lock (struct problem *problem);

/* Compile the index.  */
extern bool service_index (struct problem *problem);

#endif
