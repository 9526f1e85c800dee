/* The comparison of names with the patterns of the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later*/

#include <string.h>

#include "dl-hugetext-index.h"

/* The position at which to continue the comparison if the characters after a
   star (* or **) do not match.  */
struct retry
{
  const char *pattern; /* The pattern after the star, or NULL if the comparison
                          has reached no star yet.  */
  const char *name;    /* The end of the characters that the star matches so
                          far.  */
};

/* Let the star that RETRY describes match one more character.  ANY is true if
   the star may match a slash.  Return false if the star cannot match one more
   character.  */
static bool
extend (struct retry *retry, bool any)
{
  if (retry->pattern == NULL || *retry->name == '\0'
      || (*retry->name == '/' && !any))
    return false;
  ++retry->name;
  return true;
}

bool
hugetext_match (const char *pattern, size_t length, const char *name)
{
  const char *end = pattern + length;
  /* STAR describes the last "*" that the comparison has reached, ANY the last
     "**".  The comparison never has to continue at an earlier "*" or "**" of
     PATTERN, because the last "**" can match everything that an earlier one
     can match, and "*" matches only within one component of the path.  */
  struct retry star = { NULL, NULL }, any = { NULL, NULL };

  while (pattern < end || *name != '\0')
    {
      if (end - pattern >= 2 && pattern[0] == '*' && pattern[1] == '*')
        {
          pattern += 2;
          any = (struct retry){ pattern, name };
          star.pattern = NULL;
        }
      else if (pattern < end && *pattern == '*')
        star = (struct retry){ ++pattern, name };
      else if (pattern < end && *name != '\0'
               && (*pattern == *name || (*pattern == '?' && *name != '/')))
        ++pattern, ++name;
      else if (extend (&star, false))
        {
          pattern = star.pattern;
          name = star.name;
        }
      else if (extend (&any, true))
        {
          pattern = any.pattern;
          name = any.name;
          star.pattern = NULL;
        }
      else
        return false;
    }
  return true;
}

const char *
hugetext_base_name (const char *name)
{
  const char *base = name;
  for (; *name != '\0'; ++name)
    if (*name == '/')
      base = name + 1;
  return base;
}

bool
hugetext_names (const char *pattern)
{
  const char *base = hugetext_base_name (pattern);
  while (*base == '*' || *base == '?')
    ++base;
  return *base != '\0';
}

/* Return true if the pattern, LENGTH characters at PATTERN, matches a file.
   If the pattern has a slash, compare it with the path NAME, otherwise with
   the base name BASE.  */
static bool
is_for (const char *pattern, size_t length, const char *name, const char *base)
{
  return hugetext_match (pattern, length,
                         memchr (pattern, '/', length) != NULL ? name : base);
}

bool
hugetext_words_match (const char *list, size_t length, const char *name,
                      bool paths)
{
  const char *const end = list + length;
  if (!paths)
    name = hugetext_base_name (name);
  while (list < end)
    {
      const char *blank = memchr (list, ' ', end - list);
      const size_t word = (blank != NULL ? blank : end) - list;
      if (word > 0 && (memchr (list, '/', word) != NULL) == paths
          && hugetext_match (list, word, name))
        return true;
      list += word + (blank != NULL);
    }
  return false;
}

bool
hugetext_objects_allow (const char *list, const char *name)
{
  const char *base = hugetext_base_name (name);
  bool first = true, allow = true;

  while (*list != '\0')
    {
      size_t length = 0;
      bool forbids = *list == '!';
      while (list[length] != ' ' && list[length] != '\0')
        ++length;
      if (length > 0)
        {
          if (first)
            allow = forbids;
          first = false;
          if (is_for (list + forbids, length - forbids, name, base))
            allow = !forbids;
        }
      list += length + (list[length] == ' ');
    }
  return allow;
}
