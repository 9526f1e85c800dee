/* Options that several verbs have: --backing, --max and --pad, which stand for
   tunables, and --dry-run of verbs that change the system.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SHARED_OPTIONS_H
#define SHARED_OPTIONS_H

#include "object/settings.h"

extern const char *take_backing (void *settings, const char *argument);
extern const char *take_max (void *settings, const char *argument);
extern const char *take_pad (void *settings, const char *argument);

/* Entries for the option tables of verbs whose struct settings is at offset
   FIELD.  */
#define SETTING_OPTIONS(field)                                               \
  { "backing",                                                               \
    0,                                                                       \
    "NAME",                                                                  \
    "Where huge pages come from: auto, file, thp, hugetlb, store",           \
    take_backing,                                                            \
    field },                                                                 \
      { "max",                                                               \
        0,                                                                   \
        "N",                                                                 \
        "At most N huge pages of text to a process; 0: as many as the CPU's" \
        " instruction TLB holds",                                            \
        take_max,                                                            \
        field },                                                             \
  {                                                                          \
    "pad", 0, "BYTES",                                                       \
        "Least text in a huge page that is not all text; 0: none such",      \
        take_pad, field                                                      \
  }

extern const char *take_dry_run (void *field, const char *argument);

#define OPTION_DRY_RUN                                                   \
  {                                                                      \
    "dry-run", 'n', NULL, "Only say what would be done", take_dry_run, 0 \
  }

#endif
