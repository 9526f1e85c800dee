/* The launch of a program under our loader, or in the way that its kind of
   file allows.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LAUNCH_H
#define LAUNCH_H

#include "object/program.h"
#include "object/settings.h"
#include "host/namespace.h"

/* How a program is run.  */
enum launch_way
{
  LAUNCH_BOUND,    /* With our loader in place of the system's.  */
  LAUNCH_EXPLICIT, /* As LOADER PROGRAM.  */
  LAUNCH_AS_IT_IS, /* With the loader that it has, which is ours.  */
  LAUNCH_PLAIN,    /* As without us.  */
};

struct launch
{
  char **argv;
  struct program program;
  const char *loader;
  enum launch_way way;
  struct namespace held; /* Made already, see launch_hold.  */
};

/* Find out what ARGV is.  CALLER is who speaks, "hugetext run".  Returns 0, or
   an exit status if it cannot be run, which has been said.  */
extern int launch_find (struct launch *launch, const char *caller,
                        char **argv);

/* Choose the way to run it, with LOADER, or the installed one if that is NULL;
   say what will not be had.  */
extern void launch_choose_way (struct launch *launch, const char *loader);

/* GLIBC_TUNABLES of our environment with SETTINGS put into it, and huge text
   on unless that says otherwise.  To be freed; NULL if there is no
   memory.  */
extern char *launch_tunables (const struct settings *settings);

/* Make now, for many processes, what the way to run LAUNCH takes.  */
extern void launch_hold (struct launch *launch);

/* In the process that is to become the program: do all but executing it, with
   the environment that it will have.  */
extern void launch_prepare (struct launch *launch);

/* Become the program; return an exit status if that fails.  */
extern int launch_execute (const struct launch *launch);

/* Say something on standard error, behind the caller's name.  */
extern void launch_say (const char *format, ...)
    __attribute__ ((format (printf, 1, 2)));

#endif
