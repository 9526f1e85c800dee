/* Reasons why text is on small pages, and remedies, in words.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJECT_REASON_H
#define OBJECT_REASON_H

#include "dl-hugetext-names.h"
#include "host/where.h"
#include "object/settings.h"
#include "util/problem.h"

#define REASON_SIZE 512

/* How the reader can change the settings in force.  */
enum reason_change
{
  REASON_AT_START,  /* The settings are those with which the program was
                       started.  */
  REASON_BY_ATTACH, /* Huge text was off from the start of the process, so only
                       "hugetext attach" can apply settings to the process.  */
  REASON_BY_OPTION, /* The settings can be changed by options of the verb that
                       prints the reason.  */
};

/* The facts that are needed to describe a reason.  Use reason_about to
   initialize this struct.  */
struct reason_about
{
  const struct settings *settings; /* The settings in force.  */
  enum reason_change change;       /* How the reader can change them.  */
  enum where where;                /* Where the process runs.  */
  const char *service; /* The name of the service, for use in a shell command,
                          or NULL.  */
  const char *program; /* The path of the program, for use in a shell command,
                          or NULL.  */
  const char *source;  /* The settings file that switches huge text on for the
                          next start of the program, or NULL.  */
  bool enabled;        /* Whether the settings come from "hugetext enable
                          SERVICE".  */
  size_t beyond;       /* How many blocks the cap has left small.  */
  size_t candidates;   /* How many blocks would be huge without a cap.  */
  size_t pooled;       /* How many blocks are pages of the hugetlb pool.  */
  size_t text;         /* How many bytes of text the block has.  */
  const char *backing; /* The name of the block's backing, or NULL if it has
                          none.  */
};

/* Return the facts about a process that has SETTINGS and runs in the place
   WHERE.  */
extern struct reason_about reason_about (const struct settings *settings,
                                         enum where where);

/* Return the word for REASON in JSON.  No later release changes this word.  */
extern const char *reason_code (enum hugetext_reason reason);

/* Return the text for REASON without figures.  */
extern const char *reason_words (enum hugetext_reason reason);

/* Set PROBLEM to the text for REASON, and return false.  */
extern bool reason_set (struct problem *problem, enum hugetext_reason reason);

/* Whether a block that is small for REASON may be huge once its object is at
   an address that our loader chooses.  */
extern bool reason_is_of_address (enum hugetext_reason reason);

/* Whether the text for REASON contains the number of bytes of text in the
   block.  If it does not, the text is the same for all blocks of an object
   that have this reason.  */
extern bool reason_counts_text (enum hugetext_reason reason);

/* Set WORDS to the text for REASON with figures (reason_describe), or to the
   remedy for REASON (reason_remedy), which is "" if there is none.  */
extern void reason_describe (enum hugetext_reason reason,
                             const struct reason_about *about,
                             char words[static REASON_SIZE]);
extern void reason_remedy (enum hugetext_reason reason,
                           const struct reason_about *about,
                           char words[static REASON_SIZE]);

/* Set PROBLEM to the text for REASON with figures, and its remedy.  Return
   false.  */
extern bool reason_problem (struct problem *problem,
                            enum hugetext_reason reason,
                            const struct reason_about *about);

#endif
