/* Words quoted for a shell.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "util/shell.h"

#include <stdlib.h>
#include <string.h>

char *
shell_quote (const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:@,-";
  if (word[0] != '\0' && word[strspn (word, plain)] == '\0')
    return strdup (word);
  /* Room for the quotes, and four characters for each quote in WORD.  */
  char *quoted = malloc (4 * strlen (word) + 3), *to = quoted;
  if (quoted == NULL)
    return NULL;
  *to++ = '\'';
  for (const char *from = word; *from != '\0'; ++from)
    if (*from == '\'')
      to = stpcpy (to, "'\\''");
    else
      *to++ = *from;
  strcpy (to, "'");
  return quoted;
}
