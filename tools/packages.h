/* Keep out of the way of package managers.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PACKAGES_H
#define PACKAGES_H

/* Whether a package manager is at work: NULL if not, else who, in static
   memory.  Those that are there take no work up until packages_unlock, if we
   may lock them out.  */
extern const char *packages_lock (void);

extern void packages_unlock (void);

#endif
