/* Test whether ld-hugetext.so works under the seccomp filters of this
   process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>

/* Whether this process has a filter, and this filter allows LOADER to make all
   its calls: prctl, and the calls that make copies, with their flags.  The
   child runs a command under LOADER that makes these system calls, and dies if
   the filter forbids one of them.  */
extern bool filter_allows (const char *loader);

#endif
