/* Readers: a child without rights reads untrusted files for the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The inspector (host/inspector.h) reads processes; a reader looks for files,
   reads them once, and exits.  */

#ifndef READER_H
#define READER_H

#include "util/message.h"

#include <limits.h>
#include <stdbool.h>

/* The file that the command has opened for a child.  */
struct reader_file
{
  int fd;              /* The descriptor, -1 if the file could not be
                          opened.  */
  int error;           /* The error (errno) of opening it.  */
  char real[PATH_MAX]; /* The path without links, or "".  */
};

/* In the child, answer ASKED.  */
typedef void reader_work (const struct reader_file *file, const void *asked,
                          struct message *answer);

/* The problem when an answer is not in the form that its work writes.  */
#define READER_MAKES_NO_SENSE \
  "unknown: what reads it does not say what it should"

/* Let a child do WORK for ASKED; it runs as nobody if root has called the
   command.  A filter allows it only system calls that find and read files.
   Before that it opens the regular file PATH, unless that is NULL, with the
   command's rights, and reads nothing: only the owner of a core can open it.
   It does not open a file that uses no blocks of its filesystem, as in /proc
   and /sys, because reading such a file may have side effects.  Return NULL
   with ANSWER set, which the caller frees and must not trust; or why there is
   no answer, in static memory.  */
extern const char *reader_ask (const char *path, reader_work *work,
                               const void *asked, struct message *answer);

/* Likewise with the file FD, which the command has opened; the child does not
   know its path.  */
extern const char *reader_ask_opened (int fd, reader_work *work,
                                      const void *asked,
                                      struct message *answer);

/* Likewise for WORK whose answer is yes or no; return OTHERWISE if there is
   none.  */
extern bool reader_says (int fd, reader_work *work, const void *asked,
                         bool otherwise);

#endif
