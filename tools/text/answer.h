/* The inspector's answers about the text of processes: write them to
   messages, and read and check them.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Because the inspector reads data of hostile processes, which may have taken
   control of the inspector, answer_get and answer_get_maps check all answers
   of the inspector: numbers must be within limits, texts must be printable or
   file names, and related numbers must agree.  */

#ifndef ANSWER_H
#define ANSWER_H

#include "host/procmaps.h"
#include "text/inspect.h"

/* The largest error number of the kernel.  */
#define ANSWER_ERRNO_MAX 4095

/* Add FOUND to MESSAGE.  */
extern void answer_put (struct message *message,
                        const struct inspection *found);

/* Read FOUND, whose flags and process ID are set, from MESSAGE.  Return false
   if MESSAGE is invalid.  The caller frees FOUND even if MESSAGE is
   invalid.  */
extern bool answer_get (struct message *message, struct inspection *found);

/* answer_put_maps writes MAPS and ERROR to MESSAGE.  ERROR is the error number
   if the mappings could not be read, otherwise 0.  answer_get_maps reads MAPS
   from MESSAGE, and returns ERROR.  If MESSAGE is invalid, answer_get_maps
   returns EBADMSG, and MAPS contains no mappings.  The caller frees MAPS even
   if MESSAGE is invalid.  */
extern void answer_put_maps (struct message *message,
                             const struct procmaps *maps, int error);
extern int answer_get_maps (struct message *message, struct procmaps *maps);

#endif
