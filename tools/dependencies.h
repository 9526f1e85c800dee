/* The libraries that a program or library needs.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef DEPENDENCIES_H
#define DEPENDENCIES_H

#include <stdbool.h>
#include <stddef.h>

struct file_list
{
  char **names;
  size_t count;
  size_t late; /* How many of them, the last, are opened by the program.  */
};

/* Add a copy of NAME.  */
extern bool file_list_add (struct file_list *files, const char *name);

/* Add what the first of FILES needs, in the order in which it is loaded, by
   asking the system's loader, as ldd does.  Returns NULL, or what is
   wrong.  */
extern const char *file_list_dependencies (struct file_list *files);

/* Add what the first of FILES, if it is a launcher that is known, opens as
   soon as it runs: no list of dependencies has it.  */
extern bool file_list_opened (struct file_list *files);

extern void file_list_free (struct file_list *files);

#endif
