/* The public header of attach, which puts the text of a process on huge pages
   from outside.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ATTACH_H
#define ATTACH_H

#include "util/problem.h"
#include "dl-hugetext-plan.h"
#include "object/settings.h"
#include "text/json.h"
#include "util/message.h"

#include <stdbool.h>
#include <sys/types.h>

/* The heat of a file's text, from samples of the processes of a request.  */
struct attach_heat
{
  dev_t device;
  ino_t inode;
  struct hugetext_heat heat;
};

/* The heat of all files that were sampled; a file without heat had no
   sample.  */
struct attach_heats
{
  const struct attach_heat *list;
  size_t count;
  uint64_t samples; /* The samples in the text of all files.  */
};

/* A request: the work to do on processes.  */
struct attach_request
{
  struct settings settings; /* Settings that override the process's own.  */
  bool undo;                /* Restore the text that attach has replaced.  */
  bool dry_run;             /* Only report how many blocks would change.  */
  /* If not NULL, put the hottest blocks by HEATS on huge pages, and move
     colder blocks back to small pages to stay within the limit (choose.h).  */
  const struct attach_heats *heats;
};

/* The result for one process of a request that is by heat.  */
struct attach_change
{
  size_t added, taken_back; /* The blocks put on huge pages, and the blocks
                               moved back to small pages.  */
  size_t wanted; /* The blocks that should have changed but did not.  */
  size_t stops;
  double longest; /* The longest stop, in milliseconds.  */
};

/* The answer to a request, as text or JSON.  */
struct attach_answer
{
  struct answer answer;
  struct json_object *processes; /* The array of processes in JSON.  */
  bool printed;                  /* A process has been printed before.  */
};

/* Carry out REQUEST on process PID, which the user calls NAME.  Add the result
   to ANSWER.  Return whether everything requested was done.  */
extern bool attach_process (const struct attach_request *request, pid_t pid,
                            const char *name, struct attach_answer *answer);

/* Carry out REQUEST, which has heats, on process PID, and set CHANGE.  False
   if REQUEST was not done or not completed.  */
extern bool attach_by_heat (const struct attach_request *request, pid_t pid,
                            struct attach_change *change,
                            struct problem *problem);

/* Return the heat by HEATS of the file with DEVICE and INODE; without granules
   if the file has no sample.  */
extern struct hugetext_heat attach_heat_of (const struct attach_heats *heats,
                                            dev_t device, ino_t inode);

/* Answer a question about the text that attach has replaced, in the
   inspector.  */
extern void attach_answer (struct message *asked, struct message *answer);

/* A static program that another process is about to execute.  No loader loads
   a static program.  */
struct attach_program
{
  pid_t pid;                 /* The process that executes the program.  */
  const char *file;          /* The program's file.  */
  const char *caller, *name; /* The beginning of messages, and the program's
                                name in messages.  */
};

/* Put the text of PROGRAM on huge pages between its execution and its first
   instruction.  SOCKET leads to the process of run/helper.h, which executes
   the program.  Return an exit status.  */
extern int attach_at_exec (const struct attach_program *program, int socket);

#endif
