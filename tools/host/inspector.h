/* The inspector: a process without rights that reads other users' data for the
   command.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process with rights parses nothing; a process that parses has no rights:

       the command   --- questions --->  the inspector: user nobody, no
                     <-- answers ------  capabilities, a filter of system calls
                                           |  files of /proc/PID, by number
                                           v
                                         the opener: the command's rights;
                                         opens, and reads nothing

   Questions and answers are messages (util/message.h): numbers and texts with
   limits.  The command does not trust an answer.

   A process can block for ever any other process that opens or reads its
   memory, its mappings or its files: on a page or a file whose server (FUSE)
   does not answer, or on a lock held meanwhile.  Often not even SIGKILL ends
   such a wait.  So the command waits with a timeout, and abandons the
   inspector and the opener if necessary.  In /proc/PID the command itself
   reads only files for which the kernel never waits: status, comm and cgroup,
   but not stat and exe.  */

#ifndef INSPECTOR_H
#define INSPECTOR_H

#include "util/problem.h"
#include "util/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The kinds of questions of the command about a process.  */
enum inspector_kind
{
  INSPECTOR_PROCESS, /* The process's owner, name and state (host/process).  */
  INSPECTOR_MAPS,    /* The process's mappings (text/collect).  */
  INSPECTOR_TEXT,    /* The process's objects, loader and settings
                        (text/collect).  */
  INSPECTOR_FILE,    /* A file that the process has mapped (sample/count).  */
  INSPECTOR_SYMBOLS, /* Functions of the process whose text is copied
                        (perfmap).  */
  INSPECTOR_CHANGES, /* The changes that attach has made in the process
                        (attach/changes).  */
  INSPECTOR_KINDS
};

/* Answer the question ASKED, in the inspector.  */
typedef void inspector_work (struct message *asked, struct message *answer);

/* Let WORK answer questions of each kind from now on; call this before the
   first question.  A kind without a function gets no answer.  */
extern void inspector_begin (inspector_work *const work[INSPECTOR_KINDS]);

/* The problem of a process that cannot be inspected.  */
#define INSPECTOR_SILENT                                                    \
  "reading the process takes too long: the kernel waits for its memory or " \
  "one of its files (a"                                                     \
  " file system that does not answer?)"

/* The problem of a process for which the time of inspector_until is over.  */
#define INSPECTOR_LATE \
  "reading the process takes too long (is the machine overloaded?)"

/* Do not wait for an answer after END, a time of clock_milliseconds, in this
   process or its children; 0 means no limit.  */
extern void inspector_until (int64_t end);

/* Ask the inspector about process PID, and about OTHER if that is not 0.
   Free ASKED.  Return false if there is no answer; else the caller frees
   ANSWER.  */
extern bool inspector_ask (enum inspector_kind kind, pid_t pid, pid_t other,
                           struct message *asked, struct message *answer,
                           struct problem *problem);

enum
{
  INSPECTOR_MANY = 32,
};

/* Ask COUNT questions at once, at most INSPECTOR_MANY, each about the process
   of the same index in PIDS.  Free the questions ASKED.  Return the number of
   answers, which are to the first questions.  The caller frees these answers,
   and asks the other questions again one by one.  */
extern size_t inspector_ask_many (enum inspector_kind kind, const pid_t *pids,
                                  struct message *asked,
                                  struct message *answers, size_t count);

/* Divide the SIZE bytes at DATA, an answer to COUNT questions, into ANSWERS.
   Return the number of answers, or 0 if the bytes are invalid.  */
extern size_t inspector_divide (const char *data, size_t size, size_t count,
                                struct message *answers);

/* End the inspector and the opener, if this process has started them; the next
   question starts new ones.  */
extern void inspector_end (void);

/* Whether PID is the inspector or the opener.  */
extern bool inspector_is (pid_t pid);

#endif
