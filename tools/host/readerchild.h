/* The child process of a reader (host/reader.h): an unprivileged process that
   answers one question.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The modules reader.c and stuck.c start readers (child processes without
   rights that parse a file for the command).  The module reader.c lets readers
   read files of any user, and a filesystem may block a reader for ever.
   Therefore reader.c first looks for notes about earlier readers that are
   still blocked (host/stuck.h).  The module stuck.c, which keeps these notes,
   needs a child in order to read files of /proc.  stuck.c calls the functions
   of this file directly, because these functions neither read nor write
   notes.  */

#ifndef READERCHILD_H
#define READERCHILD_H

#include "util/message.h"
#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum
{
  /* The maximum size of an answer in bytes.  The answer of a reader that stays
     within its budget (util/budget.h) is smaller than READERCHILD_MOST.  */
  READERCHILD_MOST = 256 << 20,
};

/* The file that the command has opened before the child begins to answer.  */
struct reader_file
{
  int fd;              /* The descriptor of the file, or -1 if it could not be
                          opened.  */
  int error;           /* If FD is -1: the error number that says
                          why the file could not be opened.  */
  char real[PATH_MAX]; /* The path of the file with symbolic links resolved,
                          or "".  */
};

/* A function that answers the question ASKED about FILE in the child.  */
typedef void reader_work (const struct reader_file *file, const void *asked,
                          struct message *answer);

struct readerchild
{
  pid_t pid;
  int fd; /* The command's end of the pipe from the child.  */
};

/* Start CHILD, which answers the question ASKED by calling WORK.  CHILD opens
   the file PATH (unless PATH is NULL) with the command's rights, or gets the
   file FD (unless FD is negative), and drops all rights before it calls WORK.
   If the command cannot make a child process, set PROBLEM and return
   false.  */
extern bool readerchild_start (struct readerchild *child, const char *path,
                               int fd, reader_work *work, const void *asked,
                               struct problem *problem);

/* Set ANSWER to all bytes that CHILD writes until DEADLINE (of
   clock_milliseconds), and close CHILD's pipe.  The caller then ends CHILD,
   and frees ANSWER.  Return false if CHILD has not completed its answer before
   DEADLINE, or if the answer is longer than READERCHILD_MOST.  */
extern bool readerchild_hear (struct readerchild *child, int64_t deadline,
                              struct message *answer);

/* Return true if ANSWER is complete and comes from a child without rights.
   HEARD is the result of readerchild_hear.  If this function returns true,
   ANSWER contains what the function WORK (readerchild_start) has written in
   the child.  If the child could not drop its rights, set REFUSAL.  */
extern bool readerchild_check (bool heard, struct message *answer,
                               struct problem *refusal);

#endif
