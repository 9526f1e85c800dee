/* A mount namespace in which our loader lies over the system's, for this
   process and its children.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef NAMESPACE_H
#define NAMESPACE_H

/* Enter a private mount namespace, with a user namespace if needed, in which
   LOADER lies over the file OVER.  Return NULL, or what failed.  */
extern const char *namespace_bind (const char *loader, const char *over);

/* A namespace of this kind, held by descriptors: -1 if there is none.  */
struct namespace
{
  int user, mount;
  int root, directory; /* Our root and working directory in the namespace.  */
};
#define NAMESPACE_NONE ((struct namespace){ -1, -1, -1, -1 })

/* Make a namespace that other processes can join, without entering it.  Return
   NULL, or what failed, in static memory.  */
extern const char *namespace_hold (const char *loader, const char *over,
                                   struct namespace *held);

/* Join the namespace HELD.  Return NULL, or what failed.  */
extern const char *namespace_join (const struct namespace *held);

extern void namespace_release (struct namespace *held);

#endif
