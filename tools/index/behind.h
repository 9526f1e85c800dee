/* The comparison of the index with its settings files: which is newer.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BEHIND_H
#define BEHIND_H

/* Return a settings file that has been written since the index, whose settings
   programs do not have yet, or their folder if one has come or gone; NULL if
   there is none, in static memory.  */
extern const char *behind_file (void);

#endif
