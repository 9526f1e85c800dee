/* The libraries that a program or library needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef DEPENDENCIES_H
#define DEPENDENCIES_H

#include "trust/trusted.h"
#include "util/filelist.h"

/* Add what the first of FILES needs, in the order in which the loader loads
   it.  Nothing is run: files are opened by OPENER, and read.  What is not
   found is left out.  Returns NULL, or why FILE cannot be read.  */
extern const char *file_list_dependencies (struct file_list *files,
                                           file_opener *opener);

/* Add what the first of FILES, if it is a launcher that is known, opens as
   soon as it runs: no list of dependencies has it.  */
extern bool file_list_opened (struct file_list *files);

#endif
