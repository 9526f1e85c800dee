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
  char version[32]; /* Of glibc; "" if it is none of ours.  */
  bool loads;       /* It is a loader, of any release.  */
  bool ours;        /* It is an ld-hugetext.so.  */
  bool stand_in;    /* The package has it in the place of one of ours.  */
  bool whole;       /* It has its segments, and code where it is entered.  */
};

/* The path of ld-hugetext.so: GIVEN if that is not NULL, else the one beside
   this program, else where it is installed.  Links are resolved, if it is
   there at all.  */
extern const char *loader_path (const char *given);

/* The loader for programs that are started from here: GIVEN if that is not
   NULL, else the system's, where that is ld-hugetext.so itself (bound over it,
   or of a libc6 that has it), else as loader_path.  */
extern const char *loader_wanted (const char *given);

/* Whether the loader at PATH is ld-hugetext.so and fits here.  */
extern bool loader_is_ours (const char *path);

/* Read what the loader at PATH, or open as FD, is.  False with errno set.  */
extern bool loader_read (const char *path, struct loader *loader);
extern bool loader_read_fd (int fd, struct loader *loader);

/* Whether the file NAME, open as FD, is a loader, ours or another.  */
extern bool loader_is_loader (const char *name, int fd);

/* The path of the system's loader, links resolved.  */
extern const char *loader_system (void);

/* The version of the libc that is installed.  */
extern const char *loader_libc_version (void);

/* Why LOADER cannot take the place of the system's, NULL if it can.  */
extern const char *loader_problem (const struct loader *loader);

/* Whether a loader of our build that a program knows as NAME finds the object
   that follows code made at run time.  */
extern bool loader_finds_code (const char *name);

/* Whether A and B are the same file.  */
extern bool same_path (const char *a, const char *b);

#endif
