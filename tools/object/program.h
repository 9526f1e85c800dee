/* Programs: the file that a name executes, and its kind.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROGRAM_H
#define PROGRAM_H

#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

enum program_kind
{
  PROGRAM_DYNAMIC, /* The program names a loader, INTERPRETER.  */
  PROGRAM_STATIC,  /* ELF, but it names no loader.  */
  PROGRAM_FOREIGN, /* ELF for another machine, for which this project has no
                      loader.  */
  PROGRAM_OTHER,   /* Not ELF.  */
};

struct program
{
  char file[PATH_MAX];   /* The file that is executed in the end.  */
  char script[PATH_MAX]; /* The script that names FILE as its interpreter, or
                            "".  */
  char argument[256];    /* The argument that the script passes to FILE, or
                            "".  */
  char interpreter[PATH_MAX]; /* PT_INTERP, or "".  */
  enum program_kind kind;
  const char *foreign; /* Why the program is foreign, NULL if it is not.  */
  bool secure;         /* Executing the file grants rights (AT_SECURE).  */
};

/* Return the file that execvp would run for NAME; NULL with errno set.  The
   caller frees it.  */
extern char *program_find (const char *name);

/* Return why the ELF file FD is foreign: for 32 bits, or for another machine.
   NULL if it is not.  */
extern const char *program_foreign (int fd);

/* Return why the program that process PID runs is foreign; NULL if, as far as
   the command can tell, it is not.  */
extern const char *program_foreign_process (pid_t pid);

/* Fill in PROGRAM for the executable FILE.  False with errno set if the file
   cannot be read or is not executable.  */
extern bool program_read (const char *file, struct program *program);

/* Likewise for root: a process without rights reads FILE, which another user
   may own, with a timeout.  It does not follow a script's interpreter, and
   does not say why a program is foreign.  REAL becomes the path without links.
   False with PROBLEM set.  */
extern bool program_ask (const char *file, struct program *program,
                         char real[static PATH_MAX], struct problem *problem);

/* Set REAL to the path of the file NAME without links, as that process finds
   it for root.  False with PROBLEM set.  */
extern bool program_resolve (const char *name, char real[static PATH_MAX],
                             struct problem *problem);

/* Whether executing FILE, which is not opened, grants this user rights.  */
extern bool program_is_secure (const char *file);

/* Set the kind and the interpreter of PROGRAM, which is no script, by its file
   FD.  */
extern void program_read_fd (int fd, struct program *program);

#endif
