/* Total sizes of text in explained blocks, and the block with the most text on
   small pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The functions of this file find the block with the most text on small pages.
   "hugetext doctor", "hugetext list" and "hugetext run" explain only why the
   text of this block is on small pages.  */

#include "explain/explain.h"

#include <stdio.h>
#include <string.h>

/* Return how many bytes of text BLOCK has on small pages.  For a process,
   count only text that the process has accessed.  For a file, count all text
   of the block, because the explanation comes from a dry run, which accesses
   no text.  */
static size_t
count_small (const struct explanation *explanation,
             const struct explained_block *block)
{
  if (block->backing != 0)
    return 0;
  return explanation->source == EXPLAINED_PROCESS ? block->small : block->text;
}

/* Return the block, A or B, with more text on small pages, or A if both have
   the same number of bytes.  A and B may be NULL.  */
static const struct explained_block *
choose_worse (const struct explanation *explanation,
              const struct explained_block *a, const struct explained_block *b)
{
  if (b == NULL || count_small (explanation, b) == 0)
    return a;
  return (
      a == NULL || count_small (explanation, b) > count_small (explanation, a)
          ? b
          : a);
}

struct explained_sum
explain_sum (const struct explanation *explanation,
             const struct explained_object *object)
{
  struct explained_sum sum = { 0 };
  for (size_t i = 0; i < object->nblocks; ++i)
    {
      const struct explained_block *block = &object->blocks[i];
      const bool is_huge = block->backing != 0;
      sum.text += block->text;
      sum.huge += is_huge ? block->text : 0;
      sum.shown
          += !is_huge && block->why == HUGETEXT_HIDES_TEXT ? block->text : 0;
      sum.pages += is_huge;
      sum.copies += is_huge && (block->backing & ~BACKINGS_SHARED) != 0;
      sum.worst = choose_worse (explanation, sum.worst, block);
    }
  return sum;
}

/* Return true if OBJECT is a loader or hugetext-code.so, whose text is never
   huge.  Text of a loader on small pages is no problem, unless the user asks
   about the loader itself.  */
static bool
is_never_huge (const struct explained_object *object)
{
  return (object->nblocks > 0
          && (object->blocks[0].why == REASON_IS_LOADER
              || object->blocks[0].why == REASON_CODE_OBJECT));
}

/* Return the block with the most text on small pages in EXPLANATION, or NULL
   if no block has text on small pages that could be huge.  Set *OBJECT to the
   object of the block.  */
static const struct explained_block *
find_worst (const struct explanation *explanation,
            const struct explained_object **object)
{
  const struct explained_block *worst = NULL, *old;
  for (size_t i = 0; i < explanation->count; ++i)
    {
      if (is_never_huge (&explanation->list[i]))
        continue;
      old = worst;
      worst = choose_worse (
          explanation, worst,
          explain_sum (explanation, &explanation->list[i]).worst);
      if (worst != old)
        *object = &explanation->list[i];
    }
  return worst;
}

bool
explain_is_small (const struct explanation *explanation)
{
  for (size_t i = 0; i < explanation->count; ++i)
    if (explain_sum (explanation, &explanation->list[i]).huge > 0)
      return false;
  return true;
}

/* Return the reason why no text of the explained process is on huge pages; the
   reason is empty if some text is on huge pages, or if there is no common
   reason.  If EXPLANATION is about a file, return the reason for the file.  */
static const struct problem *
whole_problem (const struct explanation *explanation)
{
  return explanation->source == EXPLAINED_FILE && explanation->count > 0
             ? &explanation->list[0].problem
             : &explanation->problem;
}

bool
explain_why (const struct explanation *explanation, struct explained_why *why)
{
  const struct problem *problem = whole_problem (explanation);
  const struct explained_object *object = NULL;
  const struct explained_block *worst = find_worst (explanation, &object);
  *why = (struct explained_why){ .reason = "" };
  if (problem_is (problem))
    snprintf (why->reason, sizeof why->reason, "%.511s", problem->text);
  else if (worst != NULL)
    {
      const char *slash = strrchr (object->name, '/');
      snprintf (why->object, sizeof why->object, "%s",
                slash != NULL ? slash + 1 : object->name);
      strcpy (why->reason, worst->reason);
      strcpy (why->remedy, worst->remedy);
      snprintf (why->path, sizeof why->path, "%s", object->path);
      why->text = worst->text;
    }
  return why->reason[0] != '\0';
}

void
explain_advise (struct explained_why *why, const struct settings *settings)
{
  const struct reason_file source = { .path = why->path };
  struct reason_about about = reason_about (settings, where_own ());
  char words[REASON_SIZE];
  about.change = REASON_BY_RUN;
  about.text = why->text;
  about.files = &source;
  about.nfiles = why->path[0] != '\0' ? 1 : 0;
  if (why->remedy[0] == '\0')
    return;
  reason_advise (why->remedy, &about, words);
  strcpy (why->remedy, words);
}
