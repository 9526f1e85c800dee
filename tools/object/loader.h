/* Loaders: find ld-hugetext.so and the system's loader, and compare them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LOADER_H
#define LOADER_H

#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>

/* The number of digits of the build ID by which a build of a loader is
   identified.  */
#define LOADER_BUILD 12

/* Facts about a file that may be a loader.  */
struct loader
{
  char path[PATH_MAX];
  char version[32]; /* The release of glibc for which the loader was built, or
                       "" if the file is not from ld-hugetext.  */
  char own[32];     /* The version of ld-hugetext, or "" if the loader is too
                       old to state it.  */
  /* The first digits of the build ID.  Two revisions of a package with
     different code have different build IDs.  "" if the file has no build ID,
     or is not from ld-hugetext.  */
  char build[LOADER_BUILD + 1];
  bool loads;    /* Whether the file is a dynamic loader of any release:
                    ld-hugetext.so or another loader.  */
  bool ours;     /* Whether the file is ld-hugetext.so, of any release.  */
  bool stand_in; /* Whether the file is the stand-in, which the package
                    installs in place of an ld-hugetext.so that does not
                    work.  */
  bool whole;    /* Whether the file contains all its segments, and code at its
                    entry point.  */
};

/* Return the path of ld-hugetext.so.  If GIVEN is not NULL, this is GIVEN.
   Otherwise it is the loader in the directory of this program or, if there is
   none, the installed loader.  If the file exists, symbolic links are
   resolved.  */
extern const char *loader_path (const char *given);

/* Return the path of the program hugetext-attach: in the directory of this
   program or, if it is not there, where it is installed.  */
extern const char *loader_attach (void);

/* hugetext-attach cannot be executed because of ERROR.  Set PROBLEM to the
   reason, and what to do.  Return false.  */
extern bool loader_no_attach (int error, struct problem *problem);

/* Whether hugetext-attach can be executed.  */
extern bool loader_check_attach (struct problem *problem);

/* Return the path of the loader for programs that this command starts.  If
   GIVEN is not NULL, this is GIVEN.  Otherwise, if the system's loader is
   ld-hugetext.so (because of a bind mount or a libc6 package), it is the
   system's loader.  Otherwise it is the result of loader_path.  */
extern const char *loader_wanted (const char *given);

/* Whether the loader at PATH is an ld-hugetext.so that works on this machine
   with the installed glibc.  */
extern bool loader_is_ours (const char *path);

/* Read the facts about the loader at PATH (loader_read), or on descriptor FD
   (loader_read_fd).  On failure set errno and return false.  */
extern bool loader_read (const char *path, struct loader *loader);
extern bool loader_read_fd (int fd, struct loader *loader);

/* Whether NAME looks like the file name of a loader.  */
extern bool loader_named (const char *name);

/* Whether the file NAME, on descriptor FD, is a loader: ld-hugetext.so or
   another.  */
extern bool loader_is_loader (const char *name, int fd);

/* Return the path of the system's loader, with symbolic links resolved.  */
extern const char *loader_system (void);

/* Whether LOADER can replace the system's loader.  If it cannot, set PROBLEM
   and return false.  */
extern bool loader_check (const struct loader *loader,
                          struct problem *problem);

/* Do the same for the file PATH.  If it is no loader, set PROBLEM.  */
extern bool loader_fits (const char *path, struct problem *problem);

/* Whether the paths A and B name the same file.  */
extern bool same_path (const char *a, const char *b);

#endif
