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
  PROGRAM_DYNAMIC, /* An ELF file that names a loader, INTERPRETER.  */
  PROGRAM_STATIC,  /* An ELF file that names no loader.  */
  PROGRAM_FOREIGN, /* An ELF file for another machine, for which this project
                      has no loader.  */
  PROGRAM_OTHER,   /* Not an ELF file.  */
};

struct program
{
  char file[PATH_MAX];   /* The file that the kernel executes after it has
                            resolved scripts.  */
  char script[PATH_MAX]; /* The script that names FILE as its interpreter, or
                            "".  */
  char argument[256];    /* The argument that the script passes to FILE, or
                            "".  */
  char interpreter[PATH_MAX]; /* PT_INTERP, or "".  */
  enum program_kind kind;
  const char *foreign; /* The reason why the program is foreign; NULL if it is
                          native.  */
  bool secure;         /* Executing the file grants rights (AT_SECURE).  */
};

/* Return the file that execvp would run for NAME; NULL with errno set.  The
   caller frees the result.  */
extern char *program_find (const char *name);

/* Return false if the ELF file FD is foreign: for 32 bits, or for another
   machine.  */
extern bool program_check (int fd, struct problem *problem);

/* Return false if the program that process PID runs is foreign.  */
extern bool program_check_process (pid_t pid, struct problem *problem);

/* Fill in PROGRAM for the executable FILE.  False with errno set if the file
   cannot be read or is not executable.  */
extern bool program_read (const char *file, struct program *program);

/* Fill in PROGRAM for root: a process without rights reads FILE, which another
   user may own, with a timeout.  It does not follow a script's interpreter,
   and does not say why a program is foreign.  Set REAL to the path with
   symbolic links resolved.  False with PROBLEM set.  */
extern bool program_ask (const char *file, struct program *program,
                         char real[static PATH_MAX], struct problem *problem);

/* Set REAL to the path of the file NAME with symbolic links resolved by a
   process without rights, for root.  False with PROBLEM set.  */
extern bool program_resolve (const char *name, char real[static PATH_MAX],
                             struct problem *problem);

/* Whether execution of FILE grants this user rights.  The function does not
   open FILE.  */
extern bool program_is_secure (const char *file);

/* Set the kind and the interpreter of PROGRAM from its file FD, which is not a
   script.  */
extern void program_read_fd (int fd, struct program *program);

#endif
