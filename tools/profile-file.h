/* A profile: where in one build of an object its processes spend their time.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A file of JSON for each build ID, BUILDID.json, that people can look at:

     {
       "version": 1,
       "build_id": "3ba9ea1bcbfb9b6c1bbf04607cf788096edde6f2",
       "names": [ "/usr/lib/llvm-14/bin/clang" ],
       "when": "2026-11-22T02:10:00Z",    of the newest samples
       "samples": 4711,                   in the object
       "process_samples": 9876,           of all processes that have it
       "granule": 65536,
       "heat": [ [ "0x1230000", 250000 ], ... ]
     }

   Each element of heat is a granule's link-time address and its weight: how
   many of a million process_samples were there.  So weights can be compared
   between the objects of a process, and between processes.  Granules without
   weight are left out; an object can be there without any: it is known to be
   cold.  Nothing in a file is believed before it is checked.  */

#ifndef PROFILE_FILE_H
#define PROFILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum
{
  PROFILE_VERSION = 1,
  PROFILE_GRANULE = 65536, /* Bytes.  */
  PROFILE_WEIGHTS = 1000000,
  PROFILE_BUILD_ID_MIN = 8, /* In bytes; 20 for SHA-1.  */
  PROFILE_BUILD_ID_MAX = 32,
  PROFILE_NAMES_MAX = 16,
  PROFILE_GRANULES_MAX = 65536, /* 4 GiB of text.  */
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
  char **names; /* Absolute paths, the one seen last first.  */
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

/* Have PROFILE contain the samples of OLD, which is of the same build, too:
   the older the less.  False if there is no memory.  */
extern bool profile_merge (struct profile *profile, const struct profile *old);

/* Print PROFILE to STREAM, as it is read.  */
extern void profile_print (FILE *stream, const struct profile *profile);

/* Add NAME, in front.  False if there is no memory.  */
extern bool profile_add_name (struct profile *profile, const char *name);

extern void profile_free (struct profile *profile);

#endif
