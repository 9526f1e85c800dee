/* The account of code made at run time: how much of it is on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODETEXT_H
#define CODETEXT_H

#include "host/procmaps.h"
#include "text/objtext.h"

/* Fill in the code made at run time of OBJECTS, whose files have all been
   found.  False if there is no memory.  */
extern bool codetext_add (struct pages *pages, struct object_list *objects);

#endif
