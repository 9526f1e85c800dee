/* Draw profiles.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_SHOW_H
#define PROFILE_SHOW_H

#include <stdbool.h>

/* Print a line for each profile in FOLDER.  SAY is told what is wrong with
   files in it.  False if anything is, or if there are none.  */
extern bool profile_show_all (const char *folder,
                              void (*say) (const char *name,
                                           const char *problem));

/* Draw heat against blocks of what WORD is: a file, a program with all that it
   loads, or the name of what a profile in FOLDER is of.  False if there is no
   such profile.  */
extern bool profile_show (const char *folder, const char *word,
                          void (*say) (const char *name,
                                       const char *problem));

#endif
