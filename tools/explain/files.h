/* Files to be explained: what they are, read by a process without rights.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef EXPLAIN_FILES_H
#define EXPLAIN_FILES_H

#include "explain/explain.h"

#include <limits.h>

struct file_facts
{
  char name[PATH_MAX]; /* The name by which it was found,  */
  char real[PATH_MAX]; /* and its path without links.  */
  bool late;           /* A program opens the file when it runs.  */
  bool unreadable;     /* The file cannot be read, or is no object.  */
  bool program, statically_linked;
  char kind[64];          /* A description, or ""  */
  struct problem problem; /* if all of the file is left alone, for this
                             reason.  */
};

/* Find the file that WORD, of KIND, names, and read it, what it opens when it
   runs, and if DEPENDENCIES what it needs, to LIST with COUNT files, which the
   caller frees; and whether it is a script, to TO.  Or explain it in TO if it
   is a core.  Return false, with PROBLEM set, if that is not possible.  */
extern bool files_read (const char *word, enum explained_word kind,
                        bool dependencies, struct file_facts **list,
                        size_t *count, struct explanation *to,
                        struct problem *problem);

#endif
