/* Explanations: which blocks of a file, a process or a core are huge, and why
   not the others.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process leaves a record of what its loader decided, which a core has, too;
   a file is explained by the process of a rehearsal.  */

#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "host/process.h"
#include "object/settings.h"

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
  const char *verdict;  /* The verdict in a word, for programs.  */
  char reason[160];     /* The reason for people.  */
  char remedy[160];     /* The change that would help; "" if none would, or is
                           needed.  */
};

/* One object.  */
struct explained_object
{
  char *name;
  char kind[64];   /* A description of the object, "" if it is left alone.  */
  char place[160]; /* The object's place, "" if it is not known.  */
  char problem[352]; /* Why all of the object is left alone, or "".  */
  const char *left;  /* Why the object is at the address of the stock loader,
                        which differs from start to start; NULL if it is
                        not.  */
  bool late;         /* A program opens the object when it runs.  */
  bool unreadable;   /* The file cannot be read, or is no object.  */
  uintptr_t bias;    /* Load bias in a process or a core, 0 for a file.  */
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
  char problem[512];      /* The obstacle to huge text in the whole process, ""
                             if there is none.  */
  struct settings settings;
  struct explained_object *list;
  size_t count;
};

/* Explain the file NAME, and those that it opens when it runs, by a rehearsal
   under LOADER (NULL for the usual one) and SETTINGS; if DEPENDENCIES, also
   the libraries that it needs.  The caller frees all explanations.  */
extern void explain_file (const char *name, bool dependencies,
                          const char *loader, const struct settings *settings,
                          struct explanation *to);

/* Explain process PID.  Return NULL, or why that is not possible.  */
extern const char *explain_process (pid_t pid, struct explanation *to);

/* Explain the process whose core is the file PATH.  "" if that is no core.  */
extern const char *explain_core (const char *path, struct explanation *to);

extern void explain_free (struct explanation *explanation);

/* Print the objects of EXPLANATION, or add them to ARRAY.  */
extern void explain_print (const struct explanation *explanation);
extern void explain_json (const struct explanation *explanation,
                          struct json_object *array);

#endif
