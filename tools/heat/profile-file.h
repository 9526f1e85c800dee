/* A profile: the heat of one build of an object, in a file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each build ID has a file of lines, BUILDID.profile, which people can read
   and other programs can write:

     hugetext profile 1
     build 3ba9ea1bcbfb9b6c1bbf04607cf788096edde6f2
     name /usr/lib/llvm-14/bin/clang    one or more, the one seen last first
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

#ifndef PROFILE_FILE_H
#define PROFILE_FILE_H

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
  PROFILE_SIZE_MAX = PROFILE_GRANULES_MAX * 64, /* One line for each
                                                   granule.  */
};

struct profile_granule
{
  uint64_t address; /* A multiple of PROFILE_GRANULE.  */
  uint32_t weight;  /* 1 to PROFILE_WEIGHTS.  */
};

struct profile
{
  char build_id[2 * PROFILE_BUILD_ID_MAX + 1]; /* The build ID in hexadecimal
                                                  digits.  */
  char *names[PROFILE_NAMES_MAX + 1]; /* Absolute paths; the last element is
                                         spare.  */
  size_t nnames;
  time_t when;
  uint64_t samples, process_samples;
  struct profile_granule *granules; /* The granules by address.  */
  size_t ngranules;
};

/* Parse the SIZE bytes at TEXT into PROFILE.  Return NULL, or what is wrong;
   then there is nothing to free.  */
extern const char *profile_parse (struct profile *profile, const char *text,
                                  size_t size);

/* Add the samples of OLD, of the same build, to PROFILE.  False if there is no
   memory.  */
extern bool profile_merge (struct profile *profile, const struct profile *old);

/* Print PROFILE to STREAM in the form of its file.  */
extern void profile_print (FILE *stream, const struct profile *profile);

/* Add NAME in front of PROFILE's names.  False if there is no memory.  */
extern bool profile_add_name (struct profile *profile, const char *name);

extern void profile_free (struct profile *profile);

/* Read the file NAME of the directory DIR, a descriptor or AT_FDCWD.  With
   TRUSTED, only a file that root or this user has written, and no other user
   can write to.  A missing file is ENOENT, in errno.  Return NULL, or what is
   wrong.  */
extern const char *profile_read (struct profile *profile, int dir,
                                 const char *name, bool trusted);

/* Make FOLDER if it is missing.  False with errno set if it cannot be made or
   written to.  */
extern bool profile_folder (const char *folder);

/* Write PROFILE to FOLDER, which exists, in place of the one of that build.
   False with errno set.  */
extern bool profile_write (const struct profile *profile, const char *folder);

#endif
