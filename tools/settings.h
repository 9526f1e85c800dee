/* What the tunables of ld-hugetext can be set to.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tunables in glibc.mem.  */
enum setting
{
  SETTING_MODE,    /* hugetext */
  SETTING_BACKING, /* hugetext_backing */
  SETTING_PAD,     /* hugetext_pad_threshold, bytes */
  SETTING_MAX,     /* hugetext_max, blocks */
  SETTING_LOCK,    /* hugetext_lock */
  SETTINGS,
};

/* Values of glibc.mem.hugetext_backing.  */
enum
{
  CHOICE_AUTO,
  CHOICE_FILE,
  CHOICE_THP,
  CHOICE_HUGETLB,
  CHOICE_STORE,
  CHOICES,
};

struct settings
{
  bool given[SETTINGS];
  uint64_t value[SETTINGS];
};

/* The name of a backing.  */
extern const char *settings_choice (uint64_t choice);

/* The whole name of a tunable.  */
extern const char *settings_name (enum setting setting);

/* The value of SETTING, or the loader's default.  */
extern uint64_t settings_value (const struct settings *settings,
                                enum setting setting);

/* Set SETTING from the argument ARG of the option that stands for it.  Returns
   NULL, or what would be right.  */
extern const char *settings_parse (struct settings *settings,
                                   enum setting setting, const char *arg);

/* Fill SETTINGS from TUNABLES, a value of GLIBC_TUNABLES or NULL, as the
   loader reads it.  */
extern void settings_read (struct settings *settings, const char *tunables);

/* Something in GLIBC_TUNABLES, as "NAME=VALUE: PROBLEM", and what would be
   right.  */
typedef void settings_say (void *closure, const char *problem,
                           const char *right);

/* Call SAY with CLOSURE for each word of TUNABLES, as above, that is meant for
   ld-hugetext, and that the loader ignores or takes for something else.  */
extern void settings_complain (const char *tunables, settings_say *say,
                               void *closure);

/* TUNABLES, NULL or a value of GLIBC_TUNABLES, with what SETTINGS has given
   put in place of what it says.  NULL if there is no memory.  */
extern char *settings_merge (const struct settings *settings,
                             const char *tunables);

#endif
