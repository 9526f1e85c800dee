/* Settings: the tunables of ld-hugetext and their values.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "object/settings.h"

#include "dl-hugetext-pattern.h"

#include <ctype.h>
#include <features.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The beginning of the names of our tunables.  */
#define GROUP "glibc.mem."

/* As in elf/dl-tunables-hugetext.list.  */
static const struct
{
  bool is_word; /* The value is a choice's name or number.  */
  bool is_int;  /* The value's type has negative values, none of them
                   valid.  */
  uint64_t value;
  const char *right;
} tunables[SETTINGS] = {
  [SETTING_MODE] = { false, true, 0,
                     "0, 1 for text on huge pages, 2 for code made at run"
                     " time, or 3 for both" },
  [SETTING_BACKING]
  = { true, false, HUGETEXT_AUTO, "one of auto, file, thp, hugetlb, store" },
  [SETTING_PAD]
  = { false, false, 65536, "a number of bytes from 0 to 2097151" },
  [SETTING_MAX]
  = { false, false, 0, "a number of huge pages, or 0 for what the CPU holds" },
  [SETTING_LOCK] = { false, true, 0, "0 or 1" },
};

/* Before 2.39 the loader took the number at the beginning of a value, or
   0.  */
#define LENIENT (!__GLIBC_PREREQ (2, 39))

/* 2.41 takes the lowest 32 bits of a value of type INT_32, 2.36 does not.  */
#define WRAPS __GLIBC_PREREQ (2, 39)

/* Return the largest value of SETTING: the index's, or a rehearsal, which no
   index asks for.  */
static uint64_t
largest (enum setting setting)
{
  return (hugetext_key_max ((enum hugetext_key) setting)
          | (setting == SETTING_MODE ? HUGETEXT_MODE_REHEARSAL : 0));
}

const char *
settings_name (enum setting setting)
{
  static char names[SETTINGS][48];
  snprintf (names[setting], sizeof names[setting], GROUP "%s",
            hugetext_key_name ((enum hugetext_key) setting));
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
    [HUGETEXT_KEY_MODE] = "hugetext", [HUGETEXT_KEY_BACKING] = "backing",
    [HUGETEXT_KEY_PAD] = "pad",       [HUGETEXT_KEY_MAX] = "max",
    [HUGETEXT_KEY_LOCK] = "lock",     [HUGETEXT_KEY_OBJECTS] = "objects",
  };
  return keys[key];
}

