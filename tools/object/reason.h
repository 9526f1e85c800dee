/* Reasons why text is on small pages, and remedies, in words.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJECT_REASON_H
#define OBJECT_REASON_H

#include "dl-hugetext-names.h"
#include "object/settings.h"
#include "util/problem.h"

/* The kinds of users who may read a reason and apply its remedy.  */
enum reason_reader
{
  REASON_OF_COMMAND,   /* The user who starts the program with a command.  */
  REASON_OF_SERVICE,   /* The administrator of the service.  */
  REASON_OF_CONTAINER, /* The user who runs the container.  */
};

#define REASON_SIZE 256

/* The facts that are needed to describe a reason.  */
struct reason_about
{
  const struct settings *settings; /* The settings in force.  */
  enum reason_reader reader;
  size_t text;         /* How many bytes of text the block has.  */
  const char *backing; /* The name of the block's backing, or NULL if it has
                          none.  */
};

/* Return the word for REASON in JSON; the word for a reason never changes.  */
extern const char *reason_code (enum hugetext_reason reason);

/* Return the words for REASON without figures.  */
extern const char *reason_words (enum hugetext_reason reason);

/* Set PROBLEM to the words for REASON, and return false.  */
extern bool reason_set (struct problem *problem, enum hugetext_reason reason);

/* Whether the words for REASON contain the number of the block's bytes of
   text.  If the words do not contain this number, they are the same for all
   blocks of an object with this REASON.  */
extern bool reason_counts_text (enum hugetext_reason reason);

/* Set WORDS to the words for REASON with figures (reason_describe), or to its
   remedy (reason_remedy), which is "" if there is none.  */
extern void reason_describe (enum hugetext_reason reason,
                             const struct reason_about *about,
                             char words[static REASON_SIZE]);
extern void reason_remedy (enum hugetext_reason reason,
                           const struct reason_about *about,
                           char words[static REASON_SIZE]);

#endif
