/* Find settings files that are newer than the index.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BEHIND_H
#define BEHIND_H

/* If a settings file is newer than the index, return the path of this file;
   the settings in this file do not apply to programs yet.  Return the path of
   the directory of settings files if a settings file was added to this
   directory, or removed from it, after the index was compiled.  Return NULL if
   the index is current.  The result is in static memory.  */
extern const char *behind_file (void);

#endif
