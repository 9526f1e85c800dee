/* The processes that a user names: PID, NAME or --service=SERVICE.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SELECTION_H
#define SELECTION_H

#include <stddef.h>
#include <sys/types.h>

/* Find the processes of SERVICE, a unit of systemd's, or if that is NULL the
   one or those that PROCESS is a number or name of; this process is none of
   several.  Returns NULL, or why there are none.  LIST is to be freed.  */
extern const char *selected_processes (const char *process,
                                       const char *service, pid_t **list,
                                       size_t *count);

#endif
