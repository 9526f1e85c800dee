/* Settings files: hugetext.conf and the files in hugetext.d.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONFIG_H
#define CONFIG_H

#include "dl-hugetext-index.h"

/* A section: settings of programs.  */
struct config_section
{
  char *pattern;
  char *objects;  /* NULL if there is no such line.  */
  uint32_t given; /* A bit for each key.  */
  uint64_t value[HUGETEXT_VALUES];
  char source[HUGETEXT_SOURCE_MAX]; /* "FILE:LINE".  */
};

struct config
{
  struct config_section *sections; /* Later sections are stronger.  */
  size_t count;
};

/* Says LINE, "FILE:LINE: what is so; what would be right".  WRONG: it must be
   put right first.  */
typedef void config_say (void *closure, bool wrong, const char *line);

/* Call SAY for what printf would make of the rest.  */
extern void config_tell (config_say *say, void *closure, bool wrong,
                         const char *format, ...)
    __attribute__ ((format (printf, 4, 5)));

/* Read the file PATH, then all *.conf of the folder beside it whose name has
   .d for .conf, by name; what is not there has no sections.  False if
   anything is wrong: all of that has been said then.  CONFIG is to be freed in
   both cases.  */
extern bool config_read (const char *path, struct config *config,
                         config_say *say, void *closure);

extern void config_free (struct config *config);

#endif
