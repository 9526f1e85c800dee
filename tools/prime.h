/* What "hugetext prime" does with one file.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PRIME_H
#define PRIME_H

#include "dependencies.h"
#include "fileusers.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* How the blocks of a file are cached.  */
struct prime_counts
{
  size_t huge, small, unread; /* "small" also has what is cached in part.  */
};

enum prime_action
{
  PRIME_NOTHING, /* It stays as it is.  */
  PRIME_READ,    /* What was not huge is read again.  */
};

/* What became of a file, or would become.  */
struct primed
{
  char path[PATH_MAX]; /* Canonical, if it has such a name.  */
  size_t blocks;       /* That can be huge.  */
  struct prime_counts before, after;
  struct fileusers users;
  enum prime_action action;
  bool useless;      /* Its text could not be on its own huge pages.  */
  bool done;         /* All of it is cached in huge pages, or would be.  */
  char problem[640]; /* Why it is not, or "".  */
  double seconds;
};

/* How to do it.  */
struct prime_options
{
  bool dry_run;
};

/* Prime the file NAME.  */
extern void prime_file (const char *name, const struct prime_options *options,
                        struct primed *primed);

/* Add to FILES the programs and libraries with a block's worth of text of the
   service NAME: those that its processes have mapped, or if it does not run
   those that its program needs.  Returns NULL, or what is wrong, in static
   memory.  */
extern const char *prime_service (const char *name, struct file_list *files);

#endif
