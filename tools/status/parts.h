/* The functions that the files of the module "status" share.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STATUS_PARTS_H
#define STATUS_PARTS_H

#include "object/reason.h"
#include "status/status.h"
#include "text/inspect.h"

#include <stdio.h>

/* status.c */

/* Add FOUND, an inspected process, to the totals and to the JSON.  */
extern void status_count (struct status *status,
                          const struct inspection *found);

/* Print the settings of FOUND's process, which ABOUT describes, and problems
   with the settings.  The printed sentences have the grammatical subject
   SUBJECT, which names the process.  */
extern void status_print_facts (FILE *stream, const char *subject,
                                const struct inspection *found,
                                const struct reason_about *about);

#endif
