/* Explanations: which blocks of a file, a process or a core are huge, and why
   other blocks are not.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The explanation of a process or a core is based on the record, in which the
   loader has written its decisions.  To explain a file, the command makes a
   dry run, in which the loader also records its decisions.  */

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
  size_t text;          /* The number of bytes of text; 0 for a core, which
                           does not contain text.  */
  size_t small;         /* For a process, the number of bytes of text on small
                           pages.  */
  unsigned int backing; /* The backing of the block in a process, or the
                           expected backing; 0 for small pages.  */
  bool made;            /* True if the loader made the block huge.  */
  enum hugetext_reason why;
  char reason[REASON_SIZE]; /* The reason for the block's state, as a text.  */
  char remedy[REASON_SIZE]; /* The change that would make the block huge.  The
                               remedy is "" if the block is huge, or if no
                               change would make the block huge.  */
};

/* The explanation of one object.  */
struct explained_object
{
  char *name;
  char *path;   /* The path of the object's file.  */
  dev_t device; /* The file's device and inode, if a process has mapped it. */
  ino_t inode;
  char kind[64];   /* A description of the object, or "" if the loader skips
                      the object.  */
  char place[320]; /* A description of the object's address, or "" if the
                      address is unknown.  */
  struct problem problem;    /* The reason why the loader skips the whole
                                object.  */
  enum hugetext_reason left; /* The reason why ld-hugetext.so did not choose
                                the object's address, or HUGETEXT_NONE if it
                                chose the address.  (The stock loader chooses
                                another address at each start.)  */
  struct explained_block unseen[OBSERVERS]; /* For each kind of tools
                                               (debuggers, profilers...), the
                                               explanation why tools of the
                                               kind do not find the object.  If
                                               REASON in an element is "",
                                               ignore the element.  */
  bool needed;     /* True if the object is a library that the program needs,
                      and the program itself has too little text to gain from
                      huge pages (files_read).  */
  size_t text;     /* The number of bytes of text; valid for a file.  */
  bool late;       /* True if the program opens the object only while it runs,
                      with dlopen.  */
  bool unreadable; /* True if the file cannot be read, or is not an ELF
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
  bool off; /* True if huge text was off in the process from its start.  If
               huge text was off, PROBLEM says so, and the loader has not tried
               to make any block huge.  */
  /* The result of inspect_describe_code: the reason why code made at run time
     stays on small pages, or "".  */
  char code_left[INSPECT_CODE_WORDS];
  bool thp_disabled; /* The result of process_thp_disabled.  */
  bool script; /* True if the explained file is a script.  For a script, the
                  first object of LIST is the script's interpreter.  */
  bool closed; /* True if the program can be executed, but not read.  */
  bool gains_alone; /* True if the explained file is a static program that
                       "hugetext run" can start with huge text, provided that
                       hugetext-attach is installed.  */
  struct settings settings;
  /* The facts about the whole process, for its remedies.  The settings in the
     member ABOUT are set when a remedy is printed.  The explanation owns the
     string SERVICE and frees it.  */
  struct reason_about about;
  struct explained_object *list;
  size_t count;
};

/* The kind of a word on the command line.  */
enum explained_word
{
  EXPLAINED_ANY,     /* A file, a core, or a program on PATH.  */
  EXPLAINED_PROGRAM, /* A program, which is found on PATH like in a shell.  */
};

/* Explain the file that WORD, a word of the kind KIND, names.  If the file is
   a program, also explain the files that the program opens while it runs.  If
   DEPENDENCIES is true, also explain the libraries that the file needs.  Make
   a dry run under LOADER (NULL for the usual loader) with SETTINGS.  For a
   script, explain its interpreter.  For a core, explain what the loader had
   done.  The caller frees all explanations.  On failure set PROBLEM and return
   false.  */
extern bool explain_file (const char *word, enum explained_word kind,
                          bool dependencies, const char *loader,
                          const struct settings *settings,
                          struct explanation *to, struct problem *problem);

/* Explain process PID in TO, with the conventions of explain_file.  If ROOT is
   not NULL, the process is a dry run, and ROOT is the prefix with which the
   kernel shows the names of its files (rehearsal_root).  */
extern bool explain_process (pid_t pid, const char *root,
                             struct explanation *to, struct problem *problem);

/* Set TO to the explanation of the process FOUND, which was inspected with at
   least the flags EXPLAIN_INSPECTS.  */
#define EXPLAIN_INSPECTS (INSPECT_RECORD | INSPECT_FILES)
extern void explain_inspected (const struct inspection *found,
                               struct explanation *to);

/* Set TO likewise for a process that "hugetext run" has started.  The remedies
   tell the user how to start the program differently with "hugetext run".
   Before the caller prints a remedy, it must call explain_advise, which
   removes the alternatives that do not help.  */
extern void explain_inspected_own (const struct inspection *found,
                                   struct explanation *to);

extern void explain_free (struct explanation *explanation);

/* Total sizes of the text in the blocks of an object.  */
struct explained_sum
{
  size_t text, huge; /* The number of bytes of all text, and of text on huge
                        pages.  */
  size_t shown;      /* The number of bytes of text that the loader leaves on
                        small pages so that unwinders find it.  */
  size_t pages, copies; /* The number of huge blocks, and the number of huge
                           blocks that are copies.  */
  const struct explained_block *worst; /* The block with the most text on small
                                          pages, or NULL if no text is on small
                                          pages.  In a process, only text that
                                          the process has accessed counts.  */
};

/* Return the total sizes of the text in the blocks of OBJECT, which is part of
   EXPLANATION.  */
extern struct explained_sum
explain_sum (const struct explanation *explanation,
             const struct explained_object *object);

/* Return true if no text of EXPLANATION is on huge pages.  */
extern bool explain_is_small (const struct explanation *explanation);

/* The reason why text is on small pages, and the remedy.  The remedy is "" if
   nothing can be done.  */
struct explained_why
{
  char object[256]; /* The base name of the object to which the reason
                       applies.  The base name is "" if the reason applies to
                       the whole process.  */
  char reason[REASON_SIZE];
  char remedy[REASON_SIZE];
  char path[PATH_MAX]; /* The path of the object's file, or "".  */
  size_t text;         /* The number of bytes of text of the block with this
                          reason.  */
};

/* Set WHY to a single reason why text of EXPLANATION is on small pages, for
   verbs that do not explain each block.  If a reason applies to the whole
   process, use the reason for the whole process; if no reason applies to the
   whole process, use the reason for the block with the most text on small
   pages.  Return false if all text is on huge pages.  */
extern bool explain_why (const struct explanation *explanation,
                         struct explained_why *why);

/* Remove from WHY's remedy the alternatives that do not help.  WHY comes from
   the explanation of a program that "hugetext run" has started with SETTINGS
   (explain_inspected_own).  */
extern void explain_advise (struct explained_why *why,
                            const struct settings *settings);

/* Print to STREAM a line with WHY.  */
extern void explain_print_why (FILE *stream, const struct explained_why *why);

/* Print the objects of EXPLANATION.  */
extern void explain_print (const struct explanation *explanation);

/* Print to STREAM a line for each object of EXPLANATION that has text in
   blocks.  The line says what share of this text is on huge pages.  Return the
   number of lines.  */
extern size_t explain_print_sums (FILE *stream,
                                  const struct explanation *explanation);

/* Add the objects of EXPLANATION to ARRAY.  */
extern void explain_json (const struct explanation *explanation,
                          struct json_object *array);

#endif
