/* Loaders: find ld-hugetext.so and the system's loader, and compare them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LOADER_H
#define LOADER_H

#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>

/* Facts about a file that may be a loader.  */
struct loader
{
  char path[PATH_MAX];
  char version[32]; /* The release of glibc, or "" if the file is not of
                       ld-hugetext.  */
  char own[32];     /* The version of ld-hugetext, or "" if the loader is too
                       old to state it.  */
  bool loads;       /* The file is a dynamic loader, ld-hugetext.so or
                       another, of any release.  */
  bool ours;        /* The file is ld-hugetext.so, of any release.  */
  bool stand_in;    /* The file is the stand-in that the package installs in
                       place of ld-hugetext.so.  */
  bool whole;       /* The file has all its segments, and code at its entry
                       point.  */
};

/* Return the path of ld-hugetext.so: GIVEN, unless this is NULL; otherwise
   the loader in the directory of this program; if there is none, the
   installed loader.  If the file exists, symbolic links are resolved.  */
extern const char *loader_path (const char *given);

/* Return the path of the program hugetext-attach, either in the directory of
   this program, or the installed one.  */
extern const char *loader_attach (void);

/* Return the loader for programs that this command starts: GIVEN, unless this
   is NULL.  Otherwise it is the system's loader, if this is ld-hugetext.so
   (by a bind mount, or by a libc6 package).  Otherwise it is what loader_path
   returns.  */
extern const char *loader_wanted (const char *given);

/* Whether the loader at PATH is ld-hugetext.so and suits this machine and
   glibc.  */
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

/* Whether LOADER can replace the system's loader.  If not, set PROBLEM and
   return false.  */
extern bool loader_check (const struct loader *loader,
                          struct problem *problem);

/* Whether the paths A and B name the same file.  */
extern bool same_path (const char *a, const char *b);

#endif
