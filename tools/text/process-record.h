/* The loader's record in a process.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROCESS_RECORD_H
#define PROCESS_RECORD_H

#include "text/objtext.h"
#include "text/loader-record.h"

/* Return why the loader PATH leaves no readable record, NULL if it leaves
   one.  */
extern const char *process_record_unknown (const char *path);

/* Read the record of process PID with OBJECTS, which ld-hugetext.so has
   loaded.  Return NULL, or why it cannot be read; then there is nothing to
   free.  */
extern const char *process_record_read (pid_t pid,
                                        const struct object_list *objects,
                                        struct loader_record *record);

#endif
