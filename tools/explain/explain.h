/* Explanations: which blocks of a file, a process or a core are huge, and why
   not the others.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process leaves a record of what its loader decided, which a core has, too;
   a file is explained by the process of a rehearsal.  */

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
  intptr_t address;     /* Address in the process, or link-time address in the
                           file.  */
  size_t text;          /* Bytes; 0 in a core, which does not say.  */
  size_t small;         /* Bytes on small pages, in a process.  */
  unsigned int backing; /* The backing that it has, or would have; 0 for small
                           pages.  */
  bool made;            /* The loader made the block.  */
  enum hugetext_reason why;
  char reason[REASON_SIZE]; /* The reason for people.  */
  char remedy[REASON_SIZE]; /* The change that would help; "" if none would, or
                           is needed.  */
};

/* One object.  */
struct explained_object
{
  char *name;
  char kind[64];   /* A description of the object, "" if it is left alone.  */
  char place[160]; /* The object's place, "" if it is not known.  */
  struct problem problem;    /* Why all of the object is left alone.  */
  enum hugetext_reason left; /* Why the object is at the address of the stock
                                loader, which differs from start to start;
                                HUGETEXT_NONE if it is not.  */
  struct explained_block nameless; /* Why tools do not find it, if it has a
                                      reason.  */
  bool late;       /* A program opens the object when it runs.  */
  bool unreadable; /* The file cannot be read, or is no object.  */
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
  struct process process; /* For a process.  */
  struct problem problem; /* The obstacle to huge text in the whole
                             process.  */
  char code_left[112];    /* Why code made at run time is left alone, although
                             the settings ask for it; or "".  */
  bool thp_disabled;      /* process_thp_disabled.  */
  bool script; /* The file that was asked about is a script, and the first of
                  LIST runs it.  */
  bool closed; /* The program can be executed, but not read.  */
  struct settings settings;
  struct explained_object *list;
  size_t count;
};

/* What a word names.  */
enum explained_word
{
  EXPLAINED_ANY,     /* A file, a core, or a program on PATH.  */
  EXPLAINED_PROGRAM, /* A program, as the shell finds it.  */
};

/* Explain the file that WORD, of KIND, names, and those that it opens when it
   runs, by a rehearsal under LOADER (NULL for the usual one) and SETTINGS; if
   DEPENDENCIES, also the libraries that it needs.  For a script that is the
   program which runs it; of a core it is said what the loader had done.  The
   caller frees all explanations.  Return false, with PROBLEM set, if that is
   not possible.  */
extern bool explain_file (const char *word, enum explained_word kind,
                          bool dependencies, const char *loader,
                          const struct settings *settings,
                          struct explanation *to, struct problem *problem);

/* Explain process PID in the same way.  */
extern bool explain_process (pid_t pid, struct explanation *to,
                             struct problem *problem);

/* The same of a process that has been inspected, with these flags among
   others.  */
#define EXPLAIN_INSPECTS (INSPECT_RECORD | INSPECT_FILES)
extern void explain_inspected (const struct inspection *found,
                               struct explanation *to);

extern void explain_free (struct explanation *explanation);

/* Print the objects of EXPLANATION, or add them to ARRAY.  */
extern void explain_print (const struct explanation *explanation);
extern void explain_json (const struct explanation *explanation,
                          struct json_object *array);

#endif
