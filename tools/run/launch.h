/* The launch of a program, under ld-hugetext.so or in another way that its
   kind of file allows.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LAUNCH_H
#define LAUNCH_H

#include "object/program.h"
#include "object/settings.h"

/* The way in which a program is run.  */
enum launch_way
{
  LAUNCH_BOUND,    /* With ld-hugetext.so bound over the system's loader.  */
  LAUNCH_EXPLICIT, /* As LOADER PROGRAM.  */
  LAUNCH_AS_IT_IS, /* With its own loader, which is ld-hugetext.so.  */
  LAUNCH_PLAIN,    /* Without huge text, as if started without this
                      command.  */
};

struct launch
{
  char **argv;
  struct program program;
  const char *loader;
  enum launch_way way;
};

/* Find the program of ARGV.  CALLER, such as "hugetext run", begins messages.
   Return 0, or an exit status if the program cannot be run, after reporting
   why.  */
extern int launch_find (struct launch *launch, const char *caller,
                        char **argv);

/* Choose the way to run LAUNCH, with LOADER, or the installed one if LOADER is
   NULL; report which parts get no huge text.  */
extern void launch_choose_way (struct launch *launch, const char *loader);

/* Return this process's GLIBC_TUNABLES with SETTINGS added.  If neither the
   tunables nor SETTINGS have the mode, switch huge text on, with +prctl under
   a seccomp filter that allows the loader's calls.  LAUNCH has its loader.
   The caller frees it; NULL if there is no memory.  */
extern char *launch_tunables (const struct launch *launch,
                              const struct settings *settings);

/* Test whether LAUNCH gets its namespace, before many processes are started.
   If the test fails, they run without a namespace.  */
extern void launch_try (struct launch *launch);

/* Do all steps before execve, in the process that will execute the program,
   with the program's environment.  */
extern void launch_prepare (struct launch *launch);

/* Make the kernel keep the exit status of children even if the caller of the
   command ignores SIGCHLD.  Programs get the command's original disposition of
   SIGCHLD.  */
extern void launch_keep_children (void);

/* Execute the program; return an exit status if that fails.  */
extern int launch_execute (const struct launch *launch);

/* Print a message on standard error, after the caller's name.  */
extern void launch_say (const char *format, ...)
    __attribute__ ((format (printf, 1, 2)));

#endif
