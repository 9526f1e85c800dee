/* The report of "hugetext attach" on a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ATTACH_REPORT_H
#define ATTACH_REPORT_H

#include "attach/attach.h"
#include "attach/convert.h"

/* Report the result of ALL, which carried out REQUEST; its process has OBJECTS
   now: print it, or add it to ANSWER's JSON.  Return whether everything
   requested has been done.  */
extern bool attach_report (const struct conversion *all,
                           const struct attach_request *request,
                           const struct object_list *objects,
                           struct attach_answer *answer);

#endif
