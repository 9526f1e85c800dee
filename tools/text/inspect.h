/* Inspection of one process: who it is, its objects, its loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INSPECT_H
#define INSPECT_H

#include "object/elfobject.h"
#include "object/settings.h"
#include "host/inspector.h"
#include "host/process.h"
#include "host/procmaps.h"
#include "text/cost.h"
#include "text/objtext.h"
#include "text/record.h"

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

/* What is inspected beside a process's objects, loader and settings; bits.  */
enum
{
  INSPECT_BRIEF = 0,
  INSPECT_COST = 1,   /* The cost of its text.  */
  INSPECT_RECORD = 2, /* Its loader's record.  */
  INSPECT_ADVICE = 4, /* The settings have the index's advice even if the
                         loader is another.  */
  INSPECT_DIRECT = 8, /* Only the objects, whose files are read around the page
                         cache, because the process is starting: its loader
                         cannot have pages huge that are cached in small
                         pages.  */
  INSPECT_FILES = 16, /* The files of its objects.  */
  INSPECT_ELF = 32,   /* What attach goes by: the files of its objects, with
                         their descriptions, whether it is secure, and
                         whether its program is foreign.  */
  INSPECT_ALL = 63
};

/* The file of an object.  */
struct inspected_file
{
  char problem[160];      /* Why all of the object is left alone, or "".  */
  bool program, fixed;    /* As in struct elf_object.  */
  bool loader;            /* The file is a loader.  */
  struct elf_object *elf; /* Only if INSPECT_ELF, and if it is ELF; NULL
                             otherwise.  */
  /* What the policy says of each block of a small program, which has no
     record; NULL otherwise.  */
  enum hugetext_reason *verdicts;
};

struct inspection
{
  unsigned int flags;
  struct process process;
  char group[PATH_MAX]; /* The process's service by group.h.  */
  char exe[PATH_MAX];
  enum inspected_loader loader;
  struct object_list objects;
  /* The settings, if the loader is ld-hugetext or there is none: by the
     loader's record, or GLIBC_TUNABLES and the present index.  */
  struct settings settings;
  char code_left[112]; /* Why code made at run time is left alone, although
                          the settings ask for it; or "".  */
  bool outdated;       /* The settings for its program have changed since it
                          was started.  */
  bool thp_disabled;   /* process_thp_disabled.  */
  bool secure; /* The process got rights when it was executed (AT_SECURE).  */
  bool wants_more;  /* The loader has left a block small because of the cap, by
                       its record.  */
  struct cost cost; /* Read only if INSPECT_COST.  */
  /* The record of its loader, if that is ours, and why it cannot be read: only
     if INSPECT_RECORD.  The file of each object: only if INSPECT_FILES.  */
  bool recorded;
  struct record record;
  char record_problem[160];
  struct inspected_file *files;
  char foreign[160]; /* Why its program is foreign, or "": only if
                        INSPECT_ELF.  */
  bool loading;      /* No text of its program has been used yet: its loader is
                        still at work.  Only if INSPECT_DIRECT.  */
  bool elsewhere;    /* The process has another root directory than this one:
                        there, paths name other files.  */
  char problem[256]; /* Why it cannot be inspected, or "".  */
  int error;         /* The inspector's errno, for PROBLEM, or 0.  */
  bool unread;   /* The process has memory that the command may not, or could
                    not, read.  */
  bool left_out; /* The inspection would take too much (budget.h).  */
};

/* Return the process ID in WORD, -1 if WORD is no number; INT_MAX, which no
   process has, for a number that is no ID.  */
extern pid_t inspect_pid (const char *word);

/* Inspect process PID, by FLAGS.  Return NULL, or why that is not possible:
   then there is nothing to free.  */
extern const char *inspect (pid_t pid, unsigned int flags,
                            struct inspection *found);

/* Set MAPS to the mappings of process PID, without details; none if it cannot
   be inspected.  The caller frees them.  */
extern void inspect_maps (pid_t pid, struct procmaps *maps);

/* The same with details.  Return NULL, or why they cannot be read.  */
extern const char *inspect_details (const struct process *process,
                                    struct procmaps *maps);

enum
{
  INSPECT_MANY = INSPECTOR_MANY,
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

/* Return what is true of the text of each process with thp_disabled, a
   sentence without its subject.  */
extern const char *inspect_thp_disabled (void);

/* Print a heading that names FOUND's process.  */
extern void inspect_heading (FILE *stream, const struct inspection *found);

#endif
