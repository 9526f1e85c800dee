/* Settings: the tunables of ld-hugetext and their values.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SETTINGS_H
#define SETTINGS_H

#include "util/problem.h"
#include "dl-hugetext-index.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The settings whose values are numbers, each with a tunable in glibc.mem.  */
enum setting
{
#define HUGETEXT_SETTING(id, ...) SETTING_##id = HUGETEXT_KEY_##id,
#include "dl-hugetext-settings.def"
  SETTINGS = HUGETEXT_VALUES,
};

struct settings
{
  bool given[SETTINGS];  /* For each setting: true if it comes from
                            GLIBC_TUNABLES or an option.  */
  bool option[SETTINGS]; /* For each setting: true if it comes from an
                            option.  */
  uint64_t value[SETTINGS];
  /* The settings that the index contains for the program.  GLIBC_TUNABLES and
     options override the settings of the index.  */
  struct hugetext_advice advice;
  bool limited; /* True if GLIBC_TUNABLES limits its settings to a list of
                   programs.  */
  /* The value of the tunable that lists programs.  The value "" means that
     there is no list of programs; NULL means that the list in GLIBC_TUNABLES
     stays.  settings_read does not set ONLY.  */
  const char *only;
};

/* Return the full name of SETTING's tunable.  */
extern const char *settings_name (enum setting setting);

/* Return the maximum value of SETTING.  */
extern uint64_t settings_most (enum setting setting);

/* Return the value of SETTING: from an option or GLIBC_TUNABLES, otherwise
   from the index, otherwise the loader's default.  */
extern uint64_t settings_value (const struct settings *settings,
                                enum setting setting);

/* Return true if the loader uses the list of programs in GLIBC_TUNABLES.  The
   loader uses the list of programs only if GLIBC_TUNABLES also sets the mode
   (glibc.mem.hugetext).  */
extern bool settings_obey_list (const struct settings *settings);

/* Return true if an option of the command has set at least one setting.  */
extern bool settings_have_option (const struct settings *settings);

/* Return the name of KEY in settings files.  */
extern const char *settings_key (enum hugetext_key key);

/* Return the key whose name is the LENGTH characters at WORD, or HUGETEXT_KEYS
   if no key has this name.  */
extern enum hugetext_key settings_find_key (const char *word, size_t length);

/* Return the text "one of " followed by the names of all keys, in static
   memory.  */
extern const char *settings_keys (void);

/* Parse TEXT, the value of KEY in a settings file, into the number VALUE.  If
   TEXT is not valid, set PROBLEM to a description of valid values, and return
   false.  */
extern bool settings_read_line (enum hugetext_key key, const char *text,
                                uint64_t *value, struct problem *problem);

/* Return the text that stands for the number VALUE of KEY in a settings file.
   The text is in static memory.  */
extern const char *settings_print (enum hugetext_key key, uint64_t value);

/* The bits of the mode (glibc.mem.hugetext): which memory should be on huge
   pages, and whether seccomp filters allow prctl.  */
enum
{
  SETTINGS_TEXT = HUGETEXT_MODE_TEXT,
  SETTINGS_CODE = HUGETEXT_MODE_CODE,
  SETTINGS_PRCTL = HUGETEXT_MODE_PRCTL,
};

/* Return true if SETTINGS ask for huge pages for any memory.  */
static inline bool
settings_on (const struct settings *settings)
{
  return (settings_value (settings, SETTING_MODE)
          & (SETTINGS_TEXT | SETTINGS_CODE))
         != 0;
}

/* Return the value of the setting "hugetext" that has the word TEXT, or 0 if
   no value has this word.  */
extern uint64_t settings_mode (const char *text);

/* Return the source of KEY's value: "GLIBC_TUNABLES", the name of an option,
   or a line of a settings file in the form "FILE:LINE".  Return NULL if the
   value is the default.  */
extern const char *settings_source (const struct settings *settings,
                                    enum hugetext_key key);

/* Return the current value of KEY, in the format of settings files.  The
   result is in static memory.  Return NULL if KEY has its default value, or
   the value from an option of this command.  */
extern const char *settings_words (const struct settings *settings,
                                   enum hugetext_key key);

/* Return true if A and B have different values for any key.  */
extern bool settings_differ (const struct settings *a,
                             const struct settings *b);

/* If at least one setting is set, print a line with the settings that are set
   and the source of each.  */
extern void settings_show (FILE *stream, const struct settings *settings);

/* Set SETTING to ARG, the argument of its option.  If ARG is not valid, set
   PROBLEM to a description of valid arguments, and return false.  */
extern bool settings_parse (struct settings *settings, enum setting setting,
                            const char *arg, struct problem *problem);

/* Set SETTINGS from TUNABLES by the loader's rules.  TUNABLES is a value of
   GLIBC_TUNABLES, or NULL.  */
extern void settings_read (struct settings *settings, const char *tunables);

/* Return the list of programs in TUNABLES, a value of GLIBC_TUNABLES or NULL,
   and set LENGTH to the number of its characters.  The result points into
   TUNABLES.  Return NULL if TUNABLES contains no list, or an empty list.  */
extern const char *settings_list (const char *tunables, size_t *length);

/* Return the name of the tunable that lists programs.  */
extern const char *settings_list_name (void);

/* A function that reports a problem in GLIBC_TUNABLES.  PROBLEM has the form
   "NAME=VALUE: what is wrong", and contains no unprintable characters.  RIGHT
   describes the valid values.  */
typedef void settings_say (void *closure, const char *problem,
                           const char *right);

/* Call SAY with CLOSURE for each word of TUNABLES that begins like a setting
   of one of ld-hugetext's tunables, but is not valid.  */
extern void settings_complain (const char *tunables, settings_say *say,
                               void *closure);

/* Return a copy of TUNABLES, a value of GLIBC_TUNABLES or NULL.  The copy
   contains the tunables of ld-hugetext with the values in SETTINGS that come
   from GLIBC_TUNABLES or from options.  The copy contains the list of programs
   in SETTINGS (the member ONLY).  Return NULL if there is no memory.  */
extern char *settings_merge (const struct settings *settings,
                             const char *tunables);

#endif
