/* Loaders: find ld-hugetext.so and the system's loader, and compare them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LOADER_H
#define LOADER_H

#include <limits.h>
#include <stdbool.h>

/* The facts of a file as a loader.  */
struct loader
{
  char path[PATH_MAX];
  char version[32]; /* Release of glibc; "" if the file is not of this
                       project.  */
  char own[32];     /* Version of ld-hugetext; "" if the loader is older than
                       the note that says it.  */
  bool loads;       /* The file is a loader, of any release.  */
  bool ours;        /* The file is an ld-hugetext.so.  */
  bool stand_in;    /* The file is the package's stand-in for
                       ld-hugetext.so.  */
  bool whole;       /* The file has all its segments, and code at its
                       entry.  */
};

/* Return the path of ld-hugetext.so: GIVEN if that is not NULL, else the one
   beside this program, else the installed one.  Links are resolved if the file
   exists.  */
extern const char *loader_path (const char *given);

/* Return the path of the program hugetext-attach, found in the same way.  */
extern const char *loader_attach (void);

/* Return the loader for programs that are started from here: GIVEN if that is
   not NULL; else the system's, if that is ld-hugetext.so (bound over it, or of
   a libc6 that has it); else as loader_path.  */
extern const char *loader_wanted (const char *given);

/* Whether the loader at PATH is ld-hugetext.so and fits here.  */
extern bool loader_is_ours (const char *path);

/* Read the facts of the loader at PATH, or open as FD.  False with errno
   set.  */
extern bool loader_read (const char *path, struct loader *loader);
extern bool loader_read_fd (int fd, struct loader *loader);

/* Whether a loader may have NAME.  */
extern bool loader_named (const char *name);

/* Whether the file NAME, open as FD, is a loader, ours or another.  */
extern bool loader_is_loader (const char *name, int fd);

/* Return the path of the system's loader, links resolved.  */
extern const char *loader_system (void);

/* Return why LOADER cannot take the place of the system's, NULL if it can.  */
extern const char *loader_problem (const struct loader *loader);

/* Whether the paths A and B lead to the same file.  */
extern bool same_path (const char *a, const char *b);

#endif
