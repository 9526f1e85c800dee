/* The page of "hugetext report": HTML about the text of processes.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Print a page about the COUNT processes in LIST to STREAM.  NAME is the word
   by which the user has selected the processes.  If a process could not be
   read, report this and return false, unless the process has ended and another
   process of LIST runs.  */
extern bool page_print (FILE *stream, const char *name, const pid_t *list,
                        size_t count);

#endif
