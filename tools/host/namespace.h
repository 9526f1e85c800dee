/* Move the calling process and its future children to new namespaces.
   namespace_enter creates and enters namespaces of the given kinds.
   namespace_bind creates and enters a mount namespace in which ld-hugetext.so
   is bind-mounted on the system's loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef NAMESPACE_H
#define NAMESPACE_H

#include "util/problem.h"

/* Enter new namespaces of KINDS (such as CLONE_NEWNS).  If this process may
   enter the new namespaces only in a user namespace, also enter a user
   namespace in which this process keeps its user and group IDs.  */
extern bool namespace_enter (int kinds, struct problem *problem);

/* Enter a new mount namespace, in which LOADER is mounted over the file OVER.
   If this process may mount files only in a user namespace of its own, also
   enter a new user namespace.  */
extern bool namespace_bind (const char *loader, const char *over,
                            struct problem *problem);

/* Try namespace_bind in a child, and return whether it works.  */
extern bool namespace_try (const char *loader, const char *over,
                           struct problem *problem);

#endif
