/* Profiles: the heat of one build of an object, in a file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each build ID has a file of lines, BUILDID.profile, which people can read
   and other programs can write:

     hugetext profile 1
     build 3ba9ea1bcbfb9b6c1bbf04607cf788096edde6f2
     name /usr/lib/llvm-14/bin/clang    one or more paths
     when 2026-11-22T02:10:00Z          the newest samples
     samples 4711 of 9876               in the object, and of all processes
                                        that have it
     heat 0x1230000 250000              any number, by address
     end

   Each line of heat has the link-time address of a granule, 64 KiB, and its
   weight: how many of a million samples of the processes were there.  So
   weights can be compared between the objects of a process, and between
   processes.  Granules without weight are left out; an object can have a
   profile without any: it is known to be cold.  Every field of a file is
   checked before it is used.  */

#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum
{
  PROFILE_GRANULE = 65536, /* Bytes.  */
  PROFILE_WEIGHTS = 1000000,
  PROFILE_BUILD_ID_MIN = 8, /* In bytes; 20 for SHA-1.  */
  PROFILE_BUILD_ID_MAX = 32,
  PROFILE_NAMES_MAX = 16,
  PROFILE_GRANULES_MAX = 65536,                 /* 4 GiB of text.  */
  PROFILE_SIZE_MAX = PROFILE_GRANULES_MAX * 64, /* A line a granule.  */
};

struct profile
{
  char build_id[2 * PROFILE_BUILD_ID_MAX + 1]; /* In hexadecimal digits.  */
  char *names[PROFILE_NAMES_MAX];              /* Absolute paths.  */
  size_t nnames;
  time_t when;
  uint64_t samples, process_samples;
  uint64_t first;    /* The address of the first granule.  */
  size_t count;      /* Number of granules from there on.  */
  uint32_t *weights; /* 0 to PROFILE_WEIGHTS each.  */
};

/* Parse the SIZE bytes at TEXT, which a null byte follows, and which are
   changed, into PROFILE.  Return NULL, or what is wrong; then there is nothing
   to free.  */
extern const char *profile_parse (struct profile *profile, char *text,
                                  size_t size);

/* Add the samples of OLD, of the same build, to PROFILE.  */
extern void profile_merge (struct profile *profile, const struct profile *old);

/* Print PROFILE to STREAM in the form of its file.  */
extern void profile_print (FILE *stream, const struct profile *profile);

/* Add NAME to PROFILE's names, if it can be printed and there is room.  */
extern void profile_add_name (struct profile *profile, const char *name);

extern void profile_free (struct profile *profile);

/* Set BUILD_ID to the build ID of the file FD.  Return NULL, or why it has
   none.  */
extern const char *
profile_build_id (int fd, char build_id[static 2 * PROFILE_BUILD_ID_MAX + 1]);

/* Read the file NAME of the directory DIR, a descriptor, if root or this user
   has written it and no other user can write to it.  A missing file is ENOENT,
   in errno.  Return NULL, or what is wrong.  */
extern const char *profile_read (struct profile *profile, int dir,
                                 const char *name);

/* Make FOLDER if it is missing.  Return a descriptor of it; -1 with errno set
   if it cannot be made or written to.  */
extern int profile_folder (const char *folder);

/* Write PROFILE to FOLDER, which exists, in place of the one of that build.
   False with errno set.  */
extern bool profile_write (const struct profile *profile, const char *folder);

#endif
