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
  char version[32]; /* The release of glibc; "" if the file is not
                       ld-hugetext's.  */
  char own[32];     /* The version of ld-hugetext; "" if the loader is older
                       than the note with the version.  */
  bool loads;       /* The file is a dynamic loader: ld-hugetext.so or another
                       one, of whatever release.  */
  bool ours;        /* The file is ld-hugetext.so, of whatever release.  */
  bool stand_in;    /* The file is a stand-in that the package installs for
                       ld-hugetext.so.  */
  bool whole;       /* The file has all its segments, and code at its entry
                       point.  */
};

/* Return the path of ld-hugetext.so: GIVEN if that is not NULL; else the
   loader beside this program; else the installed loader.  Symbolic links are
   resolved if the file exists.  */
extern const char *loader_path (const char *given);

/* Return the path of the program hugetext-attach, beside this program, or the
   installed one.  */
extern const char *loader_attach (void);

/* Return the loader for programs that this command starts: GIVEN if that is
   not NULL; else the system's loader, if it is ld-hugetext.so (by a bind
   mount, or by a libc6 package); else the result of loader_path.  */
extern const char *loader_wanted (const char *given);

/* Whether the loader at PATH is ld-hugetext.so and suits this machine and
   glibc.  */
extern bool loader_is_ours (const char *path);

/* Read the facts of the loader at PATH, or open as FD.  False with errno
   set.  */
extern bool loader_read (const char *path, struct loader *loader);
extern bool loader_read_fd (int fd, struct loader *loader);

/* Whether NAME can be the file name of a loader.  */
extern bool loader_named (const char *name);

/* Whether the file NAME, open as FD, is a loader: ld-hugetext.so or
   another.  */
extern bool loader_is_loader (const char *name, int fd);

/* Return the path of the system's loader, with symbolic links resolved.  */
extern const char *loader_system (void);

/* Return false if LOADER cannot replace the system's loader.  */
extern bool loader_check (const struct loader *loader,
                          struct problem *problem);

/* Whether the paths A and B name the same file.  */
extern bool same_path (const char *a, const char *b);

#endif
