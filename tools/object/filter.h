/* Test whether ld-hugetext.so works under the seccomp filters of this
   process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>

/* Return true if this process has a filter, and the filter allows all system
   calls of LOADER: prctl, and the system calls that make copies, with their
   flags.  To test the filter, run this command under LOADER in a child.  If
   the filter forbids a system call of the loader, the kernel kills the
   child.  */
extern bool filter_allows (const char *loader);

#endif
