/* The public header of the module "attach", which puts the text of running
   processes on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ATTACH_H
#define ATTACH_H

#include "host/selection.h"
#include "util/problem.h"
#include "dl-hugetext-plan.h"
#include "object/reason.h"
#include "object/settings.h"
#include "text/json.h"
#include "util/message.h"

#include <stdbool.h>
#include <sys/types.h>

/* The heat of one file's text, computed from samples of the processes in a
   request.  */
struct attach_heat
{
  dev_t device;
  ino_t inode;
  struct hugetext_heat heat;
};

/* The heat of all sampled files.  A file without an entry in the list had no
   sample.  */
struct attach_heats
{
  const struct attach_heat *list;
  size_t count;
  uint64_t samples; /* The number of samples in the text of all files.  */
};

/* A request: what the command should do with processes.  */
struct attach_request
{
  struct settings settings; /* Settings that override the settings of the
                               process.  */
  bool undo;                /* True to restore the text that attach has
                               replaced.  */
  bool dry_run;             /* Only report how many blocks would change.  */
  bool trace;               /* With DRY_RUN: fail if the process cannot be
                               traced, even if no block would change.  */
  /* If HEATS is not NULL, put the hottest blocks on huge pages, and move
     colder blocks back to small pages to stay within the cap (choose.h).
     HEATS contains the heat of the sampled files.  */
  const struct attach_heats *heats;
};

/* The result of attach_by_heat, which chooses blocks by heat, for one
   process.  */
struct attach_change
{
  size_t added, taken_back; /* The number of blocks that were put on huge
                               pages, and the number of blocks that were moved
                               back to small pages.  */
  size_t wanted;            /* The number of blocks that should have changed
                               but did not.  */
  size_t left;   /* The number of blocks that stay on small pages for the
                    reason that affects the most samples.  */
  uint64_t heat; /* The sum of the heat of these LEFT blocks, in units of
                    1/65535.  */
  char why[REASON_SIZE]; /* The reason why LEFT blocks stay on small pages, and
                            the number LEFT, as a message of "hugetext
                            attach".  */
  char remedy[REASON_SIZE];
  enum hugetext_reason failed; /* The reason why most of the WANTED blocks did
                                  not change, or HUGETEXT_NONE if the reason is
                                  unknown.  The reason is valid only if the
                                  member WANTED is not 0.  */
  size_t stops;
  double longest; /* The longest time for which the process was stopped, in
                     milliseconds.  */
};

/* The answer to a request, as text or JSON.  */
struct attach_answer
{
  struct answer answer;
  struct json_object *processes; /* The array of processes in JSON.  */
  bool printed;                  /* True if the result for a process has
                                    already been printed.  */
  bool effect; /* True if text of a process is huge after the request, or if
                  the request is --undo or --dry-run, which make no text
                  huge.  */
};

/* Return false and set PROBLEM if attach cannot use the backing that SETTINGS
   ask for: only the loader uses the hugetlb pool.  */
extern bool attach_check_backing (const struct settings *settings,
                                  struct problem *problem);

/* Carry out REQUEST on the processes of SELECTED, and add the results to
   ANSWER.  NAME is the word by which the user has selected the processes.
   Return true if everything requested was done.  */
extern bool attach_processes (const struct attach_request *request,
                              const struct selected *selected,
                              const char *name, struct attach_answer *answer);

/* Carry out REQUEST on process I of SELECTED, choosing blocks by the heats in
   REQUEST, and set CHANGE to the result.  Return false if REQUEST was
   impossible, or was not completed.  */
extern bool attach_by_heat (const struct attach_request *request,
                            const struct selected *selected, size_t i,
                            struct attach_change *change,
                            struct problem *problem);

/* Find out whether attach would accept the process with the ID PID, with
   SETTINGS overriding the settings of the process, and, if HELPS is true,
   whether it would put text of the process on huge pages.  Change nothing in
   the process, and do not stop it.  The answer is REASON_TAKES (attach fails
   if PROBLEM, unless it is "", is true), REASON_REFUSES (PROBLEM says why), or
   REASON_UNKNOWN if there was no answer in time.  */
extern enum reason_answer attach_check (const char *pid,
                                        const struct settings *settings,
                                        bool helps, struct problem *problem);

/* Return the heat that HEATS has for the file with DEVICE and INODE.  If the
   file had no sample, the result has no granules.  */
extern struct hugetext_heat attach_heat_of (const struct attach_heats *heats,
                                            dev_t device, ino_t inode);

/* In the inspector, answer a question about text that attach has replaced.  */
extern void attach_answer (struct message *asked, struct message *answer);

/* A static program that another process is about to execute.  (Static
   programs run without a loader.)  */
struct attach_program
{
  pid_t pid;                 /* The process that is about to execute the
                                program.  */
  const char *file;          /* The file of the program.  */
  const char *caller, *name; /* The words with which messages begin, and the
                                program's name in messages.  */
  const char *tunables;      /* The program's GLIBC_TUNABLES.  */
};

/* After the process has executed PROGRAM, but before the first instruction of
   PROGRAM, put the text of PROGRAM on huge pages.  SOCKET is connected to the
   process that is about to execute the program (run/helper.h).  Return an exit
   status.  */
extern int attach_at_exec (const struct attach_program *program, int socket);

#endif
