/* Say what "hugetext attach" has made of a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ATTACH_REPORT_H
#define ATTACH_REPORT_H

#include "attach/convert.h"
#include "text/json.h"

/* What was asked for.  */
enum
{
  ATTACH_UNDO = 1,
  ATTACH_DRY_RUN = 2,
};

/* Say how ALL went, whose process has OBJECTS now: print it, or add it to
   LIST if that is not NULL.  HOW is of the above.  Returns whether all that
   was wanted has been done.  */
extern bool attach_report (const struct conversion *all, unsigned int how,
                           const struct object_list *objects,
                           struct json_object *list);

#endif
