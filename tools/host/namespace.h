/* A mount namespace in which our loader lies over the system's, for this
   process and its children only.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef NAMESPACE_H
#define NAMESPACE_H

/* Enter a private mount namespace, and for that a user namespace if need be,
   in which LOADER lies over the file OVER.  Returns NULL, or what failed.  */
extern const char *namespace_bind (const char *loader, const char *over);

/* Such a namespace, held by descriptors: -1 if there is none.  */
struct namespace
{
  int user, mount;
  int root, directory; /* In it, where we are.  */
};
#define NAMESPACE_NONE ((struct namespace){ -1, -1, -1, -1 })

/* Make such a namespace for other processes to join, and leave this process
   where it is.  Returns NULL, or what failed, in static memory.  */
extern const char *namespace_hold (const char *loader, const char *over,
                                   struct namespace *held);

/* Join HELD.  Returns NULL, or what failed.  */
extern const char *namespace_join (const struct namespace *held);

extern void namespace_release (struct namespace *held);

#endif
