/* Settings files: hugetext.conf and the files in hugetext.d.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONFIG_H
#define CONFIG_H

#include "dl-hugetext-index.h"

/* A section: settings for all programs that match a pattern.  */
struct config_section
{
  char *pattern;
  char *objects;  /* The list of patterns for objects, or NULL if the section
                     contains none.  */
  uint32_t given; /* For each setting, a bit that is set if the section sets
                     this setting.  */
  uint64_t value[HUGETEXT_VALUES];
  char source[HUGETEXT_SOURCE_MAX]; /* The line at which the section begins, as
                                       "FILE:LINE".  */
};

struct config
{
  struct config_section *sections; /* The sections.  If several sections set
                                      the same setting for a program, the last
                                      section wins.  */
  size_t count;
};

/* A function that reports LINE, which has the form "FILE:LINE: problem; what
   would be right".  WRONG is true for an error, false for a warning.  */
typedef void config_say (void *closure, bool wrong, const char *line);

/* Call SAY with the line that printf would print for FORMAT and the following
   arguments.  */
extern void config_tell (config_say *say, void *closure, bool wrong,
                         const char *format, ...)
    __attribute__ ((format (printf, 4, 5)));

/* Read the file PATH, and then all files *.conf in a directory, sorted by
   name.  The name of the directory is PATH with .d instead of .conf.  A
   missing file counts as empty.  Report all errors, and return false if there
   was at least one.  The caller frees CONFIG even on failure.  */
extern bool config_read (const char *path, struct config *config,
                         config_say *say, void *closure);

extern void config_free (struct config *config);

#endif
