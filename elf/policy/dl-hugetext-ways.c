/* Policy of ld-hugetext: which backings may blocks have?
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Only this file compares values of enum hugetext_choice.  */

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
hugetext_may_copy (enum hugetext_choice choice)
{
  return choice != HUGETEXT_FILE && choice != HUGETEXT_STORE;
}

bool
hugetext_weighs_copies (enum hugetext_choice choice)
{
  return hugetext_may_copy (choice) && hugetext_may_use_file (choice);
}

bool
hugetext_takes_pool (enum hugetext_choice choice)
{
  return choice == HUGETEXT_HUGETLB;
}

/* Return the meaning of NAMES, the value of the setting.  */
static enum hugetext_naming
ways_get_naming (uint64_t names)
{
  return names >= HUGETEXT_NAMES_CHEAPLY ? HUGETEXT_NAMES_CHEAPLY : names;
}

enum hugetext_naming
hugetext_keeps_names (enum hugetext_choice choice, uint64_t names)
{
  return hugetext_may_copy (choice) ? ways_get_naming (names)
                                    : HUGETEXT_NAMES_NO;
}

enum hugetext_naming
hugetext_names_in_file (enum hugetext_choice choice, uint64_t names)
{
  return hugetext_may_use_file (choice) ? ways_get_naming (names)
                                        : HUGETEXT_NAMES_NO;
}

bool
hugetext_places_names (enum hugetext_choice choice, uint64_t names)
{
  return names != HUGETEXT_NAMES_NO || hugetext_may_use_store (choice);
}

bool
hugetext_needs_thp (enum hugetext_choice choice, bool images)
{
  return choice == HUGETEXT_AUTO && !images;
}

bool
hugetext_is_free (const struct hugetext_wish *wish)
{
  return ((hugetext_may_use_file (wish->choice) && wish->congruent
           && !wish->file_ruled_out)
          || (hugetext_may_use_store (wish->choice) && !wish->unstored));
}

static bool
ways_ask_fact (const struct hugetext_wish *wish, enum hugetext_fact fact)
{
  return wish->ask (wish->closure, fact);
}

/* Return true if the loader may copy the blocks that WISH describes, with the
   backing WAY.  Set WHY as hugetext_may_try does.  */
static bool
ways_may_copy_blocks (const struct hugetext_wish *wish, enum hugetext_way way,
                      enum hugetext_reason *why)
{
  const bool pool = hugetext_takes_pool (wish->choice);
  *why = HUGETEXT_MADE;
  if (!hugetext_may_copy (wish->choice)
      || pool != (way == HUGETEXT_WAY_HUGETLB))
    return false;
  *why = HUGETEXT_NOT_WORTH;
  if (wish->cold)
    return false;
  *why = HUGETEXT_LITTLE_TEXT;
  if (wish->little && hugetext_weighs_copies (wish->choice))
    return false;
  *why = HUGETEXT_KEEPS_NAME;
  if (wish->name)
    return false;
  *why = HUGETEXT_NOT_OPENED;
  if (!ways_ask_fact (wish, HUGETEXT_IS_READABLE))
    return false;
  *why = HUGETEXT_TRACED;
  if (pool && ways_ask_fact (wish, HUGETEXT_IS_TRACED))
    return false;
  /* (If the store has no images, the loader does not get here, because
     hugetext_needs_thp has made it skip all objects.)  */
  *why = HUGETEXT_THP_OFF;
  if (wish->choice == HUGETEXT_AUTO && wish->images
      && !ways_ask_fact (wish, HUGETEXT_MAY_COLLAPSE))
    return false;

  *why = HUGETEXT_PROTECT;
  const bool anonymous = ways_ask_fact (wish, HUGETEXT_MAY_ANONYMOUS);
  bool may = anonymous;
  if (way == HUGETEXT_WAY_MEMORY_FILE)
    may = !anonymous && ways_ask_fact (wish, HUGETEXT_MAY_MEMORY_FILE);
  else if (!anonymous && !pool
           && ways_ask_fact (wish, HUGETEXT_MAY_MEMORY_FILE))
    *why = HUGETEXT_MADE;
  if (!may)
    return false;
  /* Ask whether the object looks for its path after all other questions,
     because the caller must search the object's file to find out.  */
  *why = HUGETEXT_NEEDS_PATH;
  if (ways_ask_fact (wish, HUGETEXT_LOOKS_FOR_PATH))
    return false;
  /* Check SPARE last.  If one of the reasons above forbids copies of the
     object, other text of the object stays mapped from the file, so that tools
     find the file's name.  Then the SPARE block need not stay mapped from the
     file.  */
  *why = HUGETEXT_KEEPS_NAME;
  return !wish->spare;
}

/* Return true if the blocks that WISH describes may be huge pages of their
   object's file in the page cache.  Set WHY as hugetext_may_try does.  */
static bool
may_be_file (const struct hugetext_wish *wish, enum hugetext_reason *why)
{
  *why = (!hugetext_may_use_file (wish->choice)      ? HUGETEXT_MADE
          : !wish->congruent                         ? HUGETEXT_NOT_CONGRUENT
          : wish->file_ruled_out                     ? HUGETEXT_FILE_SMALL
          : ways_ask_fact (wish, HUGETEXT_IS_TRACED) ? HUGETEXT_TRACED
          : !ways_ask_fact (wish, HUGETEXT_IS_READABLE) ? HUGETEXT_NOT_OPENED
                                                        : HUGETEXT_MADE);
  return hugetext_may_use_file (wish->choice) && *why == HUGETEXT_MADE;
}

/* Return true if the blocks that WISH describes may be huge pages of an image
   in the store.  Set WHY as hugetext_may_try does.  */
static bool
may_be_stored (const struct hugetext_wish *wish, enum hugetext_reason *why)
{
  bool stored = (hugetext_may_use_store (wish->choice) && !wish->unstored
                 && ways_ask_fact (wish, HUGETEXT_HAS_IMAGE));
  *why = (stored || !hugetext_may_use_store (wish->choice) ? HUGETEXT_MADE
          : !ways_ask_fact (wish, HUGETEXT_IS_READABLE) ? HUGETEXT_NOT_OPENED
                                                        : HUGETEXT_NOT_STORED);
  return stored;
}

bool
hugetext_may_try (const struct hugetext_wish *wish, enum hugetext_way way,
                  enum hugetext_reason *why)
{
  return (hugetext_is_copy (way)      ? ways_may_copy_blocks (wish, way, why)
          : way == HUGETEXT_WAY_STORE ? may_be_stored (wish, why)
                                      : may_be_file (wish, why));
}

bool
hugetext_may_copy_object (const struct hugetext_wish *wish)
{
  enum hugetext_reason why;
  for (enum hugetext_way way = 0; way < HUGETEXT_WAYS; ++way)
    if (hugetext_is_copy (way) && hugetext_may_try (wish, way, &why))
      return true;
  return false;
}
