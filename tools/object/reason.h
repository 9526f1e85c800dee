/* Reasons why text is on small pages, and remedies, in words.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OBJECT_REASON_H
#define OBJECT_REASON_H

#include "dl-hugetext-names.h"
#include "object/settings.h"
#include "util/problem.h"

/* The user who can apply a remedy.  */
enum reason_reader
{
  REASON_OF_COMMAND,   /* The user who starts the program by a command.  */
  REASON_OF_SERVICE,   /* The administrator of the service.  */
  REASON_OF_CONTAINER, /* The user who runs the container.  */
};

#define REASON_SIZE 256

/* The circumstances of a reason.  */
struct reason_about
{
  const struct settings *settings; /* The settings in force.  */
  enum reason_reader reader;
  size_t text;         /* The number of bytes of text in the block.  */
  const char *backing; /* The name of the block's backing; NULL if the block
                          has none.  */
};

/* Return the stable code of REASON for JSON.  */
extern const char *reason_code (enum hugetext_reason reason);

/* Return the words for REASON without figures.  */
extern const char *reason_words (enum hugetext_reason reason);

/* Set PROBLEM to the words for REASON.  Return false.  */
extern bool reason_set (struct problem *problem, enum hugetext_reason reason);

/* Whether the figures of REASON include the block's bytes of text.  If not,
   all blocks of an object with REASON have the same words.  */
extern bool reason_counts_text (enum hugetext_reason reason);

/* reason_describe sets WORDS to the words for REASON with figures.
   reason_remedy sets WORDS to the remedy for REASON; "" if REASON has no
   remedy.  */
extern void reason_describe (enum hugetext_reason reason,
                             const struct reason_about *about,
                             char words[static REASON_SIZE]);
extern void reason_remedy (enum hugetext_reason reason,
                           const struct reason_about *about,
                           char words[static REASON_SIZE]);

#endif
