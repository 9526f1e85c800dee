/* The message for a loader to which the kernel has refused its own files.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef REFUSED_H
#define REFUSED_H

#include "text/loader-record.h"

#include <sys/types.h>

/* Set WORDS to the files that were refused to the loader of process PID, by
   its RECORD, and to the remedy; "" if none was.  */
extern void refused_text (pid_t pid, const struct loader_record *record,
                          char words[static 512]);

#endif
