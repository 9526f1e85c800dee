/* Numbers with nouns: "1 page", "2 pages".
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COUNT_H
#define COUNT_H

/* The part of a printf format that prints a number and a noun, such as "3
   processes".  */
#define COUNT_FORMAT "%llu %s"

/* The arguments for COUNT_FORMAT: the number N, which may be evaluated twice,
   and the noun ONE.  If N is not 1, the noun has an "s" at the end, or is
   MANY.  */
#define COUNT(n, one) COUNT_PLURAL (n, one, one "s")
#define COUNT_PLURAL(n, one, many) \
  (unsigned long long) (n), count_word (n, one, many)

/* Return ONE, the word for a single thing, if N is 1, otherwise MANY.  Use
   this function for words that agree with the noun, for example "was" and
   "were".  */
static inline const char *
count_word (unsigned long long n, const char *one, const char *many)
{
  return n == 1 ? one : many;
}

#endif
