/* Find the libraries that a program or library needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef DEPENDENCIES_H
#define DEPENDENCIES_H

#include "util/problem.h"
#include "trust/trusted.h"
#include "util/filelist.h"

/* Run "ldconfig -p", and keep its output.  Call this function before making
   child processes that must not execute programs.  */
extern void dependencies_prepare (void);

/* Add to FILES each file that the first of FILES needs, directly or through
   other files, in the order in which the loader loads them.  The function runs
   no program: it calls OPENER to open each file, and reads the file itself.
   Skip files that cannot be found.  Return false if the first of FILES cannot
   be read.  */
extern bool file_list_dependencies (struct file_list *files,
                                    file_opener *opener,
                                    struct problem *problem);

/* If the first of FILES is a known launcher, add to FILES the libraries that
   the launcher opens with dlopen at its start.  */
extern void file_list_opened (struct file_list *files);

#endif
