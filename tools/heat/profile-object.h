/* Profiled objects: the build of a file, and where its text is.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILE_OBJECT_H
#define PROFILE_OBJECT_H

#include "heat/profile-file.h"

#include <sys/types.h>

/* A segment of text.  */
struct profile_text
{
  uint64_t offset, address, size; /* In the file, link-time, bytes.  */
};

struct profile_object
{
  char build_id[2 * PROFILE_BUILD_ID_MAX + 1];
  const char *problem; /* Why there can be no profile of it, or NULL.  */
  struct profile_text *text;
  size_t ntext;
  uint64_t low;     /* Address of its first granule with text.  */
  size_t ngranules; /* From there on.  */
};

/* Which file is meant, as the kernel says.  */
struct profile_file
{
  const char *name;     /* A path.  */
  const char *build_id; /* NULL if it does not say; then: */
  dev_t device;
  ino_t inode; /* 0: any file of that name.  */
};

/* Describe in OBJECT the file that process PID has mapped at START to END, or
   a process in the same place as ROOT has.  In any case OBJECT is to be
   freed.  */
extern void profile_object_read (struct profile_object *object,
                                 const struct profile_file *file, pid_t pid,
                                 pid_t root, uint64_t start, uint64_t end);

/* Describe the file that is open as FD.  */
extern void profile_object_describe (struct profile_object *object, int fd);

extern void profile_object_free (struct profile_object *object);

/* Whether there is text of OBJECT at OFFSET in its file, whose pages are
   mapped; sets *ADDRESS.  */
extern bool profile_object_at (const struct profile_object *object,
                               uint64_t offset, uint64_t *address);

/* Whether OBJECT has text at ADDRESS.  */
extern bool profile_object_has (const struct profile_object *object,
                                uint64_t address);

#endif
