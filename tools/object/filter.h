/* Seccomp filters of this process: whether ld-hugetext.so works under them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>

/* Whether this process has a filter under which LOADER may make all its calls:
   those for copies, with their flags, and prctl.  A child that runs this
   command under LOADER tests this, and dies if a call is forbidden.  */
extern bool filter_allows (const char *loader);

#endif
