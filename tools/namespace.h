/* Put our loader in the place of the system's, for this process and its
   children only.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef NAMESPACE_H
#define NAMESPACE_H

/* Enter a private mount namespace, and for that a user namespace if need be,
   in which LOADER lies over the file OVER.  Returns NULL, or what failed.  */
extern const char *namespace_bind (const char *loader, const char *over);

#endif
