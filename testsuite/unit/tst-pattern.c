/* Tests of patterns and lists of objects: for all short patterns and lists,
   the result is compared with the definition.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>

#include "dl-hugetext-index.h"
#include "plan-test.h"

/* Whether NAME matches PATTERN, computed directly from the definition.  */
static bool
matches (const char *pattern, const char *name)
{
  if (pattern[0] == '\0')
    return name[0] == '\0';
  bool any = pattern[0] == '*' && pattern[1] == '*';
  if (pattern[0] == '*')
    return (matches (pattern + 1 + any, name)
            || (name[0] != '\0' && (any || name[0] != '/')
                && matches (pattern, name + 1)));
  return (name[0] != '\0'
          && (pattern[0] == '?' ? name[0] != '/' : pattern[0] == name[0])
          && matches (pattern + 1, name + 1));
}

/* Set TEXT to the next text over ALPHABET.  Return false if it would be
   longer than LENGTH.  */
static bool
next_text (char *text, const char *alphabet, size_t length)
{
  size_t i = 0;
  for (; text[i] != '\0'; ++i)
    {
      const char *next = strchr (alphabet, text[i]) + 1;
      if (*next != '\0')
        {
          text[i] = *next;
          return true;
        }
      text[i] = alphabet[0];
    }
  if (i == length)
    return false;
  text[i] = alphabet[0];
  text[i + 1] = '\0';
  return true;
}

static void
test_match (void)
{
  unsigned long int count = 0, matched = 0;
  char pattern[16] = "";
  do
    {
      char name[16] = "";
      size_t length = strlen (pattern);
      /* Characters after the end of the pattern do not belong to it.  */
      char longer[32];
      snprintf (longer, sizeof longer, "%s*b", pattern);
      do
        {
          bool want = matches (pattern, name);
          EXPECT (hugetext_match (longer, length, name) == want);
          matched += want;
          ++count;
        }
      while (next_text (name, "a/b", 6));
    }
  while (next_text (pattern, "a*/?", 6));
  EXPECT (matched > count / 100);
  group_done ("short patterns", count);
}

/* Which patterns name certain programs: not those for all programs in a
   directory.  */
static void
test_names (void)
{
  static const struct
  {
    const char *pattern;
    bool names;
  } rows[] = { { "*", false },
               { "**", false },
               { "?*", false },
               { "/**", false },
               { "/*/*", false },
               { "/usr/bin/*", false },
               { "/usr/**", false },
               { "/opt/app/", false },
               { "", false },
               { "a", true },
               { "a*", true },
               { "*a", true },
               { "*/a", true },
               { "**/python3*", true },
               { "/usr/bin/python3.??", true },
               { "/usr/*/a", true } };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    EXPECT_EQUAL (hugetext_names (rows[i].pattern), rows[i].names);
  group_done ("names in patterns", sizeof rows / sizeof rows[0]);
}

/* Matching takes at most the time that the product of both lengths
   allows.  */
static void
test_time (void)
{
  static char pattern[1000], name[4000];
  for (size_t i = 0; i + 1 < sizeof pattern; ++i)
    pattern[i] = "*a"[i % 2];
  memset (name, 'a', sizeof name - 1);
  name[sizeof name - 2] = 'b';
  EXPECT (!hugetext_match (pattern, sizeof pattern - 2, name));
  for (size_t i = 0; i + 1 < sizeof pattern; ++i)
    pattern[i] = "**a"[i % 3];
  EXPECT (!hugetext_match (pattern, sizeof pattern - 1, name));
  group_done ("a long name that nearly matches", 2);
}

/* The words of which the lists are made.  */
static const char *const words[]
    = { "a", "!a", "a*", "!a*", "*", "!*", "/d/a", "!/d/**", "b", "" };
#define WORDS (sizeof words / sizeof words[0])

/* Whether the COUNT words in LIST allow NAME, computed directly from the
   definition.  */
static bool
allows (const char *const *list, size_t count, const char *name)
{
  const char *slash = strrchr (name, '/');
  const char *base = slash != NULL ? slash + 1 : name;
  bool first = true, allow = true;
  for (size_t i = 0; i < count; ++i)
    {
      const char *word = list[i];
      if (word[0] == '\0')
        continue;
      bool forbids = word[0] == '!';
      word += forbids;
      if (first)
        allow = forbids;
      first = false;
      if (matches (word, strchr (word, '/') != NULL ? name : base))
        allow = !forbids;
    }
  return allow;
}

static void
test_objects (void)
{
  static const char *const names[]
      = { "a", "b", "ab", "/d/a", "/d/b", "/e/a", "d/a", "", "/" };
  unsigned long int count = 0;
  for (size_t n = 0; n <= 3; ++n)
    for (size_t i = 0; i < WORDS * WORDS * WORDS; ++i)
      {
        const char *list[3] = { words[i % WORDS], words[i / WORDS % WORDS],
                                words[i / WORDS / WORDS] };
        char text[64] = "";
        for (size_t k = 0; k < n; ++k)
          {
            if (k > 0)
              strcat (text, " ");
            strcat (text, list[k]);
          }
        for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k, ++count)
          EXPECT (hugetext_objects_allow (text, names[k])
                  == allows (list, n, names[k]));
      }
  EXPECT (hugetext_objects_allow ("libjvm.so", "/x/libjvm.so"));
  EXPECT (!hugetext_objects_allow ("libjvm.so", "/x/libjvm.so.1"));
  EXPECT (!hugetext_objects_allow ("!libLLVM*", "libLLVM-14.so.1"));
  EXPECT (hugetext_objects_allow ("!libLLVM*", "libc.so.6"));
  EXPECT (!hugetext_objects_allow ("* !libLLVM*", "libLLVM-14.so.1"));
  group_done ("lists of objects", count + 5);
}

/* Test the words of the tunable that lists programs.  The list ends after the
   given length.  */
static void
test_programs (void)
{
  static const struct
  {
    const char *list, *name;
    bool plain, path; /* The expected results: PLAIN if the word without a
                         slash is matched with NAME, PATH if it is matched with
                         the path.  */
  } cases[] = {
    { "", "/bin/a", false, false },
    { " ", "/bin/a", false, false },
    { "a", "/bin/a", true, false },
    { "a", "a", true, false },
    { "a", "/bin/ab", false, false },
    { "a", "/a/b", false, false },
    { "a*", "/bin/ab", true, false },
    { "b a", "/bin/a", true, false },
    { "  b  a  ", "/bin/a", true, false },
    { "b  a  ", "/bin/", false, false },
    { "/bin/a", "/bin/a", false, true },
    { "/bin/a", "/usr/bin/a", false, false },
    { "/bin/a", "a", false, false },
    { "/bin/* b", "/bin/a", false, true },
    { "/bin/* b", "/usr/bin/b", true, false },
    { "/bin/** a", "/bin/c/a", true, true },
    { "bin/a", "/bin/a", false, false },
    /* These words have no other meaning here.  */
    { "!b", "/bin/a", false, false },
  };
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      /* What follows the list is not read.  */
      char text[64];
      const size_t length = strlen (cases[i].list);
      snprintf (text, sizeof text, "%s* /**", cases[i].list);
      EXPECT_EQUAL (hugetext_words_match (text, length, cases[i].name, false),
                    cases[i].plain);
      EXPECT_EQUAL (hugetext_words_match (text, length, cases[i].name, true),
                    cases[i].path);
    }
  group_done ("lists of programs", count);
}

int
main (void)
{
  test_names ();
  test_match ();
  test_time ();
  test_objects ();
  test_programs ();
  return 0;
}
