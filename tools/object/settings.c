/* Settings: the tunables of ld-hugetext and their values.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "object/settings.h"

#include "dl-hugetext-index.h"
#include "util/printable.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The beginning of the names of our tunables.  */
#define GROUP "glibc.mem."

/* As in elf/dl-tunables-hugetext.list.  */
static const struct
{
  const char *name;
  bool is_word; /* The value is a choice's name or number.  */
  uint64_t value, max;
  const char *right;
} tunables[SETTINGS] = {
  [SETTING_MODE] = { "hugetext", false, 0, HUGETEXT_MODES - 1,
                     "0, 1 for text on huge pages, 2 for code made at run"
                     " time, or 3 for both" },
  [SETTING_BACKING]
  = { "hugetext_backing", true, HUGETEXT_AUTO, HUGETEXT_CHOICES - 1,
      "one of auto, file, thp, hugetlb, store" },
  [SETTING_PAD] = { "hugetext_pad_threshold", false, 65536, 2097151,
                    "a number of bytes from 0 to 2097151" },
  [SETTING_MAX] = { "hugetext_max", false, 0, UINT64_MAX,
                    "a number of huge pages, or 0 for what the CPU holds" },
};

uint64_t
settings_max (enum setting setting)
{
  return tunables[setting].max;
}

/* Return the largest value of SETTING: the index's, or a rehearsal, which no
   index asks for.  */
static uint64_t
largest (enum setting setting)
{
  return (settings_max (setting)
          | (setting == SETTING_MODE ? HUGETEXT_MODE_REHEARSAL : 0));
}

const char *
settings_name (enum setting setting)
{
  static char names[SETTINGS][48];
  snprintf (names[setting], sizeof names[setting], GROUP "%s",
            tunables[setting].name);
  return names[setting];
}

uint64_t
settings_value (const struct settings *settings, enum setting setting)
{
  if (settings->given[setting])
    return settings->value[setting];
  return (settings->advice.given & 1u << setting) != 0
             ? settings->advice.value[setting]
             : tunables[setting].value;
}

const char *
settings_key (enum hugetext_key key)
{
  static const char *const keys[HUGETEXT_KEYS] = {
    [HUGETEXT_KEY_MODE] = "hugetext",   [HUGETEXT_KEY_BACKING] = "backing",
    [HUGETEXT_KEY_PAD] = "pad",         [HUGETEXT_KEY_MAX] = "max",
    [HUGETEXT_KEY_OBJECTS] = "objects",
  };
  return keys[key];
}

/* The words of the first setting, by its value; NULL for a value that puts
   nothing on huge pages.  */
static const char *const modes[] = {
  [SETTINGS_TEXT] = "on",
  [SETTINGS_CODE] = "code",
  [SETTINGS_TEXT | SETTINGS_CODE] = "on+code",
  [SETTINGS_TEXT | SETTINGS_PRCTL] = "on+prctl",
  [SETTINGS_CODE | SETTINGS_PRCTL] = "code+prctl",
  [SETTINGS_TEXT | SETTINGS_CODE | SETTINGS_PRCTL] = "on+code+prctl",
};
#define MODES (sizeof modes / sizeof modes[0])

uint64_t
settings_mode (const char *text)
{
  for (uint64_t mode = 1; mode < MODES; ++mode)
    if (modes[mode] != NULL && strcmp (text, modes[mode]) == 0)
      return mode;
  return 0;
}

const char *
settings_print (enum hugetext_key key, uint64_t value)
{
  static char text[24];
  switch (key)
    {
    case HUGETEXT_KEY_MODE:
      return value < MODES && modes[value] != NULL ? modes[value] : "off";
    case HUGETEXT_KEY_BACKING:
      return hugetext_choice_name (value);
    default:
      snprintf (text, sizeof text, "%llu", (unsigned long long) value);
      return text;
    }
}

const char *
settings_source (const struct settings *settings, enum hugetext_key key)
{
  static const char *const options[SETTINGS] = {
    [SETTING_BACKING] = "--backing",
    [SETTING_PAD] = "--pad",
    [SETTING_MAX] = "--max",
  };
  if (key < HUGETEXT_VALUES && settings->given[key])
    return settings->option[key] && options[key] != NULL ? options[key]
                                                         : "GLIBC_TUNABLES";
  return (settings->advice.given & 1u << key) != 0
             ? settings->advice.source[key]
             : NULL;
}

const char *
settings_words (const struct settings *settings, enum hugetext_key key)
{
  if (settings_source (settings, key) == NULL
      || (key < HUGETEXT_VALUES && settings->given[key]
          && settings->option[key]))
    return NULL;
  return key == HUGETEXT_KEY_OBJECTS
             ? settings->advice.objects
             : settings_print (key,
                               settings_value (settings, (enum setting) key));
}

