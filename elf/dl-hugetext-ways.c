/* Policy of ld-hugetext: which backings blocks can have.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   No other file of the project compares choices.  */

#include "dl-hugetext-ways.h"

bool
hugetext_may_use_file (enum hugetext_choice choice)
{
  return (choice == HUGETEXT_AUTO || choice == HUGETEXT_FILE
          || choice == HUGETEXT_STORE);
}

bool
hugetext_may_use_store (enum hugetext_choice choice)
{
  return choice == HUGETEXT_AUTO || choice == HUGETEXT_STORE;
}

bool
hugetext_takes_pool (enum hugetext_choice choice)
{
  return choice == HUGETEXT_HUGETLB;
}

bool
hugetext_needs_thp (enum hugetext_choice choice, bool images)
{
  return choice == HUGETEXT_AUTO && !images;
}

static bool
ask (const struct hugetext_wish *wish, enum hugetext_fact fact)
{
  return wish->ask (wish->closure, fact);
}

/* Whether WAY may copy blocks of WISH.  Set WHY as hugetext_may_try does.  */
static bool
may_copy (const struct hugetext_wish *wish, enum hugetext_way way,
          enum hugetext_outcome *why)
{
  const bool pool = hugetext_takes_pool (wish->choice);
  *why = HUGETEXT_MADE;
  if (wish->choice == HUGETEXT_FILE || wish->choice == HUGETEXT_STORE
      || pool != (way == HUGETEXT_WAY_HUGETLB))
    return false;
  *why = HUGETEXT_NOT_WORTH;
  if (wish->cold)
    return false;
  *why = HUGETEXT_NOT_OPENED;
  if (!ask (wish, HUGETEXT_IS_READABLE))
    return false;
  *why = HUGETEXT_TRACED;
  if (pool && ask (wish, HUGETEXT_IS_TRACED))
    return false;
  /* Without images the loader leaves all objects alone before it comes here:
     see hugetext_needs_thp.  */
  *why = HUGETEXT_THP_OFF;
  if (wish->choice == HUGETEXT_AUTO && wish->images
      && !ask (wish, HUGETEXT_MAY_COLLAPSE))
    return false;

  *why = HUGETEXT_PROTECT;
  bool anonymous = ask (wish, HUGETEXT_MAY_ANONYMOUS);
  if (way == HUGETEXT_WAY_MEMORY_FILE)
    /* The kernel puts the first page of a memory file into cores, where
       debuggers look for the build ID; it does so for no other copy.  */
    return ((wish->header || !anonymous)
            && ask (wish, HUGETEXT_MAY_MEMORY_FILE));
  if (!anonymous && !pool && ask (wish, HUGETEXT_MAY_MEMORY_FILE))
    *why = HUGETEXT_MADE;
  return anonymous;
}

bool
hugetext_may_try (const struct hugetext_wish *wish, enum hugetext_way way,
                  enum hugetext_outcome *why)
{
  if (hugetext_is_copy (way))
    return may_copy (wish, way, why);
  if (way == HUGETEXT_WAY_FILE)
    {
      *why = wish->congruent ? HUGETEXT_FILE_SMALL : HUGETEXT_NOT_CONGRUENT;
      return (wish->congruent && hugetext_may_use_file (wish->choice)
              && !wish->file_ruled_out && !ask (wish, HUGETEXT_IS_TRACED)
              && ask (wish, HUGETEXT_IS_READABLE));
    }
  bool stored = (hugetext_may_use_store (wish->choice)
                 && ask (wish, HUGETEXT_HAS_IMAGE));
  *why = (!stored && !ask (wish, HUGETEXT_IS_READABLE) ? HUGETEXT_NOT_OPENED
          : wish->choice == HUGETEXT_STORE             ? HUGETEXT_NOT_STORED
                                                       : HUGETEXT_MADE);
  return stored;
}
