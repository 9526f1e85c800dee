/* The results of "hugetext explain", and their output.
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
  intptr_t address;   /* Address in the process, or link-time address in the
                         file.  */
  size_t text;        /* Bytes.  */
  size_t huge, small; /* Bytes, in a process.  */
  unsigned int
      backing; /* The backing that it has, or would have; 0 for small pages. */
  bool planned;        /* The loader tried to make the block,  */
  bool made;           /* and made it.  */
  bool ranked;         /* The block can be huge, as far as the cap allows.  */
  unsigned int rank;   /* The block's rank among all ranked blocks, from 1 for
                          the best.  */
  uint32_t heat;       /* HUGETEXT_HEAT_UNKNOWN if it is not known.  */
  const char *verdict; /* The verdict in a word, for programs.  */
  char reason[160];    /* The reason for people.  */
  char remedy[160];    /* The change that would help; "" if none would, or is
                          needed.  */
};

/* One object.  */
struct explained
{
  const char *name;
  char kind[192];    /* A description of the object, and for a file its
                        place.  */
  char problem[352]; /* Why all of the object is left alone, or "".  */
  char file[256];    /* Whether the object can have the file's own huge pages;
                        "" if that is not known.  */
  char *file_remedy; /* Shell commands after which it can have more of them;
                        NULL if there are none.  */
  char place[120];   /* The object's place.  */
  const char *left;  /* Why the object is at the address of the stock loader,
                        which differs from start to start; NULL if it is
                        not.  */
  bool late;         /* A program opens the object when it runs.  */
  bool readable;     /* The file is an object.  */
  bool made;         /* The entry stands for all code made at run time.  */
  uintptr_t bias;    /* Load bias in a process.  */
  bool in_process;
  bool in_core;                    /* The process is that of a core.  */
  struct cost cost;                /* Cost in a process.  */
  const struct settings *settings; /* The settings of a program; NULL if it is
                                      no program, or has none.  */
  char profile[160];  /* The profile's time and build; "" if there is none.  */
  char no_image[192]; /* Why the object's image is not used; "" if it is, or if
                         there is none.  */
  struct explained_block *blocks;
  size_t nblocks;
};

/* Explain FILES in ALL: the first one, and those of the others that its start
   maps, by a rehearsal under LOADER (NULL for the usual one).  A file that
   cannot be read has its PROBLEM set.  Return the number of such files.  */
struct file_list;
extern size_t explain_files (const struct file_list *files, const char *loader,
                             const struct settings *settings,
                             struct explained all[]);

/* Explain process PID.  Return NULL, or why it cannot be inspected.  ALL and
   COUNT get its objects, and behind them its code made at run time, if there
   is any; WORDS the obstacle to huge text in the whole process, "" if there is
   none; SETTINGS its settings.  SAY, if it is not NULL, is called with CLOSURE
   for each word in GLIBC_TUNABLES that its loader ignores.  */
struct process;
extern const char *explain_process (pid_t pid, struct process *process,
                                    char words[static 512],
                                    struct explained **all, size_t *count,
                                    struct settings *settings,
                                    settings_say *say, void *closure);

/* Explain the objects of the process whose core is PATH: ALL and COUNT get
   them, SETTINGS its settings.  Return NULL, or why that is not possible; ""
   if PATH is no core.  */
extern const char *explain_core (const char *path, struct explained **all,
                                 size_t *count, struct settings *settings);

/* Explain the code that FOUND has made at run time in TO.  SETTINGS are its
   loader's, and HUGE of its CAP blocks are in use.  False if there is no such
   code.  */
struct inspection;
extern bool explain_code (const struct inspection *found,
                          const struct settings *settings, size_t huge,
                          size_t cap, struct explained *to);

/* Rank the blocks of the COUNT objects LIST of one process.  */
extern void explain_rank (struct explained list[], size_t count);

extern void explained_free (struct explained *explained);

extern void explain_print (FILE *stream, const struct explained *explained);
extern struct json_object *explain_json (const struct explained *explained);

#endif
