/* What the tunables of ld-hugetext can be set to.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in elf/dl-tunables-hugetext.list.  */
static const struct
{
  const char *name;
  uint64_t max, value;
} tunables[SETTINGS] = {
  [SETTING_MODE] = { "glibc.mem.hugetext", 3, 0 },
  [SETTING_BACKING] = { "glibc.mem.hugetext_backing", CHOICES - 1, 0 },
  [SETTING_PAD] = { "glibc.mem.hugetext_pad_threshold", 2097151, 65536 },
  [SETTING_MAX] = { "glibc.mem.hugetext_max", UINT64_MAX, 0 },
};

static const char *const choices[CHOICES] = {
  [CHOICE_AUTO] = "auto",       [CHOICE_FILE] = "file",   [CHOICE_THP] = "thp",
  [CHOICE_HUGETLB] = "hugetlb", [CHOICE_STORE] = "store",
};

const char *
settings_choice (uint64_t choice)
{
  return choice < CHOICES ? choices[choice] : "?";
}

const char *
settings_name (enum setting setting)
{
  return tunables[setting].name;
}

uint64_t
settings_value (const struct settings *settings, enum setting setting)
{
  return settings->given[setting] ? settings->value[setting]
                                  : tunables[setting].value;
}

/* Read all of the LENGTH characters at TEXT as a number no larger than that
   of SETTING.  */
static bool
parse_number (enum setting setting, const char *text, size_t length,
              uint64_t *value)
{
  char digits[32], *end;
  if (length == 0 || length >= sizeof digits || text[0] < '0' || text[0] > '9')
    return false;
  memcpy (digits, text, length);
  digits[length] = '\0';
  errno = 0;
  *value = strtoull (digits, &end, 0);
  return errno == 0 && *end == '\0' && *value <= tunables[setting].max;
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
  if (setting == SETTING_BACKING)
    {
      for (value = 0; value < CHOICES; value++)
        if (strcmp (arg, choices[value]) == 0)
          {
            set (settings, setting, value);
            return NULL;
          }
      return "one of auto, file, thp, hugetlb, store";
    }
  if (parse_number (setting, arg, strlen (arg), &value))
    {
      set (settings, setting, value);
      return NULL;
    }
  return setting == SETTING_PAD
             ? "a number of bytes from 0 to 2097151"
             : "a number of huge pages, or 0 for what the CPU holds";
}

/* The setting whose name is the LENGTH characters at NAME, or SETTINGS.  */
static enum setting
find_setting (const char *name, size_t length)
{
  enum setting s;
  for (s = 0; s < SETTINGS; s++)
    if (strlen (tunables[s].name) == length
        && strncmp (tunables[s].name, name, length) == 0)
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
          && parse_number (s, text + name + 1, word - name - 1, &value))
        set (settings, s, value);
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
          fprintf (stream, "%s%.*s", separator, (int)word, text);
          separator = ":";
        }
      text += word + (text[word] == ':');
    }
  for (enum setting s = 0; s < SETTINGS; s++)
    if (settings->given[s])
      {
        fprintf (stream, "%s%s=%llu", separator, tunables[s].name,
                 (unsigned long long)settings->value[s]);
        separator = ":";
      }
  if (fclose (stream) != 0)
    return NULL;
  return merged;
}
