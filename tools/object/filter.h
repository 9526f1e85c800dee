/* Seccomp filters of this process: whether our loader works under them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>

/* Whether this process has a filter, and LOADER may make the calls of all its
   work under that filter: those of copies, with their flags, and prctl.  A
   child that runs this command under LOADER finds out, and dies if not.  */
extern bool filter_allows (const char *loader);

#endif
