/* Profiled objects: the build of a file, and the addresses of its text.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_OBJECT_H
#define PROFILE_OBJECT_H

#include "heat/profile-file.h"

#include <sys/types.h>

/* A segment of text.  */
struct profile_text
{
  uint64_t offset, address, size; /* File offset, link-time address, bytes.  */
};

struct profile_object
{
  char build_id[2 * PROFILE_BUILD_ID_MAX + 1];
  const char *problem; /* Why the object can have no profile, or NULL.  */
  struct profile_text *text;
  size_t ntext;
  uint64_t low;     /* Address of its first granule with text.  */
  size_t ngranules; /* Number of granules from there on.  */
};

/* A file by the kernel's account.  */
struct profile_file
{
  const char *name;     /* A path.  */
  const char *build_id; /* The build ID, NULL if the kernel does not say;
                           then:  */
  dev_t device;
  ino_t inode; /* The inode, 0 for any file of that name.  */
};

/* Describe the file that process PID has mapped at START to END in OBJECT;
   ROOT is another process in the same mount namespace.  The caller frees
   OBJECT in any case.  */
extern void profile_object_read (struct profile_object *object,
                                 const struct profile_file *file, pid_t pid,
                                 pid_t root, uint64_t start, uint64_t end);

/* Describe the file FD in OBJECT.  */
extern void profile_object_describe (struct profile_object *object, int fd);

extern void profile_object_free (struct profile_object *object);

/* Whether OBJECT has text in the page at OFFSET of its file; sets
 *ADDRESS.  */
extern bool profile_object_at (const struct profile_object *object,
                               uint64_t offset, uint64_t *address);

/* Whether OBJECT has text at ADDRESS.  */
extern bool profile_object_has (const struct profile_object *object,
                                uint64_t address);

#endif
