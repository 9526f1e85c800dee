/* Whether something is mounted over a file, in any mount namespace.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef OVERMOUNTS_H
#define OVERMOUNTS_H

/* NULL if nothing is mounted over the file PATH, which is canonical; else
   where, in static memory.  Whoever removes a file takes away what is mounted
   over it, also in the namespaces of others.  */
extern const char *overmounts_find (const char *path);

#endif
