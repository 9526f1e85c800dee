/* Loaders: find ld-hugetext.so and the system's loader, and compare them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LOADER_H
#define LOADER_H

#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>

/* The first LOADER_BUILD digits of its build ID identify a build of a
   loader.  */
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
     different code have different build IDs.  The member is "" if the file has
     no build ID, or is not from ld-hugetext.  */
  char build[LOADER_BUILD + 1];
  bool loads;    /* True if the file is a dynamic loader of any release:
                    ld-hugetext.so or another loader.  */
  bool ours;     /* True if the file is ld-hugetext.so, no matter for which
                    release of glibc.  */
  bool stand_in; /* True if the file is the stand-in, which the package
                    installs in place of an ld-hugetext.so that does not
                    work.  */
  bool whole;    /* True if the file contains all its segments, and code at its
                    entry point.  */
};

/* Return the path of ld-hugetext.so.  If GIVEN is not NULL, the path is GIVEN.
   If GIVEN is NULL, the path is that of the loader in the directory of this
   program or, if the directory of this program contains no loader, of the
   installed loader.  If the loader's file exists, symbolic links in the path
   are resolved.  */
extern const char *loader_path (const char *given);

/* Return the path of the program hugetext-attach: in the directory of this
   program if hugetext-attach is there, otherwise in the directory of the
   installation.  */
extern const char *loader_attach (void);

/* Set PROBLEM to the reason why hugetext-attach cannot be executed, with a
   remedy.  ERROR is the error of execve.  Return false.  */
extern bool loader_no_attach (int error, struct problem *problem);

/* Return true if hugetext-attach can be executed.  */
extern bool loader_check_attach (struct problem *problem);

/* Return the path of the loader for programs that this command starts.  The
   loader is GIVEN, unless GIVEN is NULL.  If GIVEN is NULL, and the system's
   loader is an ld-hugetext.so (because of a bind mount or a libc6 package),
   return the path of the system's loader.  If GIVEN is NULL, and the system's
   loader is the stock loader, return the result of loader_path.  */
extern const char *loader_wanted (const char *given);

/* Return true if the loader at PATH is an ld-hugetext.so that works on this
   machine with the installed glibc.  */
extern bool loader_is_ours (const char *path);

/* Read the facts about the loader at PATH (loader_read), or on descriptor FD
   (loader_read_fd).  On failure set errno and return false.  */
extern bool loader_read (const char *path, struct loader *loader);
extern bool loader_read_fd (int fd, struct loader *loader);

/* Return true if NAME looks like the file name of a loader.  */
extern bool loader_named (const char *name);

/* Return true if the file NAME, on descriptor FD, is a loader: ld-hugetext.so
   or another.  */
extern bool loader_is_loader (const char *name, int fd);

/* Return the path of the system's loader, with symbolic links resolved.  */
extern const char *loader_system (void);

/* Return true if LOADER can replace the system's loader.  If LOADER cannot
   replace the system's loader, set PROBLEM to the reason and return false.  */
extern bool loader_check (const struct loader *loader,
                          struct problem *problem);

/* Return true if the file PATH is a loader that can replace the system's
   loader.  If PATH cannot replace the system's loader, set PROBLEM to the
   reason and return false.  */
extern bool loader_fits (const char *path, struct problem *problem);

/* Return true if the paths A and B name the same file.  */
extern bool same_path (const char *a, const char *b);

#endif
