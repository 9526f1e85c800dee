/* A profile is a file that describes which text of one build of an object is
   hot.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each build has a text file, BUILD.profile, which people can read and other
   programs can write.  A user's samples of files that not every user may read
   are in BUILD.secret.profile, which only this user can read.  A build ID does
   not prove which file was sampled, because anybody can make a file with any
   build ID.  Therefore the command never copies samples between a secret and a
   public profile.  The lines:

     hugetext profile 2
     build 3ba9ea1bcbfb9b6c1bbf04607cf788096edde6f2
     name /usr/lib/llvm-14/bin/clang    one or more paths
     when 2026-11-22T02:10:00Z          the newest samples
     samples 4711 of 9876               4711 in the object; 9876 in all
                                        processes that have it mapped
     heat 0x1230000 250000              any number of these lines, in the
                                        order of addresses
     end

   Each line of heat has the link-time address of a granule (64 KiB of text)
   and the weight of this granule: the samples in the granule per million
   samples of all processes that have the object mapped.  Because each weight
   is a share of samples, weights are comparable between the objects of a
   process, and between processes.  A granule without samples has no line.  If
   an object was mapped and never sampled, its profile has no heat lines.  An
   object without samples is cold if its processes have enough samples
   (profile_judge).

   BUILD is the build ID, or, for a file without one, "headers-" and a digest
   of the file's headers.  An object without build ID needs a profile too:
   without profile its heat is unknown, and the loader ranks blocks of unknown
   heat above blocks with few samples.

   Every field of a file is checked before it is used.  */

#ifndef PROFILE_H
#define PROFILE_H

#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

enum
{
  PROFILE_GRANULE = 65536, /* Bytes.  */
  PROFILE_WEIGHTS = 1000000,
  PROFILE_BUILD_ID_MIN = 8, /* The limits for the length of a build ID in
                               bytes; a SHA-1 has 20 bytes.  */
  PROFILE_BUILD_ID_MAX = 32,
  /* A profile says whether its object is hot or cold only if the processes
     that have the object mapped have at least this number of samples.  If none
     of N samples is in a block, the block's true share is below 3/N with a
     confidence of 95 % (the rule of three).  So if none of 768 samples is in a
     block, the block's true share is below one in 256.  If the share of a
     block is below one in 256, the loader may give the huge page to another
     block (HUGETEXT_HEAT_HOT).  */
  PROFILE_SAMPLES_LEAST = 768,
  PROFILE_NAMES_MAX = 16,
  PROFILE_GRANULES_MAX = 65536,                 /* The maximum number of
                                                   granules of an object,
                                                   enough for 4 GiB of
                                                   text.  */
  PROFILE_SIZE_MAX = PROFILE_GRANULES_MAX * 64, /* The maximum size of a
                                                   profile in bytes, with one
                                                   line for each granule.  */
};

/* PROFILE_SAMPLES_MAX is above all possible numbers of samples, and
   PROFILE_ADDRESS_MAX above all addresses of Linux programs.  */
#define PROFILE_SAMPLES_MAX (UINT64_C (1) << 53)
#define PROFILE_ADDRESS_MAX (UINT64_C (1) << 56)

/* The last second of the year 9999.  No profile has a later time, because the
   year in its line "when" has four digits.  The command refuses a later time
   from the unprivileged process, because gmtime fails for very late times.  */
#define PROFILE_WHEN_MAX INT64_C (253402300799)

/* The name of a build is its build ID or, for a file without build ID, this
   prefix and 16 hexadecimal digits.  */
#define PROFILE_HEADERS "headers-"

struct profile
{
  char build_id[2 * PROFILE_BUILD_ID_MAX + 1]; /* The name of the build, which
                                                  is BUILD in the comment at
                                                  the beginning of this
                                                  file.  */
  char *names[PROFILE_NAMES_MAX];              /* The paths of the object's
                                                  files, all absolute.  */
  size_t nnames;
  time_t when;
  uint64_t samples, process_samples;
  uint64_t first;    /* The address of the first granule.  */
  size_t count;      /* The number of granules from FIRST on.  */
  uint32_t *weights; /* The weight of each granule, from 0 to
                        PROFILE_WEIGHTS.  */
};

