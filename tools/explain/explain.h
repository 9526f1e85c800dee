/* The result of "hugetext explain", and how it is printed.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "object/plan.h"
#include "text/cost.h"
#include "text/objtext.h"

#include <json-c/json.h>
#include <stdio.h>

/* One block.  */
struct explained_block
{
  intptr_t address;   /* In the process, or in the file as linked.  */
  size_t text;        /* Bytes.  */
  size_t huge, small; /* Bytes, in a process.  */
  unsigned int
      backing; /* The backing that it has, or would have; 0 for small pages. */
  bool planned;        /* The loader tried to have a huge page for it,  */
  bool made;           /* and got it.  */
  bool ranked;         /* It could have one, but for the cap.  */
  unsigned int rank;   /* 1 is the best of all blocks that are ranked.  */
  uint32_t heat;       /* HUGETEXT_HEAT_UNKNOWN if it is not known.  */
  const char *verdict; /* Short, for programs.  */
  char reason[160];    /* Why.  */
  char remedy[160];    /* The change that would help; "" if none would, or is
                          needed.  */
};

/* One object.  */
struct explained
{
  const char *name;
  char kind[192];    /* A description of it, and of a file its place.  */
  char problem[352]; /* Why all of it is left alone, or "".  */
  char file[256];    /* Whether the file's own huge pages can be had; "" if
                        that is not known.  */
  char *file_remedy; /* Commands for a shell after which more of them could;
                        NULL if there are none.  */
  char place[120];   /* Where it is put.  */
  const char *left;  /* Why it is left where it is mapped without us, which
                        differs from start to start; NULL if it is not.  */
  bool late;         /* A program opens it when it runs.  */
  bool readable;     /* It is an object.  */
  bool made;         /* It is none, but all code made at run time.  */
  uintptr_t bias;    /* In a process.  */
  bool in_process;
  bool in_core;                    /* In one that was.  */
  struct cost cost;                /* In a process.  */
  const struct settings *settings; /* Of the program that this is; NULL if it
                                      is none, or has none.  */
  char profile[160];  /* Of when and which build; "" if there is none.  */
  char no_image[192]; /* Why its image is not used; "" if it is, or if it has
                         none.  */
  struct explained_block *blocks;
  size_t nblocks;
};

/* Explain the files of FILES in ALL: the first one, and of the others what a
   start of that maps, by a rehearsal under LOADER (NULL: the one that is
   wanted here).  PROBLEM of those that cannot be read says so; returns how
   many.  */
struct file_list;
extern size_t explain_files (const struct file_list *files, const char *loader,
                             const struct settings *settings,
                             struct explained all[]);

/* Explain process PID.  Returns NULL, or why it cannot be looked at.  ALL and
   COUNT get its objects, and behind them its code made at run time, if there
   is any; WORDS what is so of the process as a whole, "" if nothing stands in
   the way of huge text, SETTINGS its settings.  SAY, if it is not NULL, is
   called with CLOSURE for what its loader makes nothing of in its
   GLIBC_TUNABLES.  */
struct process;
extern const char *explain_process (pid_t pid, struct process *process,
                                    char words[static 512],
                                    struct explained **all, size_t *count,
                                    struct settings *settings,
                                    settings_say *say, void *closure);

/* Explain the objects of the process whose core is PATH: ALL and COUNT get
   them, SETTINGS its settings.  Returns NULL, or why that cannot be done; ""
   if PATH is no core.  */
extern const char *explain_core (const char *path, struct explained **all,
                                 size_t *count, struct settings *settings);

/* Explain in TO the code that FOUND has made at run time.  SETTINGS are its
   loader's, and HUGE of the CAP blocks that it may have are in use.  False if
   there is none.  */
struct inspection;
extern bool explain_code (const struct inspection *found,
                          const struct settings *settings, size_t huge,
                          size_t cap, struct explained *to);

/* Rank the blocks of the COUNT objects LIST, which are of one process.  */
extern void explain_rank (struct explained list[], size_t count);

extern void explained_free (struct explained *explained);

extern void explain_print (FILE *stream, const struct explained *explained);
extern struct json_object *explain_json (const struct explained *explained);

#endif
