/* Readers: a child without rights reads untrusted files for the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The inspector (host/inspector.h) reads processes; a reader looks for files,
   reads them once, and exits.  */

#ifndef READER_H
#define READER_H

#include "util/problem.h"
#include "util/message.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* The file that the command has opened for a child.  */
struct reader_file
{
  int fd;              /* The file's descriptor; -1 if the file could not be
                          opened.  */
  int error;           /* The error (errno) of opening the file.  */
  char real[PATH_MAX]; /* The file's path with symbolic links resolved, or
                          "".  */
};

/* A function that answers the question ASKED about FILE, in the child.  */
typedef void reader_work (const struct reader_file *file, const void *asked,
                          struct message *answer);

/* The problem of an answer that is not in the expected format.  */
#define READER_MAKES_NO_SENSE \
  "unknown: the process that reads the file gave a wrong answer"

/* Let a child answer the question ASKED with WORK; the child runs as nobody
   if root has called the command.  A seccomp filter allows the child only
   system calls that find and read files.  The child opens the regular file
   PATH while it still has the command's rights, because some files, such as
   core dumps, can only be opened by their owner; it reads the file when it
   has dropped these rights.  The child does not open a file that uses no
   blocks of its filesystem, as in /proc and /sys, because reading such a file
   may have side effects.  Return false if there is no answer; else the caller
   frees ANSWER, and must not trust it.  */
extern bool reader_ask (const char *path, reader_work *work, const void *asked,
                        struct message *answer, struct problem *problem);

/* Let a child answer ASKED with WORK as reader_ask does, but open no file with
   the command's rights: the child itself looks for PATH.  PATH is NULL if the
   child may look for any file.  */
extern bool reader_ask_about (const char *path, reader_work *work,
                              const void *asked, struct message *answer,
                              struct problem *problem);

/* Let a child answer ASKED with WORK as reader_ask does, with the file FD,
   which the command has opened.  If root has called the command, FD must
   belong to root, on a filesystem that root trusts (trusted.h).  The child
   does not know the file's path.  No user can keep the child waiting.  */
extern bool reader_ask_opened (int fd, reader_work *work, const void *asked,
                               struct message *answer,
                               struct problem *problem);

/* In the child: end without an answer, because the answer would be
   incomplete.  */
extern void reader_give_up (void) __attribute__ ((noreturn));

/* Let a child answer the yes-or-no question ASKED with WORK: about the open
   file FD, or about PATH if FD is -1.  Return the answer, or OTHERWISE if
   there is none.  */
extern bool reader_says (int fd, const char *path, reader_work *work,
                         const void *asked, bool otherwise);

/* The file that a child looks for, by which stuck readers are counted
   (stuck.h).  */
struct reader_subject
{
  pid_t key;    /* The file's number (stuck_key), or 0 if there is none.  */
  uid_t keeper; /* The user who can keep the child waiting.  */
};

/* Return the subject of a child that looks for PATH, or for any file if that
   is NULL.  */
extern struct reader_subject reader_subject_of (const char *path);

/* Whether the kernel already keeps a child with this SUBJECT waiting, or too
   many children because of the same user.  */
extern bool reader_is_kept (const struct reader_subject *subject);

/* Kill CHILD.  If it does not end in time, leave a note (stuck.h).  */
extern void reader_end (pid_t child, const struct reader_subject *subject);

#endif
