/* Which objects of a process have a profile.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROFILED_H
#define PROFILED_H

#include "objtext.h"

#include <json-c/json.h>
#include <stdio.h>

/* Print a line for each of OBJECTS, of process PID, whose heat the loader
   would know: how old its profile is, and of which build.  */
extern void profiled_print (FILE *stream, pid_t pid,
                            const struct object_list *objects);

/* The same as an array.  */
extern struct json_object *profiled_json (pid_t pid,
                                          const struct object_list *objects);

#endif
