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

/* Settings that are numbers, and have tunables in glibc.mem.  */
enum setting
{
#define HUGETEXT_SETTING(id, ...) SETTING_##id = HUGETEXT_KEY_##id,
#include "dl-hugetext-settings.def"
  SETTINGS = HUGETEXT_VALUES,
};

struct settings
{
  bool given[SETTINGS];  /* The setting comes from GLIBC_TUNABLES or an
                            option.  */
  bool option[SETTINGS]; /* The setting comes from an option.  */
  uint64_t value[SETTINGS];
  /* The index's settings for the program, which GLIBC_TUNABLES and options
     override.  */
  struct hugetext_advice advice;
};

/* Return the full name of SETTING's tunable.  */
extern const char *settings_name (enum setting setting);

/* Return the largest value of SETTING.  */
extern uint64_t settings_most (enum setting setting);

/* Return the value of SETTING: the value from GLIBC_TUNABLES or an option,
   else from the index, else the loader's default.  */
extern uint64_t settings_value (const struct settings *settings,
                                enum setting setting);

/* Return whether an option of the command has given a setting.  */
extern bool settings_have_option (const struct settings *settings);

/* Return the name of KEY in hugetext.conf.  */
extern const char *settings_key (enum hugetext_key key);

/* Return the key whose name is the LENGTH characters at WORD; HUGETEXT_KEYS if
   no key has this name.  */
extern enum hugetext_key settings_find_key (const char *word, size_t length);

/* Return "one of " and all names of keys, in static memory.  */
extern const char *settings_keys (void);

/* Parse TEXT, the value of KEY in hugetext.conf, into the number VALUE.
   If it is
   not valid, PROBLEM is the description of a valid value.  */
extern bool settings_read_line (enum hugetext_key key, const char *text,
                                uint64_t *value, struct problem *problem);

/* Return the number VALUE of KEY in the format of hugetext.conf, in static
   memory.  */
extern const char *settings_print (enum hugetext_key key, uint64_t value);

/* The bits of the first setting.  They say which memory should be on huge
   pages, and whether seccomp filters allow prctl.  */
enum
{
  SETTINGS_TEXT = HUGETEXT_MODE_TEXT,
  SETTINGS_CODE = HUGETEXT_MODE_CODE,
  SETTINGS_PRCTL = HUGETEXT_MODE_PRCTL,
};

/* Whether SETTINGS put any memory on huge pages.  */
static inline bool
settings_on (const struct settings *settings)
{
  return (settings_value (settings, SETTING_MODE)
          & (SETTINGS_TEXT | SETTINGS_CODE))
         != 0;
}

/* Return the value that TEXT names for the first setting, or 0 if TEXT names
   no value.  */
extern uint64_t settings_mode (const char *text);

/* Return the source of KEY: "GLIBC_TUNABLES", an option, "FILE:LINE" of the
   settings file, or NULL for the default.  */
extern const char *settings_source (const struct settings *settings,
                                    enum hugetext_key key);

/* Return KEY's effective value in the format of hugetext.conf, in static
   memory; NULL if the value is the default, or if an option of this command
   has set it.  */
extern const char *settings_words (const struct settings *settings,
                                   enum hugetext_key key);

/* Whether A and B have different values of any key.  */
extern bool settings_differ (const struct settings *a,
                             const struct settings *b);

/* Print a line with all settings and their sources, if any.  */
extern void settings_show (FILE *stream, const struct settings *settings);

/* Set SETTING from ARG, the argument of its option.  If it is not
   valid, PROBLEM is the description of a valid argument.  */
extern bool settings_parse (struct settings *settings, enum setting setting,
                            const char *arg, struct problem *problem);

/* Fill SETTINGS from TUNABLES, a value of GLIBC_TUNABLES or NULL, as the
   loader reads it.  */
extern void settings_read (struct settings *settings, const char *tunables);

/* A function that reports a problem in GLIBC_TUNABLES, as printable
   "NAME=VALUE: PROBLEM", with a description of a valid value.  */
typedef void settings_say (void *closure, const char *problem,
                           const char *right);

/* Call SAY with CLOSURE for each word of TUNABLES that has ld-hugetext's
   prefix but is not a setting.  */
extern void settings_complain (const char *tunables, settings_say *say,
                               void *closure);

/* Return TUNABLES, NULL or a value of GLIBC_TUNABLES, with ld-hugetext's
   settings replaced by the settings that SETTINGS has from GLIBC_TUNABLES or
   options.  Return NULL if there is no memory.  */
extern char *settings_merge (const struct settings *settings,
                             const char *tunables);

#endif
