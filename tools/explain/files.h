/* Find out in an unprivileged process which files to explain, and what they
   are.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef EXPLAIN_FILES_H
#define EXPLAIN_FILES_H

#include "explain/explain.h"

#include <limits.h>

struct file_facts
{
  char name[PATH_MAX]; /* The name by which the file was found.  */
  char real[PATH_MAX]; /* The file's path with symbolic links resolved.  */
  bool late;           /* True if the program opens the file only while it
                          runs, with dlopen.  */
  bool needed;         /* True if the file is a library that a small program
                          needs (files_read).  */
  bool unreadable;     /* True if the file cannot be read, or is not an ELF
                          object.  */
  bool program, statically_linked;
  bool gains_alone;       /* True if the file is a static program whose text
                             "hugetext run" could put on huge pages.  */
  size_t text;            /* The number of bytes of text.  */
  char kind[64];          /* A description, or "" if PROBLEM is set.  */
  struct problem problem; /* The reason why the loader skips the whole
                             file.  */
};

/* Find the file that WORD, a word of the kind KIND, names.  Set LIST to an
   array of COUNT files: the named file, and the files that the program opens
   while it runs.  If DEPENDENCIES is true, add the libraries that the file
   needs.  If DEPENDENCIES is false, and the file is a program with too little
   text to gain from huge pages, add only those of its libraries that have
   enough text to gain.  The caller frees LIST.  If the file is a script, note
   this in TO.  If the file is a core, explain it in TO.  On failure set
   PROBLEM and return false.  */
extern bool files_read (const char *word, enum explained_word kind,
                        bool dependencies, struct file_facts **list,
                        size_t *count, struct explanation *to,
                        struct problem *problem);

#endif
