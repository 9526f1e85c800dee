/* Types, numbers and words for the decisions of the policy, and for the
   objects, blocks and files that it decides about.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   All words are in arrays of characters or in switch statements, not behind
   pointers: every program start would have to relocate pointers, even a start
   without huge text.  */

#include <string.h>

#include "dl-hugetext-names.h"

static const char choices[HUGETEXT_CHOICES][8] = {
  [HUGETEXT_AUTO] = "auto",
#define HUGETEXT_CHOSEN_BACKING(id, word, ...) [HUGETEXT_##id] = word,
#include "dl-hugetext-backings.def"
};

/* The numbers by which users choose backings are 1 to HUGETEXT_CHOICES - 1,
   without gaps.  */
#define HUGETEXT_CHOSEN_BACKING(id, ...)                           \
  _Static_assert(                                                  \
      (int) HUGETEXT_##id > 0 && HUGETEXT_##id < HUGETEXT_CHOICES, \
      "the number of each backing is between 1 and HUGETEXT_CHOICES - 1");
#include "dl-hugetext-backings.def"

static const char ways[HUGETEXT_WAYS][8] = {
#define HUGETEXT_CHOSEN_BACKING(id, word, ...) [HUGETEXT_WAY_##id] = word,
#define HUGETEXT_OTHER_BACKING(id, word, ...) [HUGETEXT_WAY_##id] = word,
#include "dl-hugetext-backings.def"
};

const char *
hugetext_way_name (enum hugetext_way way)
{
  return way < HUGETEXT_WAYS ? ways[way] : "?";
}

const char *
hugetext_choice_name (enum hugetext_choice choice)
{
  return choice < HUGETEXT_CHOICES ? choices[choice] : "?";
}

enum hugetext_choice
hugetext_choice_of (const char *value, size_t length)
{
  enum hugetext_choice choice = HUGETEXT_AUTO;
  while (choice < HUGETEXT_CHOICES
         && (length != strlen (choices[choice])
             || memcmp (value, choices[choice], length) != 0)
         && (length != 1 || *value != '0' + (int) choice))
    ++choice;
  return choice;
}

/* This function has texts only for reasons that the loader uses (verdicts and
   outcomes), not for findings, which only the command uses.  */
const char *
hugetext_reason_text (enum hugetext_reason reason)
{
  static const char texts[HUGETEXT_FINDINGS - HUGETEXT_VERDICTS][96] = {
#define HUGETEXT_VERDICT(id, code, address, text, ...) \
  [HUGETEXT_##id - HUGETEXT_VERDICTS] = text,
#define HUGETEXT_OUTCOME HUGETEXT_VERDICT
#include "dl-hugetext-reasons.def"
  };
  return reason >= HUGETEXT_VERDICTS && reason < HUGETEXT_FINDINGS
             ? texts[reason - HUGETEXT_VERDICTS]
             : "";
}
