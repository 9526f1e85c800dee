/* Programs: the file that a name executes, and its kind.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROGRAM_H
#define PROGRAM_H

#include <limits.h>
#include <stdbool.h>

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
  char script[PATH_MAX]; /* The script that names it, or "".  */
  char argument[256];    /* The argument that the script gives it, or "".  */
  char interpreter[PATH_MAX]; /* PT_INTERP, or "".  */
  enum program_kind kind;
  const char *foreign; /* Why the program is foreign, if it is.  */
  bool secure;         /* Executing the file gives rights (AT_SECURE).  */
};

/* Return the file that execvp would run for NAME; NULL with errno set.  The
   caller frees it.  */
extern char *program_find (const char *name);

/* Return why the ELF file FD is foreign: for 32 bits, or for another machine.
   NULL if it is not.  */
extern const char *program_foreign (int fd);

/* Fill in PROGRAM for the executable FILE.  False with errno set if that
   cannot be read or is not executable.  */
extern bool program_read (const char *file, struct program *program);

#endif
