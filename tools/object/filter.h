/* Test whether ld-hugetext.so works under the seccomp filters of this
   process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>

/* Whether this process has a filter, and this filter allows LOADER to make all
   its calls: prctl, and the calls that make copies, with their flags.  A
   child runs this command under LOADER, which makes these system calls.  The
   child dies if the filter forbids one of them.  */
extern bool filter_allows (const char *loader);

#endif
