/* Namespaces of this process and its children: any kind, and a mount namespace
   in which ld-hugetext.so is mounted over the system's loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef NAMESPACE_H
#define NAMESPACE_H

#include "util/problem.h"

/* Enter new namespaces of KINDS (CLONE_NEWNS and others), with a user
   namespace if needed, in which this process keeps its user and group.  */
extern bool namespace_enter (int kinds, struct problem *problem);

/* Enter a private mount namespace, with a user namespace if needed, in which
   LOADER is mounted over the file OVER.  */
extern bool namespace_bind (const char *loader, const char *over,
                            struct problem *problem);

/* Return false if namespace_bind is impossible.  */
extern bool namespace_try (const char *loader, const char *over,
                           struct problem *problem);

#endif
