/* Launch a program under ld-hugetext.so, or in another way if the kind of its
   file requires this.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LAUNCH_H
#define LAUNCH_H

#include "object/program.h"
#include "object/settings.h"

/* The ways to run a program.  */
enum launch_way
{
  LAUNCH_BOUND,    /* Run the program with ld-hugetext.so bind-mounted over the
                      system's loader.  */
  LAUNCH_EXPLICIT, /* Run the program by the command "LOADER PROGRAM".  */
  LAUNCH_AS_IT_IS, /* Run the program with its own loader, which is
                      ld-hugetext.so.  */
  LAUNCH_PLAIN,    /* Run the program without huge text, in the same way as
                      without this command.  */
};

struct launch
{
  char **argv;
  struct program program;
  const char *loader;
  enum launch_way way;
  bool other; /* True if the program itself gets no huge text, but programs
                 that it may start get huge text.  */
};

/* Find the program of ARGV, and return 0.  If the program cannot be run,
   report why, and return an exit status.  Messages begin with CALLER, for
   example "hugetext run".  */
extern int launch_find (struct launch *launch, const char *caller,
                        char **argv);

/* Give huge text only to processes that run a program in ONLY, a list of words
   in the format of the loader's tunable.  If ONLY is NULL, use the list in
   this process's GLIBC_TUNABLES, and print a warning if that list does not
   contain LAUNCH's program.  If neither ONLY nor GLIBC_TUNABLES has a list of
   programs, give huge text to all processes.  */
extern void launch_limit (struct launch *launch, const char *only);

/* Choose how to run LAUNCH with LOADER, or with the installed loader if LOADER
   is NULL.  Report which programs will not have huge text.  */
extern void launch_choose_way (struct launch *launch, const char *loader);

/* Return the value of this process's GLIBC_TUNABLES with SETTINGS added; the
   caller frees it.  If neither SETTINGS nor this process's GLIBC_TUNABLES sets
   the mode, switch huge text on.  Under a seccomp filter that allows the
   loader's system calls, also add +prctl to the mode.  The loader for LAUNCH
   must already be chosen.  Return NULL if there is no memory.  */
extern char *launch_tunables (const struct launch *launch,
                              const struct settings *settings);

/* Test, before starting many processes, whether the namespace for LAUNCH can
   be created.  If the mount namespace cannot be created, run the processes
   without a namespace.  */
extern void launch_try (struct launch *launch);

/* Prepare this process for the execve of LAUNCH's program.  Call this
   function after setting the program's environment.  */
extern void launch_prepare (struct launch *launch);

/* Let this process get the exit status of its children even if SIGCHLD was
   ignored when the command was started.  Programs that the command executes
   inherit the original disposition of SIGCHLD.  */
extern void launch_keep_children (void);

/* True if SIGCHLD was ignored before launch_keep_children was called.  */
extern bool launch_children_ignored;

/* Execute the program.  On failure return an exit status.  */
extern int launch_execute (const struct launch *launch);

/* Print a message to standard error.  The message begins with the name of the
   caller.  */
extern void launch_say (const char *format, ...)
    __attribute__ ((format (printf, 1, 2)));

#endif