/* What a profile says about the heat of its object.  */
enum profile_verdict
{
  PROFILE_TOO_FEW, /* The processes of the object have too few samples.  */
  PROFILE_COLD,    /* The object was mapped, but hardly any of its code was
                      executed.  */
  PROFILE_HEAT,    /* The heat of the object is the heat in its profile.  */
};

/* Return what PROFILE says about the heat of its object.  The function uses
   only the numbers of samples in PROFILE.  */
extern enum profile_verdict profile_judge (const struct profile *profile);

/* Return true if TEXT is a valid name of a build (a build ID, or "headers-"
   and a digest).  A valid name contains no slash, so that it can be part of a
   file name.  */
extern bool profile_is_build_id (const char *text);

/* Parse TEXT into PROFILE.  TEXT has SIZE bytes and, after them, a null byte
   that SIZE does not count; the function modifies TEXT.  If profile_parse
   returns false, there is nothing to free.  */
extern bool profile_parse (struct profile *profile, char *text, size_t size,
                           struct problem *problem);

/* Add the samples of OLD, a profile of the same build, to PROFILE.  The date
   stays that of PROFILE, the last run, even if the date of OLD is later: the
   clock was wrong when OLD was written.  */
extern void profile_merge (struct profile *profile, const struct profile *old);

/* Print PROFILE to STREAM, as the text of a profile's file.  */
extern void profile_print (FILE *stream, const struct profile *profile);

/* Add NAME to PROFILE's names, if it is printable and there is space.  */
extern void profile_add_name (struct profile *profile, const char *name);

extern void profile_free (struct profile *profile);

/* Set BUILD_ID to the name of the build of the file FD.  */
extern bool
profile_build_id (int fd, char build_id[static 2 * PROFILE_BUILD_ID_MAX + 1],
                  struct problem *problem);

/* Read the file NAME in the directory with the descriptor DIR, if the file
   belongs to root or to the user CALLER, and no other user can write to it.
   CALLER is the user who runs the command.  (An unprivileged process of root's
   command runs as another user.)  If the file is missing, errno is ENOENT.  */
extern bool profile_read (struct profile *profile, int dir, const char *name,
                          uid_t caller, struct problem *problem);

/* Get the profile of BUILD_ID from an unprivileged process, which reads the
   file (host/reader.h).  If EVERYBODY is true, get the profile that everybody
   may read, otherwise the profile that only its owner may read.  */
extern bool profile_ask (struct profile *profile, int dir,
                         const char *build_id, bool everybody,
                         struct problem *problem);

/* Set NAME to the file name of the profile of BUILD_ID.  If EVERYBODY is true,
   use the profile that everybody can read, otherwise the profile that only its
   owner can read.  */
extern void profile_name (const char *build_id, bool everybody,
                          char name[static NAME_MAX]);

/* Return true if NAME is the file name of a profile that only its owner can
   read.  */
extern bool profile_is_secret (const char *name);

/* Make the directory DIRECTORY if it is missing.  Return a descriptor of
   DIRECTORY.  If DIRECTORY cannot be made, or if this user cannot write to it,
   set PROBLEM and return -1.  The text of PROBLEM names DIRECTORY and the
   option that chooses another directory.  */
extern int profile_directory (const char *directory, struct problem *problem);

/* Write PROFILE to the directory with the descriptor DIR, and replace the
   profile of the same build in this directory.  If EVERYBODY is true, every
   user can read the new file, otherwise only its owner.  On failure set errno
   and return false.  */
extern bool profile_write (const struct profile *profile, int dir,
                           bool everybody);

#endif
