/* Namespaces of this process and its children: any kind, and a mount namespace
   in which ld-hugetext.so is mounted over the system's loader.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef NAMESPACE_H
#define NAMESPACE_H

/* Enter new namespaces of KINDS (CLONE_NEWNS and others), with a user
   namespace if needed, in which this process keeps its user and group.  Return
   NULL, or what failed.  */
extern const char *namespace_enter (int kinds);

/* Enter a private mount namespace, with a user namespace if needed, in which
   LOADER is mounted over the file OVER.  Return NULL, or what failed.  */
extern const char *namespace_bind (const char *loader, const char *over);

/* Return, in static memory, the reason why namespace_bind is impossible; NULL
   if it succeeded in a child of this process.  */
extern const char *namespace_problem (const char *loader, const char *over);

#endif
