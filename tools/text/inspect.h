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
#include "util/problem.h"

#include <limits.h>
#include <stdio.h>

/* The loader of a process's libraries.  */
enum inspected_loader
{
  INSPECTED_UNKNOWN, /* The loader cannot be read.  */
  INSPECTED_NONE,
  INSPECTED_OTHER, /* Another loader than ld-hugetext.so.  */
  INSPECTED_OURS
};

/* Flags of an inspection: the facts to collect in addition to a process's
   objects, loader and settings.  */
enum
{
  INSPECT_BRIEF = 0,
  INSPECT_COST = 1,   /* The cost of the process's text.  */
  INSPECT_RECORD = 2, /* The record of the process's loader.  */
  INSPECT_ADVICE = 4, /* The index's settings for the program, even if its
                         loader is not ld-hugetext.so.  */
  INSPECT_DIRECT = 8, /* Only the objects, and their files read around the page
                         cache, because the process is starting: its loader
                         could not make pages huge that this inspection had
                         cached as small pages.  */
  INSPECT_FILES = 16, /* The files of the process's objects.  */
  INSPECT_ELF = 32,   /* The facts that attach needs: the files of the
                         process's objects with their ELF descriptions, whether
                         the process is AT_SECURE, and whether its program is
                         foreign.  */
  INSPECT_PATHS = 64, /* With INSPECT_ELF: also what maps_reader_describe
                         sets.  */
  INSPECT_ALL = 127
};

/* The file of an object.  */
struct inspected_file
{
  char problem[160];      /* The reason why the loader skips the object, or
                             "".  */
  bool program, fixed;    /* The members of struct elf_object with these
                             names.  */
  bool loader;            /* The file is a loader.  */
  struct elf_object *elf; /* The ELF description of the file; only with
                             INSPECT_ELF and for an ELF file, otherwise
                             NULL.  */
  /* The policy's verdict on each block, if the loader's record does not have
     the object; NULL otherwise.  */
  enum hugetext_reason *verdicts;
};

struct inspection
{
  unsigned int flags;
  struct process process;
  char group[PATH_MAX]; /* The process's service, as group_of sets it.  */
  char exe[PATH_MAX];
  enum inspected_loader loader;
  struct object_list objects;
  /* The settings, if the loader is ld-hugetext or if the process has no
     loader: from the loader's record, or from GLIBC_TUNABLES and the present
     index.  */
  struct settings settings;
  char code_left[112]; /* Why code made at run time stays on small pages
                          although the settings ask for huge code; or "".  */
  bool outdated;       /* The settings for the process's program have changed
                          since the process was started.  */
  bool thp_disabled;   /* The result of process_thp_disabled.  */
  bool secure;         /* The process gained rights when it was executed
                          (AT_SECURE).  */
  bool wants_more;  /* According to its record, the loader left a block small
                       because of the cap.  */
  size_t reclaimed; /* Bytes of text on small pages in blocks that, according
                       to its record, the loader has put on huge pages, and
                       that the kernel has reclaimed since.  */
  struct cost cost; /* The cost, read only with INSPECT_COST.  */
  /* The loader's record, if the loader is ld-hugetext.so, and the reason why
     it cannot be read; only with INSPECT_RECORD.  The file of each object;
     only with INSPECT_FILES.  */
  bool recorded;
  struct record record;
  struct problem record_problem;
  struct inspected_file *files;
  char foreign[160]; /* The reason why the program is foreign, or ""; only with
                        INSPECT_ELF.  */
  bool loading;      /* No text of the program has been used yet: the loader
                        still runs.  Only with INSPECT_DIRECT.  */
  bool elsewhere;    /* The process's root directory is not this process's: its
                        paths name other files.  */
  struct problem problem; /* The reason why the process cannot be
                             inspected.  */
  int error;              /* The inspector's errno, for PROBLEM, or 0.  */
  bool unread;   /* The process has memory that the command may not, or could
                    not, read.  */
  bool left_out; /* The inspection would exceed its budget (budget.h).  */
};

/* Return the process ID in WORD, or -1 if WORD is not a number; INT_MAX,
   which no process has, if the number cannot be an ID.  */
extern pid_t inspect_pid (const char *word);

/* Inspect process PID, by FLAGS.  Return false if that is impossible; FOUND
   then has the problem, and the caller need not free FOUND.  */
extern bool inspect (pid_t pid, unsigned int flags, struct inspection *found);

/* Set MAPS to the mappings of process PID, without details, and EXE to the
   path of the program that PID ran then, without the kernel's suffix for a
   deleted file.  If the process cannot be inspected, or executed another
   program meanwhile, there are no mappings and no program.  The caller frees
   MAPS.  */
extern void inspect_maps (pid_t pid, char exe[static PATH_MAX],
                          struct procmaps *maps);

/* Set MAPS to the mappings of PROCESS, with details.  False with PROBLEM set.
   The caller frees MAPS.  */
extern bool inspect_details (const struct process *process,
                             struct procmaps *maps, struct problem *problem);

enum
{
  INSPECT_MANY = INSPECTOR_MANY,
};

/* Inspect the first of the COUNT processes PIDS, at most INSPECT_MANY, with
   their costs; this is faster than separate inspections.  Return the number of
   inspected processes.  */
extern size_t inspect_many (const pid_t *pids, size_t count,
                            struct inspection *found);

extern void inspect_free (struct inspection *found);

/* If the inspection of FOUND would exceed its budget, print one line on
   standard error.  */
extern void inspect_say_left_out (const struct inspection *found);

/* Return the word for FOUND's loader in JSON: "ld-hugetext", "other", "none",
   or NULL if it is unknown.  */
extern const char *inspect_loader (const struct inspection *found);

/* Return a sentence, without its subject, about the text of every process with
   thp_disabled.  */
extern const char *inspect_thp_disabled (void);

/* Print a heading that names FOUND's process.  */
extern void inspect_heading (FILE *stream, const struct inspection *found);

#endif
