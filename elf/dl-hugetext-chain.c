/* Policy of ld-hugetext: which backings blocks can have, and which of them
   comes first.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   No other file of the project compares choices.  */

#include "dl-hugetext-chain.h"

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

static bool
may_copy (enum hugetext_choice choice)
{
  return choice != HUGETEXT_FILE && choice != HUGETEXT_STORE;
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

static void
add (struct hugetext_chain *chain, enum hugetext_way way)
{
  chain->way[chain->n++] = way;
}

struct hugetext_chain
hugetext_chain_of_shared (const struct hugetext_wish *wish)
{
  struct hugetext_chain chain
      = { .why = (wish->choice == HUGETEXT_STORE ? HUGETEXT_NOT_STORED
                  : wish->congruent              ? HUGETEXT_FILE_SMALL
                                                 : HUGETEXT_NOT_CONGRUENT) };
  if (wish->congruent && hugetext_may_use_file (wish->choice)
      && !wish->file_ruled_out && !ask (wish, HUGETEXT_IS_TRACED)
      && ask (wish, HUGETEXT_IS_READABLE))
    add (&chain, HUGETEXT_WAY_FILE);
  if (hugetext_may_use_store (wish->choice) && ask (wish, HUGETEXT_HAS_IMAGE))
    add (&chain, HUGETEXT_WAY_STORE);
  if (chain.n == 0 && !ask (wish, HUGETEXT_IS_READABLE))
    chain.why = HUGETEXT_NOT_OPENED;
  return chain;
}

struct hugetext_chain
hugetext_chain_of_copies (const struct hugetext_wish *wish)
{
  bool hugetlb = hugetext_takes_pool (wish->choice);
  struct hugetext_chain chain = { .why = HUGETEXT_MADE };
  if (!may_copy (wish->choice))
    return chain;
  if (wish->cold)
    {
      chain.why = HUGETEXT_NOT_WORTH;
      return chain;
    }
  if (!ask (wish, HUGETEXT_IS_READABLE))
    return chain;
  chain.why = HUGETEXT_TRACED;
  if (hugetlb && ask (wish, HUGETEXT_IS_TRACED))
    return chain;
  /* Without images the loader leaves all objects alone before it comes here:
     see hugetext_needs_thp.  */
  chain.why = HUGETEXT_THP_OFF;
  if (wish->choice == HUGETEXT_AUTO && wish->images
      && !ask (wish, HUGETEXT_MAY_COLLAPSE))
    return chain;

  chain.why = HUGETEXT_PROTECT;
  bool anonymous = ask (wish, HUGETEXT_MAY_ANONYMOUS);
  if (hugetlb && anonymous)
    add (&chain, HUGETEXT_WAY_HUGETLB);
  /* The kernel puts the first page of a memory file into cores, where
     debuggers look for the build ID; it does so for no other copy.  */
  if (!hugetlb && (wish->header || !anonymous)
      && ask (wish, HUGETEXT_MAY_MEMORY_FILE))
    add (&chain, HUGETEXT_WAY_MEMORY_FILE);
  if (!hugetlb && anonymous)
    add (&chain, HUGETEXT_WAY_THP);
  return chain;
}