void
settings_show (FILE *stream, const struct settings *settings)
{
  const char *before = "settings: ";
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    {
      const char *words = settings_words (settings, key);
      if (words == NULL)
        continue;
      fprintf (stream, "%s%s = %s (%s)", before, settings_key (key), words,
               settings_source (settings, key));
      before = ", ";
    }
  if (before[0] == ',')
    fputc ('\n', stream);
}

/* Read TEXT, LENGTH characters, as a value of SETTING.  False if it is none:
   what the loader makes of such a value depends on its release.  */
static bool
read_value (enum setting setting, const char *text, size_t length,
            uint64_t *value)
{
  char copy[32], *end;
  if (length == 0 || length >= sizeof copy)
    return false;
  if (tunables[setting].is_word)
    {
      *value = hugetext_choice_of (text, length);
      return *value != HUGETEXT_CHOICES;
    }
  memcpy (copy, text, length);
  copy[length] = '\0';
  errno = 0;
  *value = strtoull (copy, &end, 0);
  return (isdigit ((unsigned char) copy[0]) && errno == 0 && *end == '\0'
          && *value <= largest (setting));
}

const char *
settings_parse (struct settings *settings, enum setting setting,
                const char *arg)
{
  uint64_t value;
  if (!read_value (setting, arg, strlen (arg), &value))
    return tunables[setting].right;
  settings->given[setting] = settings->option[setting] = true;
  settings->value[setting] = value;
  return NULL;
}

/* A word of GLIBC_TUNABLES.  */
struct word
{
  const char *text;
  size_t length, name;  /* The characters of all of it, and of its name.  */
  enum setting setting; /* SETTINGS if the name is of none.  */
  bool good;            /* The setting has a value,  */
  uint64_t value;       /* this one.  */
};

/* Set WORD to the first word of *TEXT, NULL or tunables, and *TEXT behind it.
   False if there is none.  */
static bool
next_word (const char **text, struct word *word)
{
  if (*text == NULL || **text == '\0')
    return false;
  *word = (struct word){ .text = *text,
                         .length = strcspn (*text, ":"),
                         .name = strcspn (*text, ":=") };
  for (; word->setting < SETTINGS; ++word->setting)
    {
      const char *name = settings_name (word->setting);
      if (strlen (name) == word->name
          && strncmp (name, word->text, word->name) == 0)
        break;
    }
  word->good = (word->setting < SETTINGS && word->name < word->length
                && read_value (word->setting, word->text + word->name + 1,
                               word->length - word->name - 1, &word->value));
  *text += word->length + ((*text)[word->length] == ':');
  return true;
}

void
settings_read (struct settings *settings, const char *text)
{
  struct word word;
  *settings = (struct settings){ 0 };
  while (next_word (&text, &word))
    if (word.good)
      {
        settings->given[word.setting] = true;
        settings->value[word.setting] = word.value;
      }
}

void
settings_complain (const char *text, settings_say *say, void *closure)
{
  struct word word;
  while (next_word (&text, &word))
    {
      char problem[128];
      bool named = word.setting < SETTINGS;
      if (word.good
          || (!named
              && memmem (word.text, word.name, "hugetext", strlen ("hugetext"))
                     == NULL))
        continue;
      snprintf (problem, sizeof problem, "%.*s%s: %s",
                (int) (word.length < 64 ? word.length : 60), word.text,
                word.length < 64 ? "" : "...",
                named ? "it has no such value"
                      : "there is no such tunable, it is ignored");
      printable_string (problem);
      say (closure, problem,
           named ? tunables[word.setting].right
                 : "one of " GROUP "hugetext, " GROUP
                   "hugetext_backing, " GROUP "hugetext_pad_threshold, " GROUP
                   "hugetext_max");
    }
}

char *
settings_merge (const struct settings *settings, const char *text)
{
  char *merged;
  size_t length;
  struct word word;
  const char *separator = "";
  FILE *stream = open_memstream (&merged, &length);
  if (stream == NULL)
    return NULL;
  while (next_word (&text, &word))
    if (word.length > 0
        && (word.setting == SETTINGS || !settings->given[word.setting]))
      {
        fprintf (stream, "%s%.*s", separator, (int) word.length, word.text);
        separator = ":";
      }
  for (enum setting s = 0; s < SETTINGS; ++s)
    if (settings->given[s])
      {
        fprintf (stream, "%s%s=%llu", separator, settings_name (s),
                 (unsigned long long) settings->value[s]);
        separator = ":";
      }
  return fclose (stream) == 0 ? merged : NULL;
}
