/* Settings: the tunables of ld-hugetext and their values.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "object/settings.h"

#include "dl-hugetext-index.h"
#include "util/printable.h"
#include "util/terminal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The prefix of the names of ld-hugetext's tunables.  */
#define GROUP "glibc.mem."

/* The rows of elf/policy/dl-hugetext-settings.def.  */
static const struct row
{
  const char *tunable, *option, *key; /* The setting's names: as a tunable, as
                                         an option, and in settings files.  */
  enum
  {
    MODE,
    BACKING,
    BYTES,
    COUNT,
    LIST
  } kind;
  const char *right; /* A description of the valid values, or NULL if the
                        setting is a list.  */
  uint64_t standard, most;
} rows[] = {
#define HUGETEXT_SETTING(id, tunable, word, kind, most, standard, form, \
                         right, ...)                                    \
  [HUGETEXT_KEY_##id]                                                   \
      = { GROUP #tunable,        "--" #word,        #word, kind, right, \
          HUGETEXT_DEFAULT_##id, HUGETEXT_MOST_##id },
#define HUGETEXT_SETTING_LIST(id, word, ...) \
  [HUGETEXT_KEY_##id] = { .key = #word, .kind = LIST },
#include "dl-hugetext-settings.def"
};

_Static_assert(sizeof rows / sizeof rows[0] == HUGETEXT_KEYS,
               "the array rows has an element for each key");

const char *
settings_name (enum setting setting)
{
  return rows[setting].tunable;
}

uint64_t
settings_most (enum setting setting)
{
  return rows[setting].most;
}

uint64_t
settings_value (const struct settings *settings, enum setting setting)
{
  if (settings->given[setting])
    return settings->value[setting];
  return (settings->advice.given & 1u << setting) != 0
             ? settings->advice.value[setting]
             : rows[setting].standard;
}

bool
settings_obey_list (const struct settings *settings)
{
  return settings->limited && settings->given[SETTING_MODE];
}

bool
settings_have_option (const struct settings *settings)
{
  for (enum setting setting = 0; setting < SETTINGS; ++setting)
    if (settings->option[setting])
      return true;
  return false;
}

const char *
settings_key (enum hugetext_key key)
{
  return rows[key].key;
}

enum hugetext_key
settings_find_key (const char *word, size_t length)
{
  enum hugetext_key key = 0;
  while (key < HUGETEXT_KEYS
         && (strlen (rows[key].key) != length
             || memcmp (rows[key].key, word, length) != 0))
    ++key;
  return key;
}

/* The tunable that lists programs, so that its value is not a number.  */
#define HUGETEXT_TUNABLE_LIST(id, tunable, ...) \
  static const char list_##id[] = GROUP #tunable;
#include "dl-hugetext-settings.def"

/* Return a text with the names of all settings, in static memory.  If FULL is
   true, use the names of tunables, otherwise the names in settings files.  */
static const char *
list_names (bool full)
{
  static char names[1024];
  size_t length = 0;
  for (enum hugetext_key key = 0;
       key < (full ? HUGETEXT_VALUES : HUGETEXT_KEYS); ++key)
    length += snprintf (names + length, sizeof names - length, "%s%s",
                        key > 0 ? ", " : "one of ",
                        full ? rows[key].tunable : rows[key].key);
  if (full)
    snprintf (names + length, sizeof names - length, ", %s", list_ONLY);
  return names;
}

const char *
settings_keys (void)
{
  return list_names (false);
}

/* The words for the values of the setting "hugetext".  If a value switches
   huge pages off, its element is NULL.  */
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
  switch (rows[key].kind)
    {
    case MODE:
      return value < MODES && modes[value] != NULL ? modes[value] : "off";
    case BACKING:
      return hugetext_choice_name (value);
    default:
      snprintf (text, sizeof text, "%llu", (unsigned long long) value);
      return text;
    }
}

/* Read TEXT as a decimal number into *VALUE.  If BYTES is true, the suffixes K
   and M are allowed.  Return false if TEXT is not a decimal number, or has
   another suffix.  */
static bool
object_settings_read_number (const char *text, bool bytes, uint64_t *value)
{
  size_t digits = strspn (text, "0123456789");
  const char *rest = text + digits;
  uint64_t unit = 1;
  if (bytes && (*rest == 'K' || *rest == 'M'))
    unit = *rest++ == 'K' ? 1024 : 1024 * 1024;
  errno = 0;
  *value = strtoull (text, NULL, 10);
  return (digits > 0 && *rest == '\0' && errno == 0
          && !__builtin_mul_overflow (*value, unit, value));
}

bool
settings_read_line (enum hugetext_key key, const char *text, uint64_t *value,
                    struct problem *problem)
{
  const struct row *row = &rows[key];
  switch (row->kind)
    {
    case MODE:
      *value = settings_mode (text);
      return (*value != 0 || strcmp (text, "off") == 0)
             || problem_set (
                 problem,
                 "one of off, on, code, on+code, on+prctl, code+prctl, "
                 "on+code+prctl");
    case BACKING:
      *value = hugetext_choice_of (text, strlen (text));
      return strcmp (text, hugetext_choice_name (*value)) == 0
             || problem_set (problem, "%s", row->right);
    default:
      if (object_settings_read_number (text, row->kind == BYTES, value)
          && *value <= row->most)
        return true;
      return problem_set (problem, "%s%s", row->right,
                          row->kind == BYTES ? " (64K, 1M)" : "");
    }
}

const char *
settings_source (const struct settings *settings, enum hugetext_key key)
{
  if (key < HUGETEXT_VALUES && settings->given[key])
    return settings->option[key] ? rows[key].option : "GLIBC_TUNABLES";
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
  return rows[key].kind == LIST
             ? settings->advice.objects
             : settings_print (key,
                               settings_value (settings, (enum setting) key));
}

/* Return the value of KEY, which is a list, or "" if KEY has its default.  */
static const char *
list_of (const struct settings *settings, enum hugetext_key key)
{
  return (settings->advice.given >> key & 1) != 0 ? settings->advice.objects
                                                  : "";
}

bool
settings_differ (const struct settings *a, const struct settings *b)
{
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    if (rows[key].kind == LIST
            ? strcmp (list_of (a, key), list_of (b, key)) != 0
            : settings_value (a, (enum setting) key)
                  != settings_value (b, (enum setting) key))
      return true;
  return false;
}

void
settings_show (FILE *stream, const struct settings *settings)
{
  const char *before = "settings: ";
  char *text;
  size_t size;
  FILE *line = open_memstream (&text, &size);
  if (line == NULL)
    return;
  for (enum hugetext_key key = 0; key < HUGETEXT_KEYS; ++key)
    {
      const char *words = settings_words (settings, key);
      if (words == NULL)
        continue;
      fprintf (line, "%s%s = %s (%s)", before, settings_key (key), words,
               settings_source (settings, key));
      before = ", ";
    }
  fclose (line);
  if (size > 0)
    terminal_fill (stream, 0, 4, text);
  free (text);
}

/* Read the LENGTH characters at TEXT as a value of SETTING.  Return false if
   the value is invalid; releases of the loader differ in what they do with an
   invalid value.  */
static bool
read_value (enum setting setting, const char *text, size_t length,
            uint64_t *value)
{
  char copy[32], *end;
  if (length == 0 || length >= sizeof copy)
    return false;
  if (rows[setting].kind == BACKING)
    {
      *value = hugetext_choice_of (text, length);
      return *value != HUGETEXT_CHOICES;
    }
  memcpy (copy, text, length);
  copy[length] = '\0';
  errno = 0;
  *value = strtoull (copy, &end, 0);
  return (isdigit ((unsigned char) copy[0]) && errno == 0 && *end == '\0'
          && *value <= rows[setting].most);
}

bool
settings_parse (struct settings *settings, enum setting setting,
                const char *arg, struct problem *problem)
{
  uint64_t value;
  /* An option accepts each value in two forms: as in GLIBC_TUNABLES, and as in
     a settings file.  */
  if (!read_value (setting, arg, strlen (arg), &value)
      && !settings_read_line ((enum hugetext_key) setting, arg, &value,
                              problem))
    return false;
  settings->given[setting] = settings->option[setting] = true;
  settings->value[setting] = value;
  return true;
}

/* A word of GLIBC_TUNABLES.  */
struct word
{
  const char *text;
  size_t length, name;  /* The length of the whole word, "NAME=VALUE", and the
                           length of NAME, in characters.  */
  enum setting setting; /* The setting with the name of the word, or SETTINGS
                           if no setting has this name.  */
  bool good;            /* True if the value is valid.  */
  uint64_t value;       /* The value, if it is valid.  */
};

/* Set WORD to the first word of *TEXT, which is the rest of GLIBC_TUNABLES or
   NULL, and advance *TEXT past this word.  Return false if *TEXT contains no
   word.  */
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

/* Return true if WORD is the tunable that lists programs.  */
static bool
is_only (const struct word *word)
{
  return (word->name < word->length && word->name == strlen (list_ONLY)
          && strncmp (word->text, list_ONLY, word->name) == 0);
}

const char *
settings_list_name (void)
{
  return list_ONLY;
}

const char *
settings_list (const char *text, size_t *length)
{
  struct word word;
  const char *list = NULL;
  *length = 0;
  /* If GLIBC_TUNABLES contains several lists of programs, the loader uses the
     last list.  */
  while (next_word (&text, &word))
    if (is_only (&word))
      {
        list = word.text + word.name + 1;
        *length = word.length - word.name - 1;
      }
  return *length > 0 ? list : NULL;
}

void
settings_read (struct settings *settings, const char *text)
{
  struct word word;
  size_t length;
  *settings
      = (struct settings){ .limited = settings_list (text, &length) != NULL };
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
      if (word.good || is_only (&word)
          || (!named
              && memmem (word.text, word.name, "hugetext", strlen ("hugetext"))
                     == NULL))
        continue;
      snprintf (problem, sizeof problem, "%.*s%s: %s",
                (int) (word.length < 64 ? word.length : 60), word.text,
                word.length < 64 ? "" : "...",
                named ? "the tunable does not allow this value"
                      : "there is no such tunable; the loader ignores it");
      printable_string (problem);
      say (closure, problem,
           named ? rows[word.setting].right : list_names (true));
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
    if (word.length > 0 && !(settings->only != NULL && is_only (&word))
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
  if (settings->only != NULL && *settings->only != '\0')
    fprintf (stream, "%s%s=%s", separator, list_ONLY, settings->only);
  return fclose (stream) == 0 ? merged : NULL;
}
