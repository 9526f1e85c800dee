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
#include <sys/types.h>

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
  "unknown: the process that reads the file gave a wrong answer"

/* Let a child do WORK for ASKED; it runs as nobody if root has called the
   command.  A filter allows it only system calls that find and read files.
   Before that it opens the regular file PATH with the command's rights, and
   reads nothing: only the owner of a core can open it.
   It does not open a file that uses no blocks of its filesystem, as in /proc
   and /sys, because reading such a file may have side effects.  Return NULL
   with ANSWER set, which the caller frees and must not trust; or why there is
   no answer, in static memory.  */
extern const char *reader_ask (const char *path, reader_work *work,
                               const void *asked, struct message *answer);

/* Likewise, but no file is opened before: the child looks for PATH itself.
   PATH is NULL if that may be any file.  */
extern const char *reader_ask_about (const char *path, reader_work *work,
                                     const void *asked,
                                     struct message *answer);

/* Likewise with the file FD, which the command has opened, if it is root's on
   a filesystem that root trusts (trusted.h); the child does not know its path.
   No user can keep the child waiting.  */
extern const char *reader_ask_opened (int fd, reader_work *work,
                                      const void *asked,
                                      struct message *answer);

/* Likewise for WORK whose answer is yes or no, with FD, or about PATH if FD is
   -1; return OTHERWISE if there is none.  */
extern bool reader_says (int fd, const char *path, reader_work *work,
                         const void *asked, bool otherwise);

/* The file that a child looks for, as stuck readers are counted (stuck.h).  */
struct reader_subject
{
  pid_t key;    /* 0 for none.  */
  uid_t keeper; /* Who can keep the child waiting.  */
};

/* Return the subject of a child that looks for PATH, or for any file if that
   is NULL.  */
extern struct reader_subject reader_subject_of (const char *path);

/* Whether the kernel keeps such a child, or too many because of the same
   user.  */
extern bool reader_is_kept (const struct reader_subject *subject);

/* End CHILD, or leave it to the kernel to do so, with a note.  */
extern void reader_end (pid_t child, const struct reader_subject *subject);

#endif
