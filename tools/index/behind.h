/* The comparison of the index with its settings files: which is newer.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BEHIND_H
#define BEHIND_H

/* Return a settings file that is newer than the index, so that programs do
   not have its settings yet; or the directory of settings files if one was
   added or removed since.  Return NULL if the index is current.  The path is
   in static memory.  */
extern const char *behind_file (void);

#endif