bool
settings_on (const struct settings *settings)
{
  return (settings_value (settings, SETTING_MODE)
          & (SETTINGS_TEXT | SETTINGS_CODE))
         != 0;
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
    case HUGETEXT_KEY_LOCK:
      return (value & 1) != 0 ? "on" : "off";
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
  return (settings->advice.given & 1u << key) != 0 ? settings->text.source[key]
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
             ? settings->text.objects
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

bool
settings_allow (const struct settings *settings, const char *name)
{
  return ((settings->advice.given & 1u << HUGETEXT_KEY_OBJECTS) == 0
          || hugetext_objects_allow (settings->text.objects, name));
}

/* The way in which the loader reads a value.  */
enum reading
{
  READING_GOOD,
  READING_NOTHING, /* The value is empty, which means 0.  */
  READING_OTHER,   /* The value is neither a number nor one of the words.  */
  READING_RANGE,   /* The value is too small or too large.  */
  READING_WRAPPED, /* The value is too large, but its lowest 32 bits are
                      not.  */
};

/* Return the number at the beginning of TEXT, as the loader reads it: blanks,
   a sign, then decimal, octal or hexadecimal digits.  END is behind it.  */
static uint64_t
leading_number (const char *text, const char **end)
{
  uint64_t number = 0;
  unsigned int base = 10;
  text += strspn (text, " \t");
  bool minus = *text == '-';
  text += *text == '-' || *text == '+';
  if (*text == '0')
    base = 8;
  if (base == 8 && (text[1] == 'x' || text[1] == 'X'))
    {
      base = 16;
      text += 2;
    }
  for (;; ++text)
    {
      unsigned int digit = base;
      if (*text >= '0' && *text <= '9')
        digit = *text - '0';
      else if (isxdigit ((unsigned char) *text))
        digit = tolower ((unsigned char) *text) - 'a' + 10;
      if (digit >= base)
        break;
      if (__builtin_mul_overflow (number, base, &number)
          || __builtin_add_overflow (number, digit, &number))
        {
          *end = text;
          return UINT64_MAX;
        }
    }
  *end = text;
  return minus ? -number : number;
}

/* Read TEXT, LENGTH characters, as a value of SETTING.  Set VALUE unless
   READING_RANGE is returned.  */
static enum reading
read_value (enum setting setting, const char *text, size_t length,
            uint64_t *value)
{
  *value = 0;
  if (length == 0)
    return READING_NOTHING;
  if (tunables[setting].is_word)
    {
      *value = hugetext_choice_of (text, length);
      if (*value != HUGETEXT_CHOICES)
        return READING_GOOD;
      *value = HUGETEXT_AUTO;
      return READING_OTHER;
    }
  char copy[64];
  const char *end;
  size_t n = length < sizeof copy ? length : sizeof copy - 1;
  memcpy (copy, text, n);
  copy[n] = '\0';
  uint64_t number = leading_number (copy, &end);
  *value = WRAPS && tunables[setting].is_int ? (uint64_t) (int32_t) number
                                             : number;
  if (*value > largest (setting)
      || (tunables[setting].is_int && (int64_t) *value < 0))
    return READING_RANGE;
  if (end != copy + length)
    return READING_OTHER;
  return *value == number ? READING_GOOD : READING_WRAPPED;
}

/* Whether the loader uses a value of SETTING that is read as READING.  */
static bool
counts (enum setting setting, enum reading reading)
{
  return (
      reading == READING_GOOD || reading == READING_NOTHING
      || reading == READING_WRAPPED
      || (reading == READING_OTHER && LENIENT && !tunables[setting].is_word));
}

static void
set (struct settings *settings, enum setting setting, uint64_t value)
{
  settings->given[setting] = true;
  settings->value[setting] = value;
}

const char *
settings_parse (struct settings *settings, enum setting setting,
                const char *arg)
{
  uint64_t value;
  /* Refuse a sign: only the loader takes -1 for a large number.  */
  if (read_value (setting, arg, strlen (arg), &value) != READING_GOOD
      || (!tunables[setting].is_word && !isdigit ((unsigned char) arg[0])))
    return tunables[setting].right;
  set (settings, setting, value);
  settings->option[setting] = true;
  return NULL;
}

/* Return the setting whose name is the LENGTH characters at NAME, or
   SETTINGS.  */
static enum setting
find_setting (const char *name, size_t length)
{
  enum setting s;
  for (s = 0; s < SETTINGS; ++s)
    if (strlen (settings_name (s)) == length
        && strncmp (settings_name (s), name, length) == 0)
      break;
  return s;
}

void
settings_read (struct settings *settings, const char *text)
{
  *settings = (struct settings){ 0 };
  if (text == NULL)
    return;
  while (*text != '\0')
    {
      size_t word = strcspn (text, ":");
      size_t name = strcspn (text, ":=");
      enum setting s = find_setting (text, name);
      uint64_t value;
      if (s < SETTINGS && name < word
          && counts (s,
                     read_value (s, text + name + 1, word - name - 1, &value)))
        set (settings, s, value);
      text += word + (text[word] == ':');
    }
}

/* Return the names of all settings, with commas.  */
static const char *
list_names (void)
{
  static char list[192];
  list[0] = '\0';
  for (enum setting s = 0; s < SETTINGS; ++s)
    {
      strcat (list, s > 0 ? ", " : "one of ");
      strcat (list, settings_name (s));
    }
  return list;
}

/* Copy the LENGTH characters at TEXT, shortened, into BUFFER, fit to be
   printed: they may be another user's.  */
static void
copy_word (char buffer[static 64], const char *text, size_t length)
{
  size_t n = length < 64 ? length : 60;
  for (size_t i = 0; i < n; ++i)
    buffer[i] = isprint ((unsigned char) text[i]) ? text[i] : '?';
  strcpy (buffer + n, n < length ? "..." : "");
}

/* Return the fault of the LENGTH characters at TEXT as a value of SETTING, in
   BUFFER or static memory; NULL if there is none.  */
static const char *
value_problem (enum setting setting, const char *text, size_t length,
               char buffer[static 64])
{
  uint64_t value;
  enum reading reading = read_value (setting, text, length, &value);
  switch (reading)
    {
    case READING_GOOD:
      return NULL;
    case READING_RANGE:
      return "that is out of range, it is ignored";
    case READING_WRAPPED:
      snprintf (buffer, 64, "that is out of range, it is taken for %llu",
                (unsigned long long) value);
      return buffer;
    case READING_NOTHING:
      return tunables[setting].is_word
                 ? "it has no value, and is taken for auto"
                 : "it has no value, and is taken for 0";
    case READING_OTHER:
      break;
    }
  if (tunables[setting].is_word)
    return "there is no such backing, it is ignored";
  if (!counts (setting, reading))
    return "that is not a number, it is ignored";
  snprintf (buffer, 64, "that is not a number, it is taken for %llu",
            (unsigned long long) value);
  return buffer;
}

/* Report the problem of the WORD characters at TEXT, whose first NAME
   characters are a name.  */
static void
complain_of (const char *text, size_t word, size_t name, settings_say *say,
             void *closure)
{
  char shown[64], buffer[64], problem[160];
  const char *what, *right;
  enum setting s = find_setting (text, name);
  if (s < SETTINGS)
    {
      right = tunables[s].right;
      what = name == word
                 ? "it has no value, and is ignored"
                 : value_problem (s, text + name + 1, word - name - 1, buffer);
      if (what == NULL)
        return;
    }
  else
    {
      if (memmem (text, name, "hugetext", strlen ("hugetext")) == NULL)
        return;
      right = list_names ();
      what = "there is no such tunable, it is ignored";
    }
  copy_word (shown, text, word);
  snprintf (problem, sizeof problem, "%s: %s", shown, what);
  say (closure, problem, right);
}

void
settings_complain (const char *text, settings_say *say, void *closure)
{
  while (text != NULL && *text != '\0')
    {
      size_t word = strcspn (text, ":");
      complain_of (text, word, strcspn (text, ":="), say, closure);
      text += word + (text[word] == ':');
    }
}

char *
settings_merge (const struct settings *settings, const char *text)
{
  char *merged;
  size_t length;
  FILE *stream = open_memstream (&merged, &length);
  if (stream == NULL)
    return NULL;

  const char *separator = "";
  while (text != NULL && *text != '\0')
    {
      size_t word = strcspn (text, ":");
      enum setting s = find_setting (text, strcspn (text, ":="));
      if (word > 0 && (s == SETTINGS || !settings->given[s]))
        {
          fprintf (stream, "%s%.*s", separator, (int) word, text);
          separator = ":";
        }
      text += word + (text[word] == ':');
    }
  for (enum setting s = 0; s < SETTINGS; ++s)
    if (settings->given[s])
      {
        fprintf (stream, "%s%s=%llu", separator, settings_name (s),
                 (unsigned long long) settings->value[s]);
        separator = ":";
      }
  if (fclose (stream) != 0)
    return NULL;
  return merged;
}
