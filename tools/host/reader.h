/* Readers: a child without rights reads files that anybody may have made, for
   the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The inspector (host/inspector.h) reads processes; a reader looks for files,
   reads them once, and ends.  */

#ifndef READER_H
#define READER_H

#include "util/message.h"

#include <limits.h>
#include <stdbool.h>

/* The file that has been opened for a child.  */
struct reader_file
{
  int fd;              /* -1 if there is none.  */
  int error;           /* Why, errno.  */
  char real[PATH_MAX]; /* Its path without links, or "".  */
};

/* Answer ASKED, in the child.  */
typedef void reader_work (const struct reader_file *file, const void *asked,
                          struct message *answer);

/* Why an answer is not taken that is not as its work would write it.  */
#define READER_MAKES_NO_SENSE \
  "unknown: what reads it does not say what it should"

/* Have a child do WORK for ASKED: nobody, if root has called the command.  A
   filter leaves it only system calls by which files are looked for and read.
   Before that it opens the regular file PATH, unless that is NULL, with the
   command's rights, and reads nothing: cores belong to those who have dumped
   them, and nobody else can open them.  A file that takes no blocks of its
   file system, as in /proc and /sys, is not opened: to read from it may do
   something.  Return NULL with ANSWER set, which the caller frees and takes
   for a stranger's; or why there is none, in static memory.  */
extern const char *reader_ask (const char *path, reader_work *work,
                               const void *asked, struct message *answer);

/* The same with the file FD, which the command has opened; its path is not
   known to the child.  */
extern const char *reader_ask_opened (int fd, reader_work *work,
                                      const void *asked,
                                      struct message *answer);

/* The same for WORK whose answer is yes or no; OTHERWISE if there is none.  */
extern bool reader_says (int fd, reader_work *work, const void *asked,
                         bool otherwise);

#endif
