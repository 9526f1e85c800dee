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
  char *objects;  /* The list of objects, NULL if there is no such line.  */
  uint32_t given; /* A bit for each key that is set.  */
  uint64_t value[HUGETEXT_VALUES];
  char source[HUGETEXT_SOURCE_MAX]; /* "FILE:LINE".  */
};

struct config
{
  struct config_section *sections; /* The sections; later ones override earlier
                                      ones.  */
  size_t count;
};

/* A function that reports LINE, "FILE:LINE: problem; what would be right".
   WRONG says that the problem is an error; otherwise it is a warning.  */
typedef void config_say (void *closure, bool wrong, const char *line);

/* Call SAY with the line that printf would make of the other arguments.  */
extern void config_tell (config_say *say, void *closure, bool wrong,
                         const char *format, ...)
    __attribute__ ((format (printf, 4, 5)));

/* Read the file PATH, then all *.conf files, sorted by name, in the directory
   beside it whose name has .d for .conf.  Missing files have no sections.
   After any error return false, when all errors have been reported.  The
   caller frees CONFIG in both cases.  */
extern bool config_read (const char *path, struct config *config,
                         config_say *say, void *closure);

extern void config_free (struct config *config);

#endif
