/* The inspector's answers about the text of processes, as messages.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The inspector reads data from hostile processes and may be under their
   control by now.  So this module checks all of its answers: numbers have
   limits, texts are printable or file names, and related items agree.  */

#ifndef ANSWER_H
#define ANSWER_H

#include "host/procmaps.h"
#include "text/inspect.h"

/* Add FOUND to MESSAGE.  */
extern void answer_put (struct message *message,
                        const struct inspection *found);

/* Take FOUND, whose flags and process ID are set, from MESSAGE.  Return false
   if MESSAGE is invalid.  The caller frees FOUND in any case.  */
extern bool answer_get (struct message *message, struct inspection *found);

/* Add MAPS, or the ERROR of reading them, to MESSAGE; or take them from
   MESSAGE and return the error: EBADMSG, without mappings, if MESSAGE is
   invalid.  The caller frees MAPS in any case.  */
extern void answer_put_maps (struct message *message,
                             const struct procmaps *maps, int error);
extern int answer_get_maps (struct message *message, struct procmaps *maps);

#endif
