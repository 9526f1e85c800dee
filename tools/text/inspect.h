/* Inspection of one process: who it is, its objects, its loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INSPECT_H
#define INSPECT_H

#include "object/settings.h"
#include "host/process.h"
#include "text/cost.h"
#include "text/objtext.h"

#include <limits.h>
#include <stdio.h>

/* The loader of a process's libraries.  */
enum inspected_loader
{
  INSPECTED_UNKNOWN, /* It cannot be read.  */
  INSPECTED_NONE,
  INSPECTED_OTHER, /* Another loader than ld-hugetext.so.  */
  INSPECTED_OURS
};

struct inspection
{
  struct process process;
  char group[PATH_MAX]; /* The process's service by group.h.  */
  char exe[PATH_MAX];
  enum inspected_loader loader;
  struct object_list objects;
  /* The settings, if the loader is ld-hugetext or there is none: by the
     loader's record, or GLIBC_TUNABLES and the present index.  */
  struct settings settings;
  bool with_cost;
  struct cost cost;  /* Read only if WITH_COST.  */
  bool elsewhere;    /* The process has another root directory than this one:
                        there, paths name other files.  */
  char problem[256]; /* Why it cannot be inspected, or "".  */
  bool unread;   /* The process has memory that the command may not, or could
                    not, read.  */
  bool left_out; /* The inspection would take too much (budget.h).  */
};

/* Return the process ID in WORD, -1 if WORD is no number; INT_MAX, which no
   process has, for a number that is no ID.  */
extern pid_t inspect_pid (const char *word);

/* Inspect process PID, with its cost if COST.  Return NULL, or why that is not
   possible: then there is nothing to free.  */
extern const char *inspect (pid_t pid, bool cost, struct inspection *found);

enum
{
  INSPECT_MANY = 32,
};

/* Inspect the first of COUNT processes PIDS, INSPECT_MANY at most, with their
   costs, which takes less time than one by one.  Return their number.  */
extern size_t inspect_many (const pid_t *pids, size_t count,
                            struct inspection *found);

extern void inspect_free (struct inspection *found);

/* If PROBLEM is that the inspection of FOUND would take too much, print one
   line on standard error.  */
extern void inspect_say_left_out (const struct inspection *found,
                                  const char *problem);

/* Return the word for FOUND's loader in JSON: "ld-hugetext", "other", "none",
   or NULL if it is not known.  */
extern const char *inspect_loader (const struct inspection *found);

/* Whether FOUND's process has the code object.  */
extern bool inspect_follows_code (const struct inspection *found);

/* Print a heading that names FOUND's process.  */
extern void inspect_heading (FILE *stream, const struct inspection *found);

#endif
