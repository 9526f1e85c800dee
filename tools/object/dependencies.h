/* The libraries that a program or library needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef DEPENDENCIES_H
#define DEPENDENCIES_H

#include "trust/trusted.h"
#include "util/filelist.h"

/* Have "ldconfig -p" executed now, for processes that may execute nothing.  */
extern void dependencies_prepare (void);

/* Add the files that the first of FILES needs, in the order in which the
   loader loads them.  Nothing is run: OPENER opens the files, and they are
   read.  A file that is not found is left out.  Return NULL, or why the first
   file cannot be read.  */
extern const char *file_list_dependencies (struct file_list *files,
                                           file_opener *opener);

/* Add the files that the first of FILES, if it is a known launcher, opens as
   soon as it runs: no list of dependencies has them.  */
extern void file_list_opened (struct file_list *files);

#endif
