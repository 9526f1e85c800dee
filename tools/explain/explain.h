/* Explanations: which blocks of a file, a process or a core are huge, and why
   the others are not.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process has a record of its loader's decisions, and so has a core.  A file
   is explained by the process of a rehearsal.  */

#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "host/process.h"
#include "object/reason.h"
#include "object/settings.h"
#include "text/inspect.h"
#include "util/problem.h"

#include <json-c/json.h>

/* One block.  */
struct explained_block
{
  intptr_t address;     /* The address in the process, or the link-time address
                           in the file.  */
  size_t text;          /* The bytes of text; 0 in a core, which does not have
                           them.  */
  size_t small;         /* The bytes on small pages, in a process.  */
  unsigned int backing; /* The actual or the expected backing; 0 for small
                           pages.  */
  bool made;            /* The loader made the block.  */
  enum hugetext_reason why;
  char reason[REASON_SIZE]; /* The reason in words.  */
  char remedy[REASON_SIZE]; /* The change that would help; "" if none would, or
                               if none is needed.  */
};

/* One object.  */
struct explained_object
{
  char *name;
  char kind[64];   /* A description of the object, "" if the loader skips
                      it.  */
  char place[160]; /* The object's place, "" if unknown.  */
  struct problem problem;    /* Why the loader skips the whole object.  */
  enum hugetext_reason left; /* Why the object is where the stock loader would
                                put it, which differs from start to start;
                                HUGETEXT_NONE if it is not there.  */
  struct explained_block nameless; /* Why tools do not find the object, if it
                                      has a reason.  */
  bool late;       /* The program opens the object while it runs.  */
  bool unreadable; /* The file cannot be read, or is not an object.  */
  uintptr_t bias;  /* Load bias in a process or a core, 0 for a file.  */
  struct explained_block *blocks;
  size_t nblocks;
};

enum explained_source
{
  EXPLAINED_FILE,
  EXPLAINED_PROCESS,
  EXPLAINED_CORE
};

struct explanation
{
  enum explained_source source;
  struct process process; /* The process, if a process is explained.  */
  struct problem problem; /* What prevents huge text in the whole process.  */
  char code_left[112];    /* Why code made at run time stays on small pages
                             although the settings ask for huge code; or
                             "".  */
  bool thp_disabled;      /* The result of process_thp_disabled.  */
  bool script; /* The file asked about is a script, and the first of LIST runs
                  it.  */
  bool closed; /* The program can be executed, but not read.  */
  struct settings settings;
  struct explained_object *list;
  size_t count;
};

/* The kind of a word on the command line.  */
enum explained_word
{
  EXPLAINED_ANY,     /* A file, a core, or a program on PATH.  */
  EXPLAINED_PROGRAM, /* A program, found as the shell finds it.  */
};

/* Explain the file that WORD, of KIND, names, and the files that it opens
   while it runs, by a rehearsal under LOADER (NULL for the usual one) and
   SETTINGS.  If DEPENDENCIES, also explain the libraries that it needs.  For a
   script, explain the program that runs it.  For a core, say what the loader
   had done.  The caller frees all explanations.  Return false, with PROBLEM
   set, if that is impossible.  */
extern bool explain_file (const char *word, enum explained_word kind,
                          bool dependencies, const char *loader,
                          const struct settings *settings,
                          struct explanation *to, struct problem *problem);

/* Explain process PID in the same way.  */
extern bool explain_process (pid_t pid, struct explanation *to,
                             struct problem *problem);

/* Likewise, for a process that was inspected with at least these flags.  */
#define EXPLAIN_INSPECTS (INSPECT_RECORD | INSPECT_FILES)
extern void explain_inspected (const struct inspection *found,
                               struct explanation *to);

extern void explain_free (struct explanation *explanation);

/* Print the objects of EXPLANATION, or add them to ARRAY.  */
extern void explain_print (const struct explanation *explanation);
extern void explain_json (const struct explanation *explanation,
                          struct json_object *array);

#endif
