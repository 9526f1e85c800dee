/* The libraries that a program or library needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef DEPENDENCIES_H
#define DEPENDENCIES_H

#include "util/problem.h"
#include "trust/trusted.h"
#include "util/filelist.h"

/* Run "ldconfig -p" now, and keep its output for child processes that must not
   execute programs.  */
extern void dependencies_prepare (void);

/* Add the files that the first of FILES needs, in the order in which the
   loader loads them.  No program is run: OPENER opens the files, and the
   function reads them.  The function omits files that it cannot find.  Return
   false if the first file cannot be read.  */
extern bool file_list_dependencies (struct file_list *files,
                                    file_opener *opener,
                                    struct problem *problem);

/* If the first of FILES is a known launcher, add the libraries that it opens
   with dlopen at its start, which no DT_NEEDED entry names.  */
extern void file_list_opened (struct file_list *files);

#endif
