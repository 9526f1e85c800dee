/* Code made at run time: how much of it a process has on huge pages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODETEXT_H
#define CODETEXT_H

#include "host/procmaps.h"
#include "text/objtext.h"

/* Fill in the code of OBJECTS, all of whose files have been found.  False if
   there is no memory for that.  */
extern bool codetext_add (struct pages *pages, struct object_list *objects);

#endif
