/* The inspector: an unprivileged process that reads other users' data on
   behalf of the command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A privileged process parses nothing, and a process that parses is
   unprivileged:

       the command   --- questions --->  the inspector: user nobody, no
                     <-- answers ------  capabilities, a filter of system calls
                                           |  files of /proc/PID, by number
                                           v
                                         the opener: the command's rights;
                                         opens, and reads nothing

   Questions and answers are messages (util/message.h): numbers and texts with
   limits.  The command checks each answer of the inspector, because a process
   whose data the inspector parses may have taken control of the inspector.

   A process that opens or reads the memory, the mappings or the files of
   another process may be blocked for ever.  For example, the server (FUSE) of
   a page or file may not answer, or a third process may hold a lock.  Often
   not even SIGKILL ends a process that is blocked in the kernel while it opens
   or reads a file.  Therefore the command waits for the inspector with a
   timeout, and if necessary leaves the inspector and the opener behind without
   waiting for their end.  Only a question of the kind INSPECTOR_BRIEF is
   answered from files of /proc that never block.  Therefore the command asks
   INSPECTOR_BRIEF questions about any process.  If the inspector does not
   answer an INSPECTOR_BRIEF question, the command does not assume that the
   process has blocked the inspector.  */

#ifndef INSPECTOR_H
#define INSPECTOR_H

#include "util/problem.h"
#include "util/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The kinds of questions that the command asks about a process.  For each kind
   of question, the comment names in parentheses the module that computes the
   answer in the inspector.  */
enum inspector_kind
{
  INSPECTOR_PROCESS, /* The process's owner, name and state (host/process).  */
  INSPECTOR_BRIEF,   /* The process's owner, name and control group
                        (host/brief).  */
  INSPECTOR_MAPS,    /* The process's mappings (text/collect).  */
  INSPECTOR_TEXT,    /* The process's objects, loader and settings
                        (text/collect).  */
  INSPECTOR_FILE,    /* A file that the process has mapped (sample/count).  */
  INSPECTOR_SYMBOLS, /* The names of the process's functions whose text is a
                        copy (perfmap).  */
  INSPECTOR_CHANGES, /* The changes that attach has made in the process
                        (attach/changes).  */
  INSPECTOR_KINDS
};

/* A function of the inspector that answers the question ASKED.  */
typedef void inspector_work (struct message *asked, struct message *answer);

/* From now on, answer questions by the functions in WORK.  WORK has a function
   for each kind of question; the kind is the index.  Questions of a kind
   without a function get no answer.  Call inspector_begin before the first
   question.  */
extern void inspector_begin (inspector_work *const work[INSPECTOR_KINDS]);

/* The message if the inspector could not read a process, and the process
   itself may be the cause.  */
#define INSPECTOR_SILENT                                                      \
  "reading the process takes too long: the kernel waits for memory or for a " \
  "file of the process (perhaps a filesystem does not answer)"

/* The text of the problem if the time set by inspector_until has passed.  */
#define INSPECTOR_LATE \
  "reading the process takes too long (is the machine overloaded?)"

/* Limit the time that this process and its children wait for answers: after
   END (a time of clock_milliseconds) they do not wait.  If END is 0, remove
   the time limit.  */
extern void inspector_until (int64_t end);

/* Ask the inspector about process PID and, unless OTHER is 0, about process
   OTHER.  Free ASKED.  If the inspector answers, set ANSWER, which the
   caller frees; otherwise return false.  */
extern bool inspector_ask (enum inspector_kind kind, pid_t pid, pid_t other,
                           struct message *asked, struct message *answer,
                           struct problem *problem);

enum
{
  INSPECTOR_MANY = 32,
};

/* Ask COUNT questions at once, at most INSPECTOR_MANY.  Question I of ASKED is
   about process I of PIDS.  Free ASKED.  Return the number of answers.  If
   there are fewer answers than questions, the answers belong to the first
   questions.  The caller must ask each unanswered question again, in a call
   with COUNT = 1.  The caller frees the answers.  */
extern size_t inspector_ask_many (enum inspector_kind kind, const pid_t *pids,
                                  struct message *asked,
                                  struct message *answers, size_t count);

/* Split the SIZE bytes at DATA, which answer COUNT questions, into ANSWERS.
   Return the number of answers, or 0 if the bytes are malformed.  */
extern size_t inspector_divide (const char *data, size_t size, size_t count,
                                struct message *answers);

/* End the inspector and the opener if this process has started them.  After
   inspector_end, the next call of inspector_ask or inspector_ask_many starts a
   new inspector and a new opener.  */
extern void inspector_end (void);

/* Return true if process PID is the inspector or the opener.  */
extern bool inspector_is (pid_t pid);

#endif
