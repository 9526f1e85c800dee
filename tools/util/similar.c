/* Similar names: find existing names that a user may have meant.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Users shorten names (postgres for postgresql.service), and mistype them.
   Therefore two names count as similar if one contains the other, or if few
   edits make them equal.  */

#include "util/similar.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum
{
  SHORTEST = 3, /* A name of at least this length is similar to every longer
                   name that contains it.  A shorter name would be contained in
                   too many other names.  */
  NAMES = 3,    /* The maximum number of similar names.  */
};

/* Return the length of NAME without the suffix ".service".  */
static size_t
similar_get_length (const char *name)
{
  static const char suffix[] = ".service";
  const size_t length = strlen (name), rest = length - (sizeof suffix - 1);
  return (length >= sizeof suffix && strcmp (name + rest, suffix) == 0
              ? rest
              : length);
}

static size_t
least (size_t a, size_t b)
{
  return a < b ? a : b;
}

/* Return how many edits make the N characters at A equal to the M characters
   at B.  An edit inserts, removes or replaces a character, or swaps two
   neighbours.  M is at most NAME_MAX.  */
static size_t
edits (const char *a, size_t n, const char *b, size_t m)
{
  /* row[i % 3][j] is the result for the first I characters of A and the first
     J characters of B.  */
  size_t row[3][NAME_MAX + 1];
  for (size_t i = 0; i <= n; ++i)
    for (size_t j = 0; j <= m; ++j)
      {
        size_t *at = &row[i % 3][j];
        const size_t *above = row[(i + 2) % 3], *second = row[(i + 1) % 3];
        *at = i == 0 ? j : i;
        if (i == 0 || j == 0)
          continue;
        *at = least (least (above[j], at[-1]) + 1,
                     above[j - 1] + (a[i - 1] != b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          *at = least (*at, second[j - 2] + 1);
      }
  return row[n % 3][m];
}

/* Return true if NAME is similar to WORD, but not equal to WORD.  */
static bool
is_similar (const char *word, const char *name)
{
  const size_t n = similar_get_length (word), m = similar_get_length (name);
  const bool shorter = n <= m;
  const size_t small = shorter ? n : m, large = shorter ? m : n;
  if (strcmp (word, name) == 0 || large > NAME_MAX)
    return false;
  if (small >= SHORTEST
      && memmem (shorter ? name : word, large, shorter ? word : name, small)
             != NULL)
    return true;
  return edits (word, n, name, m) <= (large + 2) / 4;
}

void
similar_names (const char *word, const struct file_list *names,
               const char *introduction, char *text, size_t size)
{
  size_t used = 0, count = 0;
  text[0] = '\0';
  for (size_t i = 0; i < names->count && count < NAMES && used < size; ++i)
    if (is_similar (word, names->names[i]))
      used += snprintf (text + used, size - used, "%s%s",
                        count++ == 0 ? introduction : ", ", names->names[i]);
}
