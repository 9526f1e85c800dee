/* Readers: unprivileged child processes that read untrusted files on behalf of
   the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   (To read processes, the command uses the inspector, host/inspector.h.)  A
   reader looks for files, reads them once, and exits.  */

#ifndef READER_H
#define READER_H

#include "host/readerchild.h"
#include "util/problem.h"
#include "util/message.h"

#include <stdbool.h>
#include <sys/types.h>

/* The text of the problem, for problem_unknown, if an answer does not have the
   expected format.  */
#define READER_MAKES_NO_SENSE \
  "hugetext's helper process, which reads the file, sent an invalid answer"

/* Let a child answer the question ASKED by calling WORK.  If root has called
   the command, the child runs as the user nobody.  A seccomp filter allows
   the child only system calls that find and read files.  The child opens the
   regular file PATH while it still has the command's rights, because some
   files, such as core dumps, can be opened only by their owner.  The child
   drops the command's rights before it reads the file.  The child does not
   open files that take no space in their filesystem (st_blocks is 0), such as
   files in /proc and /sys, because reading such a file may have side effects.
   If the child answers, set ANSWER, which the caller frees and must not trust;
   otherwise return false.  */
extern bool reader_ask (const char *path, reader_work *work, const void *asked,
                        struct message *answer, struct problem *problem);

/* Let a child answer ASKED by calling WORK, like reader_ask, but drop the
   command's privileges before any file is opened.  The function WORK itself
   opens files: PATH or, if PATH is NULL, any files.  */
extern bool reader_ask_about (const char *path, reader_work *work,
                              const void *asked, struct message *answer,
                              struct problem *problem);

/* Let a child answer ASKED by calling WORK, like reader_ask.  The question is
   about the file FD, which the command has opened.  If root has called the
   command, FD must belong to root and be on a filesystem that root trusts
   (trusted.h), so that no user can block the child.  The child gets only the
   descriptor, not the path of the file.  */
extern bool reader_ask_opened (int fd, reader_work *work, const void *asked,
                               struct message *answer,
                               struct problem *problem);

/* Let a child answer ASKED by calling WORK, like reader_ask.  The function
   WORK parses ASKED, and accesses no file that could block the child.  */
extern bool reader_ask_parser (reader_work *work, const void *asked,
                               struct message *answer,
                               struct problem *problem);

/* In the reader: exit without an answer, because the answer would be
   incomplete.  */
extern void reader_give_up (void) __attribute__ ((noreturn));

/* Let a child answer the yes-or-no question ASKED by calling WORK.  The
   question is about the open file FD, or about PATH if FD is -1.  */
extern struct truth reader_says (int fd, const char *path, reader_work *work,
                                 const void *asked);

/* The file that a child looks up.  If a child that opens the file does not
   end, reader_end writes a note with KEY and KEEPER (host/stuck.h).  */
struct reader_subject
{
  pid_t key;    /* The number that stands for the file (stuck_key), or 0 if the
                   file is unknown.  */
  uid_t keeper; /* The user who can block the child.  */
};

/* Return the struct reader_subject for a child process that opens PATH or, if
   PATH is NULL, for a child that may open any file.  */
extern struct reader_subject reader_subject_of (const char *path);

/* Return true if no child should look up SUBJECT now.  No child should look up
   SUBJECT if the kernel already blocks a child for the same file, or if the
   same user already blocks too many children.  */
extern bool reader_is_kept (const struct reader_subject *subject);

/* Kill CHILD.  If CHILD does not end in time, leave a note about CHILD
   (stuck.h).  */
extern void reader_end (pid_t child, const struct reader_subject *subject);

#endif
