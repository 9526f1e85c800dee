/* Inspection of one process: who it is, its objects, its loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef INSPECT_H
#define INSPECT_H

#include "object/settings.h"
#include "host/process.h"
#include "text/objtext.h"

#include <limits.h>
#include <stdio.h>

struct inspection
{
  struct process process;
  char exe[PATH_MAX];
  struct object_list objects;
  bool unread;   /* It has memory that we may not, or could not, look at.  */
  bool left_out; /* The inspection would take too much (budget.h).  */
};

/* The process ID that WORD is, or -1.  */
extern pid_t inspect_pid (const char *word);

/* Look at PID.  Returns NULL, or why it cannot be looked at: then there is
   nothing to free.  FLAGS as in objtext.h.  */
extern const char *inspect (pid_t pid, unsigned int flags,
                            struct inspection *found);

extern void inspect_free (struct inspection *found);

/* If FOUND could not be looked at for PROBLEM because it takes too much, say
   so in one line of standard error.  */
extern void inspect_say_left_out (const struct inspection *found,
                                  const char *problem);

/* Whether process PID has another root directory than we: paths mean other
   files there.  */
extern bool inspect_is_elsewhere (pid_t pid);

/* The loader of FOUND's libraries: "ld-hugetext", "other", "none" or NULL
   if that is not known.  */
extern const char *inspect_loader (const struct inspection *found);

/* Call SAY with CLOSURE for what FOUND's loader, if that is ld-hugetext, makes
   nothing of in its GLIBC_TUNABLES.  */
extern void inspect_settings (const struct inspection *found,
                              settings_say *say, void *closure);

/* Set SETTINGS to what FOUND's loader, if that is ld-hugetext or there is
   none, was told by its GLIBC_TUNABLES, and is told by the index as that is
   now.  */
extern void inspect_read_settings (const struct inspection *found,
                                   struct settings *settings);

/* Whether the object that follows code made at run time is in FOUND.  */
extern bool inspect_follows_code (const struct inspection *found);

/* Print a line that says which process FOUND is.  */
extern void inspect_heading (FILE *stream, const struct inspection *found);

#endif
