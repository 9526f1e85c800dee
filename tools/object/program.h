/* Programs: find the file that is executed for a name, and the kind of this
   file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROGRAM_H
#define PROGRAM_H

#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum program_kind
{
  PROGRAM_DYNAMIC, /* An ELF file that names a loader, INTERPRETER.  */
  PROGRAM_STATIC,  /* An ELF file that names no loader.  */
  PROGRAM_FOREIGN, /* An ELF file for another machine, on which ld-hugetext
                      cannot run.  */
  PROGRAM_OTHER,   /* A file that is not an ELF file.  */
};

struct program
{
  char file[PATH_MAX];   /* The file that the kernel executes: for a script,
                            the interpreter of the script.  */
  char script[PATH_MAX]; /* The script whose interpreter is FILE, or "".  */
  char argument[256];    /* The argument that the script's first line gives
                            to the interpreter, or "".  */
  char interpreter[PATH_MAX]; /* The loader that the program names
                                 (PT_INTERP), or "".  */
  enum program_kind kind;
  const char *foreign; /* The reason why this machine's ld-hugetext.so cannot
                          load the program, or NULL if ld-hugetext.so can load
                          the program.  */
  bool secure;         /* True if a process of this user gains rights by
                          executing the file (AT_SECURE).  */
};

/* Return the path of the file that execvp would execute for NAME; the caller
   frees it.  If execvp would find no file for NAME, set errno and return
   NULL.  */
extern char *program_find (const char *name);

/* Return false and set PROBLEM if the ELF file FD is for 32 bits, or for
   another machine.  */
extern bool program_check (int fd, struct problem *problem);

/* Return false and set PROBLEM if process PID executes a program for 32 bits,
   or for another machine.  */
extern bool program_check_process (pid_t pid, struct problem *problem);

/* Set PROGRAM to the facts about the executable file FILE.  If the file cannot
   be read or is not executable, set errno and return false.  */
extern bool program_read (const char *file, struct program *program);

/* Set PROBLEM to the reason why a program cannot be executed, and return
   false.  ERROR is the error of execve.  FILE is the path of the program.
   FILE is NULL if the path is not known, or if another file is the cause of
   the error.  */
extern bool program_cannot_run (const char *file, int error,
                                struct problem *problem);

/* Return true if the file FD is a script that no user may execute.  */
extern bool program_is_closed_script (int fd);

/* Set PROGRAM to the facts about FILE, and REAL to its path with symbolic
   links resolved.  An unprivileged process reads FILE, with a timeout, so that
   root can use this function for another user's file.  The function does not
   find out whether the program is for another machine, so the member FOREIGN
   of PROGRAM is always NULL.  On failure, also if FILE is a script, set
   PROBLEM and return false.  */
extern bool program_ask (const char *file, struct program *program,
                         char real[static PATH_MAX], struct problem *problem);

/* Set TEXT to the number of bytes of text of the program FILE, of the
   libraries that it needs, and, if it is a launcher, of the libraries that it
   opens.  TEXT does not include the text of the loader.  An unprivileged
   process reads the files, with a timeout.  On failure set PROBLEM and return
   false.  */
extern bool program_ask_text (const char *file, size_t *text,
                              struct problem *problem);

/* Let an unprivileged process resolve the symbolic links in the path NAME, and
   set REAL to the resolved path.  Only root needs program_resolve.  On failure
   set PROBLEM and return false.  */
extern bool program_resolve (const char *name, char real[static PATH_MAX],
                             struct problem *problem);

/* Return true if users who lack the privileges of the program FILE gain these
   privileges by executing FILE.  Unlike the member SECURE of struct program,
   the result of program_gives_privileges does not depend on the user who has
   called the command.  program_gives_privileges does not open FILE.  */
extern bool program_gives_privileges (const char *file);

/* Set the kind and the interpreter in PROGRAM from the file FD, which is not
   a script.  */
extern void program_read_fd (int fd, struct program *program);

#endif
