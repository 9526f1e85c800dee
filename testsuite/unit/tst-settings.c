/* Test the settings: which ones are read from GLIBC_TUNABLES, which ones
   cause a complaint, and how they are written again.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE

#include "plan-test.h"

#include "object/settings.c"

static char said[512];

static void
note (void *closure, const char *problem, const char *right)
{
  (void) closure;
  EXPECT (right[0] != '\0');
  strcat (strcat (said, problem), "\n");
}

/* In TEXT, "@" stands for "glibc.mem.hugetext".  */
static void
expand (const char *text, char buffer[static 512])
{
  size_t at = 0;
  for (; *text != '\0'; ++text)
    if (*text == '@')
      at += sprintf (buffer + at, GROUP "hugetext");
    else
      buffer[at++] = *text;
  buffer[at] = '\0';
}

/* The settings in TUNABLES, merged with no other settings, give MERGED.  BAD
   contains the complaints about the other settings, one in each line.  */
static const struct
{
  const char *tunables, *merged, *bad;
} cases[] = {
  { "", "", "" },
  { "glibc.malloc.check=x:foo=1:GLIBC=", "", "" },
  { "@=1:@_max=7:@_pad_threshold=1", "@=1:@_pad_threshold=1:@_max=7", "" },
  { "@_backing=auto", "@_backing=0", "" },
  { "@_backing=hugetlb", "@_backing=3", "" },
  { "@_backing=4", "@_backing=4", "" },
  { "@_max=0x10:@_pad_threshold=017", "@_pad_threshold=15:@_max=16", "" },
  { "@_pad_threshold=2097151", "@_pad_threshold=2097151", "" },
  { "@=1:@=2", "@=2", "" },
  { "@=3::@_max=4", "@=3:@_max=4", "" },
  { "@_only=a /b/c*:@=1", "@=1", "" },
  /* Mode 9 is a dry run.  No index can ask for it.  */
  { "@=9", "@=9", "" },
#define VALUE(word)                                            \
  {                                                            \
    word, "", word ": the tunable does not allow this value\n" \
  }
  VALUE ("@_backing=huge"),
  VALUE ("@_backing=5"),
  VALUE ("@_backing=THP"),
  VALUE ("@_backing="),
  VALUE ("@=32"),
  VALUE ("@=-1"),
  VALUE ("@=+1"),
  VALUE ("@= 1"),
  VALUE ("@=1x"),
  VALUE ("@=0x"),
  VALUE ("@="),
  VALUE ("@_pad_threshold=2097152"),
  VALUE ("@_max=99999999999999999999999"),
  VALUE ("@_max"),
  { "@_backing=x:@=33:@_max=3", "@_max=3",
    "@_backing=x: the tunable does not allow this value\n"
    "@=33: the tunable does not allow this value\n" },
#define NAME(word)                                                       \
  {                                                                      \
    word, "", word ": there is no such tunable; the loader ignores it\n" \
  }
  NAME ("@foo=1"),
  NAME ("@_only"),
  NAME ("@_onlys=a"),
  NAME ("hugetext=1"),
  NAME ("glibc.hugetext.max=1"),
  { "@_backing=a\033[1mb", "",
    "@_backing=a?[1mb: the tunable does not allow this value\n" },
  { "@_backing="
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "",
    "@_backing=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...: the tunable does not "
    "allow this value\n" },
};

static void
test_words (void)
{
  char text[512], wanted[512];
  struct settings settings;
  const size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; ++i)
    {
      expand (cases[i].tunables, text);
      settings_read (&settings, text);
      char *merged = settings_merge (&settings, NULL);
      expand (cases[i].merged, wanted);
      if (strcmp (merged, wanted) != 0)
        fprintf (stderr, "%s: read %s\n", text, merged);
      EXPECT (strcmp (merged, wanted) == 0);
      free (merged);
      said[0] = '\0';
      settings_complain (text, note, NULL);
      expand (cases[i].bad, wanted);
      if (strcmp (said, wanted) != 0)
        fprintf (stderr, "%s: said %s\n", text, said);
      EXPECT (strcmp (said, wanted) == 0);
    }
  group_done ("words", count);
}

/* Settings that others have given remain.  A new value replaces the value of
   the same setting.  */
