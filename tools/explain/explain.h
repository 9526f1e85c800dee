/* Explanations: which blocks of a file, a process or a core are huge, and why
   other blocks are not.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process or a core contains the record of its loader's decisions.  For a
   file, a dry run makes a process with a record of its loader's decisions.  */

#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "host/process.h"
#include "object/reason.h"
#include "object/settings.h"
#include "text/inspect.h"
#include "util/problem.h"

#include <json-c/json.h>
#include <stdio.h>

/* The explanation of one block.  */
struct explained_block
{
  intptr_t address;     /* The address in the process, or the link-time address
                           in the file.  */
  size_t text;          /* The bytes of text; 0 for a core, which does not
                           contain text.  */
  size_t small;         /* The bytes of text on small pages, for a process.  */
  unsigned int backing; /* The backing of the block in a process, or the
                           backing that it is expected to get; 0 for small
                           pages.  */
  bool made;            /* Whether the loader made the block huge.  */
  enum hugetext_reason why;
  char reason[REASON_SIZE]; /* The reason for the block's state, as a text.  */
  char remedy[REASON_SIZE]; /* The change that would make the block huge, or ""
                               if no change would, or if none is needed.  */
};

/* The explanation of one object.  */
struct explained_object
{
  char *name;
  char kind[64];   /* A description of the object, or "" if the loader skips
                      the object.  */
  char place[160]; /* A description of the object's address, or "" if the
                      address is unknown.  */
  struct problem problem;    /* The reason why the loader skips the whole
                                object.  */
  enum hugetext_reason left; /* The reason why our loader did not choose the
                                object's address, or HUGETEXT_NONE if it did.
                                (An address that the stock loader would choose
                                differs from start to start.)  */
  struct explained_block unseen[OBSERVERS]; /* For each kind of tools, the
                                               explanation why they do not find
                                               the object.  Only elements in
                                               which REASON is not "" are
                                               valid.  */
  bool late;       /* Whether the program opens the object only while it runs,
                      with dlopen.  */
  bool unreadable; /* Whether the file cannot be read, or is not an ELF
                      object.  */
  uintptr_t bias;  /* The load bias of the object in a process or core, or 0
                      for a file.  */
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
  struct problem problem; /* The reason why no text of the process is huge.  */
  char code_left[112];    /* The reason why code made at run time stays on
                             small pages although the settings ask for huge
                             code, or "".  */
  bool thp_disabled;      /* The result of process_thp_disabled.  */
  bool script; /* Whether the explained file is a script.  For a script, the
                  first object of LIST is the script's interpreter.  */
  bool closed; /* Whether the program can be executed, but not read.  */
  struct settings settings;
  enum where where; /* Where the process runs, or would run.  */
  struct explained_object *list;
  size_t count;
};

/* The kind of a word on the command line.  */
enum explained_word
{
  EXPLAINED_ANY,     /* A file, a core, or a program on PATH.  */
  EXPLAINED_PROGRAM, /* A program, found as the shell finds it.  */
};

/* Explain the file that WORD names and, if it is a program, the files that the
   program opens while it runs.  WORD is of the kind KIND.  Make a dry run
   under LOADER (NULL for the usual loader) with SETTINGS. If DEPENDENCIES,
   also explain the libraries that the file needs.  For a script, explain its
   interpreter.  For a core, explain what the loader had done.  The caller
   frees all explanations.  If there can be no explanation, set PROBLEM and
   return false.  */
extern bool explain_file (const char *word, enum explained_word kind,
                          bool dependencies, const char *loader,
                          const struct settings *settings,
                          struct explanation *to, struct problem *problem);

/* Explain process PID in TO, with the conventions of explain_file.  OWN is
   true if this command has started the process, for its user or for a dry
   run; remedies then tell this user how to start the program.  */
extern bool explain_process (pid_t pid, bool own, struct explanation *to,
                             struct problem *problem);

/* If FOUND's process can have no huge text for a reason other than its
   settings, return this reason, otherwise HUGETEXT_NONE.  ON is true if the
   settings of the process switch huge text on.  */
extern enum hugetext_reason explain_why_not (const struct inspection *found,
                                             bool on);

/* Set TO to the explanation of the process FOUND, which was inspected with at
   least the flags EXPLAIN_INSPECTS.  */
#define EXPLAIN_INSPECTS (INSPECT_RECORD | INSPECT_FILES)
extern void explain_inspected (const struct inspection *found,
                               struct explanation *to);

extern void explain_free (struct explanation *explanation);

/* Sums of bytes of text in the blocks of an object.  */
struct explained_sum
{
  size_t text, huge;    /* The bytes of all text, and of text on huge pages. */
  size_t pages, copies; /* The number of huge blocks, and the number of huge
                           blocks that are copies.  */
  const struct explained_block *worst; /* The block with most text on small
                                          pages, or NULL if there is none.  In
                                          a process, only text that the process
                                          has accessed counts.  */
};

/* Return the sums of bytes of text in the blocks of OBJECT, which is in
   EXPLANATION.  */
extern struct explained_sum
explain_sum (const struct explanation *explanation,
             const struct explained_object *object);

/* Whether no text of EXPLANATION is on huge pages.  */
extern bool explain_is_small (const struct explanation *explanation);

/* The reason why text is on small pages, and the remedy, "" if there is
   none.  */
struct explained_why
{
  char object[256]; /* The base name of the object with the reason, or "" if
                       the reason is that of the whole process.  */
  char reason[REASON_SIZE];
  char remedy[REASON_SIZE];
};

/* Set WHY to the one reason that verbs give which do not explain each block:
   the reason for the whole process or, if there is none, that of the block
   with most text on small pages.  Return false if all text is on huge pages.
 */
extern bool explain_why (const struct explanation *explanation,
                         struct explained_why *why);

/* Print to STREAM a line with WHY.  */
extern void explain_print_why (FILE *stream, const struct explained_why *why);

/* Print the objects of EXPLANATION.  */
extern void explain_print (const struct explanation *explanation);

/* Print to STREAM a line for each object of EXPLANATION with text in blocks:
   how much of it is on huge pages.  Return the number of lines.  */
extern size_t explain_print_sums (FILE *stream,
                                  const struct explanation *explanation);

/* Add the objects of EXPLANATION to ARRAY.  */
extern void explain_json (const struct explanation *explanation,
                          struct json_object *array);

#endif
