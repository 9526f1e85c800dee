/* Put a text into a file, so that whoever reads it finds the old one or the new
   one as a whole.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REWRITE_H
#define REWRITE_H

#include <stdbool.h>

/* Replace the file PATH by one with TEXT, which anybody may read.  False with
   errno set if that fails; then all is as it was.  */
extern bool rewrite_file (const char *path, const char *text);

#endif