static void
test_merge (void)
{
  char text[512], wanted[512];
  struct settings settings, other = { 0 };
  struct problem problem;
  expand ("@_max=3", text);
  settings_read (&settings, text);
  EXPECT (settings_parse (&settings, SETTING_BACKING, "thp", &problem));
  EXPECT (!settings_parse (&settings, SETTING_PAD, "-1", &problem));
  EXPECT (!settings_parse (&settings, SETTING_PAD, "4k", &problem));
  EXPECT (settings_parse (&other, SETTING_PAD, "4K", &problem));
  EXPECT (other.value[SETTING_PAD] == 4096);
  EXPECT (!settings_parse (&settings, SETTING_BACKING, "big", &problem));
  expand ("glibc.malloc.check=1:@_max=9:@=x:foo", text);
  expand ("glibc.malloc.check=1:@=x:foo:@_backing=2:@_max=3", wanted);
  char *merged = settings_merge (&settings, text);
  EXPECT (strcmp (merged, wanted) == 0);
  free (merged);
  /* The list of programs stays unless another is given.  */
  expand ("@_only=a b:@_max=4", text);
  expand ("@_only=a b:@_backing=2:@_max=3", wanted);
  merged = settings_merge (&settings, text);
  EXPECT (strcmp (merged, wanted) == 0);
  free (merged);
  settings.only = "";
  expand ("@_backing=2:@_max=3", wanted);
  merged = settings_merge (&settings, text);
  EXPECT (strcmp (merged, wanted) == 0);
  free (merged);
  settings.only = "c";
  expand ("@_backing=2:@_max=3:@_only=c", wanted);
  merged = settings_merge (&settings, text);
  EXPECT (strcmp (merged, wanted) == 0);
  free (merged);
  EXPECT (
      strcmp (settings_source (&settings, HUGETEXT_KEY_BACKING), "--backing")
      == 0);
  EXPECT_EQUAL (settings_value (&settings, SETTING_PAD), 65536);
  group_done ("merging", 1);
}

/* The list of programs in GLIBC_TUNABLES.  */
static void
test_list (void)
{
  static const struct
  {
    const char *tunables, *list;
  } lists[] = {
    { "", "" },
    { "@=1", "" },
    { "@_only", "" },
    { "@_only=", "" },
    { "@_onlys=a", "" },
    { "@_only=a b", "a b" },
    { "@=1:@_only=a:@_max=2", "a" },
    { "@_only=a:@_only=b", "b" },
    { "@_only=a:@_only=", "" },
  };
  char text[512];
  struct settings settings;
  size_t length;
  const size_t count = sizeof lists / sizeof lists[0];
  EXPECT (settings_list (NULL, &length) == NULL && length == 0);
  for (size_t i = 0; i < count; ++i)
    {
      expand (lists[i].tunables, text);
      const char *list = settings_list (text, &length);
      EXPECT_EQUAL (length, strlen (lists[i].list));
      EXPECT (length == 0 ? list == NULL
                          : memcmp (list, lists[i].list, length) == 0);
      settings_read (&settings, text);
      EXPECT_EQUAL (settings.limited, length > 0);
    }
  group_done ("lists of programs", count);
}

/* Three values of a setting: one as it is written in the tunable, the same one
   as it is written in a settings file, and a bad one.  Each row of
   dl-hugetext-settings.def needs an example here.  */
struct example
{
  const char *tunable, *line, *bad;
};

static const struct example test_MODE = { "3", "on+code", "32" };
static const struct example test_BACKING = { "2", "thp", "disk" };
static const struct example test_PAD = { "4096", "4K", "2097152" };
static const struct example test_MAX = { "17", "17", "-1" };
static const struct example test_NAMES = { "1", "1", "3" };

/* Use EXAMPLE to check the row of SETTING in the table.  */
static void
test_row (enum setting setting, const struct example *example)
{
  const enum hugetext_key key = (enum hugetext_key) setting;
  const char *name = settings_name (setting), *word = settings_key (key);
  char text[512];
  uint64_t value, again;
  struct settings settings;
  struct problem problem;
  EXPECT (strncmp (name, GROUP, strlen (GROUP)) == 0);
  EXPECT_EQUAL (settings_find_key (word, strlen (word)), key);
  EXPECT (settings_read_line (key, example->line, &value, &problem));
  EXPECT (
      settings_read_line (key, settings_print (key, value), &again, &problem));
  EXPECT_EQUAL (value, again);
  EXPECT (!settings_read_line (key, example->bad, &again, &problem));

  settings_read (&settings, NULL);
  EXPECT (settings_value (&settings, setting) != value);
  snprintf (text, sizeof text, "%llu",
            (unsigned long long) settings_value (&settings, setting));
  EXPECT (settings_parse (&settings, setting, text, &problem));
  EXPECT (!settings_parse (&settings, setting, example->bad, &problem));
  EXPECT (settings_parse (&settings, setting, example->tunable, &problem));
  EXPECT_EQUAL (settings_value (&settings, setting), value);
  EXPECT (strncmp (settings_source (&settings, key), "--", 2) == 0);

  snprintf (text, sizeof text, "%s=%s", name, example->tunable);
  settings_read (&settings, text);
  EXPECT_EQUAL (settings_value (&settings, setting), value);
  snprintf (text, sizeof text, "%s=%s", name, example->bad);
  settings_read (&settings, text);
  EXPECT (!settings.given[setting]);
}

static void
test_rows (void)
{
#define HUGETEXT_SETTING(id, ...) test_row (SETTING_##id, &test_##id);
#include "dl-hugetext-settings.def"
  group_done ("rows", SETTINGS);
}

int
main (void)
{
  test_words ();
  test_merge ();
  test_list ();
  test_rows ();
  return 0;
}
