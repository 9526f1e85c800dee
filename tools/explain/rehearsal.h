/* Rehearsals: ld-hugetext.so starts a program and ends it before any of its
   code runs; meanwhile the command inspects the process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   elf/optional/dl-hugetext-modules.h describes what the loader does in a dry
   run.  */

#ifndef REHEARSAL_H
#define REHEARSAL_H

#include "host/reader.h"
#include "object/settings.h"
#include "util/filelist.h"
#include "util/problem.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct rehearsal
{
  pid_t pid;
  int hold; /* The socket that is the standard input, output and error of the
               dry run's process.  The dry run ends when the command closes
               this socket.  */
  struct reader_subject subject;
};

/* Set ROOT to the path by which /proc shows the root directory of REHEARSAL's
   process, or to "" if the root directory is "/".  In a chroot, the process of
   a dry run has a mount namespace of its own, so the kernel shows the
   process's paths from the root of this namespace.  */
extern void rehearsal_root (const struct rehearsal *rehearsal,
                            char root[static PATH_MAX]);

/* Start a dry run of the program that is the first of FILES, under LOADER
   (NULL for the usual loader) with SETTINGS.  The FILES after the first are
   files that the program opens while it runs.  The names of all FILES are
   paths with symbolic links resolved.  The loader stops the program when all
   text is mapped.  If LIBRARY is true, the first file is a library, and is
   preloaded into a program with very little text.  The new process has the
   limits, filters and control groups of this process.  The new process ends
   when rehearsal_end is called, or when this process ends.  If the program
   must not or cannot be started, set PROBLEM and return false.  */
extern bool rehearsal_start (struct rehearsal *rehearsal,
                             const struct file_list *files, bool library,
                             const char *loader,
                             const struct settings *settings,
                             struct problem *problem);

extern void rehearsal_end (struct rehearsal *rehearsal);

#endif
