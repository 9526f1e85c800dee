/* A profile: where in one build of an object its processes spend their time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A file of lines for each build ID, BUILDID.profile, that people can look at
   and others can write:

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
   processes.  Granules without weight are left out; an object can be there
   without any: it is known to be cold.  Nothing in a file is believed before
   it is checked.  */

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
  PROFILE_SIZE_MAX = PROFILE_GRANULES_MAX * 64, /* A line for each.  */
};

struct profile_granule
{
  uint64_t address; /* A multiple of PROFILE_GRANULE.  */
  uint32_t weight;  /* 1 to PROFILE_WEIGHTS.  */
};

struct profile
{
  char build_id[2 * PROFILE_BUILD_ID_MAX + 1]; /* As it is written.  */
  char *names[PROFILE_NAMES_MAX + 1]; /* Absolute paths; the last is spare.  */
  size_t nnames;
  time_t when;
  uint64_t samples, process_samples;
  struct profile_granule *granules; /* By address.  */
  size_t ngranules;
};

/* Set PROFILE to what the SIZE bytes at TEXT say.  Returns NULL, or what is
   wrong; then there is nothing to free.  */
extern const char *profile_parse (struct profile *profile, const char *text,
                                  size_t size);

/* Have PROFILE contain the samples of OLD, which is of the same build, too.
   False if there is no memory.  */
extern bool profile_merge (struct profile *profile, const struct profile *old);

/* Print PROFILE to STREAM, as it is read.  */
extern void profile_print (FILE *stream, const struct profile *profile);

/* Add NAME, in front.  False if there is no memory.  */
extern bool profile_add_name (struct profile *profile, const char *name);

extern void profile_free (struct profile *profile);

/* Read the file NAME of the directory DIR, a descriptor or AT_FDCWD.  Only
   what root or we have written, and no other user can write to, if TRUSTED.
   What is not there is ENOENT, in errno.
   Returns NULL, or what is wrong.  */
extern const char *profile_read (struct profile *profile, int dir,
                                 const char *name, bool trusted);

/* Make FOLDER if it is not there.  False with errno set if that, or writing to
   it, cannot be done.  */
extern bool profile_folder (const char *folder);

/* Put PROFILE into FOLDER, which is there, in the place of the one it has of
   that build.  False with errno set.  */
extern bool profile_write (const struct profile *profile, const char *folder);

#endif
