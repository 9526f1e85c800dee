/* Print what objtext.h found out, as a table.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REPORT_H
#define REPORT_H

#include "objtext.h"

#include <stdio.h>

/* A line per object of OBJECTS with text, then their sum.  */
extern void report_objects (FILE *stream, const struct object_list *objects);

#endif
